import type { SessionStarted } from '../../event/events.ts'
import type { Sink } from '../../event/sink.ts'
import type { Node, RecordView } from '../../kernel/record.ts'
import { nextProcess, noteSession, type State } from './state.ts'

/**
 * Open a session when this record is the first of it; true when `session.started` was written.
 *
 * @param id of the session, as the record has it
 * @param opening what the record says of the session
 */
export function enter(
  record: RecordView,
  id: Node,
  opening: () => SessionStarted,
  state: State,
  sink: Sink,
): boolean {
  const session = record.text(id)
  if (state.started && (session === null || session === state.session)) return false
  const isFirst = !state.started
  const isNamedLate = !isFirst && state.session === null
  const isNew = session === null || noteSession(session, state.sessions)
  state.session = session
  if (isNamedLate) {
    sink.notice('late-session', record.line, 'the session id came after the first events of the session')
    return false
  }
  nextProcess(state)
  if (!isNew) return false
  if (!isFirst) sink.notice('second-session', record.line, 'another session begins in the same transcript')
  state.started = true
  state.isFromInit = false
  sink.sessionStarted(opening())
  return true
}
