import { createHash } from 'node:crypto'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { compressorFor } from '../source/compress.ts'
import { CompressedOutput, openCompressed } from './compressed-output.ts'
import type { JobOptions } from './job.ts'
import { openOutput, type Output, writeAll } from './output.ts'
import { OutputError } from './output-error.ts'
import { TraceOutput } from './trace-output.ts'

/** What all followed transcripts of one run write to when they have no file, whole lines at a time. */
export class SharedStream {
  readonly output: Output
  private last: Promise<unknown> = Promise.resolve()

  constructor(output: Output) {
    this.output = output
  }

  /** Compressed, when that is asked for. @throws SourceError when what makes the format is missing */
  static async over(stream: Output, { compress }: JobOptions): Promise<SharedStream> {
    if (compress === null) return new SharedStream(stream)
    return new SharedStream(new CompressedOutput(stream, compress, await compressorFor(compress), false))
  }

  /** Do what must not be mixed with what others do like this. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.last.then(work)
    this.last = done.catch(() => {}) // thrown to whoever asked
    return done
  }
}

/**
 * Where the events of one followed transcript go: the shared stream, or a file that is there while it grows. A `trace-ir/1`
 * document can only be written when all is known: its file appears whole.
 */
export class LiveOutput {
  private readonly output: Output
  private readonly trace: TraceOutput | null
  /** Null for an output of its own. */
  private readonly shared: SharedStream | null
  private isFinished = false

  private constructor(output: Output, trace: TraceOutput | null, shared: SharedStream | null) {
    this.output = output
    this.trace = trace
    this.shared = shared
  }

  /**
   * @param path the file; null for the shared stream
   * @param name of the transcript, for its document
   * @throws OutputError when it cannot be created
   * @throws SourceError when what compresses it is missing
   */
  static async open(
    path: string | null,
    shared: SharedStream,
    name: string,
    options: JobOptions,
  ): Promise<LiveOutput> {
    const output = path === null ? shared.output : await openFile(path, options)
    const trace = options.traceIr ? new TraceOutput(output, name) : null
    return new LiveOutput(output, trace, path === null ? shared : null)
  }

  write(bytes: Uint8Array): void {
    ;(this.trace ?? this.output).write(bytes)
  }

  /** Nothing came for a while: let readers have what is held back for the sake of compression. */
  quiet(): void {
    if (this.output instanceof CompressedOutput) this.output.flush()
  }

  /** @param streamDigest of the stream that is projected, where that is not what was written here. @throws OutputError */
  async finish(streamDigest: string | null): Promise<Pick<Output, 'digest' | 'bytes'>> {
    const { trace, shared, output } = this
    if (trace !== null) {
      const project = (): Promise<void> => trace.project(streamDigest)
      await (shared === null ? project() : shared.inTurn(project))
    }
    this.quiet()
    this.isFinished = true
    if (shared !== null) return { digest: null, bytes: 0 }
    output.finish()
    return { digest: output.digest, bytes: output.bytes }
  }

  close(): void {
    this.trace?.close()
    if (this.shared === null && !this.isFinished) this.output.abandon()
  }
}

async function openFile(path: string, { compress, traceIr }: JobOptions): Promise<Output> {
  if (traceIr) return compress === null ? openOutput(path, true) : openCompressed(path, compress, true)
  if (compress === null) return new GrowingOutput(path, true)
  return new CompressedOutput(new GrowingOutput(path, false), compress, await compressorFor(compress), true)
}

/** A file that others may read while it is written. What was written of it stays, however it ends. */
class GrowingOutput implements Output {
  bytes = 0
  digest: string | null = null
  private readonly path: string
  private readonly fd: number
  private readonly hash
  private open = true

  constructor(path: string, digest: boolean) {
    this.path = path
    this.hash = digest ? createHash('sha256') : null
    this.fd = OutputError.guard(path, () => {
      mkdirSync(dirname(path), { recursive: true })
      return openSync(path, 'w')
    })
  }

  write(bytes: Uint8Array): void {
    OutputError.guard(this.path, () => writeAll(this.fd, bytes))
    this.hash?.update(bytes)
    this.bytes += bytes.length
  }

  finish(): void {
    this.abandon()
    this.digest = this.hash?.digest('hex') ?? null
  }

  abandon(): void {
    if (!this.open) return
    this.open = false
    closeSync(this.fd)
  }
}
