import { createHash, type Hash } from 'node:crypto'

const CARRIAGE_RETURN = 0x0d

/** A line over the limit: known by its digest and length only. */
export interface Oversize {
  readonly digest: string
  readonly bytes: number
}

/** Digest and length of one line, its line end left out, taken in parts. */
export class LineDigest {
  private readonly hash: Hash = createHash('sha256')
  private bytes = 0
  /** A carriage return belongs to the line only when neither a line feed nor the end follows it. */
  private held = false

  take(part: Uint8Array): void {
    if (part.length === 0) return
    if (this.held) this.put(Buffer.from('\r'))
    this.held = part.at(-1) === CARRIAGE_RETURN
    this.put(this.held ? part.subarray(0, -1) : part)
  }

  finish(): Oversize {
    return { digest: this.hash.digest('hex'), bytes: this.bytes }
  }

  private put(part: Uint8Array): void {
    this.hash.update(part)
    this.bytes += part.length
  }
}
