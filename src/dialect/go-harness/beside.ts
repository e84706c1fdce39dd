import { Bin } from '../../event/sink.ts'
import type { RecordView } from '../../kernel/record.ts'
import { closeReason } from './run.ts'
import { beginRun, type State } from './state.ts'
import { K, TERMINAL } from './words.ts'

/** What the command line says in its own words (`src/source/framing/cli.ts`), and the head of a backup. */
export function besideEvents(record: RecordView, state: State): Bin | null {
  const { root } = record
  if (record.isString(root)) return Bin.Bookkeeping
  const terminal = record.word(record.get(root, K.terminal))
  const killed = record.text(record.get(root, K.killed))
  const isHead = record.is(record.get(root, K.type), 'run') && record.isString(record.get(root, K.run_id))
  const status = isHead ? record.word(record.get(root, K.status)) : null
  if (killed !== null) endAs(state, 'run.cancelled')
  else if (terminal !== null) endAs(state, terminal)
  else if (!isHead) return null
  if (isHead) {
    state.isRun = true
    const id = record.text(record.get(root, K.run_id)) ?? ''
    const run = state.runs.get(id) ?? beginRun(state, id, null, record.line)
    run.facts.model = record.text(record.get(root, K.model))
    run.facts.conversation = record.text(record.get(root, K.conversation_id))
    run.facts.session = run.facts.conversation ?? run.id
    if (status !== null) endAs(state, `run.${status}`)
    return Bin.Folded
  }
  return Bin.Bookkeeping
}

/** How a run ended, told beside its events; its own terminal event says more. */
function endAs(state: State, type: string): void {
  if (state.ended || !TERMINAL.has(type)) return
  state.ended = true
  state.reason = closeReason(type, null, false)
}
