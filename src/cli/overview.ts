import { completenessOf, isReadEnding } from '../dialect/verdict.ts'
import type { Counted } from '../pipeline/count.ts'
import type { TranscriptResult } from '../pipeline/job.ts'

/** Results of each kind that are named on standard error. */
export const MOST_NAMED = 10

/** What a command tells of all it has read. The results are looked at once: each is made when it is asked for. */
export class Overview {
  readonly transcripts: number
  readonly skipped: Counted['skipped']
  /** What could not even be listed. */
  readonly failures: Counted['failures']
  bytes = 0
  records = 0
  opaqueRecords = 0
  unparsed = 0
  events = 0
  opaqueEvents = 0
  /** Transcripts that could not be read. */
  readonly failed = new Some()
  /** Transcripts of which only the beginning could be read. */
  readonly broken = new Some()
  readonly unrecognised = new Some()
  /** Streams of events with lines that a reader would not take. */
  readonly refused = new Some()
  hasFaults = false
  hasTruncated = false

  constructor({ results, skipped, failures }: Counted) {
    this.transcripts = results.length
    this.skipped = skipped
    this.failures = failures
    for (const result of results) this.add(result)
  }

  private add(result: TranscriptResult): void {
    const { records, ending, notices } = result
    this.bytes += result.bytes
    this.records += records.read
    this.opaqueRecords += records.opaque
    this.unparsed += records.unparsed
    this.events += result.events
    this.opaqueEvents += result.opaque
    this.failed.take(result, result.error !== null)
    this.broken.take(result, result.broken)
    this.unrecognised.take(result, result.dialect === 'unknown' && records.opaque > 0)
    this.refused.take(result, ending !== null && isReadEnding(ending) && ending.refused > 0)
    this.hasFaults ||= notices.some(({ code }) => FAULT_CODES.has(code))
    this.hasTruncated ||= ending !== null && completenessOf(ending, result.cut) !== 'complete'
  }
}

/** Results of one kind: how many, and the first of them. */
class Some {
  count = 0
  readonly first: TranscriptResult[] = []

  take(result: TranscriptResult, isOne: boolean): void {
    if (!isOne) return
    this.count++
    if (this.first.length < MOST_NAMED) this.first.push(result)
  }
}

/** Notices that say that millrace or the stream's writer is at fault. */
const FAULT_CODES = new Set(['scanner-disagreement', 'adapter-fault'])
