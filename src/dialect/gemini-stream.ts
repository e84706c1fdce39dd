import type { CloseReason } from '../event/events.ts'
import { Bin, type Sink } from '../event/sink.ts'
import type { Text } from '../event/value.ts'
import { keys } from '../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'
import { Shape } from '../kernel/shape.ts'
import type { Adapter, Ending, Evidence } from './adapter.ts'
import { beginSession } from './begun-session.ts'
import { UNFINISHED } from './endings.ts'
import { sessionStart } from './session-events.ts'
import { answerCall, requestCall } from './calls.ts'
import { type Deltas, hear, noDeltas, say } from './gemini/deltas.ts'
import { result, type Told } from './gemini/result.ts'
import { operationsOf } from './operations.ts'
import { keptTimeOf, timeAt } from './times.ts'
import { textAt, wordAt } from './values.ts'

const RECORD = new Shape(
  'type',
  'timestamp',
  'session_id',
  'model',
  'role',
  'content',
  'delta',
  'tool_name',
  'tool_id',
  'parameters',
  'status',
  'output',
  'error',
  'severity',
  'message',
  'stats',
  'response',
)
const K = keys(
  'type',
  'subtype',
  'session_id',
  'model',
  'tool_name',
  'tool_id',
  'status',
  'stats',
  'response',
  'models',
)
const E = keys('type', 'message', 'models', 'tools', 'role', 'content', 'input_tokens', 'parent_tool_use_id')

type Fields = ReturnType<typeof RECORD.read>

/** Kinds of a tool's error that say the call was never allowed, by the warning they become. */
const REFUSALS: Readonly<Record<string, string>> = {
  execution_denied: 'approval-denied',
  policy_violation: 'call-blocked',
}

interface State {
  readonly run: string
  readonly joined: boolean
  started: boolean
  session: string | null
  model: string | null
  readonly talk: Deltas
  /** `result` records so far: each is the total of a process of its own. */
  results: number
  ending: Ending
}

/**
 * What `gemini --output-format stream-json` writes, and the one object of `--output-format json`
 * (spec vendor-transcripts §6). Usage is told once, as totals of the whole process; the object knows calls and refusals as
 * counts only.
 */
export const geminiStream: Adapter<State> = {
  dialect: 'gemini-stream',
  summary: 'gemini --output-format stream-json, or json',
  evidence,
  runId: (record, value) => record.text(record.get(value, K.session_id)),
  initial: ({ run, deltas }) => ({
    run,
    joined: !deltas,
    started: false,
    session: null,
    model: null,
    talk: noDeltas(),
    results: 0,
    ending: UNFINISHED,
  }),
  step(record, state, sink) {
    const fields = RECORD.read(record, record.root)
    const at = timeAt(record, fields.timestamp)
    const type = record.word(fields.type)
    if (type === 'message' && record.is(fields.role, 'assistant') && record.bool(fields.delta) === true) {
      return delta(record, fields.content, at, state, sink)
    }
    say(state.talk, sink)
    switch (type) {
      case 'init':
        return init(record, fields, at, state, sink)
      case 'message':
        return spoken(record, fields, at, state, sink)
      case 'tool_use':
        return toolUse(record, fields, at, state, sink)
      case 'tool_result':
        return toolResult(record, fields, at, state, sink)
      case 'error':
        return failure(record, fields, at, state, sink)
      case 'result':
        return ended(record, fields, at, state, sink)
      default:
        return type === null && isOutput(record, record.root)
          ? output(record, fields, state, sink)
          : opaque(record, fields, at, sink)
    }
  },
  end(state, sink) {
    say(state.talk, sink)
    return state.ending
  },
}

/** The opening record. A process that goes on with the same session writes it again. */
function init(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): Bin {
  const session = record.text(fields.session_id)
  state.model = record.word(fields.model) ?? state.model
  state.ending = UNFINISHED
  if (!beginSession(record, session, state, sink)) return Bin.Bookkeeping
  const sessionId = textAt(record, fields.session_id)
  sink.sessionStarted(sessionStart('gemini', { at, sessionId, model: textAt(record, fields.model) }))
  return Bin.Translated
}

function enter(at: Text, state: State, sink: Sink): void {
  if (state.started) return
  state.started = true
  sink.sessionStarted(sessionStart('gemini', { at }))
}

/** A piece of what the model says; with `--deltas` each is a text of its own. */
function delta(record: RecordView, content: Node, at: Text, state: State, sink: Sink): Bin {
  if (!record.isString(content)) return opaque(record, RECORD.read(record, record.root), at, sink)
  enter(at, state, sink)
  if (state.joined) {
    hear(state.talk, record, content, keptTimeOf(record, at), sink)
    return Bin.Folded
  }
  sink.text({ at, text: content, requestId: null })
  return Bin.Translated
}

function spoken(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): Bin {
  const { role, content } = fields
  const speaker = record.word(role)
  if (!record.isString(content) || (speaker !== 'user' && speaker !== 'assistant')) {
    return opaque(record, fields, at, sink)
  }
  enter(at, state, sink)
  if (speaker === 'user') sink.injection({ at, text: content, origin: 'user' })
  else sink.text({ at, text: content, requestId: null })
  return Bin.Translated
}

function toolUse(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): Bin {
  const { tool_name: name, tool_id: id, parameters: input } = fields
  const word = record.word(name)
  if (word === null) return opaque(record, fields, at, sink)
  enter(at, state, sink)
  const callId = textAt(record, id) ?? ''
  requestCall(record, { at, callId, name, input, operations: operationsOf('gemini', word) }, sink)
  return Bin.Translated
}

function toolResult(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): Bin {
  const { tool_id: id, status, output: said, error } = fields
  if (!record.isString(id) && status === NONE) return opaque(record, fields, at, sink)
  enter(at, state, sink)
  const word = record.word(status)
  const callId = textAt(record, id) ?? ''
  const why = record.get(error, E.message)
  const content = said === NONE ? why : said
  const isError = word === 'error' ? true : word === 'success' ? false : null
  answerCall(record, { at, callId, content, isError, own: error }, sink)
  const code = REFUSALS[record.word(record.get(error, E.type)) ?? '']
  if (code !== undefined) {
    sink.warning({ at, code, message: textAt(record, why) ?? 'the call was refused', deniedCall: callId })
  }
  return Bin.Translated
}

function failure(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): Bin {
  const message = textAt(record, fields.message)
  if (message === null) return opaque(record, fields, at, sink)
  enter(at, state, sink)
  const severity = record.is(fields.severity, 'warning') ? 'warning' : 'error'
  sink.warning({ at, code: 'error', message, severity })
  return Bin.Translated
}

/** `result`: the totals of the process. */
function ended(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): Bin {
  const { status, error, stats } = fields
  enter(at, state, sink)
  const word = record.word(status)
  const isError = word === null ? null : word !== 'success'
  finish(record, { at, status, isError, error, stats, answer: NONE }, state, sink)
  return Bin.Translated
}

/** The one object of `--output-format json`. */
function output(record: RecordView, fields: Fields, state: State, sink: Sink): Bin {
  const { session_id: id, response, error, stats } = fields
  const session = record.text(id)
  const isFirst = !state.started
  if (isFirst || session !== state.session) {
    if (!isFirst) sink.notice('second-session', record.line, 'another session begins in the same transcript')
    state.started = true
    state.session = session
    sink.sessionStarted(sessionStart('gemini', { sessionId: textAt(record, id) }))
  }
  if (record.isString(response)) sink.text({ at: null, text: response, requestId: null })
  const isError = !record.isNullish(error)
  finish(record, { at: null, status: NONE, isError, error, stats, answer: response }, state, sink)
  return Bin.Translated
}

function finish(
  record: RecordView,
  told: Omit<Told, 'session' | 'model' | 'process'>,
  state: State,
  sink: Sink,
): void {
  state.results++
  const { session, model, run } = state
  const process = `${session ?? run}#${state.results}`
  result(record, { ...told, session, model, process }, sink)
  state.ending = { reason: reasonOf(record, told.isError, told.error), terminal: true, promised: true }
}

/** Limits and interruptions are told by the class of the error. */
function reasonOf(record: RecordView, isError: boolean | null, error: Node): CloseReason {
  if (isError === false) return 'completed'
  const type = wordAt(record, record.get(error, E.type)) ?? ''
  if (type === 'FatalTurnLimitedError') return 'budget'
  return type === 'FatalCancellationError' ? 'killed' : 'error'
}

function opaque(record: RecordView, fields: Fields, at: Text, sink: Sink): Bin {
  sink.opaque({ at, vendorType: textAt(record, fields.type), vendorSubtype: null })
  return Bin.Opaque
}

/** `{session_id?, response?, stats?, error?}`, of which the totals cannot be mistaken. */
function isOutput(record: RecordView, node: Node): boolean {
  if (record.get(node, K.type) !== NONE) return false
  const stats = record.get(node, K.stats)
  if (record.isObject(record.get(stats, K.models)) && record.get(stats, E.tools) !== NONE) return true
  const isAnswer = record.isString(record.get(node, K.response)) || record.isObject(stats)
  return isAnswer && record.isString(record.get(node, K.session_id))
}

/** What a value says about being of this dialect (spec vendor-transcripts §1). */
function evidence(record: RecordView, value: Node): Evidence | null {
  if (!record.isObject(value) || record.get(value, E.parent_tool_use_id) !== NONE) return null
  const isText = (node: Node): boolean => record.isString(node)
  switch (record.word(record.get(value, K.type))) {
    case 'init':
      if (!isText(record.get(value, K.session_id)) || record.get(value, K.subtype) !== NONE) return null
      return isText(record.get(value, K.model))
        ? { weight: 'proof', reason: 'init with session_id and model' }
        : null
    case 'tool_use':
      if (!isText(record.get(value, K.tool_name)) || !isText(record.get(value, K.tool_id))) return null
      return { weight: 'proof', reason: 'tool_use with tool_name and tool_id' }
    case 'tool_result':
      if (!isText(record.get(value, K.tool_id)) || !isText(record.get(value, K.status))) return null
      return { weight: 'proof', reason: 'tool_result with tool_id and status' }
    case 'message':
      if (!isText(record.get(value, E.role)) || !isText(record.get(value, E.content))) return null
      return { weight: 'weak', reason: 'message with role and text' }
    case 'result':
      if (!isText(record.get(value, K.status))) return null
      if (record.get(record.get(value, K.stats), E.input_tokens) === NONE) return null
      return { weight: 'proof', reason: 'result with status and stats' }
    case null:
      return isOutput(record, value) ? { weight: 'proof', reason: 'response with stats by model' } : null
    default:
      return null
  }
}
