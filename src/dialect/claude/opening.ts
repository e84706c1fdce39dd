import type { SessionStarted } from '../../event/events.ts'
import { blankSession } from '../blank.ts'
import { LONGEST_ID } from './fields.ts'

/** A `session.started` of Claude Code of which nothing is known yet; adapters fill in what their records say. */
export const UNKNOWN_SESSION: SessionStarted = blankSession('claude')

/** Sessions of one transcript that are remembered by their ids. */
const SESSIONS_LIMIT = 64

/** Remember a session id; false when it was remembered already. */
export function noteSession(id: string, sessions: string[]): boolean {
  if (sessions.includes(id)) return false
  if (id.length > LONGEST_ID) return true
  sessions.push(id)
  if (sessions.length > SESSIONS_LIMIT) sessions.shift()
  return true
}
