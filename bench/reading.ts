import { basename } from 'node:path'
import { Dialects } from '../src/dialect/registry.ts'
import { Scanner } from '../src/kernel/scanner.ts'
import type { JobOptions, TranscriptResult } from '../src/pipeline/job.ts'
import { jobOptions } from '../src/pipeline/options.ts'
import type { Output } from '../src/pipeline/output.ts'
import { readJob } from '../src/pipeline/read-job.ts'
import type { Tools } from '../src/pipeline/transcript.ts'
import type { BenchCorpus } from './corpora.ts'

/** An output that goes nowhere: what remains is the making of the bytes. It can keep them, for a look at them. */
export class CountingOutput implements Output {
  bytes = 0
  readonly digest = null
  kept: Buffer[] | null = null

  write(bytes: Uint8Array): void {
    this.bytes += bytes.length
    this.kept?.push(Buffer.from(bytes))
  }
  finish(): void {}
  abandon(): void {}
}

/** Reads the transcripts of a corpus one after the other in this thread, as `--jobs 0` does. */
export class Reading {
  private readonly options: JobOptions
  private readonly tools: Tools
  private readonly corpus: BenchCorpus

  /** @param output where events go; null when they are not wanted */
  constructor(corpus: BenchCorpus, wants: Partial<JobOptions>, output: Output | null) {
    this.corpus = corpus
    this.options = { ...jobOptions({}), ...wants }
    this.tools = { scanner: new Scanner(), dialects: new Dialects(), stream: output }
  }

  /** @throws Error when a transcript could not be read */
  async all(): Promise<TranscriptResult[]> {
    const results: TranscriptResult[] = []
    for (const [index, { path, bytes }] of this.corpus.files.entries()) {
      const job = { index, path: basename(path), file: path, bytes, named: true, output: null }
      for (const result of await readJob(job, this.options, this.tools)) {
        if (result.error !== null) throw new Error(result.error.message)
        results.push(result)
      }
    }
    return results
  }
}
