import { createHash, type Hash } from 'node:crypto'
import type { Frame } from '../kernel/frame.ts'
import type { RecordView } from '../kernel/record.ts'
import { INPUT_AT, type Scanner } from '../kernel/scanner.ts'
import { type Framing, framingOf, Unframer } from '../source/framing.ts'
import { countFeeds, LINE_FEED } from '../source/line-feeds.ts'
import type { Source } from '../source/source.ts'
import { LineDigest, type Oversize } from './line-digest.ts'

/** Bytes of a chunk unless the caller says otherwise. */
export const CHUNK_BYTES = 1024 * 1024
/** Bytes a line may have unless the caller says otherwise. */
export const LINE_LIMIT = 256 * 1024 * 1024

/** Neither a chunk of several lines nor a window is made larger than this: the scanner's table of records has room for it. */
const MOST_BYTES = 32 * 1024 * 1024

/**
 * Cuts a source into chunks of whole lines, in the scanner's memory, and scans each.
 *
 *     INPUT_AT
 *     │ rest of the last read │ new bytes …        ← filled up to the chunk size
 *     │ whole lines …            │ unfinished line │   scan; the unfinished line moves to the front
 *
 * A line that does not fit makes the memory grow, and is then a chunk of its own; past the line limit it is passed over.
 *
 * Where records are framed, the framing is taken away as the bytes come in, after their digest was taken: only records
 * that are whole are there to be cut into chunks.
 */
export class ChunkReader {
  /** Bytes read from the source. */
  bytes = 0
  /** Set by `next` when the chunk is one line over the limit; its records are then none. */
  oversize: Oversize | null = null
  /** The input ended in the middle of a line. */
  noLineEnd = false
  private readonly source: Source
  private readonly scanner: Scanner
  private readonly chunkBytes: number
  private readonly lineLimit: number
  private readonly digest: Hash | null
  /** Addresses of what was read and no chunk has had yet. */
  private from = INPUT_AT
  private to = INPUT_AT
  /** Address after what can be cut into lines: all that was read, less a record whose framing is not whole yet. */
  private ready = INPUT_AT
  private unframer: Unframer | null = null
  private ended = false
  /** Address after what `window` has scanned and `next` hands out first; 0 when there is nothing. */
  private scanned = 0

  constructor(
    source: Source,
    scanner: Scanner,
    options: { readonly chunkBytes: number; readonly lineLimit: number; readonly digest: boolean },
  ) {
    this.source = source
    this.scanner = scanner
    this.lineLimit = options.lineLimit
    // No line within a chunk's size is over the limit then: only longer ones have to be measured.
    this.chunkBytes = Math.max(1, Math.min(options.chunkBytes, options.lineLimit, MOST_BYTES))
    this.digest = options.digest ? createHash('sha256') : null
    scanner.reserve(this.chunkBytes + 1)
  }

  /** SHA-256 of everything read; null when it was not asked for. Once, at the end. */
  finishDigest(): string | null {
    return this.digest === null ? null : this.digest.digest('hex')
  }

  /** What stands around records; null for plain lines. Known after `window`. */
  get framing(): Framing | null {
    return this.unframer?.framing ?? null
  }

  /** What was taken away from around the records so far. */
  get framed(): { readonly lines: number; readonly comments: number; readonly empty: number } | null {
    return this.unframer
  }

  /** What stood around a record of the last scan and would be lost otherwise; to be asked once. */
  frameOf(record: RecordView): Frame | null {
    return this.unframer?.take(record.start + this.bytes - this.to) ?? null
  }

  /**
   * Scan the next chunk. False at the end of the input.
   *
   * @throws SourceError when the source fails
   */
  async next(): Promise<boolean> {
    this.oversize = null
    if (this.scanned !== 0) {
      this.from = this.scanned
      this.scanned = 0
      return true
    }
    let end = this.lineEnd(this.from)
    if (end === 0) {
      this.toFront()
      let want = this.chunkBytes
      for (;;) {
        const searched = this.ready
        await this.fill(INPUT_AT + want)
        if (this.to === this.from) return false
        end = this.lineEnd(searched)
        if (end > 0) break
        if (this.to - this.from > this.lineLimit) {
          if (this.release()) {
            end = this.lineEnd(this.from)
            break
          }
          await this.passOver()
          return true
        }
        if (this.ended) return this.tail()
        want = Math.min(want * 2, this.lineLimit + this.chunkBytes)
        this.scanner.reserve(want + 1)
      }
    }
    if (end - 1 - this.from > this.lineLimit) {
      await this.passOver()
      return true
    }
    this.scan(this.from, end)
    this.from = end
    return true
  }

  /**
   * Scan the beginning of the input, as far as to see `bytes` bytes and `lines` lines of it, or all. `next` then begins
   * there again, or finds its first chunk scanned already. Only before the first `next`.
   */
  async window(bytes: number, lines: number): Promise<void> {
    this.from = INPUT_AT
    let want = bytes
    let end = 0
    for (;;) {
      this.scanner.reserve(want + 1)
      await this.fill(INPUT_AT + want)
      // More may be there: an earlier window, or what was read in search of a document's end.
      const read = Math.min(this.to, INPUT_AT + want)
      const seen = this.scanner.buffer.subarray(INPUT_AT, Math.min(this.ready, read))
      end = seen.lastIndexOf(LINE_FEED) + 1
      const length = read - INPUT_AT
      if (length < want || length > this.lineLimit || (end > 0 && want >= MOST_BYTES)) break
      if (end > 0 && countFeeds(seen.subarray(0, end), lines) === lines) break
      want *= 2
    }
    const rest = this.to - INPUT_AT - end
    if (this.ended && this.to - INPUT_AT < want && rest > 0 && rest <= this.lineLimit) {
      this.tail()
      this.from = INPUT_AT
      this.scanned = this.to - INPUT_AT <= this.chunkBytes ? this.to : 0
      return
    }
    this.scan(INPUT_AT, INPUT_AT + end)
    this.scanned = end > 0 && end <= this.chunkBytes ? INPUT_AT + end : 0
  }

  /**
   * Read everything that is left to the front of the input, with a line feed behind it. Only before the first `next`.
   *
   * @returns the length in bytes; null when it is more than `limit`: all that was read is still there to be chunked
   */
  async whole(limit: number): Promise<number | null> {
    this.from = INPUT_AT
    this.scanned = 0
    let want = this.to - INPUT_AT
    while (!this.ended) {
      want = Math.min(Math.max(want * 2, this.chunkBytes), limit + 1)
      this.scanner.reserve(want + 1)
      await this.fill(INPUT_AT + want)
      if (this.to - INPUT_AT > limit) return null
    }
    if (this.to - INPUT_AT > limit) return null
    this.scanner.reserve(this.to - INPUT_AT + 1)
    this.scanner.buffer[this.to] = LINE_FEED
    return this.to - INPUT_AT + 1
  }

  /** The first bytes of the input. Only before the first `next`. */
  head(): Uint8Array {
    return this.scanner.buffer.subarray(INPUT_AT, Math.min(INPUT_AT + 16, this.to))
  }

  /** End of the last whole line within a chunk's size, else of the one longer line; 0 when no line is whole. */
  private lineEnd(searched: number): number {
    const { buffer } = this.scanner
    const within = Math.min(this.ready, this.from + this.chunkBytes)
    if (searched < within) {
      const last = buffer.subarray(this.from, within).lastIndexOf(LINE_FEED)
      if (last >= 0) return this.from + last + 1
    }
    if (this.ready === within) return 0
    const start = Math.max(searched, within)
    const first = buffer.subarray(start, this.ready).indexOf(LINE_FEED)
    return first < 0 ? 0 : start + first + 1
  }

  /** The last line, which has no line feed: scan it as if it had one. */
  private tail(): boolean {
    const { scanner } = this
    this.noLineEnd = true
    scanner.reserve(this.to - INPUT_AT + 1)
    scanner.buffer[this.to] = LINE_FEED
    this.scan(this.from, this.to + 1)
    scanner.flagCut()
    this.from = this.to
    return true
  }

  /** Read past a line over the limit, keeping its digest. */
  private async passOver(): Promise<void> {
    const { scanner } = this
    const line = new LineDigest()
    for (;;) {
      const input = scanner.buffer.subarray(this.from, this.to)
      const feed = input.indexOf(LINE_FEED)
      const last = feed >= 0 || this.ended
      line.take(feed < 0 ? input : input.subarray(0, feed))
      this.from = feed < 0 ? this.to : this.from + feed + 1
      this.ready = Math.max(this.ready, this.from)
      if (last) {
        this.noLineEnd = feed < 0
        break
      }
      this.toFront()
      await this.fill(INPUT_AT + this.chunkBytes)
    }
    scanner.scan(INPUT_AT, INPUT_AT)
    this.oversize = line.finish()
  }

  /** Move what no chunk has had to the front of the input. */
  private toFront(): void {
    if (this.from === INPUT_AT) return
    this.scanner.buffer.copyWithin(INPUT_AT, this.from, this.to)
    this.to -= this.from - INPUT_AT
    this.ready -= this.from - INPUT_AT
    this.from = INPUT_AT
  }

  /** Read until `end` or the end of the source. */
  private async fill(end: number): Promise<void> {
    while (this.to < end && !this.ended) {
      const { buffer } = this.scanner
      const answer = this.source.read(buffer, this.to, end - this.to)
      const got = typeof answer === 'number' ? answer : await answer
      if (got === 0) this.ended = true
      else if (this.digest !== null) this.digest.update(buffer.subarray(this.to, this.to + got))
      this.to += got
      this.bytes += got
    }
    this.unframe()
  }

  /** Take the framing, told by the first bytes, from what came in. */
  private unframe(): void {
    const { to, ended } = this
    const { buffer } = this.scanner
    if (this.ready === INPUT_AT && this.bytes === to - INPUT_AT) {
      const framing = framingOf(buffer.subarray(INPUT_AT, to))
      if (framing !== null) this.unframer ??= new Unframer(framing)
    }
    this.ready =
      this.unframer === null
        ? to
        : this.unframer.unframe(
            { bytes: buffer, from: this.ready, to, ended, limit: this.lineLimit },
            this.bytes - to,
          )
  }

  /**
   * Take a framed record that is over the limit for as many records as it has lines: those that are short are then read,
   * and only the long one is passed over. False when there is no whole line.
   */
  private release(): boolean {
    if (this.unframer === null) return false
    const { buffer } = this.scanner
    const to = this.ready + buffer.subarray(this.ready, this.to).lastIndexOf(LINE_FEED) + 1
    if (to === this.ready) return false
    this.ready = this.unframer.unframe(
      { bytes: buffer, from: this.ready, to, ended: true, limit: this.lineLimit, isOver: true },
      this.bytes - this.to,
    )
    return true
  }

  private scan(start: number, end: number): void {
    this.scanner.scan(start, end)
    if (this.unframer !== null) this.scanner.tighten()
  }
}
