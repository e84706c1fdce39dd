import { tee } from '../event/tee.ts'
import { isPlain } from '../source/codec.ts'
import { FileSource } from '../source/source.ts'
import { CHUNK_BYTES, ChunkReader } from './chunk-reader.ts'
import { ChunkWriter } from './chunk-writer.ts'
import { openCompressed } from './compressed-output.ts'
import { writerFor } from './event-writer.ts'
import type { JobOptions, TranscriptJob, TranscriptResult } from './job.ts'
import { Lanes } from './lanes.ts'
import { PlacedOutput } from './output.ts'
import { runByPath } from './paths.ts'
import { partsOf } from './parts.ts'
import type { Pool } from './pool.ts'
import { planRanges } from './range.ts'
import { readJob } from './read-job.ts'
import { seatedInOrder, Seats } from './seats.ts'
import { contextOf, Counters, openWindow, type Tools } from './transcript.ts'
import { Translation } from './translation.ts'

/** A large transcript is a plain file. */
export type LargeJob = TranscriptJob & { readonly file: string }

/**
 * Read one large plain file with all workers. For each chunk, in order:
 *
 *     worker   read a range and scan it into a slot ─┐
 *     main                                           ├─ the adapter over the tape: counts, and a list of what to write
 *     worker   copy the output together, write it at its place ─ the slot is free again
 *
 * Only the walk over the tape is serial, and it touches no text. Slots bound the memory; a chunk that is slow to be
 * written keeps its slot, which in the end stops the readers. The result is that of one thread, byte for byte.
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
  if (options.traceIr || !(await isPlain(job.file))) return readJob(job, options, tools)
  const source = new FileSource(job.file)
  const { size } = source
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
  const lanes = options.digest ? new Lanes(pool, job.file, size, placed?.part ?? null) : null
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
  const scans = seatedInOrder(seats, planRanges(size, rangeBytes(options)), (range, { slot }) =>
    pool.scanChunk({ slot, file: job.file, range, lineLimit: options.lineLimit }),
  )
  let blank = 0
  let noLineEnd = false
  try {
    for await (const { seat, outcome: scan } of scans) {
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
      bytes: size,
      lines: translation.line - 1,
      blank,
      events: 0,
      noLineEnd,
      trouble: null,
      parts,
    })
    const outputBytes = (await writing?.finish()) ?? 0
    const digests = await lanes?.finish()
    placed?.finish()
    compressed?.finish()
    const whole = {
      ...result,
      events: writing?.writer.events ?? 0,
      digest: digests?.input ?? null,
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
    await lanes?.close()
  }
}

/**
 * A chunk a task: large enough that tasks cost little, small enough to stay in the caches, and no larger than a line may
 * be, so that only a range's last line is.
 */
function rangeBytes(options: JobOptions): number {
  const wanted = options.chunkBytes === CHUNK_BYTES ? 4 * CHUNK_BYTES : options.chunkBytes
  return Math.max(1, Math.min(wanted, options.lineLimit))
}
