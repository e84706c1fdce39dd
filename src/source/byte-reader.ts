import type { Source } from './source.ts'

const BLOCK_BYTES = 256 * 1024

/** Reads a source in pieces of any size: what decoders of framed formats need. Blocks are views: good until the next call. */
export class ByteReader {
  private readonly source: Source
  private buffer: Buffer = Buffer.allocUnsafeSlow(BLOCK_BYTES)
  private start = 0
  private end = 0
  private ended = false

  constructor(source: Source) {
    this.source = source
  }

  /** At least `bytes` bytes without taking them; fewer only at the end of the source. */
  async peek(bytes: number): Promise<Buffer> {
    if (this.end - this.start < bytes) await this.fill(bytes)
    return this.buffer.subarray(this.start, Math.min(this.end, this.start + bytes))
  }

  /** Exactly `bytes` bytes, taken; null when the source ends before. */
  async take(bytes: number): Promise<Buffer | null> {
    const piece = await this.peek(bytes)
    if (piece.length < bytes) return null
    this.start += bytes
    return piece
  }

  /** Whatever comes next, taken; empty at the end of the source. */
  async block(): Promise<Buffer> {
    const piece = await this.peek(1)
    if (piece.length === 0) return piece
    const block = this.buffer.subarray(this.start, this.end)
    this.start = this.end
    return block
  }

  /** Give back the last bytes of the block taken last. */
  unread(bytes: number): void {
    this.start -= bytes
  }

  private async fill(bytes: number): Promise<void> {
    if (this.start > 0) {
      this.buffer.copyWithin(0, this.start, this.end)
      this.end -= this.start
      this.start = 0
    }
    if (bytes > this.buffer.length) {
      const larger = Buffer.allocUnsafeSlow(bytes + BLOCK_BYTES)
      this.buffer.copy(larger, 0, 0, this.end)
      this.buffer = larger
    }
    while (!this.ended && this.end < bytes) {
      const answer = this.source.read(this.buffer, this.end, this.buffer.length - this.end)
      const got = typeof answer === 'number' ? answer : await answer
      if (got === 0) this.ended = true
      this.end += got
    }
  }
}
