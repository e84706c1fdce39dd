import { setTimeout as sleep } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { type HttpHeaders, shownAddress } from './address.ts'
import type { Source, Trouble } from './source.ts'
import { SourceError } from './source-error.ts'

export interface HttpLimits {
  readonly redirects: number
  /** Tries without a byte in between. */
  readonly tries: number
  /** First pause between tries, in milliseconds; it doubles each time. */
  readonly pauseMs: number
  /** Longest pause, also when the server asks for more, in milliseconds. */
  readonly longestPauseMs: number
  /** Longest silence of a server, in milliseconds. */
  readonly silenceMs: number
}

const HTTP_LIMITS: HttpLimits = {
  redirects: 5,
  tries: 5,
  pauseMs: 250,
  longestPauseMs: 20_000,
  silenceMs: 60_000,
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])
const WORTH_ANOTHER_TRY = new Set([408, 425, 429, 500, 502, 503, 504])

/**
 * An http(s) address, streamed. A cut is taken up again where it happened (by range, or by passing over what is known),
 * with growing pauses; what cannot be got ends the source as cut.
 */
export class HttpSource implements Source {
  trouble: Trouble | null = null
  private readonly address: string
  private readonly headers: HttpHeaders
  private readonly limits: HttpLimits
  private agent: Dispatcher | null = null
  private body: AsyncIterator<unknown> | null = null
  private stream: { destroy(): unknown } | null = null
  private piece: Uint8Array = new Uint8Array(0)
  private used = 0
  /** Bytes handed out. */
  private position = 0
  /** Bytes at the front of the body to pass over: the server sent again what is known. */
  private toSkip = 0
  private total: number | null = null
  private tag: string | null = null
  private ended = false

  constructor(address: string, headers: HttpHeaders, limits: HttpLimits = HTTP_LIMITS) {
    this.address = address
    this.headers = headers
    this.limits = limits
  }

  /** @throws SourceError when the address cannot be read at all */
  async read(into: Uint8Array, at: number, length: number): Promise<number> {
    while (this.used === this.piece.length) {
      if (this.ended || !(await this.more())) return 0
    }
    const got = Math.min(length, this.piece.length - this.used)
    into.set(this.piece.subarray(this.used, this.used + got), at)
    this.used += got
    this.position += got
    return got
  }

  close(): void {
    this.stream?.destroy()
    this.agent?.destroy().catch(() => {})
  }

  /** The next piece of the body, through as many tries as it takes; false at the end. */
  private async more(): Promise<boolean> {
    let pauseMs = this.limits.pauseMs
    for (let tries = 1; ; tries++) {
      try {
        this.body ??= await this.open()
        const piece = await this.nextPiece(this.body)
        if (piece === null) {
          this.ended = true
          if (this.total === null || this.position >= this.total) return false
          throw new Error('the body ended early')
        }
        this.piece = piece
        this.used = 0
        return true
      } catch (error) {
        if (error instanceof SourceError) throw error
        this.ended = false
        this.body = null
        this.stream?.destroy()
        const asked = error instanceof AskAgain ? error.pauseMs : null
        if (tries >= this.limits.tries) return this.giveUp(error)
        await sleep(Math.min(asked ?? pauseMs, this.limits.longestPauseMs))
        pauseMs *= 2
      }
    }
  }

  private giveUp(error: unknown): boolean {
    const why = error instanceof Error ? error.message : String(error)
    const place = shownAddress(this.address)
    if (this.position === 0) {
      throw new SourceError(
        'ERR_INPUT_UNREADABLE',
        `${place}: cannot be reached (${why}); check the address and the network`,
      )
    }
    this.ended = true
    this.trouble = { kind: 'cut', message: `the connection broke off (${why}); what came before was read` }
    return false
  }

  private async nextPiece(body: AsyncIterator<unknown>): Promise<Uint8Array | null> {
    for (;;) {
      const next = await body.next()
      if (next.done === true) return null
      if (!(next.value instanceof Uint8Array)) continue
      const skipped = Math.min(this.toSkip, next.value.length)
      this.toSkip -= skipped
      if (skipped < next.value.length) return next.value.subarray(skipped)
    }
  }

  private async open(): Promise<AsyncIterator<unknown>> {
    let address = this.address
    for (let hops = 0; hops <= this.limits.redirects; hops++) {
      const { statusCode, headers, body } = await this.request(address)
      this.stream = body
      // A body that is given up fails; whoever reads it hears of it there.
      body.on('error', () => {})
      const location = headerOf(headers, 'location')
      if (REDIRECTS.has(statusCode) && location !== null) {
        body.destroy()
        address = new URL(location, address).href
        continue
      }
      this.accept(statusCode, headers, address)
      return body[Symbol.asyncIterator]()
    }
    throw new SourceError(
      'ERR_INPUT_UNREADABLE',
      `${shownAddress(this.address)}: more than ${this.limits.redirects} redirects`,
    )
  }

  private async request(address: string): Promise<Dispatcher.ResponseData> {
    const { EnvHttpProxyAgent, request } = await import('undici')
    this.agent ??= new EnvHttpProxyAgent()
    // Credentials are for the place they were given for, and for no other that it points to.
    const own = new URL(address).origin === new URL(this.address).origin ? this.headers : []
    const headers = [...own, ['accept-encoding', 'identity'] as const]
    if (this.position > 0) headers.push(['range', `bytes=${this.position}-`])
    if (this.position > 0 && this.tag !== null) headers.push(['if-range', this.tag])
    const { silenceMs } = this.limits
    return request(address, {
      headers: headers.flatMap(([name, value]) => [name, value]),
      dispatcher: this.agent,
      headersTimeout: silenceMs,
      bodyTimeout: silenceMs,
    })
  }

  /** @throws SourceError for an answer that another try would not change */
  private accept(status: number, headers: Dispatcher.ResponseData['headers'], address: string): void {
    if (WORTH_ANOTHER_TRY.has(status)) throw new AskAgain(status, headerOf(headers, 'retry-after'))
    if (status === 206) {
      this.toSkip = 0
      return
    }
    if (status === 416 && this.position > 0) throw new Error('the server has no more of it')
    if (status !== 200) throw refused(status, shownAddress(address))
    const tag = headerOf(headers, 'etag')
    if (this.position > 0 && tag !== this.tag) {
      throw new SourceError(
        'ERR_INPUT_UNREADABLE',
        `${shownAddress(address)}: changed while it was read; read it again`,
      )
    }
    this.toSkip = this.position
    this.tag = tag
    const length = headerOf(headers, 'content-length')
    this.total = length === null ? null : Number(length)
  }
}

/** An answer that asks for patience. */
class AskAgain extends Error {
  readonly pauseMs: number | null

  constructor(status: number, retryAfter: string | null) {
    super(`the server answered ${status}`)
    this.pauseMs = retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : null
  }
}

/** The error of an answer that is no success, with what would help. @param place the address, without what may be secret in it */
export function refused(status: number, place: string): SourceError {
  if (status === 404 || status === 410)
    return new SourceError('ERR_NOT_FOUND', `${place}: is not there (${status})`)
  const hint = status === 401 || status === 403 ? "; pass credentials with --header 'Name: value'" : ''
  return new SourceError('ERR_INPUT_UNREADABLE', `${place}: the server answered ${status}${hint}`)
}

/** The first value of a header; null when the answer has none of that name. @param name in lower case */
export function headerOf(headers: Dispatcher.ResponseData['headers'], name: string): string | null {
  const value = headers[name]
  return typeof value === 'string' ? value : (value?.[0] ?? null)
}
