import { Bin } from '../../event/sink.ts'
import { type Key, key } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { keptTimeOf } from '../times.ts'
import { early } from './early.ts'
import type { Step } from './state.ts'
import { K } from './words.ts'

/** UTF-16 units of a field that are put into a message. */
const LONGEST_FIELD = 2000

/**
 * Diagnoses, and texts that were put before the model and are not in the transcript (design §5.6): the type is the code.
 * A part in brackets is left out when a field in it is absent.
 */
const MESSAGES: Readonly<Record<string, string>> = {
  'run.cost_limit_reached': 'the run cost {cumulative_cost_usd} USD; its limit is {max_cost_usd} USD',
  'memory.observe.failed': 'memory: {error}',
  'cost.anomaly':
    '{anomaly_type}: a step cost {step_cost_usd} USD, those before {avg_cost_usd} USD on average; more than {threshold_multiplier} times that is odd',
  'skill.constraint.activated': 'the skill {skill} was loaded[; allowed tools: {allowed_tools}]',
  'meta.message.injected':
    '{length} bytes of text that is not in the transcript were injected[ by {tool}][, call {call_id}]',
  'auto_compact.completed': 'compaction ({mode}): {before_tokens} tokens became {after_tokens}[: {error}]',
  'compact_history.completed':
    'the history was compacted to {message_count} messages[: {before_tokens} tokens became {after_tokens}]',
  'step_budget.pressure':
    'a notice about the budget was injected: {steps_remaining} steps remain at depth {depth}',
  'max_turns.exhausted': '{turn_count} of {max_turns} turns were used',
  'profile.efficiency_suggestion':
    'profile {profile_name}: efficiency {efficiency_score}, {steps} steps, {cost_usd} USD',
  'context.window.warning':
    'the context window is filled to {usage_ratio}: {tokens_used} of {max_context_tokens} tokens',
  'tool.antipattern': '{type}: {tool} was called {call_count} times with the same arguments',
  'tool.hook.mutation':
    'the hook {hook}: {action} of call {tool_call_id}[; the arguments became {args_after}]',
  'error.context': '{error}',
  'llm.empty_response.retry': 'an empty answer: retry {retry} of {max_retries}',
  'rule.injected': 'the rule {rule_id} was injected[ because of {trigger_tool}]',
  'workspace.provision_failed': '[{workspace_type}: ]{error}',
  'callback.failed': 'callback {callback_id} failed[: {last_error}]',
  'plan.approval_denied': 'the plan was denied: {plan}',
}

/** What a harness calls an error itself. */
const ERRORS: ReadonlySet<string> = new Set(['workspace.provision_failed', 'error.context'])

interface Part {
  readonly text: string
  readonly field: Key | null
  /** Number of the bracket it stands in; 0 for none. */
  readonly bracket: number
}

const templates: ReadonlyMap<string, readonly Part[]> = new Map(
  Object.entries(MESSAGES).map(([type, template]) => [type, partsOf(template)]),
)

/** Types that `warn` has words for. */
export const DIAGNOSES: readonly string[] = [...templates.keys()]

/** A diagnosis becomes a warning under its own type. */
export function warn(step: Step): Bin {
  if (!step.record.isObject(step.data)) return Bin.Opaque
  return write(step, step.type, wordsOf(step), ERRORS.has(step.type) ? 'error' : 'warning')
}

/** `prompt.warning`: the harness's own code and words. */
export function promptWarning(step: Step): Bin {
  const { record, data } = step
  const code = record.word(record.get(data, K.code))
  if (code === null) return Bin.Opaque
  return write(step, code, record.text(record.get(data, K.message)) ?? '')
}

/** `workspace.destroyed`: worth a word only when it failed. */
export function workspaceDestroyed(step: Step): Bin {
  const { record, data } = step
  const error = record.text(record.get(data, K.error))
  return error === null || error === '' ? Bin.Bookkeeping : write(step, step.type, clip(error))
}

/** `context.reset`: what was carried forward is put before the model. */
export function contextReset(step: Step): Bin {
  const { record, data, at, run, sink } = step
  const persist = record.get(data, K.persist)
  const text = 'the context was reset'
  if (record.isNullish(persist)) return write(step, step.type, text)
  if (!run.opened) return write(step, step.type, `${text}; carried forward: ${clip(record.raw(persist))}`)
  sink.injection({ at, text: record.isString(persist) ? persist : record.raw(persist), origin: 'synthetic' })
  return Bin.Translated
}

/** Write a warning, which may come before the session has opened. */
export function write(
  { record, at, ...step }: Step,
  code: string,
  text: string,
  severity: 'warning' | 'error' = 'warning',
  deniedCall: string | null = null,
): Bin {
  const kept = keptTimeOf(record, at)
  const held = {
    kind: 'warning',
    at: kept,
    line: record.line,
    code,
    message: text,
    severity,
    deniedCall,
  } as const
  early({ record, at, ...step }, held)
  return Bin.Translated
}

/** Text of a record as a message holds it: long ones are cut. */
export function clip(text: string): string {
  return text.length <= LONGEST_FIELD ? text : `${text.slice(0, LONGEST_FIELD)}…`
}

function wordsOf({ record, data, type }: Step): string {
  const parts = templates.get(type) ?? []
  const absent = new Set(
    parts
      .filter(({ field }) => field !== null && isAbsent(record, record.get(data, field)))
      .map(({ bracket }) => bracket),
  )
  let made = ''
  for (const { text, field, bracket } of parts) {
    if (bracket > 0 && absent.has(bracket)) continue
    made += text
    if (field !== null) made += spelled(record, record.get(data, field))
  }
  return made
}

function isAbsent(record: RecordView, node: Node): boolean {
  return record.isNullish(node) || record.text(node) === ''
}

function spelled(record: RecordView, node: Node): string {
  if (node === NONE) return '(unknown)'
  return clip(record.text(node) ?? record.raw(node))
}

function partsOf(template: string): Part[] {
  const parts: Part[] = []
  let bracket = 0
  let inside = 0
  for (const [piece] of template.matchAll(/[[\]]|\{\w+\}|[^[\]{}]+/g)) {
    if (piece === '[') inside = ++bracket
    else if (piece === ']') inside = 0
    else if (piece.startsWith('{')) parts.push({ text: '', field: key(piece.slice(1, -1)), bracket: inside })
    else parts.push({ text: piece, field: null, bracket: inside })
  }
  return parts
}
