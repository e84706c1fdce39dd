import { putCalls } from './b10x-calls.ts'
import { putDelegates } from './b10x-delegates.ts'
import { b10xModels, putJson, putUsage, type B10xState } from './b10x-records.ts'
import type { Run, RunContext } from './run.ts'
import { textLength } from './run.ts'

/** The record of b10x-harness: `run --json`, or a workflow with a run for each of its steps in every third file. */
export function openB10x(ctx: RunContext): Run {
  const { random } = ctx
  const state: B10xState = {
    model: random.pick(b10xModels),
    surface: random.chance(0.3) ? 'verbs' : 'flat',
    sameCallIds: ctx.index % 4 === 1,
    priced: ctx.index % 5 !== 3,
    turn: 0,
    turnsLeft: 0,
    calls: 0,
  }
  const flow = ctx.index % 3 === 2 ? { steps: 0, failed: 0 } : null
  let isOpen = false
  const session = `${random.hex(16)}-${random.hex(8)}`

  const openStep = (): void => {
    isOpen = true
    if (flow === null) return putStarted(ctx, state)
    if (flow.steps === 0) {
      putJson(ctx, '"kind":"flow-started","flow":"mend-the-gate","steps":4')
      putJson(ctx, '"kind":"group-entered","path":"work","layers":2,"attempt":1,"of":3')
      putJson(ctx, '"kind":"layer-ready","path":"work","nodes":["work/look","work/mend"]')
    }
    putJson(ctx, `"kind":"step-started","path":"work/part-${flow.steps}"`)
    putStarted(ctx, state)
    state.turnsLeft = random.between(1, 8)
  }
  const closeStep = (): void => {
    isOpen = false
    putFinished(ctx, state, flow === null)
    if (flow === null) return
    const failed = random.chance(0.1)
    if (failed) flow.failed += 1
    putJson(ctx, `"kind":"step-finished","path":"work/part-${flow.steps}","failed":${failed}`)
    flow.steps += 1
    putFlowNotice(ctx, flow.steps)
    state.turn = 0
  }

  return {
    path: `runs/${Math.floor(ctx.index / 1_000)}/run-${String(ctx.index).padStart(6, '0')}.jsonl`,
    step: () => {
      if (!isOpen) return openStep()
      putTurn(ctx, state)
      state.turnsLeft -= 1
      if (flow !== null && state.turnsLeft <= 0) closeStep()
    },
    end: () => {
      if (!isOpen && state.turn === 0) openStep()
      if (isOpen) closeStep()
      if (flow !== null) {
        putJson(
          ctx,
          `"kind":"group-left","path":"work","failed":${flow.failed > 0},"gave":["report"],"attempts":1,"exhausted":false`,
        )
        putJson(
          ctx,
          `"kind":"flow-finished","flow":"mend-the-gate","ran":${flow.steps},"failed":${flow.failed},"skipped":0,"retreats":0,"clean":${flow.failed === 0}`,
        )
      }
      putJson(
        ctx,
        `"id":"${session}","kind":"session","path":"/home/dev/.local/state/b10x-harness/sessions/${session}.json"`,
      )
    },
    carrier: (body) => `{"kind":"warning","code":"unknown-stream-event","message":"${body}"}`,
    unknown: () => `{"kind":"sluice-forecast","level":${random.below(100)}}`,
  }
}

function putStarted(ctx: RunContext, state: B10xState): void {
  const { random } = ctx
  if (random.chance(0.3)) {
    putJson(
      ctx,
      '"kind":"credential-renewed","source":"oauth:file","provider":"mill","expires_unix":1790000000,"refresh_token_rotated":true,"byte_preserving":true',
    )
  }
  const tools =
    state.surface === 'verbs'
      ? '["tool_search","tool_describe","tool_invoke","delegate","answer"]'
      : '["file_read","file_write","file_edit","dir_list","search","find","run","delegate","answer"]'
  putJson(
    ctx,
    `"kind":"started","model":"${state.model}","published_tools":${tools},"operations":["file.read","file.write","shell"],` +
      `"withheld":[{"tool":"npm_run","reason":"no package file"}],"skills":[],"agents":["scout"],"profiles":[],` +
      `"context":[{"id":"harness.instructions","kind":"harness_instructions","trust":"harness","cache":"session","bytes":${random.between(400, 4_000)},"sha256":"${random.hex(64)}"}],` +
      `"toolchains":[],"mcp":[],"credential_source":"api-key:file"`,
  )
  if (state.priced)
    putJson(ctx, '"kind":"rates","source":"a card written for this corpus","as_of":"2026-03-01"')
}

/** One turn: deltas, usage, cost, calls. */
function putTurn(ctx: RunContext, state: B10xState): void {
  const { random } = ctx
  state.turn += 1
  if (random.chance(0.03)) putCompacted(ctx)
  putJson(ctx, `"kind":"turn-started","turn":${state.turn}`)
  for (let attempt = 1; random.chance(0.04) && attempt < 4; attempt++) {
    putDeltas(ctx, 'text-delta', random.between(1, 12))
    putJson(
      ctx,
      `"kind":"turn-retried","turn":${state.turn},"attempt":${attempt},"reason":"the stream broke off"`,
    )
  }
  if (random.chance(0.4)) putDeltas(ctx, 'reasoning-delta', random.between(1, 20))
  if (random.chance(0.7)) putDeltas(ctx, 'text-delta', random.length(12, 1))
  putUsage(ctx, state.model, state.priced, [])
  if (random.chance(0.8)) putCalls(ctx, state)
  if (random.chance(0.05)) putDelegates(ctx, state)
}

/** A run of fragments; a model sends a few words at a time. */
function putDeltas(ctx: RunContext, kind: string, count: number): void {
  const { facts, out, random, texts } = ctx
  for (let i = 0; i < count; i++) {
    out.put(`{"kind":"${kind}","text":`)
    out.quoted(texts.prose(random, textLength(ctx, 40, 0.9)))
    out.put('}')
    out.end()
    facts.records += 1
  }
}

function putCompacted(ctx: RunContext): void {
  const before = ctx.random.between(40_000, 400_000)
  const after = Math.floor(before / 3)
  putJson(ctx, `"kind":"warning","code":"conversation-compacted","message":"${before} bytes became ${after}"`)
  putJson(
    ctx,
    `"kind":"compacted","elided_results":4,"elided_bytes":${before - after},"summarised_items":0,"bytes_before":${before},"bytes_after":${after},"summary_turn":false`,
  )
}

/** The end of one run: an answer sometimes, a stop always; only the run of a step may stop for another reason. */
function putFinished(ctx: RunContext, state: B10xState, mustComplete: boolean): void {
  const { random } = ctx
  const stop =
    mustComplete || random.chance(0.9)
      ? '{"kind":"completed"}'
      : random.pick([
          '{"kind":"max-turns","limit":8}',
          '{"kind":"cancelled","reason":"a person pressed stop"}',
          '{"kind":"deadline","limit_ms":600000}',
          '{"kind":"max-output-tokens","limit":9000,"reported":9120}',
        ])
  if (random.chance(0.3)) putJson(ctx, '"kind":"hook-ran","point":"stop","decision":{"kind":"proceed"}')
  putJson(ctx, `"kind":"finished","stop":${stop},"turns":${state.turn}`)
}

function putFlowNotice(ctx: RunContext, steps: number): void {
  if (!ctx.random.chance(0.3)) return
  putJson(
    ctx,
    ctx.random.pick([
      `"kind":"node-skipped","path":"work/part-${steps}-b","because":"its input is missing"`,
      '"kind":"group-repeating","path":"work","attempt":2,"of":3',
      `"kind":"handoff-incomplete","path":"work/part-${steps}","missing":["report"]`,
      '"kind":"transition-refused","path":"work","moment":"leave","attempt":1,"reason":"the check is red"',
    ]),
  )
}
