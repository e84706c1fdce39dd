import type { CloseReason, ProcessEnd } from '../../event/events.ts'
import { keys } from '../../kernel/key.ts'
import type { Node, RecordView } from '../../kernel/record.ts'

const K = keys('code', 'is_error', 'kind', 'process', 'signal', 'stop_reason', 'subtype', 'terminal_reason')

/** Words for what was to be spent, and was: those of the wire, of b10x-harness and of go-agent-harness, and Claude's. */
const BUDGET = /^(?:budget-exhausted|deadline|run\.cost_limit_reached|max-.*|error_max_.*)$/
const KILLED = /^(?:run\.)?cancelled$/

/**
 * How a run ended, by its `session.ended` (spec metaharness-event-1 §6): for streams that nobody closed. Without
 * evidence it is no success.
 */
export function reasonAt(record: RecordView, ended: Node): CloseReason {
  const told = [K.terminal_reason, K.stop_reason, K.subtype]
  const words = told.map((name) => record.word(record.get(ended, name)) ?? '')
  if (words.some((word) => BUDGET.test(word))) return 'budget'
  if (words.some((word) => KILLED.test(word))) return 'killed'
  return record.bool(record.get(ended, K.is_error)) === false ? 'completed' : 'error'
}

/** How the process ended, by `stream.closed`; null when unknown. */
export function processAt(record: RecordView, closed: Node): ProcessEnd | null {
  const process = record.get(closed, K.process)
  const kind = record.word(record.get(process, K.kind))
  if (kind === 'exited') {
    const code = record.integer(record.get(process, K.code))
    return code === null ? null : { kind, code }
  }
  if (kind !== 'signaled') return null
  const signal = record.integer(record.get(process, K.signal))
  return signal === null ? null : { kind, signal }
}
