import { type Literal, literal } from '../splice.ts'

// What lines of `metaharness.event/1` are made of again and again.

/** A field's name in front of its value: `,"name":`. */
export const field = remembered((name) => `,"${name}":`)
/** A word of one of our own vocabularies as a string. */
export const quoted = remembered((word) => `"${word}"`)

/** The beginning of an event up to its first field. */
export function event(name: string, first: string): Literal {
  return literal(`,"event":"${name}","${first}":`)
}

/** Literals by the one word that differs in them: to put a text together costs more than to find it. */
function remembered(spell: (word: string) => string): (word: string) => Literal {
  const known = new Map<string, Literal>()
  return (word) => {
    const before = known.get(word)
    if (before !== undefined) return before
    const made = literal(spell(word))
    known.set(word, made)
    return made
  }
}

export const HEAD = literal('{"format":"metaharness.event/1","seq":')
export const AT = literal(',"at":')
export const END = literal('}\n')
export const SOURCE_LINE = literal(',"source_line":')
export const FOLDED_LINES = field('folded_lines')
export const NONE_DECIDED = literal(
  '{"allowed":0,"denied":0,"replaced":0,"abstained":0,"by_seam":{},"by_decider":{}}',
)
export const RECORDED = literal(
  '{"mode":"off","decisions":"observe","imposed":[],"unavailable":[],"ambient_inputs":[],"installed_plugins":[]}',
)
export const CLOSE = literal('}')
export const TURN_STARTED = event('turn.started', 'turn')
export const TURN_ENDED = event('turn.ended', 'turn')
export const STEP_ENTERED = literal(',"event":"step.entered"')
export const STEP_LEFT = literal(',"event":"step.left"')
export const STEP = literal(',"step":{"workflow":')
export const OUTCOME = literal(',"outcome":{"outcome":')
export const ESTIMATE = event('thinking.estimate', 'estimate')
export const TOOL_DECIDED = event('tool.decided', 'call_id')
export const DECISION = literal(',"decision":{"decision":')
export const TOOL_RESULT_WITH_EXIT = event('tool.result', 'exit_code')
export const COMMAND_RESULT = event('command.result', 'id')
export const WARNING = event('warning', 'code')
export const OPAQUE = event('opaque', 'vendor_type')
export const DIGEST = field('digest')
export const TEXT = event('text', 'text')
export const THINKING = event('thinking', 'text')
export const INJECTION = event('injection', 'text')
export const TOOL_REQUESTED = event('tool.requested', 'call_id')
export const TOOL_RESULT = literal(',"event":"tool.result","exit_code":null,"outcome_source":null,"call_id":')
export const USAGE = event('usage', 'request_id')
export const REQUEST_ID = field('request_id')
export const ORIGIN = field('origin')
export const NAME = field('name')
export const INPUT = field('input')
export const OPERATIONS = field('operations')
export const SUBJECTS = field('subjects')
export const NOT_DECIDED = literal(',"decision_required":false,"deadline_ms":null,"seam":"none"')
export const IS_ERROR = field('is_error')
export const CONTENT = field('content')
export const BYTES = field('bytes')
export const TOOL_USE_RESULT = field('tool_use_result')
export const MODEL = field('model')
export const USAGE_OBJECT = field('usage')
export const U_INPUT = literal('{"input_tokens":')
export const U_OUTPUT = field('output_tokens')
export const U_READ = field('cache_read_input_tokens')
export const U_CREATION = field('cache_creation_input_tokens')
export const U_TIER = field('service_tier')
export const U_THINKING = field('thinking_tokens')
export const U_ITERATIONS = field('iterations')
export const U_SPEED = field('speed')
export const U_COST = field('cost_usd')
