import { Bin, type Sink } from '../event/sink.ts'
import type { Text } from '../event/value.ts'
import { type Key, keys } from '../kernel/key.ts'
import { Kind } from '../kernel/layout.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'
import { Shape } from '../kernel/shape.ts'
import type { Adapter, Ending, Evidence } from './adapter.ts'
import { enterSession, initStream } from './begun-session.ts'
import { UNFINISHED } from './endings.ts'
import { sessionEnd, sessionStart } from './session-events.ts'
import { answerCall, requestCall } from './calls.ts'
import { count } from './figures.ts'
import { operationsOf } from './operations.ts'
import { authorOf } from './reminder.ts'
import { classes, figuresOf, spend } from './spend.ts'
import { timeAt } from './times.ts'
import { textAt, textsAt, wholeAt } from './values.ts'

const RECORD = new Shape('type', 'subtype', 'session_id', 'sessionId', 'timestamp', 'id')
const K = keys(
  'model',
  'cwd',
  'tools',
  'role',
  'text',
  'toolName',
  'parameters',
  'isError',
  'value',
  'error',
  'finalText',
  'usage',
  'numTurns',
  'num_turns',
  'durationMs',
  'duration_ms',
  'message',
  'reasoning_effort',
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'thinking_tokens',
)
type Fields = ReturnType<typeof RECORD.read>

interface State {
  started: boolean
  session: string | null
  model: string | null
  ending: Ending
}

/**
 * What `droid exec --output-format stream-json` writes (spec vendor-transcripts §8). Session ids come under two names,
 * times as ISO 8601 or epochs. Usage comes once, in `completion`, for the whole session; an error may follow it.
 */
export const droidStream: Adapter<State> = {
  dialect: 'droid-stream',
  summary: 'droid exec --output-format stream-json',
  evidence,
  runId: (record, value) => {
    const fields = RECORD.read(record, value)
    return record.text(sessionOf(record, fields))
  },
  initial: () => ({
    started: false,
    session: null,
    model: null,
    ending: UNFINISHED,
  }),
  step(record, state, sink) {
    const fields = RECORD.read(record, record.root)
    const at = timeAt(record, fields.timestamp)
    const bin = translate(record, fields, at, state, sink)
    if (bin !== null) return bin
    const { type, subtype } = RECORD.read(record, record.root)
    sink.opaque({ at, vendorType: textAt(record, type), vendorSubtype: textAt(record, subtype) })
    return Bin.Opaque
  },
  end: (state) => state.ending,
}

function translate(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): Bin | null {
  const { root } = record
  switch (record.word(fields.type)) {
    case 'system':
      return record.is(fields.subtype, 'init') ? init(record, fields, at, state, sink) : null
    case 'message':
      return message(record, fields, at, state, sink)
    case 'reasoning': {
      const text = record.get(root, K.text)
      if (!record.isString(text)) return null
      enter(record, fields, at, state, sink)
      sink.thinking({ at, text, requestId: null })
      return Bin.Translated
    }
    case 'tool_call': {
      const name = record.get(root, K.toolName)
      if (!record.isString(name)) return null
      enter(record, fields, at, state, sink)
      const callId = textAt(record, fields.id) ?? ''
      const operations = operationsOf('droid', record.word(name))
      requestCall(record, { at, callId, name, input: record.get(root, K.parameters), operations }, sink)
      return Bin.Translated
    }
    case 'tool_result':
      return result(record, fields, at, state, sink)
    case 'completion':
      return completion(record, fields, at, state, sink)
    case 'error':
      return error(record, fields, at, state, sink)
    default:
      return null
  }
}

function message(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): Bin | null {
  const role = record.word(record.get(record.root, K.role))
  const text = record.get(record.root, K.text)
  if (!record.isString(text) || (role !== 'user' && role !== 'assistant')) return null
  enter(record, fields, at, state, sink)
  if (role === 'user') sink.injection({ at, text, origin: authorOf(record.text(text)) })
  else sink.text({ at, text, requestId: textAt(record, fields.id) })
  return Bin.Translated
}

function result(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): Bin | null {
  const { root } = record
  const callId = textAt(record, fields.id)
  if (callId === null) return null
  enter(record, fields, at, state, sink)
  const value = record.get(root, K.value)
  const content = value === NONE ? record.get(root, K.error) : value
  answerCall(record, { at, callId, content, isError: record.bool(record.get(root, K.isError)) }, sink)
  return Bin.Translated
}

/** The terminal record. Its usage is that of the session, as in the settings file of its store. */
function completion(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): Bin {
  const { root } = record
  enter(record, fields, at, state, sink)
  const usage = record.get(root, K.usage)
  const tokens = record.isObject(usage) ? tokensOf(record, usage, sink) : null
  const { session, model } = state
  if (tokens !== null) {
    const key = session === null ? null : `droid:${session}`
    spend(record, { at, requestId: session, model, tokens, key, session }, sink)
  }
  const text = textAt(record, record.get(root, K.finalText))
  sink.sessionEnded(
    sessionEnd({
      at,
      finalAnswer: text === null ? null : { text, turnId: null },
      isError: false,
      subtype: 'completion',
      numTurns: whole(record, K.numTurns, K.num_turns),
      durationMs: whole(record, K.durationMs, K.duration_ms),
      usage: tokens === null ? null : figuresOf(tokens),
    }),
  )
  state.ending = { reason: 'completed', terminal: true, promised: true }
  return Bin.Translated
}

function tokensOf(record: RecordView, usage: Node, sink: Sink): ReturnType<typeof classes> {
  const figure = (name: Key): number | null => count(record, record.get(usage, name), sink)
  return classes(
    figure(K.input_tokens),
    figure(K.cache_read_input_tokens),
    figure(K.cache_creation_input_tokens),
    figure(K.output_tokens),
    figure(K.thinking_tokens),
  )
}

/** The program gives up: nothing else has to follow. */
function error(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): Bin {
  const { root } = record
  enter(record, fields, at, state, sink)
  const said = record.get(root, K.message)
  const words = textAt(record, said) ?? textAt(record, record.get(record.get(root, K.error), K.message))
  sink.warning({ at, code: 'error', message: words ?? 'the run failed', severity: 'error' })
  state.ending = { reason: 'error', terminal: true, promised: true }
  return Bin.Translated
}

function init(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): Bin {
  const node = sessionOf(record, fields)
  const model = record.get(record.root, K.model)
  const started = sessionStart('droid', {
    at,
    sessionId: textAt(record, node),
    model: textAt(record, model),
    cwd: textAt(record, record.get(record.root, K.cwd)),
    offeredTools: textsAt(record, record.get(record.root, K.tools)),
  })
  return initStream(record, node, model, started, state, sink)
}

/** A stream without its first record opens with what the next one says. */
function enter(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): void {
  enterSession(record, sessionOf(record, fields), 'droid', at, state, sink)
}

function sessionOf(record: RecordView, fields: Fields): Node {
  return record.isString(fields.session_id) ? fields.session_id : fields.sessionId
}

function whole(record: RecordView, name: Key, older: Key): number | null {
  return wholeAt(record, record.get(record.root, name)) ?? wholeAt(record, record.get(record.root, older))
}

function evidence(record: RecordView, value: Node): Evidence | null {
  const fields = RECORD.read(record, value)
  const hasSession = record.isString(sessionOf(record, fields))
  if (!hasSession) return null
  switch (record.word(fields.type)) {
    case 'system': {
      if (!record.is(fields.subtype, 'init')) return null
      const hasEpoch = record.kind(fields.timestamp) === Kind.Number
      const isOurs = record.get(value, K.reasoning_effort) !== NONE || fields.sessionId !== NONE || hasEpoch
      return isOurs ? { weight: 'proof', reason: 'init of a stream of droid' } : null
    }
    case 'completion':
      return record.get(value, K.finalText) === NONE
        ? null
        : { weight: 'proof', reason: 'completion with finalText' }
    case 'tool_call':
      return record.get(value, K.toolName) === NONE
        ? null
        : { weight: 'proof', reason: 'tool_call with toolName' }
    case 'message':
      return record.get(value, K.role) === NONE ? null : { weight: 'weak', reason: 'message with a role' }
    default:
      return null
  }
}
