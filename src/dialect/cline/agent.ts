import { Bin, type Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import { Kind } from '../../kernel/layout.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { Shape } from '../../kernel/shape.ts'
import { answerCall, noteCall, requestCall } from '../calls.ts'
import { operationsOf } from '../operations.ts'
import { spend, sumOf } from '../spend.ts'
import { firstOf, textAt } from '../values.ts'
import type { State } from './state.ts'
import { tokensOf } from './totals.ts'

const EVENT = new Shape(
  'type',
  'contentType',
  'text',
  'content',
  'reasoning',
  'toolCallId',
  'toolName',
  'input',
  'output',
  'error',
)
const K = keys('success', 'results', 'cost', 'message', 'reason')
type Fields = ReturnType<typeof EVENT.read>

/** The event of an `agent_event` (spec test-cabinet §4.5); null when it is not known, or cannot be read. */
export function agentEvent(record: RecordView, event: Node, at: Text, state: State, sink: Sink): Bin | null {
  const fields = EVENT.read(record, event)
  switch (record.word(fields.type)) {
    case 'iteration_start':
      state.turn++
      state.inTurn = true
      sink.turnStarted({ at, turn: state.turn, frameDigest: null })
      return Bin.Translated
    case 'iteration_end':
      if (!state.inTurn) return Bin.Bookkeeping
      state.inTurn = false
      sink.turnEnded({ at, turn: state.turn, stopReason: null })
      return Bin.Translated
    case 'content_start':
      return record.is(fields.contentType, 'tool') ? call(record, fields, at, state, sink) : Bin.Folded
    case 'content_update':
      return Bin.Folded
    case 'content_end':
      return contentEnd(record, fields, at, state, sink)
    case 'usage':
      return usage(record, event, at, state, sink)
    case 'notice':
    case 'error':
      return notice(record, fields, at, sink)
    case 'done':
      return Bin.Bookkeeping
    default:
      return null
  }
}

function call(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): Bin | null {
  const { toolCallId: callId, toolName: name, input } = fields
  if (!record.isString(name)) return null
  noteCall(record.text(callId), state.calls)
  const operations = operationsOf('cline', record.word(name))
  requestCall(record, { at, callId: textAt(record, callId) ?? '', name, input, operations }, sink)
  return Bin.Translated
}

/** A text or a thought as a whole, or the end of a call, which tells it again when its start was not seen. */
function contentEnd(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): Bin | null {
  const text = record.isString(fields.text) ? fields.text : fields.content
  switch (record.word(fields.contentType)) {
    case 'text':
      if (!record.isString(text)) return null
      if (record.textBytes(text) === 0) return Bin.Bookkeeping
      sink.text({ at, text, requestId: null })
      return Bin.Translated
    case 'reasoning':
    case 'thinking': {
      const words = record.isString(text) ? text : fields.reasoning
      if (!record.isString(words)) return null
      if (record.textBytes(words) === 0) return Bin.Bookkeeping
      sink.thinking({ at, text: words, requestId: null })
      return Bin.Translated
    }
    case 'tool':
      return toolEnd(record, fields, at, state, sink)
    default:
      return null
  }
}

function toolEnd(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): Bin | null {
  const { toolCallId: callId, output, error } = fields
  const id = record.text(callId)
  if (id === null) return null
  if (!state.calls.has(id) && record.isString(fields.toolName)) call(record, fields, at, state, sink)
  const isError = record.isNullish(error) ? failed(record, output) : true
  answerCall(record, { at, callId, content: output === NONE ? error : output, isError }, sink)
  return Bin.Translated
}

/** Success of a batch is that of all its items; null when the harness does not say. */
function failed(record: RecordView, output: Node): boolean | null {
  const success = record.bool(record.get(output, K.success))
  if (success !== null) return !success
  const results = record.isArray(output) ? output : record.get(output, K.results)
  let isAny = false
  for (let item = firstOf(record, results); item !== NONE; item = record.next(item)) {
    if (record.bool(record.get(item, K.success)) !== true) return true
    isAny = true
  }
  return isAny ? false : null
}

/** One request. */
function usage(record: RecordView, event: Node, at: Text, state: State, sink: Sink): Bin {
  const tokens = tokensOf(record, event, sink)
  const cost = record.get(event, K.cost)
  const costUsd = record.kind(cost) === Kind.Number ? cost : null
  const { model, session } = state
  spend(record, { at, requestId: null, model, tokens, key: null, session, costUsd }, sink)
  state.spent = state.spent === null ? tokens : sumOf([state.spent, tokens])
  return Bin.Translated
}

function notice(record: RecordView, fields: Fields, at: Text, sink: Sink): Bin {
  const type = record.word(fields.type) ?? 'notice'
  const { error } = fields
  const said =
    textAt(record, error) ?? textAt(record, record.get(error, K.message)) ?? textAt(record, fields.text)
  const severity = type === 'error' ? 'error' : 'warning'
  sink.warning({ at, code: type, message: said ?? 'something went wrong', severity })
  return Bin.Translated
}
