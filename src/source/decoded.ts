import type { Source, Trouble } from './source.ts'

/** Decoded pieces in order; each is good until the next is asked for. Returns what was wrong at the end, if anything. */
export type Decoder = AsyncGenerator<Uint8Array, Trouble | null, undefined>

/** Limits that tell compressed transcripts from bombs. */
export interface ExpansionLimits {
  /** Decoded bytes for each byte read. */
  readonly ratio: number
  /** Decoded bytes in all. */
  readonly bytes: number
}

/** Far beyond any transcript: text of one repeated line stays below 1,100 times, and 1 TiB in one file is none. */
export const EXPANSION_LIMITS: ExpansionLimits = { ratio: 5000, bytes: 2 ** 40 }

/** Data this small may expand as it likes. */
const UNSUSPICIOUS_BYTES = 64 * 1024 * 1024

/** The source behind a decoder. What is wrong is known when `read` has given 0. */
export class DecodedSource implements Source {
  trouble: Trouble | null = null
  private readonly decoder: Decoder
  private readonly inner: CountingSource
  private readonly limits: ExpansionLimits
  private piece: Uint8Array | null = null
  private position = 0
  private decoded = 0
  private ended = false

  constructor(inner: CountingSource, decoder: Decoder, limits: ExpansionLimits) {
    this.inner = inner
    this.decoder = decoder
    this.limits = limits
  }

  async read(into: Uint8Array, at: number, length: number): Promise<number> {
    while (this.piece === null || this.position === this.piece.length) {
      if (this.ended) return 0
      const next = await this.decoder.next()
      if (next.done === true) {
        this.ended = true
        this.trouble = next.value
        return 0
      }
      this.piece = next.value
      this.position = 0
      this.decoded += next.value.length
      this.trouble = this.overLimits()
      if (this.trouble !== null) {
        this.ended = true
        return 0
      }
    }
    const got = Math.min(length, this.piece.length - this.position)
    into.set(this.piece.subarray(this.position, this.position + got), at)
    this.position += got
    return got
  }

  close(): void {
    this.inner.close()
  }

  private overLimits(): Trouble | null {
    const { decoded } = this
    const { ratio, bytes } = this.limits
    if (decoded <= UNSUSPICIOUS_BYTES || (decoded <= bytes && decoded <= this.inner.bytes * ratio))
      return null
    return { kind: 'bomb', message: `expands to more than ${ratio} times its size or ${bytes} bytes` }
  }
}

/** Counts the bytes that were read through it. */
export class CountingSource implements Source {
  bytes = 0
  private readonly inner: Source

  constructor(inner: Source) {
    this.inner = inner
  }

  read(into: Uint8Array, at: number, length: number): number | Promise<number> {
    const answer = this.inner.read(into, at, length)
    if (typeof answer !== 'number') return this.count(answer)
    this.bytes += answer
    return answer
  }

  close(): void {
    this.inner.close()
  }

  private async count(answer: Promise<number>): Promise<number> {
    const got = await answer
    this.bytes += got
    return got
  }
}
