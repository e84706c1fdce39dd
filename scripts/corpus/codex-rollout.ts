import { countCall, totalsOf } from './facts.ts'
import { calendarStartMs, iso, isNearlyFull, textLength, type Run, type RunContext } from './run.ts'
import type { TextSpan } from './texts.ts'

const dayMs = 86_400_000
const models = ['gpt-5.1-codex', 'gpt-5.1-codex-mini', 'gpt-5.5'] as const

/** Running totals of a thread, as its `token_count` events have them: input with its cached part. */
interface Counters {
  input: number
  cached: number
  output: number
  reasoning: number
}

interface State {
  readonly cwd: string
  timeMs: number
  model: string
  turn: number
  calls: number
  /** Requests still to come in this turn. */
  requestsLeft: number
  total: Counters
  last: Counters
}

/** A rollout of Codex: one thread without forks, whose totals only grow and are now and then told again. */
export function openCodexRollout(ctx: RunContext): Run {
  const { random } = ctx
  const id = random.uuid()
  const startMs = calendarStartMs + random.below(40) * dayMs + random.below(dayMs)
  const state: State = {
    cwd: `/home/dev/millpond-${ctx.index % 12}`,
    timeMs: startMs,
    model: random.pick(models),
    turn: 0,
    calls: 0,
    requestsLeft: 0,
    total: { input: 0, cached: 0, output: 0, reasoning: 0 },
    last: { input: 0, cached: 0, output: 0, reasoning: 0 },
  }
  const [day = '', time = ''] = iso(startMs).split('T')
  const begun = `${day}T${time.slice(0, 8).replaceAll(':', '-')}`
  let isBegun = false
  return {
    path: `sessions/${day.replaceAll('-', '/')}/rollout-${begun}-${id}.jsonl`,
    step: () => {
      if (!isBegun) putMeta(ctx, state, id)
      isBegun = true
      if (state.requestsLeft > 0) putRequest(ctx, state)
      else putTurn(ctx, state)
    },
    end: () => {
      state.requestsLeft = Math.min(state.requestsLeft, 1)
      if (state.requestsLeft > 0) putRequest(ctx, state)
    },
    carrier: (body) => line(state, 'event_msg', `"type":"user_message","message":"${body}"`),
    unknown: () => line(state, 'sluice_forecast', `"level":${random.below(100)}`),
  }
}

function putMeta(ctx: RunContext, state: State, id: string): void {
  put(
    ctx,
    line(
      state,
      'session_meta',
      `"id":"${id}","timestamp":"${iso(state.timeMs)}","cwd":"${state.cwd}","originator":"codex_cli_rs","cli_version":"0.150.2",` +
        `"source":"cli","model_provider":"openai","git":{"branch":"main"}`,
    ),
  )
}

function putTurn(ctx: RunContext, state: State): void {
  const { random, texts } = ctx
  if (random.chance(0.12)) state.timeMs += random.between(1, 20) * 3_600_000
  if (random.chance(0.15)) state.model = random.pick(models)
  state.turn += 1
  const turn = `turn-${state.turn}`
  put(
    ctx,
    line(state, 'event_msg', `"type":"task_started","turn_id":"${turn}","model_context_window":272000`),
  )
  put(
    ctx,
    line(
      state,
      'turn_context',
      `"turn_id":"${turn}","cwd":"${state.cwd}","approval_policy":"on-request","model":"${state.model}","effort":"medium","summary":"auto"`,
    ),
  )
  const words = texts.prose(random, textLength(ctx, 220, 1))
  putItem(ctx, state, '"type":"message","role":"user","content":[{"type":"input_text","text":', words, '}]')
  putSaid(ctx, state, 'event_msg', '"type":"user_message","message":', words, ',"images":[]')
  state.requestsLeft = isNearlyFull(ctx) ? 1 : random.between(1, 10)
}

/** One request to the model: what it said, the call it made, and its count of tokens. */
function putRequest(ctx: RunContext, state: State): void {
  const { random, texts } = ctx
  state.requestsLeft -= 1
  const isLast = state.requestsLeft === 0
  if (random.chance(0.4)) {
    const sealed = texts.plain(random, textLength(ctx, 600, 0.6))
    putItem(ctx, state, '"type":"reasoning","summary":[],"content":null,"encrypted_content":', sealed, '')
  }
  if (isLast || random.chance(0.35)) {
    const words = texts.prose(random, textLength(ctx, 300, 1))
    putSaid(ctx, state, 'event_msg', '"type":"agent_message","message":', words, '')
    putItem(
      ctx,
      state,
      '"type":"message","role":"assistant","content":[{"type":"output_text","text":',
      words,
      '}]',
    )
  }
  const callId = isLast ? null : putCall(ctx, state)
  spend(ctx, state)
  putCount(ctx, state)
  if (callId !== null) putResult(ctx, state, callId)
  // Limits of the plan are told with the same totals again.
  if (random.chance(0.15)) putCount(ctx, state)
  if (isLast) {
    put(
      ctx,
      line(
        state,
        'event_msg',
        `"type":"task_complete","turn_id":"turn-${state.turn}","last_agent_message":null`,
      ),
    )
  }
}

function putCall(ctx: RunContext, state: State): string {
  const { random } = ctx
  state.calls += 1
  const callId = `call_${random.hex(24)}`
  const command = `sed -n ${random.between(1, 200)},${random.between(201, 400)}p src/wheel-${random.below(40)}.ts`
  const given = JSON.stringify(JSON.stringify({ cmd: command, workdir: state.cwd }))
  countCall(ctx.facts, 'exec_command')
  put(
    ctx,
    line(
      state,
      'response_item',
      `"type":"function_call","name":"exec_command","arguments":${given},"call_id":"${callId}"`,
    ),
  )
  return callId
}

function putResult(ctx: RunContext, state: State, callId: string): void {
  const { random, texts, facts } = ctx
  const output = texts.code(random, textLength(ctx, 900, 1.5))
  facts.toolResults += 1
  putItem(ctx, state, `"type":"function_call_output","call_id":"${callId}","output":`, output, '')
}

function spend({ random, facts }: RunContext, state: State): void {
  const cached = random.chance(0.85) ? random.between(1, 700) * 128 : 0
  const fresh = random.between(20, 9_000)
  const output = random.between(5, 2_000)
  const reasoning = random.chance(0.7) ? random.below(output) : 0
  state.last = { input: fresh + cached, cached, output, reasoning }
  const { total, last } = state
  state.total = {
    input: total.input + last.input,
    cached: total.cached + last.cached,
    output: total.output + last.output,
    reasoning: total.reasoning + last.reasoning,
  }
  const sums = totalsOf(facts.models, state.model)
  sums.input += fresh
  sums.cache_read += cached
  sums.output += output
  sums.messages += 1
}

function putCount(ctx: RunContext, state: State): void {
  const { total, last } = state
  const info = `{"total_token_usage":${countersText(total)},"last_token_usage":${countersText(last)},"model_context_window":272000}`
  put(
    ctx,
    line(
      state,
      'event_msg',
      `"type":"token_count","info":${info},"rate_limits":{"primary":{"used_percent":${ctx.random.below(100)},"window_minutes":300,"resets_at":1775000000}}`,
    ),
  )
}

function countersText({ input, cached, output, reasoning }: Counters): string {
  return (
    `{"input_tokens":${input},"cached_input_tokens":${cached},"output_tokens":${output},` +
    `"reasoning_output_tokens":${reasoning},"total_tokens":${input + output}}`
  )
}

function putItem(ctx: RunContext, state: State, before: string, text: TextSpan, behind: string): void {
  putSaid(ctx, state, 'response_item', before, text, behind)
}

function putSaid(
  ctx: RunContext,
  state: State,
  type: string,
  before: string,
  text: TextSpan,
  behind: string,
): void {
  state.timeMs += ctx.random.between(1, 4_000)
  ctx.out.put(`{"timestamp":"${iso(state.timeMs)}","type":"${type}","payload":{${before}`)
  ctx.out.quoted(text)
  ctx.out.put(`${behind}}}`)
  ctx.out.end()
  ctx.facts.records += 1
}

function put(ctx: RunContext, text: string): void {
  ctx.out.put(text)
  ctx.out.end()
  ctx.facts.records += 1
}

/** One record, a moment after the one before. */
function line(state: State, type: string, payload: string): string {
  state.timeMs += 7
  return `{"timestamp":"${iso(state.timeMs)}","type":"${type}","payload":{${payload}}}`
}
