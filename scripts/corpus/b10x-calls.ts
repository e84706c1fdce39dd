import { putJson, type B10xState } from './b10x-records.ts'
import { countCall } from './facts.ts'
import { textLength, type RunContext } from './run.ts'

interface Entry {
  readonly name: string
  readonly operation: string
  readonly weight: number
}

const entries: readonly Entry[] = [
  { name: 'file_read', operation: 'file.read', weight: 8 },
  { name: 'file_write', operation: 'file.write', weight: 3 },
  { name: 'file_edit', operation: 'file.edit', weight: 4 },
  { name: 'dir_list', operation: 'dir.list', weight: 2 },
  { name: 'search', operation: 'search', weight: 3 },
  { name: 'find', operation: 'find', weight: 1 },
  { name: 'run', operation: 'shell', weight: 6 },
]
const entryDraw = entries.flatMap((entry) => Array.from({ length: entry.weight }, () => entry))

export function nextCallId(state: B10xState): string {
  state.calls += 1
  return state.sameCallIds ? 'call_mill_001' : `call_mill_${String(state.calls).padStart(6, '0')}`
}

/** The calls of one turn: asked for, let through or not, done or failed. */
export function putCalls(ctx: RunContext, state: B10xState): void {
  const { random } = ctx
  for (let i = 0, n = random.pick([1, 1, 1, 2, 3]); i < n; i++) {
    if (random.chance(0.03)) putAnswer(ctx, state)
    else putCall(ctx, state)
  }
}

function putCall(ctx: RunContext, state: B10xState): void {
  const { facts, random } = ctx
  const entry = random.pick(entryDraw)
  const callId = nextCallId(state)
  if (random.chance(0.4)) putArgumentDeltas(ctx, callId)
  putRequest(ctx, state, entry, callId)
  let failed = random.chance(0.06)
  if (entry.name === 'run' || entry.name === 'file_write') {
    const approved = random.chance(0.95)
    putJson(ctx, `"kind":"approval-required","call_id":"${callId}","name":"${entry.name}"`)
    putJson(ctx, `"kind":"approval-resolved","call_id":"${callId}","approved":${approved}`)
    if (!approved) {
      failed = true
      facts.toolDenials += 1
    }
  }
  if (random.chance(0.1)) {
    const blocked = random.chance(0.2)
    const decision = blocked
      ? random.pick([
          '{"kind":"block","reason":"outside the workspace"}',
          '{"kind":"failed","reason":"the hook did not start"}',
        ])
      : '{"kind":"proceed"}'
    putJson(ctx, `"kind":"hook-ran","point":"before-call","call_id":"${callId}","decision":${decision}`)
    failed ||= blocked
  }
  if (failed && entry.name === 'run' && random.chance(0.5)) {
    putJson(ctx, '"kind":"warning","code":"program-refused","message":"the program is not on the list"')
  }
  putCompleted(ctx, callId, failed)
  if (!failed && random.chance(0.05))
    putJson(ctx, `"kind":"hook-ran","point":"after-call","call_id":"${callId}","decision":{"kind":"proceed"}`)
}

export function putCompleted(ctx: RunContext, callId: string, failed: boolean): void {
  ctx.facts.toolResults += 1
  if (failed) ctx.facts.toolErrors += 1
  putJson(ctx, `"kind":"tool-completed","call_id":"${callId}","failed":${failed}`)
}

/** Pieces of the argument JSON, so quotes inside them are escaped once more. */
function putArgumentDeltas(ctx: RunContext, callId: string): void {
  for (const piece of ['{\\"pa', 'th\\": \\"src/g', `ate/part-${ctx.random.below(400)}`, '', '.ts\\"}']) {
    putJson(ctx, `"kind":"tool-arguments-delta","call_id":"${callId}","delta":"${piece}"`)
  }
}

function putRequest(ctx: RunContext, state: B10xState, entry: Entry, callId: string): void {
  const { facts, out, random } = ctx
  const name = state.surface === 'verbs' ? 'tool_invoke' : entry.name
  const path = `src/gate/part-${random.below(400)}.ts`
  countCall(facts, name)
  facts.records += 1
  out.put(`{"kind":"tool-requested","call_id":"${callId}","name":"${name}","arguments":`)
  if (state.surface === 'verbs') out.put('{"arguments":')
  putArguments(ctx, entry.name, path)
  if (state.surface === 'verbs') out.put(`,"name":"${entry.name}"}`)
  out.put(
    `,"operation":"${entry.operation}","subjects":["${entry.name === 'run' ? 'proc:npm' : `file:${path}`}"]}`,
  )
  out.end()
}

function putArguments(ctx: RunContext, entry: string, path: string): void {
  const { out, random, texts } = ctx
  if (entry === 'run') {
    out.put('{"argv":["npm","run","check"],"stdin":')
    out.quoted(texts.code(random, textLength(ctx, 200, 1.3)))
  } else if (entry === 'file_write') {
    out.put(`{"path":"${path}","text":`)
    const isHuge = random.chance(0.02)
    out.quoted(
      texts.code(
        random,
        isHuge ? Math.min(ctx.maxText, random.between(200_000, 400_000)) : textLength(ctx, 3_500, 1.2),
      ),
    )
  } else if (entry === 'file_edit') {
    out.put(`{"path":"${path}","old":`)
    out.quoted(texts.code(random, textLength(ctx, 300, 1)))
    out.put(',"new":')
    out.quoted(texts.code(random, textLength(ctx, 400, 1.1)))
  } else {
    out.put(`{"path":"${path}","limit":${random.below(900)}`)
  }
  out.put('}')
}

/** A structured answer; the last one before a completed finish is the answer of the run. */
function putAnswer(ctx: RunContext, state: B10xState): void {
  const callId = nextCallId(state)
  const value = `{"verdict":"${ctx.random.pick(['green', 'red'])}","parts":[${ctx.random.below(90)},${ctx.random.below(90)}],"note":null}`
  countCall(ctx.facts, 'answer')
  putJson(ctx, `"kind":"tool-requested","call_id":"${callId}","name":"answer","arguments":${value}`)
  putJson(ctx, `"kind":"answered","call_id":"${callId}","value":${value}`)
  putCompleted(ctx, callId, false)
}
