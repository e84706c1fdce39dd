import { Dialects } from '../dialect/registry.ts'
import { Scanner } from '../kernel/scanner.ts'
import { type Census, emptyCensus, mergeCensus } from '../sink/census-counts.ts'
import type { JobOptions, TranscriptJob, TranscriptResult } from './job.ts'
import { readJob } from './read-job.ts'
import { fromMain } from './worker-data.ts'

/** What one worker keeps between tasks. */
const dialects = new Dialects()
let scanner: Scanner | null = null

export interface BatchTask {
  readonly jobs: readonly TranscriptJob[]
  readonly options: JobOptions
}

export interface BatchResult {
  readonly results: readonly TranscriptResult[]
  /** The census of all of them; the results have none of their own. */
  readonly census: Census
}

/** Read whole transcripts, one after the other. @throws OutputError */
export async function readAll(task: BatchTask): Promise<BatchResult> {
  const { module } = fromMain()
  scanner ??= new Scanner(module === null ? {} : { module })
  const census = emptyCensus()
  const results: TranscriptResult[] = []
  for (const job of task.jobs) {
    for (const result of await readJob(job, task.options, { scanner, dialects, stream: null })) {
      if (result.census !== null) mergeCensus(census, result.census)
      results.push({ ...result, census: null })
    }
  }
  return { results, census }
}
