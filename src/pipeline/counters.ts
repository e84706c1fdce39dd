import type { Part } from '../dialect/adapter.ts'
import { completenessOf } from '../dialect/verdict.ts'
import type { Sink } from '../event/sink.ts'
import { CensusSink } from '../sink/census.ts'
import { LedgerSink } from '../sink/ledger.ts'
import { TracedLedgerSink } from '../sink/ledger-trace.ts'
import { StreamFactsSink } from '../sink/stream-facts.ts'
import type { Trouble } from '../source/source.ts'
import type { JobOptions, TranscriptJob, TranscriptResult } from './job.ts'
import type { Translation } from './translation.ts'

/** The sinks that count what one transcript holds. */
export class Counters {
  readonly facts = new StreamFactsSink()
  readonly census: CensusSink | null
  readonly ledger: LedgerSink | null
  readonly sinks: readonly [Sink, ...Sink[]]
  /** Takes notices of what writes events. */
  readonly notice = (code: string, line: number | null, message: string): void =>
    this.facts.notices.add(code, line, message)

  constructor(job: TranscriptJob, options: JobOptions, run: string, dialect: string) {
    this.census = options.census ? new CensusSink({ path: job.path, run, dialect }) : null
    this.ledger = options.usage ? (options.traced ? new TracedLedgerSink() : new LedgerSink()) : null
    this.sinks = [this.facts, ...[this.census, this.ledger].filter((sink) => sink !== null)]
  }

  /** The result of the transcript whose records `translation` ran. */
  finish(
    job: TranscriptJob,
    options: JobOptions,
    translation: Translation,
    seen: {
      readonly run: string
      readonly dialect: string
      readonly digest: string | null
      readonly bytes: number
      readonly lines: number
      readonly blank: number
      readonly events: number
      readonly noLineEnd: boolean
      readonly trouble: Trouble | null
      readonly parts: readonly Part[]
    },
  ): TranscriptResult {
    const { trouble } = seen
    if (trouble !== null) this.facts.notices.add(`source-${trouble.kind}`, null, trouble.message)
    const ending = translation.end()
    const counts = translation.counts
    const broken = trouble !== null && trouble.kind !== 'junk'
    const cut = broken || (seen.noLineEnd && translation.lastUnparsed === translation.line - 1)
    const { bytes, lines } = seen
    const census = this.census?.finish({ completeness: completenessOf(ending, cut), bytes, lines }) ?? null
    return {
      index: job.index,
      path: job.path,
      dialect: seen.dialect,
      run: seen.run,
      digest: seen.digest,
      bytes,
      lines,
      records: { read: Object.values(counts).reduce((sum, n) => sum + n, 0), ...counts, blank: seen.blank },
      events: seen.events,
      outputDigest: null,
      outputBytes: 0,
      output: job.output,
      ending,
      cut,
      broken,
      notices: this.facts.notices.list(),
      unparsedLines: translation.unparsedLines,
      opaque: this.facts.opaqueEvents,
      opaqueTypes: this.facts.commonestOpaque(5),
      adapterSlug: this.facts.harness,
      project: this.facts.project,
      parts: seen.parts.map((part) => part.path),
      sessions: [...this.facts.sessions].map((session) => session ?? seen.run),
      subagent: this.facts.subagent,
      census,
      ledger: this.ledger?.finish() ?? null,
      skipped: false,
      error: null,
    }
  }
}
