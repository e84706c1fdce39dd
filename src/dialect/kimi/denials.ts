import { Bin, type Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import type { RecordView } from '../../kernel/record.ts'
import { keptTimeOf } from '../times.ts'
import { open } from './opening.ts'
import type { DeniedCall, State } from './state.ts'

const K = keys('result', 'decision', 'toolCallId', 'toolName', 'feedback')
/** Denials that may wait for their call. */
const MOST_WAITING = 64

/**
 * A grant says nothing; whatever else was decided denied the call (design §5.4). Kimi Code asks before it records the
 * call, so the denial waits for the call, and comes behind it.
 */
export function approval(record: RecordView, at: Text, state: State, sink: Sink): Bin | null {
  const { root } = record
  const outcome = record.get(root, K.result)
  const decision = record.word(record.get(outcome, K.decision))
  if (decision === null) return null
  if (decision === 'approved') return Bin.Bookkeeping
  const call = record.text(record.get(root, K.toolCallId))
  const tool = record.text(record.get(root, K.toolName)) ?? 'a tool'
  const why = record.text(record.get(outcome, K.feedback))
  const code = decision === 'blocked' ? 'call-blocked' : 'approval-denied'
  const message = `${tool} was not approved (${decision})${why === null ? '' : `: ${why}`}`
  if (call !== null && !state.calls.has(call) && state.denied.size < MOST_WAITING) {
    state.denied.set(call, { code, message, at: keptTimeOf(record, at), line: record.line })
    return Bin.Folded
  }
  open(record, at, state, sink)
  sink.warning({ at, code, message, ...(call === null ? {} : { deniedCall: call }) })
  return Bin.Translated
}

/** Write the denial of a call that has just been written. */
export function warnOfDenied(call: string | null, state: State, sink: Sink): void {
  const denied = call === null ? undefined : state.denied.get(call)
  if (call === null || denied === undefined) return
  state.denied.delete(call)
  warn(call, denied, sink)
}

/** Write the denials whose calls never came. */
export function warnOfAll(state: State, sink: Sink): void {
  for (const [call, denied] of state.denied) warn(call, denied, sink)
  state.denied.clear()
}

function warn(deniedCall: string, { code, message, at, line }: DeniedCall, sink: Sink): void {
  sink.warning({ at, line, code, message, deniedCall })
}
