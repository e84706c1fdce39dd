import { tee } from '../event/tee.ts'
import { MetaharnessWriter } from '../sink/metaharness-writer.ts'
import { NoticeSink } from '../sink/notices.ts'
import { Splice } from '../sink/splice.ts'
import { FileSource } from '../source/source.ts'
import { ChunkReader } from './chunk-reader.ts'
import type { JobOptions, TranscriptJob, TranscriptResult } from './job.ts'
import { Lanes } from './lanes.ts'
import { PlacedOutput } from './output.ts'
import { runOf } from './paths.ts'
import type { Pool } from './pool.ts'
import { planRanges } from './range.ts'
import { type Seat, seatedInOrder, Seats } from './seats.ts'
import { contextOf, Counters, openWindow, readTranscript, type Tools, writerOptions } from './transcript.ts'
import { Translation } from './translation.ts'

/** A large transcript is a plain file. */
export type LargeJob = TranscriptJob & { readonly file: string }

/**
 * Read one large plain file with all workers. For each chunk, in order:
 *
 *     worker   read and scan into a slot ─┐
 *     main                                ├─ pre-pass: the adapter over the tape, counting and measuring
 *     worker   translate from the standing before it, write at the measured place ─ the slot is free again
 *
 * The pre-pass is the only serial part, and it touches the tape alone. Slots bound the memory; a chunk that is slow to be
 * written keeps its slot, which in the end stops the readers. The result is that of `readTranscript`, byte for byte.
 *
 * @throws OutputError when the output cannot be written
 * @throws SourceError when the file cannot be read
 */
export async function readLarge(
  job: LargeJob,
  options: JobOptions,
  tools: Tools,
  pool: Pool,
): Promise<TranscriptResult> {
  const source = new FileSource(job.file)
  const { size } = source
  const reader = new ChunkReader(source, tools.scanner, { ...options, digest: false })
  const window = await openWindow(job, options, tools, reader).finally(() => source.close())
  // A document is read whole, and what is no transcript not at all: one thread does.
  if (window === null || window.document !== null) return readTranscript(job, options, tools)

  const { adapter } = window.detection
  const run = window.detection.run ?? runOf(job.path)
  const counters = new Counters(job, options, run, adapter.dialect)
  const writes = job.output !== null || tools.stream !== null
  const measured = new Splice(tools.scanner, true)
  const measure = new MetaharnessWriter(
    measured,
    tools.scanner.view,
    writerOptions(job, options, run, counters.notices),
  )
  const context = contextOf(run, options)
  const sink = tee(writes ? [measure, ...counters.sinks] : counters.sinks)
  const { crossCheck } = options
  const translation = new Translation({ adapter, context, sink, census: counters.census, crossCheck })

  const placed = job.output === null ? null : new PlacedOutput(job.output)
  const lanes = options.digest ? new Lanes(job.file, size, placed?.part ?? null) : null
  const seats = new Seats(2 * pool.threads + 1)
  const ranges = planRanges(size, Math.max(options.chunkBytes, 1))
  const scans = seatedInOrder(seats, ranges, (range, { slot }) =>
    pool.scanChunk({ slot, file: job.file, range, lineLimit: options.lineLimit }),
  )
  let position = 0
  let blank = 0
  let noLineEnd = false
  let written: Promise<void> = Promise.resolve()

  /** The second pass over a chunk, begun before the pre-pass goes on from where it stands. */
  const translate = (seat: Seat, scan: Awaited<ReturnType<Pool['scanChunk']>>): Promise<unknown> =>
    pool.translateChunk({
      slot: seat.slot,
      scan: scan.scan,
      oversize: scan.oversize,
      standing: translation.standing(),
      events: measure.events,
      job,
      options,
      run,
      dialect: adapter.dialect,
      place: placed === null ? null : { part: placed.part, position },
    })

  try {
    for await (const { seat, outcome: scan } of scans) {
      seat.scanner.adopt(scan.scan)
      const translated = writes ? translate(seat, scan) : null
      translated?.catch(() => {}) // seen again, and thrown, when its turn comes
      translation.chunk(seat.scanner)
      if (scan.oversize !== null) {
        translation.oversize(seat.scanner.view, scan.oversize.digest, scan.oversize.bytes)
      }
      blank += scan.scan.blanks
      noLineEnd = scan.noLineEnd
      const start = position
      position += measured.length
      const end = position
      measured.reset()
      written = written.then(async () => {
        await translated
        if (writes && placed === null) {
          seat.scanner.ensure(seat.scanner.outputAt + end - start)
          tools.stream?.write(seat.scanner.output(end - start))
        }
        lanes?.wrote(start, end)
        seats.release(seat)
      })
      written.catch(() => {})
    }
    await written

    // The end, which no chunk holds: counted here, and written from a copy of the standing.
    const standing = translation.standing()
    const before = measure.events
    const lines = translation.line - 1
    const seen = { run, dialect: adapter.dialect, digest: null, bytes: size, lines, blank, events: 0, noLineEnd }
    const result = counters.finish(job, options, translation, seen)
    if (!writes) return { ...result, digest: (await lanes?.finish())?.input ?? null }

    const splice = new Splice(tools.scanner, false)
    const silent = writerOptions(job, options, run, new NoticeSink())
    const writer = new MetaharnessWriter(splice, tools.scanner.view, silent, before)
    new Translation({ adapter, context, sink: writer, census: null, crossCheck: false }, standing).end()
    const tail = splice.output()
    if (placed !== null) placed.writeAt(tail, position)
    else tools.stream?.write(tail)
    lanes?.wrote(position, position + tail.length)
    const digests = await lanes?.finish()
    placed?.finish()
    return {
      ...result,
      events: writer.events,
      digest: digests?.input ?? null,
      outputDigest: digests?.output ?? null,
      outputBytes: placed === null ? 0 : position + tail.length,
    }
  } catch (error) {
    // Chunks still on their way must have ended before their file goes.
    await written.catch(() => {})
    placed?.abandon()
    throw error
  } finally {
    await lanes?.close()
  }
}
