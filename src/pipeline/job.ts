import type { Ending } from '../dialect/adapter.ts'
import type { ReadEnding } from '../dialect/verdict.ts'
import type { HttpHeaders } from '../source/address.ts'
import type { Compression } from '../source/compress.ts'
import type { Census } from '../sink/census-counts.ts'
import type { Notice } from '../sink/notices.ts'
import type { TranscriptLedger } from '../usage/transcript-ledger.ts'
import type { BinCounts } from './translation.ts'

/** One transcript to be read. Plain data: it crosses threads. */
export interface TranscriptJob {
  /** Position in the order of paths. */
  readonly index: number
  /** Path as in the manifest. */
  readonly path: string
  /** The file to open; null for standard input. */
  readonly file: string | null
  /** Its size in bytes when it was planned; 0 when not known. */
  readonly bytes: number
  /** Named by the caller, so that it is kept when no dialect is recognised. */
  readonly named: boolean
  /** The file to write events to; null when none are wanted. */
  readonly output: string | null
}

/** How events of the Test Cabinet are written. Plain data. */
export interface CabinetSettings {
  /** Write `usage`, a type beyond the 13 of the published page. */
  readonly usage: boolean
  /** `command`: every call of a shell is a command, whatever its line does. */
  readonly shell: 'classify' | 'command'
  /** RFC 3339 in UTC: the time of events before the first that has one. */
  readonly observedAt: string | null
}

/** What is wanted of every transcript of a run. Plain data. */
export interface JobOptions {
  /** The dialect to read as, whatever the content says. */
  readonly from: string | null
  readonly census: boolean
  readonly usage: boolean
  /** Remember of all usage where it was told, to explain it. */
  readonly traced: boolean
  /** Digests of transcripts and, where events are written, of outputs. */
  readonly digest: boolean
  readonly deltas: boolean
  readonly provenance: boolean
  readonly opaqueAll: boolean
  /** Write events of the Test Cabinet; null writes `metaharness.event/1`. */
  readonly cabinet: CabinetSettings | null
  /** Write the `trace-ir/1` document that the events project to. */
  readonly traceIr: boolean
  /** How outputs are compressed; null leaves them plain. */
  readonly compress: Compression | null
  readonly tolerant: boolean
  readonly crossCheck: boolean
  readonly chunkBytes: number
  readonly lineLimit: number
  /** For inputs that are addresses. */
  readonly headers: HttpHeaders
}

export type RecordCounts = BinCounts & { readonly read: number; readonly blank: number }

/** What one transcript gave. Plain data. */
export interface TranscriptResult {
  readonly index: number
  readonly path: string
  /** Null when it could not be read. */
  readonly dialect: string | null
  readonly run: string | null
  /** SHA-256 of the raw bytes, null when not asked for. */
  readonly digest: string | null
  readonly bytes: number
  readonly lines: number
  readonly records: RecordCounts
  /** Lines of the event stream. */
  readonly events: number
  /** Of the uncompressed stream, like `outputBytes`. */
  readonly outputDigest: string | null
  readonly outputBytes: number
  /** The file its events were written to; null when there is none. */
  readonly output: string | null
  readonly ending: Ending | ReadEnding | null
  /** The input broke off within a record. */
  readonly cut: boolean
  /** Compressed data broke off or was damaged; what came before is in the result. */
  readonly broken: boolean
  readonly notices: readonly Notice[]
  readonly unparsedLines: readonly number[]
  /** `opaque` events of the stream. */
  readonly opaque: number
  /** Commonest types of opaque records, a few of them. */
  readonly opaqueTypes: readonly string[]
  readonly adapterSlug: string | null
  readonly project: string | null
  /** Sidecars that belong to it, relative to its folder. */
  readonly parts: readonly string[]
  /** Ids of the sessions in it, those of subagents left out; one without an id goes by the name of the run. */
  readonly sessions: readonly string[]
  readonly subagent: boolean
  readonly census: Census | null
  readonly ledger: TranscriptLedger | null
  /** Seen not to be a transcript of any dialect, and not named: left out and counted. */
  readonly skipped: boolean
  readonly error: { readonly code: string; readonly message: string } | null
}

/** The result of a transcript that could not be read. */
export function failedResult(job: TranscriptJob, code: string, message: string): TranscriptResult {
  return { ...emptyResult(job), error: { code, message } }
}

/** The result of a file that is no transcript. */
export function skippedResult(job: TranscriptJob): TranscriptResult {
  return { ...emptyResult(job), skipped: true }
}

function emptyResult(job: TranscriptJob): TranscriptResult {
  return {
    index: job.index,
    path: job.path,
    dialect: null,
    run: null,
    digest: null,
    bytes: 0,
    lines: 0,
    records: { read: 0, translated: 0, folded: 0, bookkeeping: 0, opaque: 0, unparsed: 0, blank: 0 },
    events: 0,
    outputDigest: null,
    outputBytes: 0,
    output: null,
    ending: null,
    cut: false,
    broken: false,
    notices: [],
    unparsedLines: [],
    opaque: 0,
    opaqueTypes: [],
    adapterSlug: null,
    project: null,
    parts: [],
    sessions: [],
    subagent: false,
    census: null,
    ledger: null,
    skipped: false,
    error: null,
  }
}
