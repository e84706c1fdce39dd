import type { Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import type { Node, RecordView } from '../../kernel/record.ts'
import { Shape } from '../../kernel/shape.ts'
import { answerCall, requestCall } from '../calls.ts'
import { operationsOf } from '../operations.ts'
import { timeAt } from '../times.ts'
import { textAt } from '../values.ts'
import { noteCall, type State } from './chat-state.ts'
import { answerIn } from './parts.ts'

const CALL = new Shape('id', 'name', 'args', 'result', 'status', 'timestamp', 'resultDisplay')
const K = keys('id', 'name', 'args')

/** Whether a call came to an end, and how; calls of any other status are still under way. */
const ENDS: Readonly<Record<string, boolean>> = { success: false, error: true, cancelled: true }

/** What the harness writes into the answer of a call that its user did not allow. */
const NOT_ALLOWED = 'User did not allow tool call'

/**
 * A record of a call in `toolCalls`: the call, and its result once there is one. Later states of the message repeat it.
 *
 * @param fallback names the call when it has no id of its own
 * @returns how many events were written
 */
export function toolCall(
  record: RecordView,
  node: Node,
  fallback: string,
  messageAt: Text,
  state: State,
  sink: Sink,
): number {
  const { id, name, args, result, status, timestamp, resultDisplay } = CALL.read(record, node)
  const at = timeAt(record, timestamp) ?? messageAt
  const word = record.word(name)
  if (word === null) {
    sink.opaque({ at, vendorType: 'gemini', vendorSubtype: 'toolCall', block: node })
    return 1
  }
  const known = record.text(id) ?? fallback
  const callId = textAt(record, id) ?? ''
  const before = state.calls.get(known)
  let written = 0
  if (before === undefined) {
    requestCall(record, { at, callId, name, input: args, operations: operationsOf('gemini', word) }, sink)
    noteCall(state, known, false)
    written++
  }
  const ended = record.word(status)
  const isError = ended === null ? undefined : ENDS[ended]
  const isOver = isError !== undefined || (ended === null && !record.isNullish(result))
  if (before === true || !isOver) return written
  const answer = answerIn(record, result)
  answerCall(
    record,
    {
      at,
      callId,
      content: answer.content,
      isError: isError ?? (answer.isError ? true : null),
      own: resultDisplay,
    },
    sink,
  )
  noteCall(state, known, true)
  written++
  if (ended === 'cancelled' && record.text(answer.content)?.includes(NOT_ALLOWED) === true) {
    sink.warning({ at, code: 'approval-denied', message: NOT_ALLOWED, deniedCall: callId })
    written++
  }
  return written
}

/** A `functionCall` among the parts of a content, when no record of the call is kept beside it. */
export function callOf(record: RecordView, node: Node, at: Text, state: State, sink: Sink): number {
  const id = record.get(node, K.id)
  const name = record.get(node, K.name)
  const word = record.word(name)
  const known = record.text(id)
  if (word === null) {
    sink.opaque({ at, vendorType: 'gemini', vendorSubtype: 'functionCall', block: node })
    return 1
  }
  if (known !== null && state.calls.has(known)) return 0
  const input = record.get(node, K.args)
  const callId = textAt(record, id) ?? ''
  requestCall(record, { at, callId, name, input, operations: operationsOf('gemini', word) }, sink)
  if (known !== null) noteCall(state, known, false)
  return 1
}

/** A `functionResponse` among the parts of a content: mostly the answer that the record of its call holds already. */
export function responseOf(record: RecordView, node: Node, at: Text, state: State, sink: Sink): number {
  const id = record.get(node, K.id)
  const known = record.text(id)
  if (known !== null && state.calls.get(known) === true) return 0
  const { content, isError } = answerIn(record, node)
  answerCall(record, { at, callId: textAt(record, id) ?? '', content, isError: isError ? true : null }, sink)
  if (known !== null) noteCall(state, known, true)
  return 1
}
