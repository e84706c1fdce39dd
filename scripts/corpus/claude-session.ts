import {
  countMessage,
  mainModels,
  messageHead,
  messageTail,
  newCall,
  newMessage,
  putText,
  putThinking,
  putToolUse,
  sideModel,
  usageText,
  type Message,
  type ToolCall,
} from './claude-parts.ts'
import { newOutcome, putResultBlock, putStructuredResult } from './claude-results.ts'
import { putBookkeeping, putCompaction, putTurnEnd } from './claude-session-extras.ts'
import { begin, finish, putLine, type SessionState } from './claude-session-records.ts'
import { calendarStartMs, isNearlyFull, iso, textLength, type Run, type RunContext } from './run.ts'

const dayMs = 86_400_000
const versions = ['1.0.98', '2.0.14', '2.0.36', '2.1.179', '2.1.259']

/** A session file of Claude Code; every fifth file of a larger corpus belongs to a subagent of the file before. */
export function openClaudeSession(ctx: RunContext, sessionIdOf: (index: number) => string): Run {
  const isSubagent = ctx.index % 5 === 4
  const owner = isSubagent ? ctx.index - 1 : ctx.index
  const sessionId = sessionIdOf(owner)
  const agentId = isSubagent ? ctx.random.hex(16) : null
  const project = `/home/dev/millpond-${owner % 12}`
  const folder = `projects/${project.replaceAll('/', '-')}`
  const state: SessionState = {
    sessionId,
    agentId,
    project,
    version: ctx.random.pick(versions),
    model: isSubagent ? sideModel : ctx.random.pick(mainModels),
    timeMs: calendarStartMs + ctx.random.below(40) * dayMs + ctx.random.below(dayMs),
    parent: null,
    sidechain: isSubagent,
    messagesLeft: 0,
  }
  return {
    path: isSubagent
      ? `${folder}/${sessionId}/subagents/agent-${agentId}.jsonl`
      : `${folder}/${sessionId}.jsonl`,
    step: () => (state.messagesLeft > 0 ? putMessage(ctx, state) : putPrompt(ctx, state)),
    end: () => {
      state.messagesLeft = Math.min(state.messagesLeft, 1)
      if (state.messagesLeft > 0) putMessage(ctx, state)
      putLine(ctx, `{"type":"last-prompt","sessionId":"${sessionId}","lastPrompt":"go on"}`)
    },
    carrier: (body) =>
      `{"parentUuid":null,"isSidechain":false,"userType":"external","cwd":"${project}","sessionId":"${sessionId}","version":"2.1.259","type":"user",` +
      `"message":{"role":"user","content":"${body}"},"uuid":"${ctx.random.uuid()}","timestamp":"${iso(state.timeMs)}"}`,
    unknown: () =>
      `{"type":"sluice-forecast","sessionId":"${sessionId}","level":${ctx.random.below(100)},"uuid":"${ctx.random.uuid()}"}`,
  }
}

function putPrompt(ctx: RunContext, state: SessionState): void {
  const { out, random, texts } = ctx
  if (random.chance(0.12)) state.timeMs += random.between(1, 20) * 3_600_000
  if (random.chance(0.1)) state.version = random.pick(versions)
  if (state.agentId === null && random.chance(0.15)) state.model = random.pick(mainModels)
  if (state.parent !== null && random.chance(0.04)) putCompaction(ctx, state)
  if (!isNearlyFull(ctx)) putBookkeeping(ctx, state)
  begin(ctx, state, 'user')
  const asBlocks = random.chance(0.3)
  out.put(`"message":{"role":"user","content":${asBlocks ? '[{"type":"text","text":' : ''}`)
  out.quoted(texts.prose(random, textLength(ctx, 220, 1)))
  out.put(`${asBlocks ? '}]' : ''}},`)
  finish(ctx, state)
  state.messagesLeft = isNearlyFull(ctx) ? 1 : random.between(1, 14)
}

/** One API message with all of its lines, and the results of its calls. */
function putMessage(ctx: RunContext, state: SessionState): void {
  const { random } = ctx
  state.messagesLeft -= 1
  const isLast = state.messagesLeft === 0
  const message = newMessage(ctx, state.model, 'both')
  countMessage(ctx, message, 'split')
  const callCount = isLast ? 0 : random.pick([1, 1, 1, 1, 2, 2, 3, 5])
  const blocks: (() => void)[] = []
  if (random.chance(0.3)) blocks.push(() => putThinking(ctx))
  if (isLast || random.chance(0.45)) blocks.push(() => putText(ctx))
  const calls = Array.from({ length: callCount }, () => newCall(ctx))
  for (const call of calls) blocks.push(() => putToolUse(ctx, call))

  const interleaved = callCount > 1 && random.chance(0.35)
  const firstCall = blocks.length - callCount
  let open = 0
  for (const [i, putBlock] of blocks.entries()) {
    const isFinal = i === blocks.length - 1
    const shown = isFinal ? message.tokens.output : Math.min(message.tokens.output, 1 + i * 7)
    putBlockLine(ctx, state, message, putBlock, shown, isFinal ? (isLast ? 'end_turn' : 'tool_use') : null)
    if (interleaved && i >= firstCall && !isFinal) putResults(ctx, state, calls.slice(open, ++open))
  }
  putResults(ctx, state, calls.slice(open))
  if (!isLast && state.agentId === null && random.chance(0.03)) putSidechain(ctx, state)
  if (isLast) putTurnEnd(ctx, state, message)
}

function putBlockLine(
  ctx: RunContext,
  state: SessionState,
  message: Message,
  putBlock: () => void,
  output: number,
  stopReason: string | null,
): void {
  begin(ctx, state, 'assistant')
  ctx.out.put(messageHead(message))
  putBlock()
  ctx.out.put(`${messageTail(message, output, stopReason)},"requestId":"${message.requestId}",`)
  finish(ctx, state)
}

/** Results of calls: mostly a record each, sometimes several in one. */
function putResults(ctx: RunContext, state: SessionState, calls: readonly ToolCall[]): void {
  if (calls.length > 1 && ctx.random.chance(0.2)) return putJointResults(ctx, state, calls)
  for (const call of calls) {
    const outcome = newOutcome(ctx)
    begin(ctx, state, 'user')
    ctx.out.put('"message":{"role":"user","content":[')
    const text = putResultBlock(ctx, call, outcome)
    ctx.out.put(']},"toolUseResult":')
    putStructuredResult(ctx, call, outcome, text)
    ctx.out.put(outcome === 'denied' ? ',"toolDenialKind":"user-rejected",' : ',')
    finish(ctx, state)
  }
}

function putJointResults(ctx: RunContext, state: SessionState, calls: readonly ToolCall[]): void {
  begin(ctx, state, 'user')
  ctx.out.put('"message":{"role":"user","content":[')
  for (const [i, call] of calls.entries()) {
    if (i > 0) ctx.out.put(',')
    // Denials are marked beside the message, which would mark every result of this record.
    putResultBlock(ctx, call, newOutcome(ctx, 0))
  }
  ctx.out.put(']},')
  finish(ctx, state)
}

/** A subagent in the old manner: its records stand in the file of its parent, off the main chain. */
function putSidechain(ctx: RunContext, state: SessionState): void {
  const { out, random, texts } = ctx
  const request = newMessage(ctx, state.model, 'both')
  countMessage(ctx, request, 'split')
  const call = newCall(ctx, 'Task')
  putBlockLine(ctx, state, request, () => putToolUse(ctx, call), request.tokens.output, 'tool_use')

  const branch: SessionState = {
    ...state,
    parent: null,
    sidechain: true,
    agentId: random.chance(0.5) ? random.hex(16) : null,
  }
  begin(ctx, branch, 'user')
  out.put('"message":{"role":"user","content":')
  out.quoted(texts.prose(random, textLength(ctx, 300, 0.8)))
  out.put('},')
  finish(ctx, branch)
  for (let i = 0, n = random.between(1, 4); i < n; i++) {
    const message = newMessage(ctx, sideModel, 'both')
    countMessage(ctx, message, 'split')
    const inner = newCall(ctx)
    putBlockLine(ctx, branch, message, () => putText(ctx), 3, null)
    putBlockLine(ctx, branch, message, () => putToolUse(ctx, inner), message.tokens.output, 'tool_use')
    putResults(ctx, branch, [inner])
  }
  state.timeMs = branch.timeMs
  putSubagentResult(ctx, state, call)
}

/** The summary of a subagent repeats its spend, which must not be counted again. */
function putSubagentResult(ctx: RunContext, state: SessionState, call: ToolCall): void {
  const repeat = newMessage(ctx, sideModel, 'both')
  ctx.facts.toolResults += 1
  begin(ctx, state, 'user')
  ctx.out.put('"message":{"role":"user","content":[')
  putResultBlock(ctx, call, 'ok')
  ctx.out.put(
    `]},"toolUseResult":{"status":"completed","totalDurationMs":${ctx.random.between(900, 90_000)},"totalTokens":${repeat.tokens.cache_read},` +
      `"totalToolUseCount":2,"usage":${usageText(repeat, repeat.tokens.output)}},`,
  )
  finish(ctx, state)
}
