import { basename } from 'node:path'
import { convert, type ConvertRequest } from '../../src/pipeline/convert.ts'
import type { JobOptions, TranscriptJob, TranscriptResult } from '../../src/pipeline/job.ts'
import { jobOptions } from '../../src/pipeline/options.ts'
import type { Output } from '../../src/pipeline/output.ts'

/** An output that keeps what is written to it. */
export class KeptOutput implements Output {
  readonly digest = null
  private readonly parts: Buffer[] = []

  get bytes(): number {
    return this.kept().length
  }

  kept(): Buffer {
    return Buffer.concat(this.parts)
  }

  write(bytes: Uint8Array): void {
    this.parts.push(Buffer.from(bytes))
  }

  finish(): void {}
  abandon(): void {}
}

/** Convert PATHs in this process. Returns the streams, one after the other, and what was said of each transcript. */
export async function converted(
  paths: readonly string[],
  options: Partial<ConvertRequest> = {},
): Promise<{ readonly bytes: Buffer; readonly results: readonly TranscriptResult[] }> {
  const output = new KeptOutput()
  const { results } = await convert({
    jobs: 0,
    ...options,
    paths,
    to: () => ({ kind: 'stream', output }),
  })
  return { bytes: output.kept(), results: [...results] }
}

/** The job of one file, as the planner would make it. */
export function jobOf(
  file: string,
  bytes: number,
  output: string | null = null,
): TranscriptJob & { readonly file: string } {
  return { index: 0, path: basename(file), file, bytes, named: true, output }
}

/** Everything that can be counted is wanted. */
export function everyOption(options: Partial<JobOptions> = {}): JobOptions {
  return { ...jobOptions({}), census: true, usage: true, ...options }
}
