import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
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
import { FileSource, type Source } from '../source/source.ts'
import { SourceError } from '../source/source-error.ts'
import { ChunkReader } from './chunk-reader.ts'
import { writerFor } from './event-writer.ts'
import type { JobOptions, TranscriptJob } from './job.ts'
import { LiveReader } from './live-reader.ts'
import { watchBeginning } from './live-window.ts'
import { DescriptorOutput, type Output } from './output.ts'
import { OutputError } from './output-error.ts'
import { LATER, within } from './patience.ts'
import { partsOf } from './parts.ts'
import { runByPath } from './paths.ts'
import { contextOf, Counters, openWindow } from './transcript.ts'
import { Translation } from './translation.ts'

/** Time without news after which a transcript whose terminal record was read is over, in milliseconds. */
const QUIET_MS = 500
/** Longest turn of one stream, in milliseconds: others, and signals, wait for it. */
const TURN_MS = 20

/** One transcript to be followed. */
export interface Followed {
  /** File or address. */
  readonly input: string
  /** Path as its events name it. */
  readonly path: string
  /** Its output; null for the common stream. */
  readonly output: string | null
}

export interface FollowSettings {
  readonly options: JobOptions
  /** Where the events of transcripts without an output go, whole lines at a time. */
  readonly stream: Output
  /** Leave out what was there before. */
  readonly sinceNow: boolean
  readonly limits?: Partial<EventStreamLimits>
  /** Somebody can answer what a run asks; else a stream that waits for an answer is left. */
  readonly canAnswer: boolean
  /** Ends all streams in good order. */
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
}

/**
 * Translate transcripts while they are written, each into a stream of its own, all at once. What is written is what a
 * conversion of the finished transcripts would give, line by line as records become whole.
 *
 * @throws OutputError when an output cannot be written
 */
export async function followAll(
  followed: readonly Followed[],
  settings: FollowSettings,
): Promise<FollowResult[]> {
  const abort = new AbortController()
  const signal = AbortSignal.any([settings.signal, abort.signal])
  try {
    return await Promise.all(followed.map((one, index) => follow(one, index, { ...settings, signal })))
  } finally {
    // When one cannot go on, the others must not keep the process.
    abort.abort()
  }
}

async function follow(one: Followed, index: number, settings: FollowSettings): Promise<FollowResult> {
  let live: Live | null = null
  try {
    live = new Live(one, index, settings)
    return await live.run()
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    const { input, path } = one
    const { message } = error
    const nothing = { dialect: null, records: 0, events: 0, ending: null, terminal: null }
    return { input, path, ...nothing, how: 'failed', message }
  } finally {
    live?.close()
  }
}

/** One transcript as it grows. */
class Live {
  private readonly one: Followed
  private readonly job: TranscriptJob
  private readonly settings: FollowSettings
  private readonly dialects: Dialects
  private readonly scanner = new Scanner()
  private readonly source: GrowingFile | EventStreamSource
  private readonly stop = (): void => this.source.close()
  private output: Output | null = null
  private descriptor: number | null = null
  private turnStartMs = performance.now()

  /** @throws SourceError when there is no such file */
  constructor(one: Followed, index: number, settings: FollowSettings) {
    this.one = one
    this.settings = settings
    this.dialects = settings.dialects ?? new Dialects()
    const { input, path, output } = one
    const file = HTTP_ADDRESS.test(input) ? null : input
    this.job = { index, path, file, bytes: 0, named: true, output }
    const { sinceNow } = settings
    this.source =
      file === null
        ? new EventStreamSource(input, {
            headers: settings.options.headers,
            sinceNow,
            limits: { ...EVENT_STREAM_LIMITS, ...settings.limits },
          })
        : new GrowingFile(input, sinceNow)
    if (settings.signal.aborted) this.stop()
    settings.signal.addEventListener('abort', this.stop, { once: true })
  }

  close(): void {
    this.settings.signal.removeEventListener('abort', this.stop)
    this.source.close()
    if (this.descriptor !== null) closeSync(this.descriptor)
    this.descriptor = null
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
    const output = this.openOutput()
    const flush = (): void => {
      if (splice.length > 0) output.write(splice.output())
      splice.reset()
    }
    const how = await this.translate(reader, translation, flush)
    const result = counters.finish(this.job, options, translation, {
      run,
      dialect: adapter.dialect,
      digest: null,
      bytes: reader.bytes,
      lines: translation.line - 1,
      blank: 0,
      events: 0,
      noLineEnd: reader.noLineEnd,
      trouble: how === 'lost' ? this.source.trouble : null,
      parts,
    })
    flush()
    return {
      input: this.one.input,
      path: this.one.path,
      dialect: adapter.dialect,
      records: result.records.read,
      events: writer.events,
      how,
      ending: result.ending,
      terminal: terminal.subtype,
      message: this.source.trouble?.message ?? null,
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
      if (source instanceof GrowingFile) {
        // Also what broke off behind the end is still to be read.
        const { terminal, unclosed } = translation.endingSoFar()
        if (terminal && unclosed !== true) source.close()
      } else if (source.isWaiting && !settings.canAnswer) {
        return 'waiting'
      }
    }
    if (settings.signal.aborted) return 'interrupted'
    return source.trouble === null ? 'ended' : 'lost'
  }

  private openOutput(): Output {
    const path = this.one.output
    if (path === null) {
      this.output = this.settings.stream
    } else {
      const descriptor = OutputError.guard(path, () => {
        mkdirSync(dirname(path), { recursive: true })
        return openSync(path, 'w')
      })
      this.descriptor = descriptor
      this.output = new DescriptorOutput(descriptor, path)
    }
    return this.output
  }

  private async breathe(): Promise<void> {
    if (performance.now() - this.turnStartMs < TURN_MS) return
    await new Promise(setImmediate)
    this.turnStartMs = performance.now()
  }
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
