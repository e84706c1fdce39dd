import { Bin, type Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { Shape } from '../../kernel/shape.ts'
import { answerCall, noteCall, requestCall } from '../calls.ts'
import { encodedJson } from '../encoded.ts'
import { operationsOf } from '../operations.ts'
import { textAt } from '../values.ts'
import { sayPart } from './content.ts'
import { warnOfDenied } from './denials.ts'
import { open } from './opening.ts'
import { holdStepUsage, settleStep } from './spending.ts'
import type { State } from './state.ts'

const EVENT = new Shape(
  'type',
  'uuid',
  'stepUuid',
  'part',
  'toolCallId',
  'name',
  'args',
  'result',
  'usage',
  'finishReason',
)
const K = keys('output', 'isError', 'note')

/** Ends of a step that are no trouble. */
const GOOD_ENDS: ReadonlySet<string> = new Set(['end_turn', 'stop', 'tool_call', 'tool_calls', 'tool_use'])
const LONGEST_ID = 512

/** The event inside `context.append_loop_event`; null when it is not known or cannot be read. */
export function loopEvent(record: RecordView, event: Node, at: Text, state: State, sink: Sink): Bin | null {
  const fields = EVENT.read(record, event)
  switch (record.word(fields.type)) {
    case 'step.begin': {
      settleStep(state, sink)
      const step = record.text(fields.uuid)
      state.step = step !== null && step.length <= LONGEST_ID ? step : null
      state.recorded = false
      return Bin.Bookkeeping
    }
    case 'content.part':
      if (!record.isObject(fields.part)) return null
      open(record, at, state, sink)
      sayPart(record, fields.part, at, textAt(record, fields.stepUuid), sink)
      return Bin.Translated
    case 'tool.call': {
      const { toolCallId, name, args } = fields
      if (!record.isString(name)) return null
      open(record, at, state, sink)
      noteCall(record.text(toolCallId), state.calls)
      const operations = operationsOf('kimi', record.word(name))
      const input = encodedJson(record, args) ?? args
      requestCall(record, { at, callId: textAt(record, toolCallId) ?? '', name, input, operations }, sink)
      warnOfDenied(record.text(toolCallId), state, sink)
      return Bin.Translated
    }
    case 'tool.result':
      return result(record, fields.toolCallId, fields.result, at, state, sink)
    case 'step.end':
      return stepEnd(record, fields.finishReason, fields.usage, at, state, sink)
    default:
      return null
  }
}

/** `isError` is written only when it is true; a `note` is what the model is told beside the output. */
function result(
  record: RecordView,
  toolCallId: Node,
  outcome: Node,
  at: Text,
  state: State,
  sink: Sink,
): Bin | null {
  const callId = textAt(record, toolCallId)
  if (callId === null) return null
  open(record, at, state, sink)
  const isObject = record.isObject(outcome)
  const hasNote = record.get(outcome, K.note) !== NONE
  answerCall(
    record,
    {
      at,
      callId,
      content: isObject ? record.get(outcome, K.output) : outcome,
      isError: record.bool(record.get(outcome, K.isError)),
      own: hasNote ? outcome : NONE,
    },
    sink,
  )
  return Bin.Translated
}

function stepEnd(
  record: RecordView,
  finishReason: Node,
  usage: Node,
  at: Text,
  state: State,
  sink: Sink,
): Bin {
  holdStepUsage(record, usage, at, state, sink)
  const reason = record.word(finishReason)
  if (reason === null || GOOD_ENDS.has(reason)) return Bin.Folded
  open(record, at, state, sink)
  sink.warning({ at, code: reason, message: `a step ended: ${reason}` })
  return Bin.Translated
}
