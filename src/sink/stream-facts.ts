import type * as E from '../event/events.ts'
import type { RecordView } from '../kernel/record.ts'
import { QuietSink } from './quiet.ts'
import { textIn } from './words.ts'

/** What a report wants to know of a stream as a whole. */
export class StreamFactsSink extends QuietSink {
  /** Harness slug of the first session; null when no session was started. */
  harness: string | null = null
  /** Working directory of the first session that states one. */
  project: string | null = null
  opaqueEvents = 0
  private current: RecordView | null = null

  override record(record: RecordView): void {
    this.current = record
  }

  override sessionStarted(event: E.SessionStarted): void {
    this.harness ??= textIn(this.current, event.adapter)
    this.project ??= textIn(this.current, event.cwd)
  }

  override opaque(_event: E.Opaque): void {
    this.opaqueEvents++
  }
}
