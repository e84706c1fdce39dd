import { setTimeout as sleep } from 'node:timers/promises'
import { createBrotliDecompress, createGunzip, createInflate, constants } from 'node:zlib'
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { type HttpHeaders, shownAddress } from './address.ts'
import { EventCutter, type StreamEvent } from './event-cutter.ts'
import { headerOf, refused } from './http.ts'
import { RunEvents } from './run-events.ts'
import type { Source, Trouble } from './source.ts'
import { SourceError } from './source-error.ts'

export interface EventStreamLimits {
  readonly redirects: number
  /** Connections without a new event, one after the other. */
  readonly tries: number
  /** Pause before connecting again, in milliseconds, unless the server says; it doubles while nothing comes. */
  readonly pauseMs: number
  /** Longest pause, also when the server asks for more, in milliseconds. */
  readonly longestPauseMs: number
  /** Time without an event after which the connection is made anew, in milliseconds; keepalives are no events. */
  readonly silenceMs: number
}

export const EVENT_STREAM_LIMITS: EventStreamLimits = {
  redirects: 5,
  tries: 5,
  pauseMs: 500,
  longestPauseMs: 20_000,
  silenceMs: 60_000,
}

export interface EventStreamSettings {
  readonly headers: HttpHeaders
  /** Leave out events from before, by their time and the server's clock; not the one that ends a run. */
  readonly sinceNow: boolean
  readonly limits: EventStreamLimits
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])
const WORTH_ANOTHER_TRY = new Set([408, 425, 429])
/** All runs of a conversation: its stream goes on after one has ended. */
const CONVERSATION = /\/conversations\//

/**
 * An event stream, followed live: each event once, in order, with what a lost connection kept back. `read` gives events as
 * they came, without keepalives; it ends when the run has ended, when the server has no more (204), or when it is closed.
 *
 *     connect ─▶ events ─▶ terminal event: the end, never a connection again
 *        ▲          │
 *        │          ├─ cut, closed by the server, silent: wait, and go on after the last event
 *        └──────────┴─ a number is missing: go on after the last before the gap, at once; a gap that stays is one of the run
 *
 * There is no limit to how long a stream may take.
 */
export class EventStreamSource implements Source {
  trouble: Trouble | null = null
  private readonly address: string
  private readonly settings: EventStreamSettings
  private readonly seen: RunEvents
  private readonly events: AsyncGenerator<StreamEvent, void, undefined>
  private readonly closing = new AbortController()
  private agent: Dispatcher | null = null
  private piece: Buffer = Buffer.alloc(0)
  private used = 0
  private retryMs: number | null = null
  private startedMs: number | null = null

  constructor(address: string, settings: EventStreamSettings) {
    this.address = address
    this.settings = settings
    this.seen = new RunEvents(() => (settings.sinceNow ? this.startedMs : null))
    this.events = this.all()
  }

  /** The run waits for an answer. */
  get isWaiting(): boolean {
    return this.seen.isWaiting
  }

  /** @throws SourceError when the address gives no event stream at all */
  async read(into: Uint8Array, at: number, length: number): Promise<number> {
    if (this.used === this.piece.length) {
      const next = await this.events.next()
      if (next.done === true) return 0
      this.piece = next.value.bytes
      this.used = 0
    }
    const got = Math.min(length, this.piece.length - this.used)
    into.set(this.piece.subarray(this.used, this.used + got), at)
    this.used += got
    return got
  }

  close(): void {
    this.closing.abort()
    this.agent?.destroy().catch(() => {})
  }

  private async *all(): AsyncGenerator<StreamEvent, void, undefined> {
    const { limits } = this.settings
    let isKnown = false
    for (let failures = 0; !this.closing.signal.aborted;) {
      const connection: Connection = { hadNews: false, isAlive: false, isGap: false, isLast: false }
      let why = 'the server closed the connection'
      let asked: number | null = null
      try {
        for await (const event of this.connection(connection)) {
          connection.hadNews = true
          isKnown = true
          yield event
          if (this.isOver) return
        }
      } catch (error) {
        if (this.closing.signal.aborted) return
        if (error instanceof SourceError && !isKnown) throw error
        why = error instanceof Error ? error.message : String(error)
        if (error instanceof SourceError) return this.lose(why)
        if (error instanceof AskAgain) asked = error.pauseMs
      }
      if (connection.isLast) return
      if (connection.isGap) continue
      failures = connection.hadNews || connection.isAlive ? 0 : failures + 1
      if (failures >= limits.tries) {
        if (isKnown) return this.lose(why)
        const place = shownAddress(this.address)
        const message = `${place}: cannot be followed (${why}); check the address and the network`
        throw new SourceError('ERR_INPUT_UNREADABLE', message)
      }
      const pauseMs = (this.retryMs ?? limits.pauseMs) * 2 ** Math.max(0, failures - 1)
      await this.pause(Math.min(asked ?? pauseMs, limits.longestPauseMs))
    }
  }

  private get isOver(): boolean {
    return this.seen.isOver && !CONVERSATION.test(this.address)
  }

  private lose(why: string): void {
    this.trouble = { kind: 'cut', message: `the stream broke off (${why}); what came before was read` }
  }

  private async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.closing.signal }).catch(() => {})
  }

  /** The new events of one connection. */
  private async *connection(state: Connection): AsyncGenerator<StreamEvent, void, undefined> {
    const body = await this.connect()
    if (body === null) {
      state.isLast = true
      return
    }
    const cutter = new EventCutter()
    const { silenceMs } = this.settings.limits
    let hadBytes = false
    const silence = setTimeout(() => {
      // A server that sends keepalives is there, however long it has nothing to say.
      state.isAlive = hadBytes
      body.destroy(new Error('no event came for long'))
    }, silenceMs)
    // Whoever stopped reading does not come back for the end of this.
    const stop = (): void => {
      clearTimeout(silence)
      body.destroy()
    }
    this.closing.signal.addEventListener('abort', stop, { once: true })
    try {
      for await (const piece of body) {
        if (!(piece instanceof Uint8Array)) continue
        hadBytes = true
        for (const event of cutter.feed(piece)) {
          silence.refresh()
          this.retryMs = event.retryMs ?? this.retryMs
          const judgement = this.seen.judge(event)
          if (judgement === 'take') yield event
          state.isGap = judgement === 'gap'
          if (state.isGap || this.isOver) return
        }
      }
    } finally {
      this.closing.signal.removeEventListener('abort', stop)
      stop()
    }
  }

  /** The body of an answer that is an event stream; null when the server has no more. */
  private async connect(): Promise<Readable | null> {
    let address = this.address
    const { redirects } = this.settings.limits
    for (let hops = 0; hops <= redirects; hops++) {
      const { statusCode, headers, body } = await this.request(address)
      body.on('error', () => {}) // whoever reads it hears of it there
      const location = headerOf(headers, 'location')
      if (REDIRECTS.has(statusCode) && location !== null) {
        body.destroy()
        address = new URL(location, address).href
        continue
      }
      if (statusCode !== 200) body.destroy()
      if (statusCode === 204) return null
      this.accept(statusCode, headers, address)
      return decoded(body, headerOf(headers, 'content-encoding'))
    }
    const message = `${shownAddress(this.address)}: more than ${redirects} redirects`
    throw new SourceError('ERR_INPUT_UNREADABLE', message)
  }

  private async request(address: string): Promise<Dispatcher.ResponseData> {
    const { EnvHttpProxyAgent, request } = await import('undici')
    this.agent ??= new EnvHttpProxyAgent()
    // Credentials are for the place they were given for, and for no other that it points to.
    const own = new URL(address).origin === new URL(this.address).origin ? this.settings.headers : []
    const headers = [
      ...own,
      ['accept', 'text/event-stream'] as const,
      ['accept-encoding', 'identity'] as const,
    ]
    const last = headerText(this.seen.lastId)
    if (last !== null) headers.push(['last-event-id', last])
    return request(address, {
      headers: headers.flatMap(([name, value]) => [name, value]),
      dispatcher: this.agent,
      signal: this.closing.signal,
      headersTimeout: this.settings.limits.silenceMs,
      bodyTimeout: 0,
    })
  }

  /** @throws SourceError for an answer that another try would not change */
  private accept(status: number, headers: Dispatcher.ResponseData['headers'], address: string): void {
    if (WORTH_ANOTHER_TRY.has(status) || status >= 500) {
      throw new AskAgain(status, headerOf(headers, 'retry-after'))
    }
    if (status !== 200) throw refused(status, shownAddress(address))
    const type = headerOf(headers, 'content-type')
    if (type !== null && /^\s*(?:text\/html|application\/json)\b/i.test(type)) {
      const message = `${shownAddress(address)}: is no event stream (${type}); name that of a run, …/runs/ID/events`
      throw new SourceError('ERR_INPUT_UNREADABLE', message)
    }
    const date = Date.parse(headerOf(headers, 'date') ?? '')
    this.startedMs ??= Number.isNaN(date) ? Date.now() : date
  }
}

/** What one connection brought. */
interface Connection {
  hadNews: boolean
  /** It was silent but for keepalives. */
  isAlive: boolean
  isGap: boolean
  /** The server has said that there is no more. */
  isLast: boolean
}

/** An answer that asks for patience. */
class AskAgain extends Error {
  readonly pauseMs: number | null

  constructor(status: number, retryAfter: string | null) {
    super(`the server answered ${status}`)
    this.pauseMs = retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : null
  }
}

/** The body as it was before the server compressed it, which some do unasked; each event as soon as it is there. */
function decoded(body: Readable, encoding: string | null): Readable {
  const decoder = decoderFor(encoding?.trim().toLowerCase() ?? '')
  if (decoder === null) return body
  body.on('error', (error) => decoder.destroy(error))
  decoder.on('close', () => body.destroy())
  decoder.on('error', () => {}) // whoever reads it hears of it there
  return body.pipe(decoder)
}

function decoderFor(
  encoding: string,
): ReturnType<typeof createGunzip | typeof createBrotliDecompress> | null {
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = constants
  const flush = { flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH }
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip(flush)
  if (encoding === 'deflate') return createInflate(flush)
  if (encoding !== 'br') return null
  return createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH })
}

/** An id as a header carries it, its UTF-8 byte by byte; null for one that no header can carry. */
function headerText(id: string | null): string | null {
  if (id === null || id === '') return null
  const text = Buffer.from(id).latin1Slice()
  return /[^\t\x20-\x7e\x80-\xff]/.test(text) ? null : text
}
