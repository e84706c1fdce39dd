import {
  countMessage,
  mainModels,
  messageHead,
  messageTail,
  newCall,
  newMessage,
  putInput,
  putText,
  putThinking,
  putToolUse,
  sideModel,
  type Message,
  type ToolCall,
} from './claude-parts.ts'
import { newOutcome, putResultBlock, putStructuredResult } from './claude-results.ts'
import { finish, putSystem, type StreamState } from './claude-stream-records.ts'
import { addToLedger, countSideCall, openLedger, putResult } from './claude-stream-result.ts'
import { isNearlyFull, textLength, type Run, type RunContext } from './run.ts'

/** The output of one `claude -p` process: one or more turns, each from `init` to `result`. */
export function openClaudeStream(ctx: RunContext): Run {
  const state: StreamState = {
    sessionId: ctx.random.uuid(),
    model: ctx.random.pick(mainModels),
    ledger: openLedger(),
    messagesLeft: 0,
    turns: 0,
    results: 0,
    denials: [],
  }
  return {
    path: `runs/${Math.floor(ctx.index / 1_000)}/run-${String(ctx.index).padStart(6, '0')}.jsonl`,
    step: () => step(ctx, state),
    end: () => {
      state.messagesLeft = Math.min(state.messagesLeft, 1)
      while (state.turns === 0 || state.results < state.turns) step(ctx, state)
      ctx.facts.reportedNanoUsd += state.ledger.nanoUsd
    },
    carrier: (body) =>
      `{"type":"user","message":{"role":"user","content":"${body}"},"parent_tool_use_id":null,"session_id":"${state.sessionId}","uuid":"${ctx.random.uuid()}"}`,
    unknown: () =>
      `{"type":"sluice_forecast","level":${ctx.random.below(100)},"session_id":"${state.sessionId}","uuid":"${ctx.random.uuid()}"}`,
  }
}

function step(ctx: RunContext, state: StreamState): void {
  if (state.results === state.turns) return putInit(ctx, state)
  if (state.messagesLeft > 0) return putMainMessage(ctx, state)
  putResult(ctx, state)
}

function putInit(ctx: RunContext, state: StreamState): void {
  state.turns += 1
  state.messagesLeft = isNearlyFull(ctx) ? 1 : ctx.random.between(1, 14)
  state.denials = []
  putSystem(
    ctx,
    state,
    'init',
    `"cwd":"/home/dev/millpond","tools":["Task","Bash","Read","Edit","Write","Grep","TodoWrite","WebFetch","mcp__tracker__list_items"],` +
      `"mcp_servers":[{"name":"tracker","status":"connected"}],"model":"${state.model}","permissionMode":"acceptEdits","slash_commands":["compact","cost"],` +
      `"apiKeySource":"none","claude_code_version":"2.1.259","output_style":"default","agents":["explorer"],"skills":[],"plugins":[],`,
  )
  if (ctx.random.chance(0.5)) countSideCall(ctx, state.ledger, sideModel)
}

function putMainMessage(ctx: RunContext, state: StreamState): void {
  const { random } = ctx
  state.messagesLeft -= 1
  putNotice(ctx, state)
  const isLast = state.messagesLeft === 0
  const message = newMessage(ctx, state.model, '5m')
  const calls = isLast ? [] : Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, () => newCall(ctx))
  putMessage(ctx, state, message, calls, null)
  for (const call of calls) putToolResult(ctx, state, call, null)
  if (!isLast && random.chance(0.06)) putSubagent(ctx, state)
}

/** The lines of one message. No line has the final output count: only the `result` knows it. */
function putMessage(
  ctx: RunContext,
  state: StreamState,
  message: Message,
  calls: readonly ToolCall[],
  parentCall: string | null,
): void {
  countMessage(ctx, message, 'unsplit')
  addToLedger(state.ledger, message, parentCall === null)
  const blocks: (() => void)[] = []
  if (ctx.random.chance(0.3)) blocks.push(() => putThinking(ctx))
  if (calls.length === 0 || ctx.random.chance(0.45)) blocks.push(() => putText(ctx))
  for (const call of calls) blocks.push(() => putToolUse(ctx, call))
  for (const [i, putBlock] of blocks.entries()) {
    ctx.out.put(`{"type":"assistant",${messageHead(message)}`)
    putBlock()
    ctx.out.put(
      `${messageTail(message, Math.min(message.tokens.output, 1 + i * 3), null)},"request_id":"${message.requestId}",`,
    )
    finish(ctx, state, parentCall)
  }
}

function putToolResult(ctx: RunContext, state: StreamState, call: ToolCall, parentCall: string | null): void {
  const outcome = newOutcome(ctx)
  if (outcome === 'denied') {
    state.denials.push(`{"tool_name":"${call.name}","tool_use_id":"${call.id}","tool_input":{"denied":true}}`)
    putSystem(ctx, state, 'permission_denied', `"tool_name":"${call.name}","tool_use_id":"${call.id}",`)
  }
  ctx.out.put('{"type":"user","message":{"role":"user","content":[')
  const text = putResultBlock(ctx, call, outcome)
  ctx.out.put(']},')
  if (ctx.random.chance(0.7)) {
    ctx.out.put('"tool_use_result":')
    putStructuredResult(ctx, call, outcome, text)
    ctx.out.put(',')
  }
  finish(ctx, state, parentCall)
}

/** A subagent: its messages name the call that began it, and are no part of `result.usage`. */
function putSubagent(ctx: RunContext, state: StreamState): void {
  const { out, random, texts } = ctx
  const call = newCall(ctx, 'Task')
  putMessage(ctx, state, newMessage(ctx, state.model, '5m'), [call], null)
  const task = `"task_id":"task-${random.hex(8)}","tool_use_id":"${call.id}",`
  putSystem(ctx, state, 'task_started', `${task}"description":"look into it",`)
  out.put('{"type":"user","message":{"role":"user","content":[{"type":"text","text":')
  out.quoted(texts.prose(random, textLength(ctx, 300, 0.8)))
  out.put('}]},')
  finish(ctx, state, call.id)
  for (let i = 0, n = random.between(1, 4); i < n; i++) {
    const inner = newCall(ctx)
    putMessage(ctx, state, newMessage(ctx, sideModel, '5m'), [inner], call.id)
    putToolResult(ctx, state, inner, call.id)
  }
  putSystem(ctx, state, 'task_notification', `${task}"status":"completed",`)
  state.ledger.spawned += 1
  putToolResult(ctx, state, call, null)
}

/** Records about the run itself, between the messages. */
function putNotice(ctx: RunContext, state: StreamState): void {
  const { out, random } = ctx
  if (random.chance(0.05)) {
    out.put(
      `{"type":"rate_limit_event","rate_limit_info":{"status":"${random.pick(['allowed', 'allowed_warning'])}","resetsAt":${1_774_800_000 + random.below(9e5)},` +
        `"rateLimitType":"five_hour","utilization":0.${random.between(10, 98)},"isUsingOverage":false},"session_id":"${state.sessionId}","uuid":"${random.uuid()}"}`,
    )
    out.end()
    ctx.facts.records += 1
  }
  if (random.chance(0.04))
    putSystem(
      ctx,
      state,
      'thinking_tokens',
      `"estimated_tokens":${random.below(4_000)},"estimated_tokens_delta":64,`,
    )
  if (random.chance(0.02)) {
    putSystem(
      ctx,
      state,
      'api_retry',
      '"error_status":529,"error":{"message":"the service is busy"},"attempt":1,"max_retries":10,"retry_delay_ms":612,',
    )
  }
  if (random.chance(0.02)) {
    countSideCall(ctx, state.ledger, state.model)
    putSystem(
      ctx,
      state,
      'compact_boundary',
      `"compact_metadata":{"trigger":"auto","pre_tokens":${random.between(90_000, 190_000)}},`,
    )
  }
  if (random.chance(0.02))
    putSystem(
      ctx,
      state,
      'background_tasks_changed',
      `"tasks":[{"task_id":"task-${random.hex(8)}","status":"running"}],`,
    )
  if (random.chance(0.03)) putProgress(ctx, state)
}

function putProgress(ctx: RunContext, state: StreamState): void {
  ctx.out.put(
    `{"type":"tool_progress","tool_use_id":"toolu_gen${ctx.random.hex(24)}","tool_name":"Bash","elapsed_time_seconds":${ctx.random.below(90)},"input":`,
  )
  putInput(ctx, 'Bash')
  ctx.out.put(',')
  finish(ctx, state)
}
