/**
 * A second reader of `metaharness.event/1`, written from the format's page (§1, §2, §6) and sharing nothing with ours:
 * what it lets through, a strict parser of somebody else's lets through.
 */

/** One event of a stream. */
export type StrictEvent = Readonly<Record<string, unknown>> & { readonly event: string; readonly seq: number }

/**
 * Read a whole stream. Every line must be UTF-8 and JSON with no surrogate left alone, known by its name, with its
 * required fields present and every field of its type; `seq` must count from 1; one `stream.closed` must come last.
 *
 * @throws Error naming the first line that is not so
 */
export function readStrictly(bytes: Uint8Array): StrictEvent[] {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  const lines = text.split('\n')
  if (lines.pop() !== '') throw new Error('the last line has no line feed')
  const events = lines.map((line, i) => readLine(line, i + 1))
  const last = events.at(-1)
  if (last?.event !== 'stream.closed') throw new Error('the stream has no end')
  if (last['events'] !== events.length - 1) throw new Error(`stream.closed counts ${String(last['events'])}`)
  const [first] = events
  for (const event of events) {
    if (event['run'] !== first?.['run']) throw new Error(`line ${event.seq}: another run`)
    if (event.event === 'stream.closed' && event !== last)
      throw new Error(`line ${event.seq}: closed too early`)
  }
  return events
}

function readLine(line: string, number: number): StrictEvent {
  const fail = (why: string): never => {
    throw new Error(`line ${number}: ${why}`)
  }
  const value: unknown = parsed(line) ?? fail('not JSON')
  if (!isObject(value)) return fail('not an object')
  if (hasLoneSurrogate(value)) return fail('a surrogate alone')
  if (value['format'] !== 'metaharness.event/1') return fail('unknown format')
  if (value['seq'] !== number) return fail(`seq is ${String(value['seq'])}`)
  if (typeof value['run'] !== 'string') return fail('no run')
  if ('at' in value && typeof value['at'] !== 'string') return fail('at is no string')
  const { event } = value
  const shape = typeof event === 'string' ? SHAPES[event] : undefined
  if (typeof event !== 'string' || shape === undefined) return fail(`unknown event ${String(event)}`)
  const wrong = firstWrong(value, shape)
  if (wrong !== null) return fail(`${event}.${wrong}`)
  return { ...value, event, seq: number }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

type Check = (value: unknown) => boolean
type Shape = Readonly<Record<string, Check>>

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const text: Check = (value) => typeof value === 'string'
const flag: Check = (value) => typeof value === 'boolean'
const number: Check = (value) => typeof value === 'number' && Number.isFinite(value)
const signed: Check = (value) => Number.isInteger(value)
const count: Check = (value) => Number.isInteger(value) && Number(value) >= 0
const digest: Check = (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
const present: Check = (value) => value !== undefined
const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && words.includes(value)
/** Null, or missing, or what `check` wants. */
const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || value === null || check(value)
const list =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const map =
  (check: Check): Check =>
  (value) =>
    isObject(value) && Object.values(value).every(check)
const object =
  (shape: Shape): Check =>
  (value) =>
    isObject(value) && firstWrong(value, shape) === null

function firstWrong(value: Record<string, unknown>, shape: Shape): string | null {
  return Object.entries(shape).find(([name, check]) => !check(value[name]))?.[0] ?? null
}

const seam = oneOf('registration', 'hook', 'control_request', 'owned_tool', 'none')
const decider = oneOf('embedder', 'frame', 'deadline', 'adapter', 'observe')
const step = object({
  workflow: text,
  state: text,
  index: count,
  attempt: (value) => count(value) && value !== 0,
})
const usage = object({
  input_tokens: maybe(count),
  output_tokens: maybe(count),
  cache_read_input_tokens: maybe(count),
  cache_creation_input_tokens: maybe(count),
  thinking_tokens: maybe(count),
  iterations: maybe(count),
  service_tier: maybe(text),
  speed: maybe(text),
  cost_usd: maybe(number),
})
const hermetic = object({
  mode: oneOf('off', 'on', 'strict'),
  decisions: oneOf('frame', 'ask', 'observe'),
  imposed: list(object({ row: text, how: text })),
  unavailable: list(object({ row: text, why: text })),
  ambient_inputs: list(text),
  installed_plugins: list(isObject),
})
const census = object({
  allowed: count,
  denied: count,
  replaced: count,
  abstained: count,
  by_seam: map(count),
  by_decider: map(count),
})
const decision: Check = (value) =>
  isObject(value) &&
  (oneOf('allow', 'abstain')(value['decision']) ||
    (value['decision'] === 'deny' && typeof value['reason'] === 'string' && value['reason'].trim() !== '') ||
    (value['decision'] === 'replace' && present(value['input'])))
const stepOutcome: Check = (value) =>
  isObject(value) &&
  (value['outcome'] === 'completed' ||
    (oneOf('failed', 'no_verdict')(value['outcome']) && text(value['reason'])))
const commandOutcome: Check = (value) =>
  isObject(value) &&
  ((value['result'] === 'ok' && maybe(text)(value['applies_at'])) ||
    (value['result'] === 'refused' &&
      object({
        code: oneOf('UNSUPPORTED_CONTROL', 'UNKNOWN_CALL', 'TOO_LATE', 'MALFORMED', 'SHADOWED'),
        reason: text,
      })(value['refused'])))
const exitCode: Check = (value) => signed(value) && Math.abs(Number(value)) <= 2 ** 31
const plugin = object({ name: maybe(text), source: maybe(text), version: maybe(text) })
const denial = object({ tool_name: maybe(text), tool_use_id: maybe(text) })
const selection = object({
  turn: count,
  turn_id: maybe(text),
  model: maybe(text),
  scope: oneOf('turn_selection'),
})

const SHAPES: Readonly<Record<string, Shape>> = {
  'session.started': {
    adapter: text,
    adapter_class: oneOf('harness', 'direct_provider'),
    harness_version: maybe(text),
    session_id: maybe(text),
    model: maybe(text),
    permission_mode: maybe(text),
    credential_source: maybe(text),
    output_style: maybe(text),
    cwd: maybe(text),
    offered_tools: maybe(list(text)),
    available_operations: (value) => value === undefined || list(text)(value),
    withheld: maybe(list(object({ tool: text, reason: text }))),
    slash_commands: maybe(list(text)),
    skills: maybe(list(text)),
    agents: maybe(list(text)),
    plugins: maybe(list(plugin)),
    mcp_servers: maybe(list(object({ name: maybe(text), status: maybe(text) }))),
    inputs_digest: maybe(digest),
    transcript: object({ path: maybe(text), digest: maybe(digest), bytes: maybe(count) }),
    hermetic,
  },
  'session.ended': {
    final_answer: maybe(object({ text, turn_id: maybe(text) })),
    observed_models: maybe(list(selection)),
    is_error: maybe(flag),
    subtype: maybe(text),
    stop_reason: maybe(text),
    terminal_reason: maybe(text),
    api_error_status: maybe(text),
    num_turns: maybe(count),
    duration_ms: maybe(count),
    duration_api_ms: maybe(count),
    ttft_ms: maybe(count),
    time_to_request_ms: maybe(count),
    total_cost_usd: maybe(number),
    permission_denials: maybe(list(denial)),
    subagents_spawned: maybe(count),
    usage: maybe(usage),
    model_usage: maybe(map(usage)),
    census,
  },
  'step.entered': { step, frame_digest: maybe(digest) },
  'step.left': { step, outcome: stepOutcome },
  'turn.started': { turn: count, frame_digest: maybe(digest) },
  'turn.ended': { turn: count, stop_reason: maybe(text) },
  text: { text, request_id: maybe(text) },
  thinking: { text, request_id: maybe(text) },
  'thinking.estimate': { estimate: count, delta: maybe(signed) },
  injection: { text, origin: maybe(text) },
  'tool.requested': {
    call_id: text,
    name: text,
    input: present,
    operations: (value) => value === undefined || list(text)(value),
    subjects: (value) => value === undefined || list(text)(value),
    decision_required: flag,
    deadline_ms: maybe(count),
    seam,
  },
  'tool.decided': { call_id: text, decision, decided_by: decider, seam, latency_ms: maybe(count) },
  'tool.result': {
    exit_code: maybe(exitCode),
    outcome_source: maybe(text),
    call_id: text,
    is_error: maybe(flag),
    bytes: maybe(count),
  },
  usage: { request_id: maybe(text), model: maybe(text), usage },
  rate_limit: {
    info: object({
      status: maybe(text),
      window: maybe(text),
      resets_at: maybe(signed),
      utilization: maybe(number),
      using_overage: maybe(flag),
    }),
  },
  'command.result': { id: text, outcome: commandOutcome },
  warning: { code: text, message: text },
  opaque: { vendor_type: maybe(text), vendor_subtype: maybe(text), digest, source_line: maybe(count) },
  'auth.expired': { credential_source: maybe(text), detail: maybe(text), source_line: maybe(count) },
  'stream.closed': {
    process: maybe(
      (value) =>
        isObject(value) &&
        (value['kind'] === 'unknown' ||
          (value['kind'] === 'exited' && signed(value['code'])) ||
          (value['kind'] === 'signaled' && signed(value['signal']))),
    ),
    events: count,
    reason: oneOf('completed', 'budget', 'killed', 'error', 'steer-halt'),
    run_id: text,
  },
}

/** With `u`, a pair is one character and only a surrogate alone is a surrogate. */
const LONE = /\p{Surrogate}/u

function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === 'string') return LONE.test(value)
  if (Array.isArray(value)) return value.some(hasLoneSurrogate)
  if (!isObject(value)) return false
  return Object.entries(value).some(([key, inner]) => LONE.test(key) || hasLoneSurrogate(inner))
}
