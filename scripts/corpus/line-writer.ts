import { createHash, type Hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { TextSpan } from './texts.ts'

const flushBytes = 2 << 20

/** One written file of a corpus. */
export interface WrittenFile {
  readonly path: string
  readonly bytes: number
  /** Lines, an unterminated last one included. */
  readonly lines: number
  readonly sha256: string
}

/**
 * Collects lines in one kept buffer and writes them out in large pieces.
 *
 * Memory: about 2 MiB plus the longest step of a generator, whatever the size of the file.
 */
export class LineWriter {
  /** Bytes of the current file so far, written or not. */
  bytes = 0
  lines = 0
  private buffer = Buffer.allocUnsafe(4 << 20)
  private used = 0
  private lineStart = 0
  private hash: Hash = createHash('sha256')

  /** Add text that is Latin-1; each character becomes one byte, so it must be ASCII unless bad bytes are wanted. */
  put(text: string): void {
    this.reserve(text.length)
    this.used += this.buffer.write(text, this.used, 'latin1')
  }

  /** Add a text between quotes. */
  quoted(span: TextSpan): void {
    const length = span.end - span.start
    this.reserve(length + 2)
    this.buffer[this.used] = 0x22
    span.bytes.copy(this.buffer, this.used + 1, span.start, span.end)
    this.buffer[this.used + 1 + length] = 0x22
    this.used += length + 2
  }

  /** End the line. */
  end(): void {
    this.put('\n')
    this.count()
  }

  /** End the file inside a line that was begun: no line feed. */
  cutTail(): void {
    this.count()
  }

  get isFull(): boolean {
    return this.used >= flushBytes
  }

  async flush(file: FileHandle): Promise<void> {
    const chunk = this.buffer.subarray(0, this.used)
    this.hash.update(chunk)
    for (let offset = 0; offset < chunk.length;) offset += (await file.write(chunk, offset)).bytesWritten
    this.used = 0
    this.lineStart = 0
  }

  /** Facts of the file that ends here; the writer is ready for the next one. Call after the last `flush`. */
  close(path: string): WrittenFile {
    const written = { path, bytes: this.bytes, lines: this.lines, sha256: this.hash.digest('hex') }
    this.hash = createHash('sha256')
    this.bytes = 0
    this.lines = 0
    return written
  }

  private count(): void {
    this.lines += 1
    this.bytes += this.used - this.lineStart
    this.lineStart = this.used
  }

  private reserve(length: number): void {
    if (this.used + length <= this.buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.used + length))
    this.buffer.copy(larger, 0, 0, this.used)
    this.buffer = larger
  }
}
