import type { Sink } from '../event/sink.ts'
import type { RecordView } from '../kernel/record.ts'

/** What adapters remember of the session they are in. */
export interface BegunSession {
  started: boolean
  session: string | null
}

/**
 * A record opens a session: it is the one at hand from here on.
 *
 * @returns false when it was that already; another one in the same transcript is noticed
 */
export function beginSession(
  record: RecordView,
  session: string | null,
  state: BegunSession,
  sink: Sink,
): boolean {
  if (state.started && session === state.session) return false
  if (state.started)
    sink.notice('second-session', record.line, 'another session begins in the same transcript')
  state.started = true
  state.session = session
  return true
}
