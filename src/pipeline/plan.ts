import { COMPRESSION_SUFFIX } from '../source/codec.ts'
import type { TranscriptJob } from './job.ts'
import type { LargeJob } from './large.ts'

/** Transcripts from this size on are read by all workers at once, unless the others keep them busy as well. */
const LARGE_BYTES = 24 * 1024 * 1024
/** Below this many bytes and files starting threads takes longer than the work. */
const SMALL_RUN_BYTES = 6 * 1024 * 1024
const SMALL_RUN_FILES = 400
/** Bytes and files of one batch. */
const BATCH_BYTES = 4 * 1024 * 1024
const BATCH_FILES = 256
/** How much larger transcripts mostly are than their compressed files; the quickest formats reach this at least. */
const TYPICAL_EXPANSION = 4

/** A piece of a run. The pieces are done one after the other; the batches of one piece beside each other. */
export type Work =
  | { readonly kind: 'here'; readonly job: TranscriptJob }
  | { readonly kind: 'large'; readonly job: LargeJob }
  | { readonly kind: 'batches'; readonly batches: readonly (readonly TranscriptJob[])[] }

/**
 * What is done where. Largest first, so that no worker is left with the longest transcript at the end; small ones in
 * batches, since a task has a price of its own.
 *
 * @param threads workers for whole transcripts; 0 keeps them in this thread, in the order of their paths
 * @param largeThreads workers for the chunks of a large transcript
 */
export function planWork(jobs: readonly TranscriptJob[], threads: number, largeThreads: number): Work[] {
  const total = jobs.reduce((sum, job) => sum + weightOf(job), 0)
  if (largeThreads === 0 || (total < SMALL_RUN_BYTES && jobs.length < SMALL_RUN_FILES)) {
    return jobs.map((job) => ({ kind: 'here', job }))
  }
  if (threads === 0) {
    return jobs.map((job) => (isLarge(job) ? { kind: 'large', job } : { kind: 'here', job }))
  }
  const here: TranscriptJob[] = []
  const large: LargeJob[] = []
  const rest: TranscriptJob[] = []
  // Alone, a transcript is worth all workers when it takes longer than its share of the whole.
  for (const job of jobs) {
    if (job.file === null) here.push(job)
    else if (isLarge(job) && weightOf(job) > total / threads / 2) large.push(job)
    else rest.push(job)
  }
  const batches = batchesOf(rest)
  const work: Work[] = large.map((job) => ({ kind: 'large', job }))
  // Standard input belongs to this thread.
  for (const job of here) work.push({ kind: 'here', job })
  if (batches.length > 0) work.push({ kind: 'batches', batches })
  return work
}

function isLarge(job: TranscriptJob): job is LargeJob {
  return job.file !== null && weightOf(job) >= LARGE_BYTES
}

/** Bytes that are to be read, as far as the name tells. */
function weightOf({ path, bytes }: TranscriptJob): number {
  return COMPRESSION_SUFFIX.test(path) ? bytes * TYPICAL_EXPANSION : bytes
}

function batchesOf(jobs: readonly TranscriptJob[]): TranscriptJob[][] {
  const batches: TranscriptJob[][] = []
  let batch: TranscriptJob[] = []
  let bytes = 0
  for (const job of jobs.toSorted((a, b) => weightOf(b) - weightOf(a) || a.index - b.index)) {
    if (batch.length > 0 && (bytes + weightOf(job) > BATCH_BYTES || batch.length >= BATCH_FILES)) {
      batches.push(batch)
      batch = []
      bytes = 0
    }
    batch.push(job)
    bytes += weightOf(job)
  }
  if (batch.length > 0) batches.push(batch)
  return batches
}
