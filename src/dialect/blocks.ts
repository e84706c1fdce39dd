import type { Sink } from '../event/sink.ts'
import type { Text } from '../event/value.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'
import { type Fields, Shape } from '../kernel/shape.ts'
import { answerCall, requestCall } from './calls.ts'
import { type OperationDialect, operationsOf } from './operations.ts'
import { firstOf, textAt } from './values.ts'

/*
 * Content blocks as Anthropic's API has them, which several harnesses keep under their own records: a message is a
 * string, or a list of text, thinking, tool_use and tool_result.
 */

const BLOCK = new Shape(
  'type',
  'text',
  'thinking',
  'id',
  'name',
  'input',
  'tool_use_id',
  'content',
  'is_error',
)

export type Block = Fields<
  'type' | 'text' | 'thinking' | 'id' | 'name' | 'input' | 'tool_use_id' | 'content' | 'is_error'
>

/** The fields of a block; good until the next one is read. */
function readBlock(record: RecordView, block: Node): Block {
  return BLOCK.read(record, block)
}

/**
 * Give each block of a message to `read`; one that it does not understand, or cannot read, is opaque.
 *
 * @param vendorType the vendor's word for the record, for blocks that are opaque
 * @returns how many blocks there were
 */
export function eachBlock(
  record: RecordView,
  content: Node,
  vendorType: Text,
  at: Text,
  sink: Sink,
  read: (block: Node, fields: Block) => boolean,
): number {
  let given = 0
  for (let block = firstOf(record, content); block !== NONE; block = record.next(block), given++) {
    const fields = readBlock(record, block)
    if (read(block, fields)) continue
    sink.opaque({ at, vendorType, vendorSubtype: textAt(record, fields.type), block })
  }
  return given
}

/**
 * Text put into the conversation: a string, or blocks of which the texts count.
 *
 * @param vendorType the vendor's word, for blocks that are no text
 * @returns whether there was anything
 */
export function injectTexts(
  record: RecordView,
  content: Node,
  origin: 'user' | 'synthetic',
  vendorType: string,
  at: Text,
  sink: Sink,
): boolean {
  if (record.isString(content)) {
    sink.injection({ at, text: content, origin })
    return true
  }
  const given = eachBlock(record, content, vendorType, at, sink, (_block, { type, text }) => {
    if (!record.is(type, 'text') || !record.isString(text)) return false
    sink.injection({ at, text, origin })
    return true
  })
  return given > 0
}

/** Where the blocks of a message come from. */
export interface Speaker {
  readonly at: Text
  readonly requestId: Text
  readonly dialect: OperationDialect
  /** The id of a call, for dialects in which blocks have none. */
  readonly callId?: Text
}

/** A block of the model: what it said, thought or asked for. False when it is none of these. */
export function assistantBlock(record: RecordView, fields: Block, speaker: Speaker, sink: Sink): boolean {
  const { at, requestId, dialect } = speaker
  const { text, thinking, name, input } = fields
  switch (record.word(fields.type)) {
    case 'text':
      if (!record.isString(text)) return false
      sink.text({ at, text, requestId })
      return true
    case 'thinking':
      if (!record.isString(thinking)) return false
      sink.thinking({ at, text: thinking, requestId })
      return true
    case 'redacted_thinking':
      sink.thinking({ at, text: '', requestId })
      return true
    case 'tool_use': {
      if (!record.isString(name)) return false
      const callId = textAt(record, fields.id) ?? speaker.callId ?? ''
      const operations = operationsOf(dialect, record.word(name))
      requestCall(record, { at, callId, name, input, operations }, sink)
      return true
    }
    default:
      return false
  }
}

/** The result of a call, which stands in a message of the user. False when the block is none. */
export function resultBlock(record: RecordView, fields: Block, at: Text, sink: Sink): boolean {
  const { content, is_error: isError } = fields
  const callId = textAt(record, fields.tool_use_id)
  if (!record.is(fields.type, 'tool_result') || callId === null) return false
  answerCall(record, { at, callId, content, isError: record.bool(isError) }, sink)
  return true
}
