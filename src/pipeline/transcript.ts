import type { AdapterContext, Part } from '../dialect/adapter.ts'
import type { Dialects } from '../dialect/registry.ts'
import { tee } from '../event/tee.ts'
import { NONE, type RecordView } from '../kernel/record.ts'
import type { Scanner } from '../kernel/scanner.ts'
import { Splice } from '../sink/splice.ts'
import type { StreamFactsSink } from '../sink/stream-facts.ts'
import { COMPRESSION_SUFFIX } from '../source/codec.ts'
import type { Source } from '../source/source.ts'
import { refuseByMagic, SourceError } from '../source/source-error.ts'
import { ChunkReader } from './chunk-reader.ts'
import { Counters } from './counters.ts'
import { writerFor } from './event-writer.ts'
import {
  failedResult,
  type JobOptions,
  skippedResult,
  type TranscriptJob,
  type TranscriptResult,
} from './job.ts'
import { type Output, openOutput } from './output.ts'
import { openCompressed } from './compressed-output.ts'
import { runByPath } from './paths.ts'
import { partsOf } from './parts.ts'
import { Translation } from './translation.ts'
import { lookAt, type Window } from './window.ts'

/** The dialect of streams of events. */
export const STREAM = 'metaharness'
const LINE_END = Buffer.from('\n')

/** What every pass over a transcript needs that is not plain data. */
export interface Tools {
  readonly scanner: Scanner
  readonly dialects: Dialects
  /** Where events go when the job names no file: null when they are not wanted. */
  readonly stream: Output | null
  /** Awaited between chunks: lets other work of this thread go on, and throws when the run is to end. */
  readonly pause?: () => Promise<void>
  /** Opens a compressed file so that another thread decompresses it; absent where this thread has to. */
  readonly aside?: (file: string) => Promise<Source>
}

/**
 * Read one transcript from beginning to end in this thread: scan, translate, write and count. Never throws for what is
 * wrong with the transcript: the result then holds the error.
 *
 * @throws OutputError when the output cannot be written
 */
export async function readTranscript(
  job: TranscriptJob,
  options: JobOptions,
  tools: Tools,
  source: Source,
): Promise<TranscriptResult> {
  let output: Output | null = null
  try {
    const reader = new ChunkReader(source, tools.scanner, {
      ...options,
      digest: options.digest || options.traceIr,
    })
    const window = await openWindow(job, options, tools, reader)
    if (window === null) return skippedResult(job)
    output = job.output === null ? tools.stream : await outputFor(job.output, options)
    const result =
      options.traceIr && output !== null
        ? await project(output, job, (spool) => translate(job, options, tools, reader, window, spool, source))
        : await translate(job, options, tools, reader, window, output, source)
    output?.finish()
    return output === null ? result : { ...result, outputDigest: output.digest, outputBytes: output.bytes }
  } catch (error) {
    output?.abandon()
    if (error instanceof SourceError) return failedResult(job, error.code, error.message)
    throw error
  }
}

/** Have the events of one transcript written to a spool, and the document they project to into `output`. */
async function project(
  output: Output,
  job: TranscriptJob,
  translated: (spool: Pick<Output, 'write'>) => Promise<TranscriptResult>,
): Promise<TranscriptResult> {
  const { TraceOutput } = await import('./trace-output.ts')
  const trace = new TraceOutput(output, job.path)
  try {
    const result = await translated(trace)
    // A stream of events is projected as it was read, any other as it is written.
    await trace.project(result.dialect === STREAM ? result.digest : null)
    return result
  } finally {
    trace.close()
  }
}

/** The file for the events of one transcript. @throws OutputError when it cannot be created */
async function outputFor(path: string, options: JobOptions): Promise<Output> {
  const { compress, digest } = options
  return compress === null ? openOutput(path, digest) : openCompressed(path, compress, digest)
}

/** The window of a transcript; null when it is none and nobody named it. @throws SourceError when it is no text */
export async function openWindow(
  job: TranscriptJob,
  options: JobOptions,
  tools: Tools,
  reader: ChunkReader,
): Promise<Window | null> {
  const forced = options.from === null ? null : tools.dialects.named(options.from)
  const window = await lookAt(reader, tools.scanner, tools.dialects, forced, options.lineLimit)
  const refusal = refuseByMagic(job.path, reader.head())
  if (refusal !== null) throw refusal
  const recognised = window.detection.adapter !== tools.dialects.fallback
  if (!window.detection.isRun && !job.named && isWanted(options, tools, job)) return null
  // An empty file that nobody named says nothing of any run.
  return recognised || job.named || !(mayBeOther(job.path) || reader.bytes === 0) ? window : null
}

/** Something is to be made of the transcript, beyond saying whether it is sound. */
function isWanted(options: JobOptions, tools: Tools, job: TranscriptJob): boolean {
  return options.census || options.usage || job.output !== null || tools.stream !== null
}

async function translate(
  job: TranscriptJob,
  options: JobOptions,
  tools: Tools,
  reader: ChunkReader,
  window: Window,
  output: Pick<Output, 'write'> | null,
  source: Source,
): Promise<TranscriptResult> {
  const { scanner } = tools
  const { adapter } = window.detection
  const run = window.detection.run ?? runByPath(adapter, job.path, job.file)
  const parts = partsOf(job, adapter)
  const counters = new Counters(job, options, run, adapter.dialect)
  const splice = output === null ? null : new Splice(scanner)
  const writer =
    splice === null ? null : (await writerFor(job, options, run, counters.notice))(splice, scanner.view)
  const translation = new Translation({
    adapter,
    dialects: options.from === null ? tools.dialects : null,
    context: contextOf(run, options, parts),
    sink: tee(writer === null ? counters.sinks : [writer, ...counters.sinks]),
    census: counters.census,
    crossCheck: options.crossCheck,
  })
  const asRead = options.traceIr && adapter.dialect === STREAM
  const flush = (): void => {
    if (output === null || splice === null) return
    if (!asRead) output.write(splice.output())
    splice.reset()
  }
  const { framed } = reader
  const frameOf = framed === null ? null : (record: RecordView) => reader.frameOf(record)
  let blank = 0
  let lines = 0
  if (window.document !== null) {
    window.document.each(
      (item) => translation.one(item),
      adapter.items === undefined ? undefined : (record, root) => adapter.items?.(record, root) ?? NONE,
    )
    lines = window.document.lines
    flush()
  } else {
    while (await reader.next()) {
      if (reader.oversize === null) translation.chunk(scanner, frameOf)
      else translation.oversize(scanner.view, reader.oversize.digest, reader.oversize.bytes)
      blank += scanner.blankCount
      lines = translation.line - 1
      if (asRead && output !== null) writeRecords(scanner, output)
      flush()
      await tools.pause?.()
    }
  }
  if (framed !== null) {
    blank -= framed.lines
    counters.census?.blank(-framed.lines)
    noteFraming(framed, counters.facts)
  }
  const result = counters.finish(job, options, translation, {
    run,
    dialect: adapter.dialect,
    digest: reader.finishDigest(),
    bytes: reader.bytes,
    lines,
    blank,
    events: 0,
    noLineEnd: reader.noLineEnd,
    trouble: source.trouble ?? null,
    parts,
  })
  flush()
  return { ...result, events: writer?.events ?? 0 }
}

/** The records of the last scan as they stand, one a line. */
export function writeRecords(scanner: Scanner, output: Pick<Output, 'write'>): void {
  for (let i = 0; i < scanner.recordCount; i++) {
    const { bytes, start, end } = scanner.select(i, 1)
    output.write(bytes.subarray(start, end))
    output.write(LINE_END)
  }
}

/** Say what was taken away with the framing, and was no record. */
function noteFraming(
  framed: { readonly comments: number; readonly empty: number },
  { notices }: StreamFactsSink,
): void {
  for (let i = 0; i < framed.comments; i++) {
    notices.add(
      'stream-comment',
      null,
      'comments of the event stream, keepalives among them, were passed over',
    )
  }
  for (let i = 0; i < framed.empty; i++) {
    notices.add('empty-event', null, 'events of the event stream without data were passed over')
  }
}

export function contextOf(run: string, options: JobOptions, parts: readonly Part[]): AdapterContext {
  return { run, deltas: options.deltas, tolerant: options.tolerant, parts, traced: options.traced }
}

/** Files of these names are often something else; unrecognised, they are no transcripts. */
function mayBeOther(path: string): boolean {
  return /\.(?:json|log|txt)$/.test(path.replace(COMPRESSION_SUFFIX, ''))
}
