import { Bin } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node } from '../../kernel/record.ts'
import { noteCall, requestCall } from '../calls.ts'
import { encodedJson } from '../encoded.ts'
import { count } from '../figures.ts'
import { operationsOf } from '../operations.ts'
import { classes, spend } from '../spend.ts'
import { firstOf, textAt } from '../values.ts'
import { type Event, open } from './event.ts'
import { isNewReasoning } from './state.ts'

const K = keys(
  'content',
  'source',
  'parentAgentTaskId',
  'messageId',
  'reasoningText',
  'toolRequests',
  'toolCallId',
  'name',
  'arguments',
  'outputTokens',
  'model',
)

/** `user.message`: typed, unless a source or a parent agent is named. */
export function userMessage(event: Event): Bin | null {
  const { record, data, at, ofSubagent, state, sink } = event
  const text = record.get(data, K.content)
  if (!record.isString(text)) return null
  open(event)
  state.aborted = false
  state.reasoning = []
  const source = record.word(record.get(data, K.source))
  const isTyped =
    !ofSubagent && (source ?? 'user') === 'user' && record.isNullish(record.get(data, K.parentAgentTaskId))
  sink.injection({ at, text, origin: isTyped ? 'user' : 'synthetic' })
  return Bin.Translated
}

/** Text that a program puts into the conversation. */
export function injected(event: Event): Bin | null {
  const { record, data, at, sink } = event
  const text = record.get(data, K.content)
  if (!record.isString(text)) return record.isObject(data) ? Bin.Bookkeeping : null
  open(event)
  sink.injection({ at, text, origin: 'synthetic' })
  return Bin.Translated
}

/** `assistant.reasoning`: some versions tell it again on the message. */
export function reasoning(event: Event): Bin | null {
  const { record, data, at, state, sink } = event
  const text = record.get(data, K.content)
  const said = record.text(text)
  if (said === null) return null
  if (!isNewReasoning(said, state)) return Bin.Folded
  open(event)
  sink.thinking({ at, text, requestId: null })
  return Bin.Translated
}

/**
 * `assistant.message`: one answer of the model. Its count of output tokens is all that is known of the request before
 * the shutdown: a lower bound.
 */
export function assistantMessage(event: Event): Bin | null {
  const { record, data, at, state, sink } = event
  if (!record.isObject(data)) return null
  open(event)
  const requestId = textAt(record, record.get(data, K.messageId))
  let given = 0
  const thought = record.get(data, K.reasoningText)
  const said = record.text(thought)
  if (said !== null && said !== '' && isNewReasoning(said, state)) {
    sink.thinking({ at, text: thought, requestId })
    given++
  }
  const text = record.get(data, K.content)
  if (record.isString(text) && record.textBytes(text) !== 0) {
    sink.text({ at, text, requestId })
    given++
  }
  const requests = record.get(data, K.toolRequests)
  for (let request = firstOf(record, requests); request !== NONE; request = record.next(request), given++) {
    toolRequest(event, request)
  }
  if (outputOf(event, requestId)) given++
  return given > 0 ? Bin.Translated : Bin.Bookkeeping
}

function toolRequest({ record, at, state, sink }: Event, request: Node): void {
  const name = record.get(request, K.name)
  if (!record.isString(name)) {
    sink.opaque({ at, vendorType: 'assistant.message', vendorSubtype: 'toolRequests', block: request })
    return
  }
  const callId = record.get(request, K.toolCallId)
  noteCall(record.text(callId), state.calls)
  const args = record.get(request, K.arguments)
  const input = encodedJson(record, args) ?? args
  const operations = operationsOf('copilot', record.word(name))
  requestCall(record, { at, callId: textAt(record, callId) ?? '', name, input, operations }, sink)
}

function outputOf({ record, data, id, at, ofSubagent, state, sink }: Event, requestId: Text): boolean {
  const node = record.get(data, K.outputTokens)
  if (record.isNullish(node)) return false
  const event = record.text(id)
  spend(
    record,
    {
      at,
      requestId,
      model: record.word(record.get(data, K.model)) ?? state.model,
      tokens: classes(null, null, null, count(record, node, sink)),
      key: state.session === null || event === null ? null : `copilot:${state.session}:${event}`,
      session: state.session,
      process: state.process,
      final: false,
      sidechain: ofSubagent,
    },
    sink,
  )
  return true
}
