import { DigestLane } from './pool.ts'

/** Bytes of the input that are hashed in one step. */
const STEP_BYTES = 16 * 1024 * 1024

/** The digests of one large transcript and of its output, computed in order beside its translation. */
export class Lanes {
  private readonly input = new DigestLane()
  private readonly output: DigestLane | null
  private readonly part: string | null
  private readonly inputDone: Promise<string>
  private outputDone: Promise<void> = Promise.resolve()

  /** @param part the file the output is written to; null when it has no digest */
  constructor(file: string, size: number, part: string | null) {
    this.part = part
    this.output = part === null ? null : new DigestLane()
    this.inputDone = this.hashInput(file, size)
    this.inputDone.catch(() => {}) // seen again, and thrown, in `finish`
  }

  /** The output is written up to here. To be called in order. */
  wrote(start: number, end: number): void {
    const { output, part } = this
    if (output === null || part === null || start === end) return
    this.outputDone = this.outputDone.then(() => output.update(part, start, end))
    this.outputDone.catch(() => {})
  }

  /** @throws SourceError when one of the files cannot be read */
  async finish(): Promise<{ readonly input: string; readonly output: string | null }> {
    await this.outputDone
    const output = this.output === null ? null : await this.output.finish()
    return { input: await this.inputDone, output }
  }

  async close(): Promise<void> {
    await Promise.all([this.input.close(), this.output?.close()])
  }

  private async hashInput(file: string, size: number): Promise<string> {
    for (let at = 0; at < size; at += STEP_BYTES)
      await this.input.update(file, at, Math.min(size, at + STEP_BYTES))
    return this.input.finish()
  }
}
