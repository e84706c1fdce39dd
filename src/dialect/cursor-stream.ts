import { Bin, type Sink } from '../event/sink.ts'
import type { Text } from '../event/value.ts'
import { type Key, keys } from '../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'
import { Shape } from '../kernel/shape.ts'
import type { Adapter, Ending, Evidence } from './adapter.ts'
import { enterSession, initStream } from './begun-session.ts'
import { UNFINISHED } from './endings.ts'
import { sessionEnd, sessionStart } from './session-events.ts'
import { eachBlock } from './blocks.ts'
import {
  hearMessage,
  hearThought,
  noSpeech,
  sayAll,
  sayThinking,
  type Speech,
  textOf,
} from './cursor/speech.ts'
import { toolCall } from './cursor/tools.ts'
import { count } from './figures.ts'
import { authorOf } from './reminder.ts'
import { classes, figuresOf, spend } from './spend.ts'
import { timeAt } from './times.ts'
import { firstOf, textAt, wholeAt } from './values.ts'

const RECORD = new Shape(
  'type',
  'subtype',
  'session_id',
  'message',
  'timestamp_ms',
  'model_call_id',
  'call_id',
  'tool_call',
  'text',
)
const K = keys(
  'content',
  'type',
  'text',
  'apiKeySource',
  'cwd',
  'model',
  'permissionMode',
  'mcp_servers',
  'is_error',
  'result',
  'request_id',
  'duration_ms',
  'duration_api_ms',
  'usage',
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'total_cost_usd',
)
type Fields = ReturnType<typeof RECORD.read>

interface State {
  started: boolean
  session: string | null
  model: string | null
  readonly speech: Speech
  readonly calls: Set<string>
  ending: Ending
}

/**
 * `cursor-agent -p --output-format stream-json` (spec vendor-transcripts §7). With partial output a text comes in pieces,
 * which carry a time and no id of a model call, and then once more as a whole: it is written once. Thinking only comes
 * in pieces. When a run fails hard there is no `result`.
 */
export const cursorStream: Adapter<State> = {
  dialect: 'cursor-stream',
  summary: 'cursor-agent -p --output-format stream-json',
  evidence,
  runId: (record, value) => record.text(RECORD.read(record, value).session_id),
  initial: ({ deltas }) => ({
    started: false,
    session: null,
    model: null,
    speech: noSpeech(deltas),
    calls: new Set(),
    ending: UNFINISHED,
  }),
  step(record, state, sink) {
    const fields = RECORD.read(record, record.root)
    const { type, subtype } = fields
    const at = timeAt(record, fields.timestamp_ms)
    const bin = translate(record, fields, at, state, sink)
    if (bin !== null) return bin
    sink.opaque({ at, vendorType: textAt(record, type), vendorSubtype: textAt(record, subtype) })
    return Bin.Opaque
  },
  end(state, sink) {
    sayAll(state.speech, sink)
    return state.ending
  },
}

function translate(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): Bin | null {
  const type = record.word(fields.type)
  const subtype = record.word(fields.subtype)
  if (type === 'assistant') return assistant(record, fields, at, state, sink)
  if (type === 'thinking') return thinking(record, fields, subtype, at, state, sink)
  sayAll(state.speech, sink)
  switch (type) {
    case 'system':
      return subtype === 'init' ? init(record, fields, at, state, sink) : null
    case 'user':
      return user(record, fields, at, state, sink)
    case 'tool_call': {
      const { call_id: callId, tool_call: node } = fields
      if (!record.isString(callId) || !record.isObject(node)) return null
      enter(record, fields, at, state, sink)
      return toolCall(record, { subtype, callId, toolCall: node, at }, state.calls, sink)
    }
    case 'result':
      return result(record, fields, subtype, at, state, sink)
    default:
      return null
  }
}

function assistant(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): Bin | null {
  const content = record.get(fields.message, K.content)
  const whole = textOf(record, content)
  if (whole === null) return null
  const isPiece = fields.timestamp_ms !== NONE && fields.model_call_id === NONE
  const isFirst = enter(record, fields, at, state, sink)
  const bin = hearMessage(record, { at, content, whole, isPiece }, state.speech, sink)
  return isFirst ? Bin.Translated : bin
}

function thinking(
  record: RecordView,
  fields: Fields,
  subtype: string | null,
  at: Text,
  state: State,
  sink: Sink,
): Bin | null {
  const { text } = fields
  const piece = record.text(text)
  if (subtype === 'completed') {
    if (sayThinking(state.speech, sink) || piece === null || piece === '') return Bin.Folded
    enter(record, fields, at, state, sink)
    sink.thinking({ at, text, requestId: null })
    return Bin.Translated
  }
  if (subtype !== 'delta' || piece === null) return null
  const isFirst = enter(record, fields, at, state, sink)
  const bin = hearThought(record, text, at, state.speech, sink)
  return isFirst ? Bin.Translated : bin
}

function user(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): Bin | null {
  const content = record.get(fields.message, K.content)
  if (!record.isString(content) && firstOf(record, content) === NONE) return null
  enter(record, fields, at, state, sink)
  if (record.isString(content)) {
    sink.injection({ at, text: content, origin: authorOf(record.text(content)) })
    return Bin.Translated
  }
  eachBlock(record, content, 'user', at, sink, (_block, { type, text }) => {
    if (!record.is(type, 'text') || !record.isString(text)) return false
    sink.injection({ at, text, origin: authorOf(record.text(text)) })
    return true
  })
  return Bin.Translated
}

/** The end of the run, in newer builds with its usage. That the input lies outside the cache is taken as read. */
function result(
  record: RecordView,
  fields: Fields,
  subtype: string | null,
  at: Text,
  state: State,
  sink: Sink,
): Bin {
  const { root } = record
  enter(record, fields, at, state, sink)
  const request = record.get(root, K.request_id)
  const usage = record.get(root, K.usage)
  const figure = (name: Key): number | null => count(record, record.get(usage, name), sink)
  let figures = null
  if (record.isObject(usage)) {
    const written = figure(K.cacheWriteTokens)
    const tokens = classes(figure(K.inputTokens), figure(K.cacheReadTokens), written, figure(K.outputTokens))
    const id = record.text(request)
    const key = id === null ? null : `cursor:${state.session ?? ''}:${id}`
    const { session, model } = state
    spend(record, { at, requestId: textAt(record, request), model, tokens, key, session }, sink)
    figures = figuresOf(tokens)
  }
  const isError = record.bool(record.get(root, K.is_error))
  const isGood = isError === false || (isError === null && subtype === 'success')
  const answer = textAt(record, record.get(root, K.result))
  if (!isGood) {
    sink.warning({ at, code: subtype ?? 'result', message: answer ?? 'the run failed', severity: 'error' })
  }
  sink.sessionEnded(
    sessionEnd({
      at,
      finalAnswer: isGood && answer !== null ? { text: answer, turnId: null } : null,
      isError,
      subtype: textAt(record, fields.subtype),
      durationMs: wholeAt(record, record.get(root, K.duration_ms)),
      durationApiMs: wholeAt(record, record.get(root, K.duration_api_ms)),
      usage: figures,
    }),
  )
  state.ending = { reason: isGood ? 'completed' : 'error', terminal: true, promised: true }
  return Bin.Translated
}

function init(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): Bin {
  const { root } = record
  const model = record.get(root, K.model)
  const started = sessionStart('cursor', {
    at,
    sessionId: textAt(record, fields.session_id),
    model: textAt(record, model),
    permissionMode: textAt(record, record.get(root, K.permissionMode)),
    credentialSource: textAt(record, record.get(root, K.apiKeySource)),
    cwd: textAt(record, record.get(root, K.cwd)),
  })
  return initStream(record, fields.session_id, model, started, state, sink)
}

/** True when this record opened the session. */
function enter(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): boolean {
  return enterSession(record, fields.session_id, 'cursor', at, state, sink)
}

function evidence(record: RecordView, value: Node): Evidence | null {
  const { type, subtype, tool_call: call, session_id: session } = RECORD.read(record, value)
  const has = (name: keyof typeof K): boolean => record.get(value, K[name]) !== NONE
  const sub = record.word(subtype)
  switch (record.word(type)) {
    case 'tool_call':
      if (!record.isObject(call) || (sub !== 'started' && sub !== 'completed')) return null
      return { weight: 'proof', reason: `tool_call ${sub}` }
    case 'system':
      if (sub !== 'init' || !has('apiKeySource') || !has('permissionMode') || has('mcp_servers')) return null
      return { weight: 'proof', reason: 'init with apiKeySource and permissionMode, without mcp_servers' }
    case 'thinking':
      if (!record.isString(session) || (sub !== 'delta' && sub !== 'completed')) return null
      return { weight: 'proof', reason: `thinking ${sub} with session_id` }
    case 'result':
      if (!record.isString(session) || !has('request_id') || has('total_cost_usd')) return null
      return { weight: 'proof', reason: 'result with request_id and without a price' }
    default:
      return null
  }
}
