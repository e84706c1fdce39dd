import { mainModels } from './claude-parts.ts'
import { totalsOf } from './facts.ts'
import { putToolTurn } from './metaharness-calls.ts'
import { head, putEvent, putUsage, usageObject, type StreamState } from './metaharness-records.ts'
import { calendarStartMs, nanoUsdText, textLength, type Run, type RunContext } from './run.ts'

const stepsOfWorkflow = ['look', 'mend', 'check']

/** A whole, strictly valid stream of `metaharness.event/1`: numbered, with its census, closed with the right count. */
export function openMetaharness(ctx: RunContext): Run {
  const { random } = ctx
  const state: StreamState = {
    run: `run-${random.hex(16)}`,
    adapter: ctx.index % 3 === 2 ? 'b10x' : 'claude',
    model: random.pick(mainModels),
    seam: ctx.index % 3 === 2 ? 'none' : random.pick(['hook', 'control_request']),
    census: { allowed: 0, denied: 0, replaced: 0, abstained: 0, bySeam: {}, byDecider: {} },
    models: {},
    timeMs: calendarStartMs + random.below(40 * 86_400) * 1_000,
    seq: 0,
    turn: 0,
    step: 0,
    spawned: 0,
    microUsd: 0,
    calls: 0,
  }
  return {
    path: `streams/${Math.floor(ctx.index / 1_000)}/${state.run}.jsonl`,
    step: () => (state.seq === 0 ? putOpening(ctx, state) : putTurn(ctx, state)),
    end: () => {
      if (state.seq === 0) putOpening(ctx, state)
      putClosing(ctx, state)
    },
    carrier: (body, read) => {
      const line = `${head(state, 'warning')},"code":"MILL_NOTE","message":"${body}"}`
      if (!read) state.seq -= 1
      return line
    },
    unknown: () => `${head(state, 'sluice.forecast')},"level":${random.below(100)}}`,
  }
}

function putOpening(ctx: RunContext, state: StreamState): void {
  const isClaude = state.adapter === 'claude'
  const tools = isClaude
    ? '["Bash","Read","Edit","Write","Grep","Task"]'
    : '["file_read","file_write","run","delegate"]'
  const operations = isClaude
    ? '["file.edit","file.read","file.write","search","shell","subagent.spawn"]'
    : '["file.read","file.write","shell"]'
  putEvent(
    ctx,
    state,
    'session.started',
    `,"adapter":"${state.adapter}","adapter_class":"${isClaude ? 'harness' : 'direct_provider'}","harness_version":"${isClaude ? '2.1.259' : '0.12.1'}",` +
      `"session_id":${isClaude ? `"${ctx.random.uuid()}"` : 'null'},"model":"${state.model}","permission_mode":${isClaude ? '"default"' : 'null'},` +
      `"credential_source":"api-key:file","output_style":null,"cwd":"/home/dev/millpond","offered_tools":${tools},"available_operations":${operations},` +
      `"withheld":[{"tool":"npm_run","reason":"no package file"}],"slash_commands":null,"skills":[],"agents":["scout"],` +
      `"plugins":[{"name":"gatekeeper","source":null,"version":"1.2.0"}],"mcp_servers":[{"name":"tracker","status":"connected"}],"inputs_digest":"${ctx.random.hex(64)}",` +
      `"transcript":{"path":"/home/dev/runs/${state.run}.jsonl","digest":"${ctx.random.hex(64)}","bytes":${ctx.random.below(9e6)}},` +
      `"hermetic":{"mode":"on","decisions":"ask","imposed":[{"row":"h4","how":"a fresh home folder"}],"unavailable":[{"row":"h11","why":"no probe yet"}],` +
      `"ambient_inputs":["LANG"],"installed_plugins":[{"name":"gatekeeper","source":"local","installed_at":"/home/dev/plugins/gatekeeper","digest":"${ctx.random.hex(64)}","loaded_by":"flag"}]}`,
  )
  putEvent(ctx, state, 'warning', ',"code":"COVERAGE_GAP","message":"one row has no probe"')
}

/** One turn of the vendor; every few turns a step of the embedder ends and the next begins. */
function putTurn(ctx: RunContext, state: StreamState): void {
  const { random } = ctx
  if (state.turn === 0) putStepEntered(ctx, state)
  else if (random.chance(0.1)) {
    putStepLeft(ctx, state)
    state.step += 1
    putStepEntered(ctx, state)
  }
  state.turn += 1
  putEvent(ctx, state, 'turn.started', `,"turn":${state.turn},"frame_digest":"${random.hex(64)}"`)
  if (random.chance(0.2))
    putSpoken(ctx, state, 'injection', `,"origin":"${random.pick(['user', 'synthetic', 'frame'])}"`, 200)
  const request =
    state.adapter === 'claude' ? `,"request_id":"req_gen${random.hex(24)}"` : ',"request_id":null'
  if (random.chance(0.1))
    putEvent(
      ctx,
      state,
      'thinking.estimate',
      `,"estimate":${random.below(4_000)},"delta":${random.between(-20, 90)}`,
    )
  if (random.chance(0.4)) putSpoken(ctx, state, 'thinking', request, 420)
  if (random.chance(0.6)) putSpoken(ctx, state, 'text', request, 300)
  if (random.chance(0.9)) putToolTurn(ctx, state)
  putUsage(ctx, state)
  putNotice(ctx, state)
  putEvent(
    ctx,
    state,
    'turn.ended',
    `,"turn":${state.turn},"stop_reason":"${random.pick(['tool_use', 'end_turn'])}"`,
  )
}

function putSpoken(ctx: RunContext, state: StreamState, event: string, fields: string, median: number): void {
  ctx.out.put(`${head(state, event, state.adapter === 'claude')},"text":`)
  ctx.out.quoted(ctx.texts.prose(ctx.random, textLength(ctx, median, 1)))
  ctx.out.put(`${fields}}`)
  ctx.out.end()
  ctx.facts.records += 1
}

function stepText(state: StreamState): string {
  const place = stepsOfWorkflow[state.step % stepsOfWorkflow.length]
  const index = state.step % stepsOfWorkflow.length
  return `,"step":{"workflow":"mend-the-gate","state":"${place}","index":${index},"attempt":${1 + Math.floor(state.step / stepsOfWorkflow.length)}}`
}

function putStepEntered(ctx: RunContext, state: StreamState): void {
  putEvent(
    ctx,
    state,
    'step.entered',
    `${stepText(state)},"frame_digest":${ctx.random.chance(0.5) ? 'null' : `"${ctx.random.hex(64)}"`}`,
  )
}

function putStepLeft(ctx: RunContext, state: StreamState): void {
  const outcome = ctx.random.pick([
    '{"outcome":"completed"}',
    '{"outcome":"completed"}',
    '{"outcome":"failed","reason":"the check is red"}',
    '{"outcome":"no_verdict","reason":"nobody looked"}',
  ])
  putEvent(ctx, state, 'step.left', `${stepText(state)},"outcome":${outcome}`)
}

/** Things that happen beside the conversation. */
function putNotice(ctx: RunContext, state: StreamState): void {
  const { random } = ctx
  if (random.chance(0.05)) {
    putEvent(
      ctx,
      state,
      'rate_limit',
      `,"info":{"status":"allowed","window":"five_hour","resets_at":${1_774_800_000 + random.below(9e5)},"utilization":0.${random.between(10, 98)},"using_overage":false}`,
    )
  }
  if (random.chance(0.05))
    putEvent(
      ctx,
      state,
      'warning',
      ',"code":"VENDOR_API_RETRY","message":"status 529, attempt 1 of 10, again in 612 ms"',
    )
  if (random.chance(0.03)) {
    putEvent(
      ctx,
      state,
      'opaque',
      `,"vendor_type":"sluice_forecast","vendor_subtype":null,"digest":"${random.hex(64)}","source_line":${state.seq}`,
    )
  }
  if (random.chance(0.03)) {
    const outcome = random.pick([
      '{"result":"ok","applies_at":"next turn"}',
      '{"result":"ok","applies_at":null}',
      '{"result":"refused","refused":{"code":"TOO_LATE","reason":"the call has ended"}}',
    ])
    putEvent(ctx, state, 'command.result', `,"id":"cmd-${random.hex(8)}","outcome":${outcome}`)
  }
  if (random.chance(0.004)) {
    putEvent(
      ctx,
      state,
      'auth.expired',
      `,"credential_source":"oauth:file","detail":"the session has run out","source_line":${state.seq}`,
    )
  }
}

function putClosing(ctx: RunContext, state: StreamState): void {
  if (state.turn > 0) putStepLeft(ctx, state)
  const { census } = state
  const whole = totalsOf({}, 'whole')
  for (const total of Object.values(state.models)) {
    whole.input += total.input
    whole.cache_read += total.cache_read
    whole.cache_write += total.cache_write
    whole.output += total.output
  }
  const cost = nanoUsdText(state.microUsd * 1_000)
  const modelUsage = Object.entries(state.models).map(
    ([model, total]) => `"${model}":${usageObject(state.adapter, total, cost)}`,
  )
  putEvent(
    ctx,
    state,
    'session.ended',
    `,"final_answer":null,"observed_models":null,"is_error":false,"subtype":"success","stop_reason":"end_turn","terminal_reason":"completed","api_error_status":null,` +
      `"num_turns":${state.turn},"duration_ms":${state.turn * 900},"duration_api_ms":${state.turn * 800},"ttft_ms":700,"time_to_request_ms":60,"total_cost_usd":${cost},` +
      `"permission_denials":[],"subagents_spawned":${state.spawned},"usage":${usageObject(state.adapter, whole, 'null')},"model_usage":{${modelUsage.join(',')}},` +
      `"census":{"allowed":${census.allowed},"denied":${census.denied},"replaced":${census.replaced},"abstained":${census.abstained},` +
      `"by_seam":${JSON.stringify(census.bySeam)},"by_decider":${JSON.stringify(census.byDecider)}}`,
  )
  putEvent(
    ctx,
    state,
    'stream.closed',
    `,"process":{"kind":"exited","code":0},"events":${state.seq},"reason":"completed","run_id":"${state.run}"`,
  )
}
