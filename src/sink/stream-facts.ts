import type * as E from '../event/events.ts'
import type { RecordView } from '../kernel/record.ts'
import { Notices } from './notices.ts'
import { QuietSink } from './quiet.ts'
import { textIn, wordIn } from './words.ts'

/** What every run wants to know of a stream as a whole, whatever else is counted. */
export class StreamFactsSink extends QuietSink {
  readonly notices = new Notices()
  /** Harness slug of the first session; null when no session was started. */
  harness: string | null = null
  /** Working directory of the first session that states one. */
  project: string | null = null
  /** A subagent's transcript, not a session of its own. */
  subagent = false
  /** Ids of sessions, those of subagents left out; null is one without an id, which goes by the name of the run. */
  readonly sessions = new Set<string | null>()
  opaqueEvents = 0
  /** How often each type of record was opaque. */
  private readonly opaqueTypes = new Map<string, number>()
  private current: RecordView | null = null

  override record(record: RecordView): void {
    this.current = record
  }

  override sessionStarted(event: E.SessionStarted): void {
    this.harness ??= textIn(this.current, event.adapter)
    this.project ??= textIn(this.current, event.cwd)
    this.subagent ||= event.subagent
    if (event.subagent || this.sessions.size >= MOST_SESSIONS) return
    this.sessions.add(textIn(this.current, event.sessionId))
  }

  override opaque(event: E.Opaque): void {
    this.opaqueEvents++
    const type = wordIn(this.current, event.vendorType)
    if (type === null) return
    const known = this.opaqueTypes.get(type)
    if (known !== undefined || this.opaqueTypes.size < MOST_TYPES)
      this.opaqueTypes.set(type, (known ?? 0) + 1)
  }

  /** The commonest types of opaque records, most frequent first. */
  commonestOpaque(most: number): string[] {
    const sorted = [...this.opaqueTypes].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    return sorted.slice(0, most).map(([type]) => type)
  }

  override notice(code: string, line: number | null, message: string): void {
    this.notices.add(code, line, message)
  }
}

/** Types of opaque records that are told apart. */
const MOST_TYPES = 1000

/** Sessions of one transcript that are told apart. */
const MOST_SESSIONS = 10_000
