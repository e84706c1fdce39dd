import { newMessage, type Message } from './claude-parts.ts'
import type { StreamLedger, StreamState } from './claude-stream-records.ts'
import { totalsOf, type TokenTotals } from './facts.ts'
import { nanoUsdText, textLength, type RunContext } from './run.ts'

/** Prices in 10^-9 USD per token: input, output, cache read, cache write (5 minutes). Web searches cost 0.01 USD. */
const prices: Record<string, readonly [number, number, number, number]> = {
  'claude-sonnet-4-5-20250929': [3_000, 15_000, 300, 3_750],
  'claude-opus-4-5-20251101': [5_000, 25_000, 500, 6_250],
  'claude-haiku-4-5-20251001': [1_000, 5_000, 100, 1_250],
}
const searchNanoUsd = 10_000_000

export function openLedger(): StreamLedger {
  return { models: {}, turn: totalsOf({}, 'turn'), turnMessages: 0, nanoUsd: 0, spawned: 0 }
}

/** Book a message: always for its model, and for the turn when it belongs to the main loop. */
export function addToLedger(ledger: StreamLedger, message: Message, isMainLoop: boolean): void {
  add(totalsOf(ledger.models, message.model), message.tokens)
  if (!isMainLoop) return
  add(ledger.turn, message.tokens)
  ledger.turnMessages += 1
}

/** Spend of a call that leaves no message in the stream: a title, a compaction, a look-up. */
export function countSideCall(ctx: RunContext, ledger: StreamLedger, model: string): void {
  const { tokens } = newMessage(ctx, model, '5m')
  add(totalsOf(ledger.models, model), tokens)
  const total = totalsOf(ctx.facts.models, model)
  total.input += tokens.input
  total.cache_read += tokens.cache_read
  total.cache_write += tokens.cache_write_5m
  total.output += tokens.output
  total.web_search += tokens.web_search
}

/** Close the turn. `modelUsage` and the cost run on over the turns of the process; `usage` is of this turn alone. */
export function putResult(ctx: RunContext, state: StreamState): void {
  const { out, random, texts } = ctx
  const { ledger } = state
  const { turn } = ledger
  state.results += 1
  const modelUsage = Object.entries(ledger.models).map(([model, total]) => modelUsageText(model, total))
  ledger.nanoUsd = Object.entries(ledger.models).reduce(
    (sum, [model, total]) => sum + nanoUsdOf(model, total),
    0,
  )
  const duration = random.between(2_000, 600_000)
  out.put(
    `{"type":"result","subtype":"success","is_error":false,"duration_ms":${duration},"duration_api_ms":${duration - 900},"num_turns":${ledger.turnMessages},"result":`,
  )
  out.quoted(texts.prose(random, textLength(ctx, 500, 0.7)))
  out.put(
    `,"stop_reason":"end_turn","terminal_reason":"completed","total_cost_usd":${nanoUsdText(ledger.nanoUsd)},` +
      `"usage":{"input_tokens":${turn.input},"cache_creation_input_tokens":${turn.cache_write_5m},"cache_read_input_tokens":${turn.cache_read},` +
      `"output_tokens":${turn.output},"server_tool_use":{"web_search_requests":${turn.web_search}},"service_tier":"standard"},` +
      `"modelUsage":{${modelUsage.join(',')}},"permission_denials":[${state.denials.join(',')}],"subagent_stats":{"spawned":${ledger.spawned}},` +
      `"session_id":"${state.sessionId}","uuid":"${random.uuid()}"}`,
  )
  out.end()
  ctx.facts.records += 1
  ledger.turn = totalsOf({}, 'turn')
  ledger.turnMessages = 0
}

function modelUsageText(model: string, total: TokenTotals): string {
  return (
    `"${model}":{"inputTokens":${total.input},"outputTokens":${total.output},"cacheReadInputTokens":${total.cache_read},` +
    `"cacheCreationInputTokens":${total.cache_write_5m},"webSearchRequests":${total.web_search},"costUSD":${nanoUsdText(nanoUsdOf(model, total))},"contextWindow":200000}`
  )
}

function nanoUsdOf(model: string, total: TokenTotals): number {
  const [input, output, read, write] = prices[model] ?? [0, 0, 0, 0]
  return (
    total.input * input +
    total.output * output +
    total.cache_read * read +
    total.cache_write_5m * write +
    total.web_search * searchNanoUsd
  )
}

function add(into: TokenTotals, from: TokenTotals): void {
  into.input += from.input
  into.cache_read += from.cache_read
  into.cache_write_5m += from.cache_write_5m
  into.output += from.output
  into.web_search += from.web_search
  into.messages += 1
}
