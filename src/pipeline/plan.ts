import { COMPRESSION_SUFFIX } from '../source/codec.ts'
import type { TranscriptJob } from './job.ts'
import type { LargeJob } from './large.ts'
import type { Listed } from './listed.ts'

/** Transcripts from this size on are read by all workers at once, unless the others keep them busy as well. */
const LARGE_BYTES = 24 * 1024 * 1024
/** Below this many bytes and files threads are not started, also when they are asked for. */
const SMALL_RUN_BYTES = 6 * 1024 * 1024
const SMALL_RUN_FILES = 400
/**
 * Bytes from which on two threads are done sooner than one (docs/performance.md): until the other one has started and has
 * compiled what is hot, the first has read a good deal of them. With digests there is more to do for each byte.
 */
const WORTH_BYTES = 384_000_000
const WORTH_BYTES_HASHED = 192_000_000
/** A file more costs as much as so many bytes. */
const FILE_BYTES = 150_000
/**
 * Bytes and files of one batch. More files would be no faster, and the results of a batch come all at once: the more of them,
 * the more grow old enough to wait for a collection of the whole heap.
 */
const BATCH_BYTES = 4 * 1024 * 1024
const BATCH_FILES = 64
/** How much larger transcripts mostly are than their compressed files; the quickest formats reach this at least. */
const TYPICAL_EXPANSION = 4

/** Places of jobs that are read one after the other. */
export type Batch = readonly number[]

/**
 * A piece of a run. The pieces are done one after the other; the batches of one piece beside each other, each by the one who
 * takes it.
 */
export type Work =
  | { readonly kind: 'here'; readonly job: TranscriptJob }
  | { readonly kind: 'large'; readonly job: LargeJob }
  | { readonly kind: 'batches'; readonly batches: Iterable<Batch> }

/**
 * Would so many threads be done sooner than one alone?
 *
 * @param digest bytes are hashed as well
 */
export function paysThreads(jobs: Listed<TranscriptJob>, threads: number, digest: boolean): boolean {
  // Two threads save half of the work, many nearly all of it.
  const saved = 1 - 1 / threads
  const worth = (digest ? WORTH_BYTES_HASHED : WORTH_BYTES) * (0.5 / saved)
  let bytes = 0
  for (const job of jobs) {
    bytes += weightOf(job) + FILE_BYTES
    if (bytes >= worth) return true
  }
  return false
}

/**
 * What is done where. Largest first, so that no worker is left with the longest transcript at the end; small ones in
 * batches, since a task has a price of its own. Pieces and batches are made when their turn comes: all
 * jobs at once would be a lot of memory.
 *
 * @param threads workers for whole transcripts; 0 keeps them in this thread, in the order of their paths
 * @param largeThreads workers for the chunks of a large transcript
 */
export function* planWork(
  jobs: Listed<TranscriptJob>,
  threads: number,
  largeThreads: number,
): Generator<Work, void, undefined> {
  const weights = new Float64Array(jobs.length)
  let total = 0
  let place = 0
  for (const job of jobs) total += weights[place++] = weightOf(job)
  const isSmall = largeThreads === 0 || (total < SMALL_RUN_BYTES && jobs.length < SMALL_RUN_FILES)
  if (isSmall || threads === 0) {
    for (const job of jobs) yield !isSmall && isLarge(job) ? { kind: 'large', job } : { kind: 'here', job }
    return
  }
  const here: TranscriptJob[] = []
  const rest: number[] = []
  // Alone, a transcript is worth all workers when it takes longer than its share of the whole.
  place = 0
  for (const job of jobs) {
    if (job.file === null) here.push(job)
    else if (isLarge(job) && weightOf(job) > total / threads / 2) yield { kind: 'large', job }
    else rest.push(place)
    place++
  }
  // Standard input belongs to this thread.
  for (const job of here) yield { kind: 'here', job }
  if (rest.length > 0) yield { kind: 'batches', batches: batchesOf(rest, weights) }
}

function isLarge(job: TranscriptJob): job is LargeJob {
  return job.file !== null && weightOf(job) >= LARGE_BYTES
}

/** Bytes that are to be read, as far as the name tells. */
function weightOf({ path, bytes }: TranscriptJob): number {
  return COMPRESSION_SUFFIX.test(path) ? bytes * TYPICAL_EXPANSION : bytes
}

function* batchesOf(places: readonly number[], weights: Float64Array): Generator<Batch, void, undefined> {
  let batch: number[] = []
  let bytes = 0
  for (const place of places.toSorted((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0) || a - b)) {
    const weight = weights[place] ?? 0
    if (batch.length > 0 && (bytes + weight > BATCH_BYTES || batch.length >= BATCH_FILES)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(place)
    bytes += weight
  }
  if (batch.length > 0) yield batch
}
