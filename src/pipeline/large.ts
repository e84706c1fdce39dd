import { tee } from '../event/tee.ts'
import { openSource, storedAs } from '../source/codec.ts'
import { type ChunkFeed, feedOfFile, feedOfThisThread, SourceFeed } from './chunk-feed.ts'
import { CHUNK_BYTES, ChunkReader } from './chunk-reader.ts'
import { ChunkWriter } from './chunk-writer.ts'
import { openCompressed } from './compressed-output.ts'
import { writerFor } from './event-writer.ts'
import type { JobOptions, TranscriptJob, TranscriptResult } from './job.ts'
import type { LaneSource } from './lane-source.ts'
import { Lanes } from './lanes.ts'
import { PlacedOutput } from './output.ts'
import { runByPath } from './paths.ts'
import { partsOf } from './parts.ts'
import type { Pool } from './pool.ts'
import { readJob } from './read-job.ts'
import { Seats } from './seats.ts'
import { Counters } from './counters.ts'
import { contextOf, openWindow, type Tools } from './transcript.ts'
import { Translation } from './translation.ts'

/** A large transcript is a file, plain or compressed. */
export type LargeJob = TranscriptJob & { readonly file: string }

/**
 * Read one large file with all workers. For each chunk, in order:
 *
 *     worker   read a range and scan it into a slot ─┐
 *     main                                           ├─ the adapter over the tape: counts, and a list of what to write
 *     worker   copy the output together, write it at its place ─ the slot is free again
 *
 * Only the walk over the tape is serial, and it touches no text. Slots bound the memory; a chunk that is slow to be
 * written keeps its slot, which in the end stops the readers. The result is that of one thread, byte for byte.
 *
 * With a single worker, which has its hands full of output and digests, this thread reads and scans as well.
 *
 * A compressed file has no ranges: a lane decompresses it, this thread fills slots with whole lines of it, and workers scan.
 *
 * @throws OutputError when the output cannot be written
 * @throws SourceError when the file cannot be read
 */
export async function readLarge(
  job: LargeJob,
  options: JobOptions,
  tools: Tools,
  pool: Pool,
): Promise<TranscriptResult[]> {
  const stored = options.traceIr ? 'other' : await storedAs(job.file)
  if (stored === 'other') return readJob(job, options, tools)
  const { source } = await openSource(job.file)
  const reader = new ChunkReader(source, tools.scanner, { ...options, digest: false })
  const window = await openWindow(job, options, tools, reader).finally(() => source.close())
  // A document is read whole, framed records have no fixed places, and what is no transcript is not read: one thread does.
  if (window === null || window.document !== null || window.framing !== null)
    return readJob(job, options, tools)

  const { adapter } = window.detection
  const run = window.detection.run ?? runByPath(adapter, job.path, job.file)
  const counters = new Counters(job, options, run, adapter.dialect)
  const parts = partsOf(job, adapter)
  const make = await writerFor(job, options, run, counters.notice)
  // Members have no places before they are made: compressed chunks are written in order.
  const { compress } = options
  const compressed =
    job.output === null || compress === null
      ? null
      : await openCompressed(job.output, compress, options.digest)
  const placed = job.output === null || compressed !== null ? null : new PlacedOutput(job.output)
  const stream = compressed ?? tools.stream
  // What is scanned here is in the caches of who goes over it.
  const scansHere = pool.threads === 1 && (options.digest || placed !== null || stream !== null)
  const { feed, lane } = await openFeed(job.file, stored, options, scansHere, pool)
  const plain = lane === null ? { path: job.file, size: feed.bytes } : null
  const lanes = options.digest ? new Lanes(pool, plain, placed?.part ?? null) : null
  const writing =
    placed === null && stream === null
      ? null
      : new ChunkWriter(pool, placed, stream, lanes, tools.scanner, make)
  const translation = new Translation({
    adapter,
    dialects: options.from === null ? tools.dialects : null,
    context: contextOf(run, options, parts),
    sink: tee(writing === null ? counters.sinks : [writing.writer, ...counters.sinks]),
    census: counters.census,
    crossCheck: options.crossCheck,
  })

  const seats = new Seats(pool.slots)
  let blank = 0
  let noLineEnd = false
  try {
    for await (const { seat, outcome: scan } of feed.scans(seats)) {
      seat.scanner.adopt(scan.scan)
      const hashed = lanes?.read(seat.slot, scan.owned) ?? Promise.resolve()
      writing?.begin(seat)
      translation.chunk(seat.scanner)
      if (scan.oversize !== null) {
        translation.oversize(seat.scanner.view, scan.oversize.digest, scan.oversize.bytes)
      }
      blank += scan.scan.blanks
      // Ranges behind a cut last line own nothing, and see no cut.
      noLineEnd ||= scan.noLineEnd
      const release = (): void => void hashed.then(() => seats.release(seat))
      if (writing === null) release()
      else writing.end(seat, scan.scan, release)
    }
    writing?.beginTail()
    const result = counters.finish(job, options, translation, {
      run,
      dialect: adapter.dialect,
      digest: null,
      bytes: feed.bytes,
      lines: translation.line - 1,
      blank,
      events: 0,
      noLineEnd,
      trouble: feed.trouble,
      parts,
    })
    const outputBytes = (await writing?.finish()) ?? 0
    const digests = await lanes?.finish()
    placed?.finish()
    compressed?.finish()
    const whole = {
      ...result,
      events: writing?.writer.events ?? 0,
      digest: digests?.input ?? lane?.digest ?? null,
      outputDigest: digests?.output ?? compressed?.digest ?? null,
      outputBytes: job.output === null ? 0 : outputBytes,
    }
    return [whole]
  } catch (error) {
    // Chunks still on their way must have ended before their file goes.
    await writing?.settle()
    placed?.abandon()
    compressed?.abandon()
    throw error
  } finally {
    lane?.close()
    await lanes?.close()
  }
}

/**
 * The chunks of a file. The lane is whoever decompresses it, and has to be closed.
 *
 * @param scansHere this thread scans a plain file itself
 * @throws SourceError
 */
async function openFeed(
  file: string,
  stored: 'plain' | 'compressed',
  options: JobOptions,
  scansHere: boolean,
  pool: Pool,
): Promise<{ readonly feed: ChunkFeed; readonly lane: LaneSource | null }> {
  const { lineLimit, digest } = options
  if (stored === 'plain') {
    const bytes = rangeBytes(options)
    const feed = scansHere
      ? feedOfThisThread(file, bytes, lineLimit)
      : feedOfFile(file, pool, bytes, lineLimit)
    return { feed, lane: null }
  }
  const { LaneSource: Lane } = await import('./lane-source.ts')
  const lane = new Lane(file, digest)
  return { feed: new SourceFeed(lane, pool, rangeBytes(options), lineLimit), lane }
}

/**
 * A chunk a task: large enough that tasks cost little, small enough to stay in the caches, and no larger than a line may
 * be, so that only a range's last line is.
 */
function rangeBytes(options: JobOptions): number {
  const wanted = options.chunkBytes === CHUNK_BYTES ? 2 * CHUNK_BYTES : options.chunkBytes
  return Math.max(1, Math.min(wanted, options.lineLimit))
}
