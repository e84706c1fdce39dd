import type { EventName } from '../../event/events.ts'
import { Vocabulary } from '../../kernel/vocabulary.ts'
import { FIELDS } from './line.ts'
import {
  anything,
  bool,
  type Check,
  digest,
  type Field,
  fieldsFound,
  listOf,
  mapOf,
  number,
  object,
  oneOf,
  optional,
  present,
  required,
  requiredStrictly,
  signed,
  signed32,
  string,
  unsigned,
  variants,
} from './shape.ts'

export const SEAMS = new Vocabulary('registration', 'hook', 'control_request', 'owned_tool', 'none')
export const DECIDERS = new Vocabulary('embedder', 'frame', 'deadline', 'adapter', 'observe')
export const CLASSES = new Vocabulary('harness', 'direct_provider')
export const CLOSE_REASONS = new Vocabulary('completed', 'budget', 'killed', 'error', 'steer-halt')
const REFUSED_CODES = new Vocabulary(
  'UNSUPPORTED_CONTROL',
  'UNKNOWN_CALL',
  'TOO_LATE',
  'MALFORMED',
  'SHADOWED',
)
/** What can be decided of a call, and how a step can end. */
export const DECISIONS = new Vocabulary('allow', 'deny', 'replace', 'abstain')
export const OUTCOMES = new Vocabulary('completed', 'failed', 'no_verdict')

const strings = optional(listOf(string))
const text = optional(string)
const int = optional(unsigned)
const row = oneOf(new Vocabulary('h1a', 'h1b', 'h2', 'h3', 'h4', 'h5', 'h6', 'h7', 'h8', 'h9', 'h10', 'h11'))
const seam = requiredStrictly(oneOf(SEAMS))

/** What every line has besides its payload (spec metaharness-event-1 §1); `format` and `event` are looked at before. */
export const envelope = fieldsFound(FIELDS, {
  seq: required(unsigned),
  run: requiredStrictly(string),
  at: optional(string),
})

/** metaharness's claim about itself; the converter of b10x writes only its plugins. */
export const hermetic = object({
  mode: requiredStrictly(oneOf(new Vocabulary('off', 'on', 'strict'))),
  decisions: requiredStrictly(oneOf(new Vocabulary('frame', 'ask', 'observe'))),
  imposed: requiredStrictly(listOf(object({ row: required(row), how: required(string) }))),
  unavailable: requiredStrictly(listOf(object({ row: required(row), why: required(string) }))),
  ambient_inputs: requiredStrictly(listOf(string)),
  installed_plugins: required(
    listOf(
      object({ name: text, source: text, installed_at: text, digest: optional(digest), loaded_by: text }),
    ),
  ),
})

const usage = object({
  input_tokens: int,
  output_tokens: int,
  cache_read_input_tokens: int,
  cache_creation_input_tokens: int,
  service_tier: text,
  thinking_tokens: int,
  iterations: int,
  speed: text,
  cost_usd: optional(number),
})

export const census = object({
  allowed: required(unsigned),
  denied: required(unsigned),
  replaced: required(unsigned),
  abstained: required(unsigned),
  by_seam: required(mapOf(unsigned, SEAMS.words)),
  by_decider: required(mapOf(unsigned, DECIDERS.words)),
})

const step = object({
  workflow: required(string),
  state: required(string),
  index: required(unsigned),
  attempt: required(unsigned),
})

/** A deny whose reason is blank is ill-formed (spec §2). */
const reasonGiven: Check = (record, node) => ((record.text(node) ?? '').trim() === '' ? 'blank' : null)

const event = (fields: Readonly<Record<string, Field>>): Check => fieldsFound(FIELDS, fields)

/** The payload of each of the 20 events (spec §2), of a line whose `FIELDS` were looked up. */
export const PAYLOADS: Readonly<Record<EventName, Check>> = {
  'session.started': object({
    adapter: required(string),
    adapter_class: required(oneOf(CLASSES)),
    harness_version: text,
    session_id: text,
    model: text,
    permission_mode: text,
    credential_source: text,
    output_style: text,
    cwd: text,
    offered_tools: strings,
    available_operations: strings,
    withheld: optional(listOf(object({ tool: required(string), reason: required(string) }))),
    slash_commands: strings,
    skills: strings,
    agents: strings,
    plugins: optional(listOf(object({ name: text, source: text, version: text }))),
    mcp_servers: optional(listOf(object({ name: text, status: text }))),
    inputs_digest: optional(digest),
    transcript: required(object({ path: text, digest: optional(digest), bytes: int })),
    hermetic: requiredStrictly(hermetic),
  }),
  'session.ended': object({
    final_answer: optional(object({ text: required(string), turn_id: text })),
    observed_models: optional(
      listOf(
        object({
          turn: required(unsigned),
          turn_id: text,
          model: text,
          scope: required(oneOf(new Vocabulary('turn_selection'))),
        }),
      ),
    ),
    is_error: optional(bool),
    subtype: text,
    stop_reason: text,
    terminal_reason: text,
    api_error_status: text,
    num_turns: int,
    duration_ms: int,
    duration_api_ms: int,
    ttft_ms: int,
    time_to_request_ms: int,
    total_cost_usd: optional(number),
    permission_denials: optional(
      listOf(object({ tool_name: text, tool_use_id: text, tool_input: optional(anything) })),
    ),
    subagents_spawned: int,
    usage: optional(usage),
    model_usage: optional(mapOf(usage)),
    census: requiredStrictly(census),
  }),
  'step.entered': event({ step: required(step), frame_digest: optional(digest) }),
  'step.left': event({
    step: required(step),
    outcome: required(
      variants('outcome', OUTCOMES, {
        completed: anything,
        failed: object({ reason: required(string) }),
        no_verdict: object({ reason: required(string) }),
      }),
    ),
  }),
  'turn.started': event({ turn: required(unsigned), frame_digest: optional(digest) }),
  'turn.ended': event({ turn: required(unsigned), stop_reason: text }),
  text: event({ text: required(string), request_id: text }),
  thinking: event({ text: required(string), request_id: text }),
  'thinking.estimate': event({ estimate: required(unsigned), delta: optional(signed) }),
  injection: event({ text: required(string), origin: text }),
  'tool.requested': event({
    call_id: required(string),
    name: required(string),
    input: present,
    operations: strings,
    subjects: strings,
    decision_required: required(bool),
    deadline_ms: int,
    seam,
  }),
  'tool.decided': event({
    call_id: required(string),
    decision: required(
      variants('decision', DECISIONS, {
        allow: anything,
        deny: object({ reason: required(reasonGiven) }),
        replace: object({ input: present }),
        abstain: anything,
      }),
    ),
    decided_by: required(oneOf(DECIDERS)),
    seam: required(oneOf(SEAMS)),
    latency_ms: int,
  }),
  'tool.result': event({
    exit_code: optional(signed32),
    outcome_source: text,
    call_id: required(string),
    is_error: optional(bool),
    content: optional(anything),
    bytes: int,
    tool_use_result: optional(anything),
  }),
  usage: event({ request_id: text, model: text, usage: required(usage) }),
  rate_limit: event({
    info: required(
      object({
        status: text,
        window: text,
        resets_at: optional(signed),
        utilization: optional(number),
        using_overage: optional(bool),
      }),
    ),
  }),
  'command.result': event({
    id: required(string),
    outcome: required(
      variants('result', new Vocabulary('ok', 'refused'), {
        ok: object({ applies_at: text }),
        refused: object({
          refused: required(object({ code: required(oneOf(REFUSED_CODES)), reason: required(string) })),
        }),
      }),
    ),
  }),
  warning: event({ code: required(string), message: required(string) }),
  opaque: event({ vendor_type: text, vendor_subtype: text, digest: required(digest), source_line: int }),
  'auth.expired': event({ credential_source: text, detail: text, source_line: int }),
  'stream.closed': event({
    process: optional(
      variants('kind', new Vocabulary('exited', 'signaled', 'unknown'), {
        exited: object({ code: required(signed) }),
        signaled: object({ signal: required(signed) }),
        unknown: anything,
      }),
    ),
    events: required(unsigned),
    reason: required(oneOf(CLOSE_REASONS)),
    run_id: required(string),
  }),
}
