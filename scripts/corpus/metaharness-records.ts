import { totalsOf, type TokenTotals } from './facts.ts'
import { iso, type RunContext } from './run.ts'

/** What decided, where: the words of the wire that the census counts by. */
interface Census {
  allowed: number
  denied: number
  replaced: number
  abstained: number
  readonly bySeam: Record<string, number>
  readonly byDecider: Record<string, number>
}

export interface StreamState {
  readonly run: string
  readonly adapter: 'claude' | 'b10x'
  readonly model: string
  readonly seam: 'hook' | 'control_request' | 'none'
  readonly census: Census
  readonly models: Record<string, TokenTotals>
  timeMs: number
  seq: number
  turn: number
  step: number
  spawned: number
  microUsd: number
  calls: number
}

/** The beginning of a line, up to the fields of its event. Takes the next number. */
export function head(state: StreamState, event: string, timed = true): string {
  state.seq += 1
  const at = timed ? `,"at":"${iso(state.timeMs)}"` : ''
  return `{"format":"metaharness.event/1","seq":${state.seq},"run":"${state.run}"${at},"event":"${event}"`
}

/** Write one event; `fields` begins with a comma. Records of b10x carry no time. */
export function putEvent(ctx: RunContext, state: StreamState, event: string, fields: string): void {
  state.timeMs += ctx.random.between(2, 4_000)
  ctx.out.put(`${head(state, event, state.adapter === 'claude')}${fields}}`)
  ctx.out.end()
  ctx.facts.records += 1
}

/** A usage object in the convention of the adapter: b10x counts cache reads and writes inside the input, Claude does not. */
export function usageObject(adapter: StreamState['adapter'], tokens: TokenTotals, costUsd: string): string {
  const input = adapter === 'b10x' ? tokens.input + tokens.cache_read + tokens.cache_write : tokens.input
  return (
    `{"input_tokens":${input},"output_tokens":${tokens.output},"cache_read_input_tokens":${tokens.cache_read},` +
    `"cache_creation_input_tokens":${tokens.cache_write},"service_tier":null,"thinking_tokens":null,"iterations":null,"speed":null,"cost_usd":${costUsd}}`
  )
}

/** Write the usage of one request, and count it for its model in the stream and in the facts. */
export function putUsage(ctx: RunContext, state: StreamState): void {
  const { facts, random } = ctx
  const tokens: TokenTotals = {
    input: random.between(1, 4_000),
    cache_read: random.between(0, 120_000),
    cache_write_5m: 0,
    cache_write_1h: 0,
    cache_write: random.between(0, 8_000),
    output: random.between(5, 2_400),
    web_search: 0,
    messages: 1,
  }
  for (const models of [facts.models, state.models]) {
    const total = totalsOf(models, state.model)
    total.input += tokens.input
    total.cache_read += tokens.cache_read
    total.cache_write += tokens.cache_write
    total.output += tokens.output
    total.messages += 1
  }
  const microUsd = random.between(200, 60_000)
  state.microUsd += microUsd
  facts.reportedNanoUsd += microUsd * 1_000
  const request = state.adapter === 'claude' ? `"req_gen${random.hex(24)}"` : 'null'
  putEvent(
    ctx,
    state,
    'usage',
    `,"request_id":${request},"model":"${state.model}","usage":${usageObject(state.adapter, tokens, 'null')}`,
  )
}
