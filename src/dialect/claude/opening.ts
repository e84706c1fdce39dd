import { LONGEST_ID } from './fields.ts'

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
