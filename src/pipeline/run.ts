import { availableParallelism } from 'node:os'
import { Dialects } from '../dialect/registry.ts'
import { Scanner } from '../kernel/scanner.ts'
import { type Census, addFailed, emptyCensus, mergeCensus } from '../sink/census-counts.ts'
import type { Source } from '../source/source.ts'
import { SourceError } from '../source/source-error.ts'
import { failedResult, type JobOptions, type TranscriptJob, type TranscriptResult } from './job.ts'
import type { LargeJob } from './large.ts'
import type { Listed } from './listed.ts'
import { type Output, removePart } from './output.ts'
import { type Batch, paysThreads, planWork } from './plan.ts'
import type { Pool } from './pool.ts'
import { WorkerLostError } from './portable.ts'
import { readJob } from './read-job.ts'
import { ResultList } from './result-list.ts'
import type { Tools } from './transcript.ts'
import type { BatchResult } from './read-batch.ts'

/** Batches that a worker is given at a time: it reads one, and has the next one when it is done. */
const BATCHES_EACH = 2

/** How a run is carried out. */
export interface RunSettings {
  /** Threads that read; 0 runs all in this thread. Null is one a core, where there is enough to read for them. */
  readonly jobs: number | null
  /** Where the events of jobs without an output file go, in the order of their paths; null when they are not wanted. */
  readonly stream: Output | null
  /** Told of every finished transcript. */
  readonly progress?: (result: TranscriptResult) => void
  /** Ends the run early: unfinished outputs are removed, finished ones stay. */
  readonly signal?: AbortSignal
  readonly dialects?: Dialects
}

export interface RunOutcome {
  /** In the order of paths; what was no transcript is left out. */
  readonly results: Listed<TranscriptResult>
  /** Files that were no transcripts. */
  readonly skipped: number
  readonly census: Census
}

/**
 * Read transcripts with as many threads as asked for. What is wrong with a transcript is in its result.
 *
 * @param jobs each with its place as its index
 * @throws OutputError when outputs cannot be written; then nothing half-written is left
 */
export async function runJobs(
  jobs: Listed<TranscriptJob>,
  options: JobOptions,
  settings: RunSettings,
): Promise<RunOutcome> {
  const run = new Run(jobs, options, settings)
  try {
    await run.all()
  } finally {
    await run.close()
  }
  return run.outcome()
}

class Run {
  private readonly jobs: Listed<TranscriptJob>
  private readonly options: JobOptions
  private readonly settings: RunSettings
  private readonly threads: number
  private readonly tools: Tools
  private readonly results: ResultList
  private skipped = 0
  /** By the index of a job: 1 when it is done. */
  private readonly done: Uint8Array
  private left: number
  private readonly census = emptyCensus()
  private pool: Pool | null = null

  constructor(jobs: Listed<TranscriptJob>, options: JobOptions, settings: RunSettings) {
    this.jobs = jobs
    this.options = options
    this.settings = settings
    const cores = availableParallelism()
    this.threads = settings.jobs ?? (paysThreads(jobs, cores, options.digest) ? cores : 0)
    this.results = new ResultList(jobs)
    this.done = new Uint8Array(jobs.length)
    this.left = jobs.length
    const dialects = settings.dialects ?? new Dialects()
    const { stream, signal } = settings
    this.tools = {
      scanner: new Scanner(),
      dialects,
      stream,
      ...(signal === undefined ? {} : { pause: pauses(signal) }),
      ...(settings.jobs === 0 ? {} : { aside }),
    }
  }

  async all(): Promise<void> {
    const { jobs, settings, threads } = this
    const plan = planWork(jobs, settings.stream === null ? threads : 0, threads)
    for (const item of plan) {
      if (item.kind === 'large') await this.large(item.job)
      else if (item.kind === 'here') await this.here(item.job)
      else await this.batches(item.batches)
    }
  }

  async close(): Promise<void> {
    await this.pool?.close()
    if (this.left === 0) return
    for (const job of this.jobs) {
      if (this.done[job.index] === 0 && job.output !== null) removePart(job.output)
    }
  }

  outcome(): RunOutcome {
    const { results, skipped, census } = this
    return { results, skipped, census }
  }

  private async here(job: TranscriptJob): Promise<void> {
    this.settings.signal?.throwIfAborted()
    this.take(job, await untilAborted(readJob(job, this.options, this.tools), this.settings.signal))
  }

  private async large(job: LargeJob): Promise<void> {
    this.settings.signal?.throwIfAborted()
    const pool = await this.workers()
    const { readLarge } = await import('./large.ts')
    try {
      this.take(job, await untilAborted(readLarge(job, this.options, this.tools, pool), this.settings.signal))
    } catch (error) {
      this.take(job, [lostResult(job, error)])
    }
  }

  /**
   * Batches are taken by whoever is free: the workers, and this thread, which would have nothing to do but wait. It works
   * from the start, while they are still loading.
   */
  private async batches(batches: Iterable<Batch>): Promise<void> {
    const { signal } = this.settings
    const pool = await this.workers()
    const takers = Array.from({ length: pool.threads * BATCHES_EACH }, () => this.byWorker(batches, pool))
    if (this.threads > 1) takers.push(this.byThisThread(batches))
    await untilAborted(Promise.all(takers), signal)
  }

  private async byWorker(batches: Iterable<Batch>, pool: Pool): Promise<void> {
    for (const batch of batches) {
      try {
        // Made for the way to the worker and once more for what comes back: a batch is so long under way that it would grow old.
        const jobs = [...this.jobsOf(batch)]
        this.takeBatch(batch, await pool.readBatch({ jobs, options: this.options }))
      } catch (error) {
        if (!(error instanceof WorkerLostError)) throw error
        await this.oneByOne(batch, pool)
      }
    }
  }

  private async byThisThread(batches: Iterable<Batch>): Promise<void> {
    const { signal } = this.settings
    const { scanner, dialects, stream } = this.tools
    // Workers that are done must be heard soon: they wait for their next batch.
    const pause = async (): Promise<void> => {
      await new Promise(setImmediate)
      signal?.throwIfAborted()
    }
    for (const batch of batches) {
      for (const job of this.jobsOf(batch)) {
        this.take(job, await readJob(job, this.options, { scanner, dialects, stream, pause }))
        await pause()
      }
    }
  }

  /** After a worker was lost: find the transcript that did it, and do the others. */
  private async oneByOne(batch: Batch, pool: Pool): Promise<void> {
    for (const job of this.jobsOf(batch)) {
      try {
        this.takeBatch([job.index], await pool.readBatch({ jobs: [job], options: this.options }))
      } catch (error) {
        this.take(job, [lostResult(job, error)])
        if (job.output !== null) removePart(job.output)
      }
    }
  }

  private takeBatch(batch: Batch, { census, results }: BatchResult): void {
    mergeCensus(this.census, census)
    const byIndex = byJob(results)
    for (const job of this.jobsOf(batch)) this.take(job, byIndex.get(job.index) ?? [])
  }

  private *jobsOf(batch: Batch): Generator<TranscriptJob, void, undefined> {
    for (const place of batch) {
      const job = this.jobs.at(place)
      if (job !== undefined) yield job
    }
  }

  private take(job: TranscriptJob, results: readonly TranscriptResult[]): void {
    for (const result of results) {
      if (result.census !== null) mergeCensus(this.census, result.census)
      if (result.error !== null) addFailed(this.census, result.dialect)
      this.settings.progress?.(result)
      if (result.skipped) this.skipped++
      else this.results.add(job, result)
    }
    if (this.done[job.index] === 0) this.left--
    this.done[job.index] = 1
  }

  /** This thread works as well: with it there are as many as jobs, or two. */
  private async workers(): Promise<Pool> {
    if (this.pool === null) {
      // Loaded when threads are wanted: small inputs start faster without.
      const { Pool: Workers } = await import('./pool.ts')
      this.pool = new Workers(Math.max(1, this.threads - 1))
    }
    return this.pool
  }
}

function byJob(results: readonly TranscriptResult[]): Map<number, TranscriptResult[]> {
  const map = new Map<number, TranscriptResult[]>()
  for (const result of results) {
    const known = map.get(result.index)
    if (known === undefined) map.set(result.index, [result])
    else known.push(result)
  }
  return map
}

/** The result of a transcript that could not be read to its end. @throws what says that the run cannot go on */
function lostResult(job: TranscriptJob, error: unknown): TranscriptResult {
  if (error instanceof SourceError) return failedResult(job, error.code, error.message)
  if (error instanceof WorkerLostError) {
    return failedResult(
      job,
      'ERR_WORKER_LOST',
      `${job.path}: ${error.message}; try again, with fewer --jobs if memory is short`,
    )
  }
  throw error
}

/** Loaded when it is wanted, like the other threads. */
async function aside(file: string): Promise<Source> {
  const { LaneSource } = await import('./lane-source.ts')
  return new LaneSource(file, false)
}

/** Time this thread works before others get their turn, in milliseconds: what a person does not notice. */
const TURN_MS = 50

/** Reading in this thread is one long turn: break it now and then, so that an abort can be heard. */
function pauses(signal: AbortSignal): () => Promise<void> {
  let last = performance.now()
  return async () => {
    if (performance.now() - last < TURN_MS) return
    await new Promise(setImmediate)
    last = performance.now()
    signal.throwIfAborted()
  }
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  work.catch(() => {}) // it may end after the abort was thrown
  return new Promise<T>((resolve, reject) => {
    const stop = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
