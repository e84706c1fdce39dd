import { putInput } from './claude-parts.ts'
import { resultLength } from './claude-results.ts'
import { countCall } from './facts.ts'
import { head, putEvent, type StreamState } from './metaharness-records.ts'
import type { RunContext } from './run.ts'

interface Tool {
  readonly name: string
  readonly operation: string
  /** Whose arguments it takes. */
  readonly like: string
}

const claudeTools: readonly Tool[] = [
  { name: 'Bash', operation: 'shell', like: 'Bash' },
  { name: 'Read', operation: 'file.read', like: 'Read' },
  { name: 'Edit', operation: 'file.edit', like: 'Edit' },
  { name: 'Write', operation: 'file.write', like: 'Write' },
  { name: 'Grep', operation: 'search', like: 'Grep' },
  { name: 'Task', operation: 'subagent.spawn', like: 'Task' },
]
const b10xTools: readonly Tool[] = [
  { name: 'file_read', operation: 'file.read', like: 'Read' },
  { name: 'file_write', operation: 'file.write', like: 'Write' },
  { name: 'run', operation: 'shell', like: 'Bash' },
]

/** The calls of one turn: asked for, decided where there is a seam, and their results. */
export function putToolTurn(ctx: RunContext, state: StreamState): void {
  const { random } = ctx
  for (let i = 0, n = random.pick([1, 1, 1, 2, 3]); i < n; i++) {
    const tool = random.pick(state.adapter === 'claude' ? claudeTools : b10xTools)
    state.calls += 1
    const callId = state.adapter === 'claude' ? `toolu_gen${random.hex(24)}` : `call_mill_${state.calls}`
    if (tool.name === 'Task') state.spawned += 1
    putRequest(ctx, state, tool, callId)
    const denied = state.seam !== 'none' && putDecision(ctx, state, callId)
    if (!denied) putResult(ctx, state, callId)
  }
}

function putRequest(ctx: RunContext, state: StreamState, tool: Tool, callId: string): void {
  countCall(ctx.facts, tool.name)
  ctx.facts.records += 1
  const isAsked = state.seam !== 'none'
  ctx.out.put(
    `${head(state, 'tool.requested', state.adapter === 'claude')},"call_id":"${callId}","name":"${tool.name}","input":`,
  )
  putInput(ctx, tool.like)
  ctx.out.put(
    `,"operations":["${tool.operation}"],"subjects":["${tool.operation === 'shell' ? 'proc:npm' : 'file:src/gate/part-1.ts'}"],` +
      `"decision_required":${isAsked},"deadline_ms":${isAsked ? 25_000 : 'null'},"seam":"${state.seam}"}`,
  )
  ctx.out.end()
}

/** Write a decision and count it in the census. @returns whether the call was denied */
function putDecision(ctx: RunContext, state: StreamState, callId: string): boolean {
  const { random } = ctx
  const { census } = state
  const draw = random.below(100)
  let decision = '{"decision":"allow"}'
  if (draw < 80) census.allowed += 1
  else if (draw < 88) {
    census.denied += 1
    ctx.facts.toolDenials += 1
    decision = '{"decision":"deny","reason":"outside the workspace"}'
  } else if (draw < 92) {
    census.replaced += 1
    decision = '{"decision":"replace","input":{"command":"npm run check","limit":7}}'
  } else {
    census.abstained += 1
    decision = '{"decision":"abstain"}'
  }
  const decider = random.pick(['embedder', 'frame', 'adapter', 'deadline'])
  census.bySeam[state.seam] = (census.bySeam[state.seam] ?? 0) + 1
  census.byDecider[decider] = (census.byDecider[decider] ?? 0) + 1
  putEvent(
    ctx,
    state,
    'tool.decided',
    `,"call_id":"${callId}","decision":${decision},"decided_by":"${decider}","seam":"${state.seam}","latency_ms":${random.below(900)}`,
  )
  return draw >= 80 && draw < 88
}

function putResult(ctx: RunContext, state: StreamState, callId: string): void {
  const { facts, out, random, texts } = ctx
  const failed = random.chance(0.06)
  facts.toolResults += 1
  facts.records += 1
  if (failed) facts.toolErrors += 1
  out.put(
    `${head(state, 'tool.result', state.adapter === 'claude')},"exit_code":${failed ? 1 : 'null'},"outcome_source":null,"call_id":"${callId}","is_error":${failed},"content":`,
  )
  if (state.adapter === 'b10x') {
    out.put('null,"bytes":null,"tool_use_result":null}')
  } else {
    const text = texts.code(random, resultLength(ctx))
    out.quoted(text)
    out.put(`,"bytes":${text.plainBytes},"tool_use_result":`)
    if (random.chance(0.5)) {
      out.put('{"interrupted":false,"stderr":"","stdout":')
      out.quoted(text)
      out.put('}}')
    } else out.put('null}')
  }
  out.end()
}
