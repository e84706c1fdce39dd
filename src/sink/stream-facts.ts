import type * as E from '../event/events.ts'
import type { RecordView } from '../kernel/record.ts'
import { Notices } from './notices.ts'
import { QuietSink } from './quiet.ts'
import { textIn } from './words.ts'

/** What every run wants to know of a stream as a whole, whatever else is counted. */
export class StreamFactsSink extends QuietSink {
  readonly notices = new Notices()
  /** Harness slug of the first session; null when no session was started. */
  harness: string | null = null
  /** Working directory of the first session that states one. */
  project: string | null = null
  /** A subagent's transcript, not a session of its own. */
  subagent = false
  readonly sessions = new Set<string>()
  opaqueEvents = 0
  private current: RecordView | null = null

  override record(record: RecordView): void {
    this.current = record
  }

  override sessionStarted(event: E.SessionStarted): void {
    this.harness ??= textIn(this.current, event.adapter)
    this.project ??= textIn(this.current, event.cwd)
    this.subagent ||= event.subagent
    const session = textIn(this.current, event.sessionId)
    if (session !== null && this.sessions.size < MOST_SESSIONS) this.sessions.add(session)
  }

  override opaque(_event: E.Opaque): void {
    this.opaqueEvents++
  }

  override notice(code: string, line: number | null, message: string): void {
    this.notices.add(code, line, message)
  }
}

/** Sessions of one transcript that are told apart. */
const MOST_SESSIONS = 10_000
