import type { Ending } from '../dialect/adapter.ts'
import { Dialects } from '../dialect/registry.ts'
import { tee } from '../event/tee.ts'
import type * as E from '../event/events.ts'
import type { RecordView } from '../kernel/record.ts'
import { Scanner } from '../kernel/scanner.ts'
import { QuietSink } from '../sink/quiet.ts'
import { Splice } from '../sink/splice.ts'
import { textIn } from '../sink/words.ts'
import { HTTP_ADDRESS } from '../source/address.ts'
import { EVENT_STREAM_LIMITS, type EventStreamLimits, EventStreamSource } from '../source/event-stream.ts'
import { GrowingFile } from '../source/growing-file.ts'
import { LiveStdin } from '../source/live-stdin.ts'
import { FileSource, type Source } from '../source/source.ts'
import { ChunkReader } from './chunk-reader.ts'
import { Counters } from './counters.ts'
import { writerFor } from './event-writer.ts'
import type { JobOptions, TranscriptJob, TranscriptResult } from './job.ts'
import { LiveOutput, type SharedStream } from './live-output.ts'
import { LiveReader } from './live-reader.ts'
import { watchBeginning } from './live-window.ts'
import { LATER, within } from './patience.ts'
import { partsOf } from './parts.ts'
import { runByPath } from './paths.ts'
import { contextOf, openWindow, STREAM, writeRecords } from './transcript.ts'
import { Translation } from './translation.ts'

/** The input that is standard input. */
export const STDIN = '-'
/** Time without news after which a transcript whose terminal record was read is over, in milliseconds. */
const QUIET_MS = 500
/** Longest turn of one stream, in milliseconds: others, and signals, wait for it. */
const TURN_MS = 20

/** One transcript to be followed. */
export interface Followed {
  /** File or address; `-` is standard input. */
  readonly input: string
  /** Path as its events name it. */
  readonly path: string
  /** Its output; null for the common stream. */
  readonly output: string | null
}

/** How one transcript is followed. */
export interface LiveSettings {
  readonly options: JobOptions
  /** Leave out what was there before. */
  readonly sinceNow: boolean
  readonly limits?: Partial<EventStreamLimits>
  /** Somebody can answer what a run asks; else a stream that waits for an answer is left. */
  readonly canAnswer: boolean
  /** Ends the stream in good order. */
  readonly signal: AbortSignal
  readonly dialects?: Dialects
}

/** How following one transcript ended. */
export interface FollowResult {
  readonly input: string
  readonly path: string
  readonly dialect: string | null
  readonly records: number
  readonly events: number
  /**
   * `ended`: it said so itself, or its server has no more. `interrupted`: by the caller. `waiting`: for an answer that
   * nobody can give. `lost`: it broke off. `failed`: it could not be read at all.
   */
  readonly how: 'ended' | 'interrupted' | 'waiting' | 'lost' | 'failed'
  readonly ending: Ending | null
  /** What its terminal record calls the end, such as `run.failed`; null when it does not say. */
  readonly terminal: string | null
  /** What was wrong, in words. */
  readonly message: string | null
  /** What was read and written, as of a conversion. */
  readonly transcript: TranscriptResult
}

/** One transcript as it grows. */
export class LiveTranscript {
  private readonly one: Followed
  private readonly job: TranscriptJob
  private readonly settings: LiveSettings
  private readonly dialects: Dialects
  private readonly scanner = new Scanner()
  private readonly source: GrowingFile | LiveStdin | EventStreamSource
  private readonly shared: SharedStream
  private readonly stop = (): void => this.source.close()
  private output: LiveOutput | null = null
  private turnStartMs = performance.now()

  /** @throws SourceError when there is no such file */
  constructor(one: Followed, job: TranscriptJob, shared: SharedStream, settings: LiveSettings) {
    this.one = one
    this.job = job
    this.shared = shared
    this.settings = settings
    this.dialects = settings.dialects ?? new Dialects()
    this.source = sourceOf(one.input, settings)
    if (settings.signal.aborted) this.stop()
    settings.signal.addEventListener('abort', this.stop, { once: true })
  }

  close(): void {
    this.settings.signal.removeEventListener('abort', this.stop)
    this.source.close()
    this.output?.close()
  }

  /** @throws SourceError, OutputError */
  async run(): Promise<FollowResult> {
    const { options } = this.settings
    const { detection, reader, linesBefore } = await this.begin()
    const { adapter } = detection
    const run = detection.run ?? runByPath(adapter, this.one.path, this.job.file)
    const counters = new Counters(this.job, options, run, adapter.dialect)
    const terminal = new TerminalSink()
    const parts = partsOf(this.job, adapter)
    const splice = new Splice(this.scanner)
    const writer = (await writerFor(this.job, options, run, counters.notice))(splice, this.scanner.view)
    const translation = new Translation({
      adapter,
      dialects: options.from === null ? this.dialects : null,
      context: contextOf(run, options, parts),
      sink: tee([writer, ...counters.sinks, terminal]),
      census: null,
      crossCheck: options.crossCheck,
    })
    translation.line += linesBefore
    const { input, path } = this.one
    const output = await LiveOutput.open(this.job.output, this.shared, path, options)
    this.output = output
    const asRead = options.traceIr && adapter.dialect === STREAM
    const flush = (): void => {
      if (asRead) writeRecords(this.scanner, output)
      else if (splice.length > 0) output.write(splice.output())
      splice.reset()
    }
    const how = await this.translate(reader, translation, output, flush)
    // Of a part there is no digest of the whole.
    const digest = this.settings.sinceNow ? null : reader.finishDigest()
    const result = counters.finish(this.job, options, translation, {
      run,
      dialect: adapter.dialect,
      digest,
      bytes: reader.bytes,
      lines: translation.line - 1,
      blank: 0,
      events: 0,
      noLineEnd: reader.noLineEnd,
      trouble: how === 'lost' ? this.source.trouble : null,
      parts,
    })
    if (!asRead) flush()
    const written = await output.finish(asRead ? digest : null)
    const events = writer.events
    return {
      input,
      path,
      dialect: adapter.dialect,
      records: result.records.read,
      events,
      how,
      ending: result.ending,
      terminal: terminal.subtype,
      message: this.source.trouble?.message ?? null,
      transcript: { ...result, events, outputDigest: written.digest, outputBytes: written.bytes },
    }
  }

  /** The dialect, and a reader at the first record to be translated. */
  private async begin(): Promise<Beginning> {
    const { options, sinceNow } = this.settings
    const { scanner, dialects, source } = this
    if (sinceNow && source instanceof GrowingFile && source.linesBefore > 0) {
      // What is left out still says what it is.
      const before: Source = new FileSource(this.one.input)
      const chunks = new ChunkReader(before, scanner, options)
      const window = await openWindow(this.job, options, { scanner, dialects, stream: null }, chunks).finally(
        () => before.close(),
      )
      if (window !== null) {
        const { detection, framing } = window
        const reader = new LiveReader(source, scanner, options.lineLimit, framing)
        return { detection, reader, linesBefore: source.linesBefore }
      }
    }
    const forced = options.from === null ? null : dialects.named(options.from)
    const reader = new LiveReader(source, scanner, options.lineLimit)
    const detection = await watchBeginning(this.one.path, reader, scanner, dialects, forced)
    return { detection, reader, linesBefore: source instanceof GrowingFile ? source.linesBefore : 0 }
  }

  /** Translate what comes until there is no more to come. Says why there is not. */
  private async translate(
    reader: LiveReader,
    translation: Translation,
    output: LiveOutput,
    flush: () => void,
  ): Promise<FollowResult['how']> {
    const { source, scanner, settings } = this
    const frameOf = reader.framing === null ? null : (record: RecordView) => reader.frameOf(record)
    for (let isNews = true; ;) {
      while (reader.scan()) {
        if (reader.oversize === null) translation.chunk(scanner, frameOf)
        else translation.oversize(scanner.view, reader.oversize.digest, reader.oversize.bytes)
        flush()
        await this.breathe()
        isNews = true
      }
      if (reader.ended) break
      const more = isNews ? await within(reader.more(), QUIET_MS) : await reader.more()
      if (more !== LATER) continue
      isNews = false
      output.quiet()
      if (source instanceof EventStreamSource) {
        if (source.isWaiting && !settings.canAnswer) return 'waiting'
      } else if (isOver(reader, translation)) {
        // Also what broke off behind the end is still to be read.
        source.close()
      }
    }
    if (settings.signal.aborted) return 'interrupted'
    return source.trouble === null ? 'ended' : 'lost'
  }

  private async breathe(): Promise<void> {
    if (performance.now() - this.turnStartMs < TURN_MS) return
    await new Promise(setImmediate)
    this.turnStartMs = performance.now()
  }
}

/** @throws SourceError when there is no such file */
function sourceOf(
  input: string,
  { options, sinceNow, limits }: LiveSettings,
): GrowingFile | LiveStdin | EventStreamSource {
  if (input === STDIN) return new LiveStdin()
  if (!HTTP_ADDRESS.test(input)) return new GrowingFile(input, sinceNow)
  const { headers } = options
  return new EventStreamSource(input, { headers, sinceNow, limits: { ...EVENT_STREAM_LIMITS, ...limits } })
}

/** Was the terminal record read, or does it stand on the last line, which may never get its line feed? */
function isOver(reader: LiveReader, translation: Translation): boolean {
  if (isClosing(translation.endingSoFar())) return true
  const last = reader.peek(translation.line)
  const ending = last === null ? null : translation.endingAfter(last)
  return ending !== null && isClosing(ending)
}

function isClosing({ terminal, unclosed }: Ending): boolean {
  return terminal && unclosed !== true
}

interface Beginning {
  readonly detection: Awaited<ReturnType<typeof watchBeginning>>
  readonly reader: LiveReader
  readonly linesBefore: number
}

/** Keeps what the terminal record calls the end. */
class TerminalSink extends QuietSink {
  subtype: string | null = null
  private current: RecordView | null = null

  override record(record: RecordView): void {
    this.current = record
  }

  override sessionEnded(event: E.SessionEnded): void {
    this.subtype = textIn(this.current, event.subtype)
  }
}
