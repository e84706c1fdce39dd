import type { SessionEnded } from '../../event/events.ts'
import type { RecordView } from '../../kernel/record.ts'
import { wordIn } from '../words.ts'

/** How harnesses call the end of a run that was asked for: nobody's fault. */
const CANCELLED: ReadonlySet<string> = new Set(['cancelled', 'canceled', 'interrupted', 'aborted'])
const GOOD: ReadonlySet<string> = new Set(['success', 'completed'])

/** What is to be said of a session that did not end well. */
export interface TerminalFault {
  readonly isError: boolean
  readonly message: string
  readonly code: string | null
}

/** Null for a session that ended well, as far as is known. `isError` is trusted over the subtype. */
export function terminalFault(record: RecordView, e: SessionEnded): TerminalFault | null {
  const subtype = wordIn(record, e.subtype)
  const isGood = subtype === null || GOOD.has(subtype)
  if (!(e.isError ?? !isGood)) return null
  if (subtype !== null && CANCELLED.has(subtype)) {
    return { isError: false, message: 'the run was cancelled', code: subtype }
  }
  const reason = wordIn(record, e.terminalReason)
  const stop = wordIn(record, e.stopReason)
  const status = wordIn(record, e.apiErrorStatus)
  const facts = [
    isGood ? null : `subtype=${subtype}`,
    reason === null || reason === subtype || isGood ? null : `terminal_reason=${reason}`,
    stop === null ? null : `stop_reason=${stop}`,
    status === null ? null : `api_error_status=${status}`,
  ].filter((fact) => fact !== null)
  const said = facts.length === 0 ? '' : `: ${facts.join(', ')}`
  return {
    isError: true,
    message: `the harness reported a terminal error${said}`,
    code: isGood ? status : subtype,
  }
}
