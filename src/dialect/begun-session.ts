import type { Sink } from '../event/sink.ts'
import type { Text } from '../event/value.ts'
import type { Node, RecordView } from '../kernel/record.ts'
import { sessionStart } from './session-events.ts'
import { textAt } from './values.ts'

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

/**
 * Events of this record are about to be written: a session is opened when no record has opened one, of which no more is
 * known than its id.
 *
 * @param slug that of the harness
 * @returns true when it was opened here
 */
export function enterSession(
  record: RecordView,
  id: Node,
  slug: string,
  at: Text,
  state: BegunSession,
  sink: Sink,
): boolean {
  if (state.started) return false
  state.started = true
  state.session = record.text(id)
  sink.sessionStarted(sessionStart(slug, { at, sessionId: textAt(record, id) }))
  return true
}
