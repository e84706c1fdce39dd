import { createHash } from 'node:crypto'
import type { Frame } from '../kernel/frame.ts'
import { NONE, type RecordView } from '../kernel/record.ts'
import { INPUT_AT, type Scanner } from '../kernel/scanner.ts'
import { type Framing, framingOf, Unframer } from '../source/framing.ts'
import { LINE_FEED } from '../source/line-feeds.ts'
import type { Source } from '../source/source.ts'
import { LineDigest, type Oversize } from './line-digest.ts'

/** Most bytes that are read at once. */
const READ_BYTES = 1024 * 1024
/** Bytes in which the first line of an event stream has brought its data. */
const MOST_HEAD_BYTES = 64 * 1024
/** What would make an event stream of the beginning of one. */
const MADE_UP_DATA = Buffer.from('\ndata:\n')

/**
 * Cuts a source that is still being written into what is there of whole lines, and scans that. Unlike a `ChunkReader` it
 * never waits for more than it has.
 *
 *     INPUT_AT
 *     │ lines that were looked at │ lines …      │ unfinished line │ ← more
 *     from                        seen           ready             to
 */
export class LiveReader {
  /** Bytes read from the source. */
  bytes = 0
  ended = false
  /** The input ended in the middle of a line. */
  noLineEnd = false
  /** Set by `scan` when it passed over one line over the limit; there are no records then. */
  oversize: Oversize | null = null
  private readonly source: Source
  private readonly scanner: Scanner
  private readonly lineLimit: number
  private readonly hash = createHash('sha256')
  private from = INPUT_AT
  private seen = INPUT_AT
  private to = INPUT_AT
  private ready = INPUT_AT
  private unframer: Unframer | null = null
  private isFramingKnown = false
  private long: LineDigest | null = null
  private pending: Promise<boolean> | null = null

  /** @param framing what stands around records, where it is known; undefined lets the first line tell */
  constructor(source: Source, scanner: Scanner, lineLimit: number, framing?: Framing | null) {
    this.source = source
    this.scanner = scanner
    this.lineLimit = lineLimit
    scanner.reserve(READ_BYTES + 1)
    if (framing === undefined) return
    this.isFramingKnown = true
    this.unframer = framing === null ? null : new Unframer(framing)
  }

  get framing(): Framing | null {
    return this.unframer?.framing ?? null
  }

  /** What was read and not scanned for good, in bytes. */
  get heldBytes(): number {
    return this.to - this.from
  }

  /** The first bytes of the input. Only before the first `scan`. */
  head(): Uint8Array {
    return this.scanner.buffer.subarray(INPUT_AT, Math.min(INPUT_AT + 16, this.to))
  }

  /** What stood around a record of the last scan and would be lost otherwise; to be asked once. */
  frameOf(record: RecordView): Frame | null {
    return this.unframer?.take(record.start + this.bytes - this.to) ?? null
  }

  /**
   * Read what there is, waiting for at least one byte. False at the end. Asked again while it waits, it is the same wait.
   *
   * @throws SourceError when the source fails
   */
  more(): Promise<boolean> {
    this.pending ??= this.read().finally(() => {
      this.pending = null
    })
    return this.pending
  }

  /** Scan the whole lines that were not looked at before, and keep them. False when there are none. */
  look(): boolean {
    const end = this.lastLineEnd(this.seen)
    if (end === 0) return false
    this.scanAt(this.seen, end)
    this.seen = end
    return true
  }

  /** Scan the whole lines that no scan had; at the end also a line that broke off. False when there is nothing. */
  scan(): boolean {
    this.oversize = null
    if (this.long !== null) return this.passOver(this.long)
    const { from } = this
    let end = this.lastLineEnd(from)
    if (end - from > this.lineLimit) end = this.beforeLong(from, end)
    if (end > from) {
      this.scanAt(from, end)
      this.from = end
      return true
    }
    if (end === from || this.to - from > this.lineLimit) {
      this.long = new LineDigest()
      return this.passOver(this.long)
    }
    return this.ended && this.to > from && this.tail()
  }

  /**
   * The record on the last line when that has no line feed yet and may be all there is of it. It is not taken: it is there to
   * be scanned when its line feed comes, or the end. Null when it is no whole JSON, and where records are framed.
   *
   * @param line its number
   */
  peek(line: number): RecordView | null {
    const { scanner, from, to } = this
    if (!this.isFramingKnown || this.unframer !== null || this.long !== null) return null
    if (from === to || to - from > this.lineLimit || this.lastLineEnd(from) !== 0) return null
    scanner.buffer[to] = LINE_FEED
    scanner.scan(from, to + 1)
    if (scanner.recordCount === 0) return null
    const record = scanner.select(scanner.recordCount - 1, line)
    return record.root === NONE ? null : record
  }

  /** SHA-256 of everything read. Once, at the end. */
  finishDigest(): string {
    return this.hash.digest('hex')
  }

  private async read(): Promise<boolean> {
    this.toFront()
    const room = Math.min(READ_BYTES, this.lineLimit)
    this.scanner.reserve(this.to - INPUT_AT + room + 1)
    const answer = this.source.read(this.scanner.buffer, this.to, room)
    const got = typeof answer === 'number' ? answer : await answer
    this.hash.update(this.scanner.buffer.subarray(this.to, this.to + got))
    this.to += got
    this.bytes += got
    this.ended = got === 0
    this.unframe()
    return got > 0
  }

  /** Take the framing from what came in, once the first line has told what it is. */
  private unframe(): void {
    const { to, ended } = this
    const { buffer } = this.scanner
    if (!this.isFramingKnown) {
      const head = buffer.subarray(INPUT_AT, to)
      const framing = framingOf(head)
      if (framing !== null) this.unframer = new Unframer(framing)
      this.isFramingKnown = framing !== null || ended || isPlain(head)
      if (!this.isFramingKnown) return
    }
    this.ready =
      this.unframer === null
        ? to
        : this.unframer.unframe(
            { bytes: buffer, from: this.ready, to, ended, limit: this.lineLimit },
            this.bytes - to,
          )
  }

  private lastLineEnd(from: number): number {
    return this.ready <= from
      ? 0
      : lineEndIn(this.scanner.buffer.subarray(from, this.ready).lastIndexOf(LINE_FEED), from)
  }

  /** Where the first line over the limit begins, or `end`. */
  private beforeLong(from: number, end: number): number {
    const { buffer } = this.scanner
    let at = from
    while (at < end) {
      const feed = at + buffer.subarray(at, end).indexOf(LINE_FEED)
      if (feed - at > this.lineLimit) return at
      at = feed + 1
    }
    return end
  }

  /** Take of a line over the limit what is there; true when that is all of it. */
  private passOver(long: LineDigest): boolean {
    const input = this.scanner.buffer.subarray(this.from, this.to)
    const feed = input.indexOf(LINE_FEED)
    long.take(feed < 0 ? input : input.subarray(0, feed))
    this.from = feed < 0 ? this.to : this.from + feed + 1
    this.ready = Math.max(this.ready, this.from)
    if (feed < 0 && !this.ended) return false
    this.noLineEnd = feed < 0
    this.oversize = long.finish()
    this.long = null
    this.scanner.scan(INPUT_AT, INPUT_AT)
    return true
  }

  /** The last line, which has no line feed: scan it as if it had one. */
  private tail(): boolean {
    this.noLineEnd = true
    this.scanner.buffer[this.to] = LINE_FEED
    this.scanAt(this.from, this.to + 1)
    this.scanner.flagCut()
    this.from = this.to
    return true
  }

  private scanAt(start: number, end: number): void {
    this.scanner.scan(start, end)
    if (this.unframer !== null) this.scanner.tighten()
  }

  private toFront(): void {
    const moved = this.from - INPUT_AT
    if (moved === 0) return
    this.scanner.buffer.copyWithin(INPUT_AT, this.from, this.to)
    this.to -= moved
    this.ready -= moved
    this.from = INPUT_AT
  }
}

function lineEndIn(feed: number, from: number): number {
  return feed < 0 ? 0 : from + feed + 1
}

/** Is this the beginning of plain lines, whatever follows? False when it cannot be said yet. */
function isPlain(head: Buffer): boolean {
  if (head.length > MOST_HEAD_BYTES) return true
  const start = head.findIndex((byte) => byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf)
  if (start < 0 || !head.subarray(start).includes(LINE_FEED)) return false
  return framingOf(Buffer.concat([head, MADE_UP_DATA])) === null
}
