import type { Adapter, AdapterContext, Ending } from '../dialect/adapter.ts'
import { Interpreter } from '../dialect/interpreter.ts'
import type { Dialects } from '../dialect/registry.ts'
import { Bin, type Sink } from '../event/sink.ts'
import type { Frame } from '../kernel/frame.ts'
import { RecordFlag } from '../kernel/layout.ts'
import { NONE, type RecordView } from '../kernel/record.ts'
import type { Scanner } from '../kernel/scanner.ts'
import { isJson } from '../kernel/second-opinion.ts'
import type { CensusSink, UnparsedReason } from '../sink/census.ts'
import { QuietSink } from '../sink/quiet.ts'

/** One record in so many is asked about a second time, whatever the scanner says. */
const SAMPLE = 1000

/** What the scanner passes over around a record, and no more: `\s` is wider than the white space of JSON. */
const PADDING = /^[\0\ufeff \t\r\n]+|[\0\ufeff \t\r\n]+$/g

/** Unparsed lines whose numbers are kept, for `check`. */
const MOST_UNPARSED_LINES = 1000

export interface TranslationParts {
  readonly adapter: Adapter<unknown>
  /** Dialects that the transcript may change to; null when the caller has named its dialect. */
  readonly dialects: Dialects | null
  readonly context: AdapterContext
  readonly sink: Sink
  /** Counts what no event tells; null when it is not wanted. */
  readonly census: CensusSink | null
  /** Ask about every line, not about a sample. */
  readonly crossCheck: boolean
}

/** How the records of a transcript fell (design §5.2); the first five add up to what was read. */
export interface BinCounts {
  readonly translated: number
  readonly folded: number
  readonly bookkeeping: number
  readonly opaque: number
  readonly unparsed: number
}

/**
 * Runs the records of one transcript through its adapter, in order, whoever scanned them.
 */
export class Translation {
  readonly bins: [number, number, number, number, number] = [0, 0, 0, 0, 0]
  /** Lines that are not JSON, the first of them. */
  readonly unparsedLines: number[] = []
  /** The last line that is not JSON; 0 when there is none. */
  lastUnparsed = 0
  /** Faults of ours that were seen: the scanner and the second opinion differ, or an adapter threw. */
  faults = 0
  /** 1-based number of the next line. */
  line = 1
  private readonly parts: TranslationParts
  private readonly interpreter: Interpreter
  private records = 0

  constructor(parts: TranslationParts) {
    this.parts = parts
    this.interpreter = new Interpreter(parts.adapter, parts.context, parts.dialects)
  }

  /**
   * Translate the records of the scanner's last scan.
   *
   * @param frameOf what stood around a record, for transcripts with framing
   */
  chunk(scanner: Scanner, frameOf: ((record: RecordView) => Frame | null) | null = null): void {
    const { recordCount } = scanner
    for (let i = 0; i < recordCount; i++) {
      const record = scanner.select(i, this.line)
      if (frameOf !== null) record.frame = frameOf(record)
      this.one(record)
    }
    this.interpreter.leave(scanner.view)
    this.line += scanner.lineCount
    this.parts.census?.blank(scanner.blankCount)
  }

  /** Take one record that is longer than the line limit: its digest is all that is kept. */
  oversize(view: RecordView, digest: string, bytes: number): void {
    view.root = NONE
    view.start = 0
    view.end = 0
    view.flags = RecordFlag.Oversize
    view.line = this.line
    view.oversize = { digest, bytes }
    this.parts.sink.notice('line-too-long', this.line, 'a line over the limit was kept as its digest only')
    this.opaque(view)
    this.line++
  }

  /** One record, or one item of a document. */
  one(record: RecordView): void {
    const { sink } = this.parts
    if (record.root === NONE) {
      this.unparsed(record)
      return
    }
    this.records++
    if (this.parts.crossCheck || this.records % SAMPLE === 0) this.askAbout(record, true)
    sink.record(record)
    if ((record.flags & RecordFlag.Padded) !== 0 && record.line > 1) {
      sink.notice(
        'padded-record',
        record.line,
        'NUL bytes or a byte order mark around a record were passed over',
      )
    }
    const bin = this.step(record)
    this.bins[bin]++
    sink.file(record, bin)
  }

  /** Write what the adapter held back and how the stream ended. */
  end(): Ending {
    const { sink } = this.parts
    const ending = this.interpreter.end(sink)
    if (!ending.terminal) {
      sink.warning({
        at: null,
        line: Math.max(1, this.line - 1),
        code: 'NO_TERMINAL_RECORD',
        message: 'the transcript ends without a record that says how the run ended',
      })
    }
    sink.streamClosed({ reason: ending.reason, process: ending.process })
    return ending
  }

  /** How the transcript would end if nothing came any more; writes nothing. For now and then: it copies the adapter's state. */
  endingSoFar(): Ending {
    return this.interpreter.endingSoFar(new QuietSink())
  }

  /** How the transcript would end behind a record that is not translated yet. */
  endingAfter(record: RecordView): Ending | null {
    try {
      return this.interpreter.endingAfter(record, new QuietSink())
    } catch {
      // What an adapter fails at is told when the record is translated.
      return null
    }
  }

  get counts(): BinCounts {
    const [translated, folded, bookkeeping, opaque, unparsed] = this.bins
    return { translated, folded, bookkeeping, opaque, unparsed }
  }

  private step(record: RecordView): Bin {
    const { sink } = this.parts
    try {
      return this.interpreter.step(record, sink)
    } catch {
      // No record may stop a run: what we failed at is kept like what we do not know.
      this.faults++
      sink.notice('adapter-fault', record.line, 'millrace failed to translate a record; please report it')
      sink.opaque({ at: null, vendorType: null, vendorSubtype: null })
      return Bin.Opaque
    }
  }

  private unparsed(record: RecordView): void {
    const { sink, census } = this.parts
    this.askAbout(record, false)
    this.lastUnparsed = record.line
    if (this.unparsedLines.length < MOST_UNPARSED_LINES) this.unparsedLines.push(record.line)
    sink.record(record)
    sink.opaque({ at: null, vendorType: null, vendorSubtype: null })
    this.bins[Bin.Unparsed]++
    census?.unparsed(reasonOf(record))
    sink.file(record, Bin.Unparsed)
  }

  private opaque(record: RecordView): void {
    const { sink } = this.parts
    sink.record(record)
    sink.opaque({ at: null, vendorType: null, vendorSubtype: null })
    this.bins[Bin.Opaque]++
    sink.file(record, Bin.Opaque)
  }

  /** Compare the scanner's verdict with the second opinion. Limits of ours are no verdict about JSON. */
  private askAbout(record: RecordView, parsed: boolean): void {
    if ((record.flags & RecordFlag.TooDeep) !== 0) return
    const text = record.bytes.utf8Slice(record.start, record.end)
    // The record without what the scanner passes over around it.
    const bare = (record.flags & RecordFlag.Padded) !== 0 ? text.replaceAll(PADDING, '') : text
    if (isJson(bare) === parsed) return
    this.faults++
    this.parts.sink.notice(
      'scanner-disagreement',
      record.line,
      'the scanner and JSON.parse differ on whether a line is JSON; please report it',
    )
  }
}

function reasonOf(record: RecordView): UnparsedReason {
  if ((record.flags & RecordFlag.TooDeep) !== 0) return 'too-deep'
  return (record.flags & RecordFlag.NoLineEnd) !== 0 ? 'truncated' : 'not-json'
}
