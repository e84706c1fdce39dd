import { INPUT_AT, type Scanner } from '../kernel/scanner.ts'
import { LINE_FEED } from '../source/line-feeds.ts'
import type { Source } from '../source/source.ts'
import { LineDigest, type Oversize } from './line-digest.ts'

/** What was put into a scanner's memory: whole lines, or one line over the limit, of which only the digest is left. */
export interface FilledChunk {
  readonly bytes: number
  /** The last line feed is none of the input's own. */
  readonly cut: boolean
  readonly oversize: Oversize | null
}

/**
 * Cuts a source into chunks of whole lines, each in the memory of another scanner, where another thread scans it.
 *
 *     INPUT_AT
 *     │ carried over from the last chunk │ new bytes …      ← filled up to the chunk size
 *     │ whole lines …                          │ unfinished line │   carried over to the next
 */
export class ChunkFiller {
  /** Bytes read from the source. */
  bytes = 0
  /** The input ended in the middle of a line. */
  noLineEnd = false
  /** There are no more chunks. Changes only when one is filled: in between nobody can tell. */
  isOver = false
  private readonly source: Source
  private readonly chunkBytes: number
  private readonly lineLimit: number
  private readonly carry: Buffer
  private carried = 0
  private ended = false

  /** @param chunkBytes no more than `lineLimit`, so that no line within a chunk's size is over it */
  constructor(source: Source, chunkBytes: number, lineLimit: number) {
    this.source = source
    this.chunkBytes = chunkBytes
    this.lineLimit = lineLimit
    this.carry = Buffer.allocUnsafeSlow(chunkBytes)
  }

  /** Put the next chunk into a scanner's memory; nothing behind the last. To be called one after the other. */
  async fill(scanner: Scanner): Promise<FilledChunk> {
    const chunk = await this.next(scanner)
    this.isOver = this.ended && this.carried === 0
    return chunk
  }

  private async next(scanner: Scanner): Promise<FilledChunk> {
    const { chunkBytes, lineLimit } = this
    scanner.reserve(chunkBytes + 1)
    this.carry.copy(scanner.buffer, INPUT_AT, 0, this.carried)
    let to = await this.read(scanner, INPUT_AT + this.carried, INPUT_AT + chunkBytes)
    this.carried = 0
    const last = scanner.buffer.subarray(INPUT_AT, to).lastIndexOf(LINE_FEED)
    if (last >= 0) return this.cutAt(scanner, INPUT_AT + last + 1, to)
    // One line, longer than a chunk.
    for (;;) {
      if (to - INPUT_AT > lineLimit) return this.passOver(scanner, to)
      if (this.ended) return this.tail(scanner, to)
      const searched = to
      scanner.reserve(to - INPUT_AT + chunkBytes + 1)
      to = await this.read(scanner, to, to + chunkBytes)
      const feed = scanner.buffer.subarray(searched, to).indexOf(LINE_FEED)
      if (feed < 0) continue
      const end = searched + feed + 1
      return end - 1 - INPUT_AT > lineLimit ? this.passOver(scanner, to) : this.cutAt(scanner, end, to)
    }
  }

  private cutAt(scanner: Scanner, end: number, to: number): FilledChunk {
    this.carried = scanner.buffer.copy(this.carry, 0, end, to)
    return { bytes: end - INPUT_AT, cut: false, oversize: null }
  }

  /** The last line, which has no line feed. */
  private tail(scanner: Scanner, to: number): FilledChunk {
    if (to === INPUT_AT) return { bytes: 0, cut: false, oversize: null }
    this.noLineEnd = true
    scanner.buffer[to] = LINE_FEED
    return { bytes: to + 1 - INPUT_AT, cut: true, oversize: null }
  }

  /** Read past a line over the limit, whose beginning is all of `[INPUT_AT, to)`, or all but what follows it. */
  private async passOver(scanner: Scanner, to: number): Promise<FilledChunk> {
    const line = new LineDigest()
    for (let end = to; ; end = await this.read(scanner, INPUT_AT, INPUT_AT + this.chunkBytes)) {
      const input = scanner.buffer.subarray(INPUT_AT, end)
      const feed = input.indexOf(LINE_FEED)
      line.take(feed < 0 ? input : input.subarray(0, feed))
      if (feed >= 0) this.carried = input.copy(this.carry, 0, feed + 1)
      else if (!this.ended) continue
      this.noLineEnd = feed < 0
      return { bytes: 0, cut: false, oversize: line.finish() }
    }
  }

  /** Read until `end` or the end of the source. */
  private async read(scanner: Scanner, at: number, end: number): Promise<number> {
    let to = at
    while (to < end && !this.ended) {
      const answer = this.source.read(scanner.buffer, to, end - to)
      const got = typeof answer === 'number' ? answer : await answer
      this.ended = got === 0
      this.bytes += got
      to += got
    }
    return to
  }
}
