import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { afterEach } from 'vitest'
import { type FollowSettings, followAll } from '../../src/pipeline/follow.ts'
import type { Followed, FollowResult } from '../../src/pipeline/live-transcript.ts'
import { jobOptions } from '../../src/pipeline/options.ts'
import type { Output } from '../../src/pipeline/output.ts'

/** An output that tells when it was written to. */
class HeardOutput implements Output {
  readonly digest = null
  bytes = 0
  /** Each write, with its time by `performance.now`. */
  readonly writes: { readonly atMs: number; readonly text: string }[] = []
  readonly raw: Buffer[] = []
  private readonly waiting: { readonly test: (text: string) => boolean; readonly heard: () => void }[] = []

  get text(): string {
    return this.writes.map(({ text }) => text).join('')
  }

  write(bytes: Uint8Array): void {
    this.bytes += bytes.length
    this.raw.push(Buffer.from(bytes))
    this.writes.push({ atMs: performance.now(), text: Buffer.from(bytes).toString() })
    const { text } = this
    for (const one of this.waiting.splice(0)) {
      if (one.test(text)) one.heard()
      else this.waiting.push(one)
    }
  }

  /** Wait until what was written in all passes a test. */
  until(test: (text: string) => boolean): Promise<void> {
    if (test(this.text)) return Promise.resolve()
    return new Promise((heard) => this.waiting.push({ test, heard }))
  }

  finish(): void {}
  abandon(): void {}
}

export interface Following {
  readonly output: HeardOutput
  readonly stop: () => void
  readonly results: Promise<FollowResult[]>
}

const LIMITS = { tries: 3, pauseMs: 2, longestPauseMs: 20, silenceMs: 2_000 }
const open: AbortController[] = []
let servers: Server[] = []

afterEach(() => {
  for (const controller of open.splice(0)) controller.abort()
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
  servers = []
})

/** Follow inputs into one output, with short pauses. */
export function following(
  inputs: readonly (string | Followed)[],
  settings: Partial<FollowSettings> = {},
): Following {
  const controller = new AbortController()
  open.push(controller)
  const output = new HeardOutput()
  const followed = inputs.map((one) =>
    typeof one === 'string' ? { input: one, path: 'run.jsonl', output: null } : one,
  )
  const { limits, ...others } = settings
  const results = followAll(followed, {
    options: jobOptions({}),
    stream: output,
    sinceNow: false,
    canAnswer: true,
    signal: controller.signal,
    limits: { ...LIMITS, ...limits },
    ...others,
  })
  return { output, stop: () => controller.abort(), results }
}

export type Answer = (response: ServerResponse, request: IncomingMessage) => void

/** A server on this machine that answers its requests one after the other, the last answer again and again. */
export async function serving(...answers: readonly Answer[]): Promise<{
  readonly address: string
  /** `Last-Event-ID` of each request. */
  readonly lastIds: (string | null)[]
}> {
  const lastIds: (string | null)[] = []
  const server = createServer((request, response) => {
    const answer = answers[Math.min(lastIds.length, answers.length - 1)]
    const id = request.headers['last-event-id']
    lastIds.push(typeof id === 'string' ? Buffer.from(id, 'latin1').toString() : null)
    answer?.(response, request)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return { address: `http://127.0.0.1:${address.port}/v1/runs/run_1/events`, lastIds }
}

/** Answer with a whole event stream, and close. */
export function stream(body: string | Uint8Array, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', ...headers })
    response.end(body)
  }
}

/** Answer with the first bytes of an event stream, and break off. */
export function cutAfter(body: Buffer, bytes: number): Answer {
  return (response, request) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'content-length': body.length })
    response.write(body.subarray(0, bytes), () => setTimeout(() => request.socket.destroy(), 2))
    if (bytes === 0) response.flushHeaders()
  }
}

export function status(code: number, headers: Record<string, string> = {}): Answer {
  return (response) => response.writeHead(code, headers).end()
}

/** One event of a run, as a server of go-agent-harness sends it. */
export function eventOf(
  seq: number,
  type: string,
  payload: Readonly<Record<string, unknown>> = {},
  run = 'run_1',
): string {
  const second = String(seq % 60).padStart(2, '0')
  const data = {
    id: `${run}:${seq}`,
    run_id: run,
    type,
    timestamp: `2026-03-02T10:${String(Math.floor(seq / 60) % 60).padStart(2, '0')}:${second}Z`,
    payload: { ...payload, conversation_id: run, schema_version: '1', step: 1 },
  }
  return `id: ${run}:${seq}\nretry: 2\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`
}

/** A short run, event by event. */
export function runOf(end = 'run.completed', run = 'run_1'): string[] {
  const types: [string, Record<string, unknown>][] = [
    ['run.started', { prompt: 'say it — «é»' }],
    ['provider.resolved', { model: 'model-1', provider: 'example' }],
    ['run.step.started', { step: 1, step_start_ms: 1 }],
    ['llm.turn.requested', { step: 1 }],
    ['assistant.message.delta', { content: 'one ' }],
    ['assistant.message.delta', { content: 'two' }],
    ['llm.turn.completed', { tool_calls: 0, total_duration_ms: 5, ttft_ms: 1 }],
    ['assistant.message', { content: 'one two' }],
    ['run.step.completed', { tool_calls: 0, duration_ms: 9 }],
    [end, end === 'run.completed' ? { output: 'one two' } : end === 'run.failed' ? { error: 'no' } : {}],
  ]
  return types.map(([type, payload], seq) => eventOf(seq, type, payload, run))
}
