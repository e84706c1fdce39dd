import type { CloseReason } from '../../event/events.ts'
import type { Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { Shape } from '../../kernel/shape.ts'
import { sessionEnd } from '../session-events.ts'
import { figuresOf } from '../spend.ts'
import { keptTimeOf } from '../times.ts'
import { children, firstOf, jsonAt, textAt, wholeAt, wordAt } from '../values.ts'
import { processOf, type State } from './state.ts'
import { isSumOf, readModels, usageTokens } from './usage.ts'

const RESULT = new Shape(
  'subtype',
  'is_error',
  'duration_ms',
  'duration_api_ms',
  'num_turns',
  'result',
  'usage',
  'modelUsage',
  'permission_denials',
  'error',
)
const DENIAL = new Shape('tool_name', 'tool_use_id', 'tool_input')
const ERROR = new Shape('type', 'message')

/** Denials remembered, so that a list that is stated again gives no further warnings. */
const MOST_DENIED = 10_000

/**
 * `result`: the end of a turn, with running totals of the process. They take the place of the requests when they hold
 * more than these, subagents and side calls. Prices are never told.
 */
export function result(record: RecordView, at: Text, state: State, sink: Sink): void {
  const fields = RESULT.read(record, record.root)
  const isError = record.bool(fields.is_error)
  const subtype = record.word(fields.subtype)
  const { type, message } = ERROR.read(record, fields.error)
  if (!record.isNullish(fields.error)) {
    const words = textAt(record, message) ?? textAt(record, fields.error) ?? 'the run failed'
    sink.warning({ at, code: wordAt(record, type) ?? subtype ?? 'error', message: words, severity: 'error' })
  }
  denials(record, fields.permission_denials, at, state, sink)
  const used = usageTokens(record, fields.usage, sink)
  const named = readModels(record, fields.modelUsage, sink)
  settle(record, named, used, at, state, sink)
  const answer = isError === true ? null : textAt(record, fields.result)
  sink.sessionEnded(
    sessionEnd({
      at,
      finalAnswer: answer === null ? null : { text: answer, turnId: null },
      isError,
      subtype,
      numTurns: wholeAt(record, fields.num_turns),
      durationMs: wholeAt(record, fields.duration_ms),
      durationApiMs: wholeAt(record, fields.duration_api_ms),
      permissionDenials: record.isArray(fields.permission_denials)
        ? children(record, fields.permission_denials, (denial) => {
            const { tool_name: name, tool_use_id: id, tool_input: input } = DENIAL.read(record, denial)
            return { toolName: textAt(record, name), toolUseId: textAt(record, id), toolInput: jsonAt(input) }
          })
        : null,
      usage: used === null ? null : figuresOf(used),
      modelUsage:
        named === null ? null : named.map(({ model, tokens }) => ({ model, usage: figuresOf(tokens) })),
    }),
  )
  state.ending = { reason: reasonOf(subtype, isError), terminal: true, promised: true }
}

function settle(
  record: RecordView,
  named: ReturnType<typeof readModels>,
  used: ReturnType<typeof usageTokens>,
  at: Text,
  state: State,
  sink: Sink,
): void {
  const { session, model, requests, byModel } = state
  const isAlone = requests === 0 && used !== null
  const models = named ?? (isAlone ? [{ model, tokens: used }] : null)
  if (models === null || (named !== null && isSumOf(byModel, named))) return
  const settled = models.map((one) => ({ ...one, webSearches: null, reportedPicoUsd: null }))
  const time = keptTimeOf(record, at)
  sink.settled({ process: processOf(state), session, at: time, models: settled, reportedPicoUsd: null })
}

function denials(record: RecordView, list: Node, at: Text, state: State, sink: Sink): void {
  const { denied } = state
  for (let denial = firstOf(record, list); denial !== NONE; denial = record.next(denial)) {
    const { tool_name: name, tool_use_id: id } = DENIAL.read(record, denial)
    const call = record.text(id)
    if (call !== null && denied.includes(call)) continue
    if (call !== null && denied.length < MOST_DENIED) denied.push(call)
    const message = `a call of ${record.text(name) ?? 'a tool'} was not allowed`
    sink.warning({ at, code: 'approval-denied', message, deniedCall: textAt(record, id) ?? '' })
  }
}

function reasonOf(subtype: string | null, isError: boolean | null): CloseReason {
  if (subtype?.startsWith('error_max_') === true) return 'budget'
  return isError === true || subtype !== 'success' ? 'error' : 'completed'
}
