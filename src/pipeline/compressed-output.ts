import { createHash, type Hash } from 'node:crypto'
import { type Compression, type Compressor, compressorFor } from '../source/compress.ts'
import { openOutput, type Output } from './output.ts'

/** Bytes that become one member or frame: larger ones compress hardly better, and this is all that is held. */
const BLOCK_BYTES = 1024 * 1024

/** A file that appears whole, compressed. @throws OutputError when it cannot be created */
export async function openCompressed(
  path: string,
  compression: Compression,
  digest: boolean,
): Promise<CompressedOutput> {
  const compressor = await compressorFor(compression)
  return new CompressedOutput(openOutput(path, false), compression, compressor, digest)
}

/**
 * Compresses what is written to another output. `bytes` and `digest` are those of the stream inside, so that they do not
 * depend on how it is stored.
 */
export class CompressedOutput implements Output {
  bytes = 0
  digest: string | null = null
  readonly compression: Compression
  private readonly inner: Output
  private readonly compressor: Compressor
  private readonly hash: Hash | null
  private readonly block: Buffer = Buffer.allocUnsafeSlow(BLOCK_BYTES)
  private held = 0
  private isEmpty = true

  /** @param inner needs no digest of its own */
  constructor(inner: Output, compression: Compression, compressor: Compressor, digest: boolean) {
    this.compression = compression
    this.inner = inner
    this.compressor = compressor
    this.hash = digest ? createHash('sha256') : null
  }

  write(bytes: Uint8Array): void {
    this.count(bytes)
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + BLOCK_BYTES - this.held)
      this.block.set(part, this.held)
      this.held += part.length
      at += part.length
      if (this.held === BLOCK_BYTES) this.flush()
    }
  }

  /** A member that another thread has made, of `plain`. */
  writeMember(member: Uint8Array, plain: Uint8Array): void {
    this.count(plain)
    this.flush()
    if (plain.length === 0) return
    this.isEmpty = false
    this.inner.write(member)
  }

  finish(): void {
    this.flush()
    // Nothing at all is a damaged file to most readers: an empty member says that there was nothing.
    if (this.isEmpty) this.inner.write(this.compressor(new Uint8Array()))
    this.isEmpty = false
    this.inner.finish()
    this.digest = this.hash?.copy().digest('hex') ?? null
  }

  abandon(): void {
    this.inner.abandon()
  }

  private count(bytes: Uint8Array): void {
    this.hash?.update(bytes)
    this.bytes += bytes.length
  }

  /** Make a member or frame of what is held, so that readers get it. */
  flush(): void {
    if (this.held === 0) return
    this.isEmpty = false
    this.inner.write(this.compressor(this.block.subarray(0, this.held)))
    this.held = 0
  }
}
