import { nextCallId, putCompleted } from './b10x-calls.ts'
import { b10xModels, nested, putJson, putUsage, type B10xState } from './b10x-records.ts'
import { countCall } from './facts.ts'
import type { RunContext } from './run.ts'

const childStarted =
  '"published_tools":["file_read","delegate"],"withheld":[],"skills":[],"agents":[],"profiles":[],"context":[],"toolchains":[],"mcp":[],"credential_source":"api-key:file"'

/** One or two delegates side by side, their records interleaved; a child may have a child of its own. */
export function putDelegates(ctx: RunContext, state: B10xState): void {
  const { facts, random } = ctx
  const count = state.sameCallIds ? 1 : random.pick([1, 1, 2])
  const ids = Array.from({ length: count }, () => nextCallId(state))
  const model = random.pick(b10xModels)
  const turns = random.between(1, 4)
  for (const id of ids) {
    countCall(facts, 'delegate')
    putJson(
      ctx,
      `"kind":"tool-requested","call_id":"${id}","name":"delegate","arguments":{"task":"look at the gate"}`,
    )
  }
  for (const id of ids) putJson(ctx, `"kind":"delegate-started","call_id":"${id}","task":"look at the gate"`)
  for (const id of ids) putInside(ctx, [id], `"kind":"started","model":"${model}",${childStarted}`)
  for (let turn = 1; turn <= turns; turn++) {
    for (const id of ids) putChildTurn(ctx, state, id, model, turn)
  }
  for (const id of ids) {
    putInside(ctx, [id], `"kind":"finished","stop":{"kind":"completed"},"turns":${turns}`)
    putJson(ctx, `"kind":"delegate-finished","call_id":"${id}","stop":{"kind":"completed"},"turns":${turns}`)
    putCompleted(ctx, id, false)
  }
}

function putInside(ctx: RunContext, callIds: readonly string[], fields: string): void {
  putJson(ctx, nested(callIds, fields))
}

function putChildTurn(ctx: RunContext, state: B10xState, callId: string, model: string, turn: number): void {
  const { facts, random } = ctx
  putInside(ctx, [callId], `"kind":"turn-started","turn":${turn}`)
  putInside(ctx, [callId], '"kind":"text-delta","text":"the gate \\u2013 it is "')
  putInside(ctx, [callId], '"kind":"text-delta","text":"open"')
  putUsage(ctx, model, state.priced, [callId])
  const inner = `child_${turn}`
  const isDelegate = random.chance(0.15)
  const failed = random.chance(0.1)
  facts.nestedToolCalls += 1
  facts.nestedToolResults += 1
  if (isDelegate) putGrandchild(ctx, state, [callId, inner])
  else {
    const path = `src/gate/part-${random.below(400)}.ts`
    putInside(
      ctx,
      [callId],
      `"kind":"tool-requested","call_id":"${inner}","name":"file_read","arguments":{"path":"${path}"},"operation":"file.read","subjects":["file:${path}"]`,
    )
  }
  putInside(ctx, [callId], `"kind":"tool-completed","call_id":"${inner}","failed":${failed}`)
}

/** `delegated` inside `delegated`: its spend counts like any other. */
function putGrandchild(ctx: RunContext, state: B10xState, callIds: readonly [string, string]): void {
  const [child, inner] = callIds
  const model = 'claude-haiku-4-5-20251001'
  putInside(
    ctx,
    [child],
    `"kind":"tool-requested","call_id":"${inner}","name":"delegate","arguments":{"task":"look closer"}`,
  )
  putInside(ctx, [child], `"kind":"delegate-started","call_id":"${inner}","task":"look closer"`)
  putInside(ctx, callIds, `"kind":"started","model":"${model}",${childStarted}`)
  putInside(ctx, callIds, '"kind":"turn-started","turn":1')
  putUsage(ctx, model, state.priced, callIds)
  putInside(ctx, callIds, '"kind":"finished","stop":{"kind":"completed"},"turns":1')
  putInside(
    ctx,
    [child],
    `"kind":"delegate-finished","call_id":"${inner}","stop":{"kind":"completed"},"turns":1`,
  )
}
