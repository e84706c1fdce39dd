import type { Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import { Kind } from '../../kernel/layout.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { Shape } from '../../kernel/shape.ts'
import { answerCall, requestCall } from '../calls.ts'
import { count } from '../figures.ts'
import { operationsOf } from '../operations.ts'
import { classes, spend } from '../spend.ts'
import { firstOf, textAt } from '../values.ts'

const MESSAGE = new Shape(
  'role',
  'content',
  'usage',
  'model',
  'stopReason',
  'errorMessage',
  'toolCallId',
  'isError',
  'details',
)
const BLOCK = new Shape('type', 'text', 'thinking', 'redacted', 'id', 'name', 'arguments')
const K = keys('input', 'output', 'cacheRead', 'cacheWrite', 'cost', 'total', 'text')

/** The fields of a message of pi; good until the next one is read. */
export type Message = ReturnType<typeof MESSAGE.read>

export function readMessage(record: RecordView, node: Node): Message {
  return MESSAGE.read(record, node)
}

/** What an entry says of the message in it. */
export interface Entry {
  readonly at: Text
  /** Id of the entry, for the request behind it. */
  readonly id: Text
  /** Identity of the request over the whole corpus; null when the entry has none. */
  readonly key: string | null
  readonly session: string | null
}

/** Stop reasons of a message that came to a good end. */
const GOOD_STOPS: ReadonlySet<string> = new Set(['stop', 'toolUse'])

/**
 * A message of the model: its blocks, its usage, and a warning when the request failed (spec vendor-transcripts §8).
 * The usage of a request that failed or was aborted is what had been counted by then: a lower bound.
 *
 * @param called the id of each call, as it is written
 * @returns how many events were written; null when nothing in it can be read
 */
export function assistantMessage(
  record: RecordView,
  message: Message,
  entry: Entry,
  called: (id: string | null) => void,
  sink: Sink,
): number | null {
  const { at, id } = entry
  const { content, usage, errorMessage } = message
  if (!record.isString(content) && !record.isArray(content) && !record.isObject(usage)) return null
  let given = 0
  const model = record.word(message.model)
  const stop = record.word(message.stopReason)
  if (record.isString(content)) given += said(record, content, at, id, sink)
  for (let block = firstOf(record, content); block !== NONE; block = record.next(block)) {
    given += assistantBlock(record, block, at, id, called, sink)
  }
  if (record.isObject(usage)) {
    given++
    const cost = record.get(record.get(usage, K.cost), K.total)
    const tokens = classes(
      count(record, record.get(usage, K.input), sink),
      count(record, record.get(usage, K.cacheRead), sink),
      count(record, record.get(usage, K.cacheWrite), sink),
      count(record, record.get(usage, K.output), sink),
    )
    spend(
      record,
      {
        at,
        requestId: id,
        model,
        tokens,
        key: entry.key,
        session: entry.session,
        final: stop !== 'error' && stop !== 'aborted',
        costUsd: record.kind(cost) === Kind.Number ? cost : null,
      },
      sink,
    )
  }
  if (stop !== null && !GOOD_STOPS.has(stop)) {
    given++
    const severity = stop === 'error' ? 'error' : 'warning'
    sink.warning({
      at,
      code: stop,
      message: textAt(record, errorMessage) ?? `the request ended: ${stop}`,
      severity,
    })
  }
  return given
}

function assistantBlock(
  record: RecordView,
  block: Node,
  at: Text,
  requestId: Text,
  called: (id: string | null) => void,
  sink: Sink,
): number {
  const fields = BLOCK.read(record, block)
  const { text, thinking, name } = fields
  const type = record.word(fields.type)
  if (type === 'text' && record.isString(text)) {
    return said(record, text, at, requestId, sink)
  }
  if (type === 'thinking' && record.isString(thinking)) {
    if (record.textBytes(thinking) === 0 && record.bool(fields.redacted) !== true) return 0
    sink.thinking({ at, text: thinking, requestId })
    return 1
  }
  if (type === 'toolCall' && record.isString(name)) {
    called(record.text(fields.id))
    const operations = operationsOf('pi', record.text(name)?.toLowerCase() ?? null)
    requestCall(
      record,
      { at, callId: textAt(record, fields.id) ?? '', name, input: fields.arguments, operations },
      sink,
    )
  } else {
    sink.opaque({ at, vendorType: 'assistant', vendorSubtype: textAt(record, fields.type), block })
  }
  return 1
}

function said(record: RecordView, text: Node, at: Text, requestId: Text, sink: Sink): number {
  if (record.textBytes(text) === 0) return 0
  sink.text({ at, text, requestId })
  return 1
}

/** The result of a tool, as a message. False when it names no call. */
export function toolResultMessage(record: RecordView, message: Message, at: Text, sink: Sink): boolean {
  const callId = textAt(record, message.toolCallId)
  if (callId === null) return false
  const { content, details } = message
  answerCall(record, { at, callId, content, isError: record.bool(message.isError), own: details }, sink)
  return true
}
