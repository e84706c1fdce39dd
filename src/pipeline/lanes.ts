import type { DigestLane, Pool } from './pool.ts'
import type { OwnedBytes } from './range.ts'

/** A file whose bytes are those that are hashed; its size in bytes. */
interface PlainFile {
  readonly path: string
  readonly size: number
}

/**
 * The digests of one large transcript and of its output, computed in order beside its translation: a chunk is hashed in
 * the slot it was read to and written from, while its bytes are in the caches.
 */
export class Lanes {
  private readonly file: PlainFile | null
  private readonly part: string | null
  private readonly input: DigestLane | null
  private readonly output: DigestLane | null
  /** Bytes of the input that are hashed, or will be by what was asked for. */
  private inputEnd = 0
  private failure: unknown = null

  /**
   * @param file the input; null when somebody else hashes it
   * @param part the file the output is written to; null when it has no digest
   */
  constructor(pool: Pool, file: PlainFile | null, part: string | null) {
    this.file = file
    this.part = part
    this.input = file === null ? null : pool.digestLane()
    this.output = part === null ? null : pool.digestLane()
  }

  /** A slot holds these bytes of the input, and keeps them until the promise is fulfilled. To be called in order. */
  read(slot: number, { start, at, length }: OwnedBytes): Promise<void> {
    if (length === 0 || this.input === null || this.file === null) return Promise.resolve()
    // What no slot held was too long to be scanned.
    const before = this.inFile(this.input, this.file.path, this.inputEnd, start)
    this.inputEnd = start + length
    return this.noting(Promise.all([before, this.input.update({ kind: 'slot', slot, at, length })]))
  }

  /** A slot holds these bytes of the output, and keeps them until the promise is fulfilled. To be called in order. */
  wrote(slot: number, at: number, length: number): Promise<void> {
    if (this.output === null || length === 0) return Promise.resolve()
    return this.noting(this.output.update({ kind: 'slot', slot, at, length }))
  }

  /** What is written behind all that slots held. */
  wroteTail(start: number, end: number): void {
    if (this.output !== null && this.part !== null)
      void this.noting(this.inFile(this.output, this.part, start, end))
  }

  /** @throws SourceError when one of the files cannot be read */
  async finish(): Promise<{ readonly input: string | null; readonly output: string | null }> {
    if (this.input !== null && this.file !== null)
      void this.noting(this.inFile(this.input, this.file.path, this.inputEnd, this.file.size))
    const [input, output] = await Promise.all([this.input?.finish() ?? null, this.output?.finish() ?? null])
    if (this.failure !== null) throw this.failure
    return { input, output }
  }

  async close(): Promise<void> {
    await Promise.all([this.input?.close(), this.output?.close()])
  }

  private async inFile(lane: DigestLane, file: string, start: number, end: number): Promise<void> {
    if (start < end) await lane.update({ kind: 'file', file, range: { start, end } })
  }

  /** A failure is thrown at the end: slots must be released all the same. */
  private async noting(work: Promise<unknown>): Promise<void> {
    try {
      await work
    } catch (error) {
      this.failure ??= error
    }
  }
}
