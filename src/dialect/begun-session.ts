import type { SessionStarted } from '../event/events.ts'
import { Bin, type Sink } from '../event/sink.ts'
import type { Text } from '../event/value.ts'
import type { Node, RecordView } from '../kernel/record.ts'
import type { Ending } from './adapter.ts'
import { UNFINISHED } from './endings.ts'
import { sessionStart } from './session-events.ts'
import { textAt } from './values.ts'

/** What adapters remember of the session they are in. */
export interface BegunSession {
  started: boolean
  session: string | null
}

/** Of one whose end a record tells. */
interface BegunStream extends BegunSession {
  model: string | null
  ending: Ending
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
 * The opening record of a stream, which may be written again for the session that it opened: `started`, and what
 * the adapter remembers of it.
 */
export function initStream(
  record: RecordView,
  session: Node,
  model: Node,
  started: SessionStarted,
  state: BegunStream,
  sink: Sink,
): Bin {
  if (!beginSession(record, record.text(session), state, sink)) return Bin.Bookkeeping
  state.model = record.word(model)
  state.ending = UNFINISHED
  sink.sessionStarted(started)
  return Bin.Translated
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
