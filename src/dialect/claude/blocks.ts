import type { Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { type Fields, Shape } from '../../kernel/shape.ts'
import { operationsOf } from '../operations.ts'
import { subjectsOf } from '../subjects.ts'
import { jsonAt, textAt } from '../values.ts'
import { firstItem } from './fields.ts'

const BLOCK = new Shape(
  'type',
  'id',
  'name',
  'text',
  'input',
  'content',
  'thinking',
  'signature',
  'is_error',
  'tool_use_id',
)
const K = keys('type', 'from', 'to', 'model')

/** The fields of a content block. */
export type Block = Fields<
  | 'type'
  | 'id'
  | 'name'
  | 'text'
  | 'input'
  | 'content'
  | 'thinking'
  | 'signature'
  | 'is_error'
  | 'tool_use_id'
>

/** The fields of a block; good until the next one is read. */
export function readBlock(record: RecordView, block: Node): Block {
  return BLOCK.read(record, block)
}

/**
 * The content of an assistant message: one event for each block, in order (spec metaharness-event-1 §8).
 *
 * @returns how many events were written
 */
export function assistantContent(
  record: RecordView,
  content: Node,
  at: Text,
  requestId: Text,
  sink: Sink,
): number {
  if (record.isString(content)) {
    sink.text({ at, text: content, requestId })
    return 1
  }
  let given = 0
  for (let block = firstItem(record, content); block !== NONE; block = record.next(block), given++) {
    const fields = readBlock(record, block)
    if (!isRead(record, block, fields, at, requestId, sink)) {
      sink.opaque({ at, vendorType: 'assistant', vendorSubtype: textAt(record, fields.type), block })
    }
  }
  return given
}

function isRead(
  record: RecordView,
  block: Node,
  fields: Block,
  at: Text,
  requestId: Text,
  sink: Sink,
): boolean {
  const type = record.word(fields.type)
  switch (type) {
    case 'text': {
      const { text } = fields
      if (!record.isString(text)) return false
      sink.text({ at, text, requestId })
      return true
    }
    case 'thinking': {
      const text = textAt(record, fields.thinking)
      // Newer models sign their reasoning and leave its text out.
      if (text === null && !record.isString(fields.signature)) return false
      sink.thinking({ at, text: text ?? '', requestId })
      return true
    }
    case 'redacted_thinking':
      sink.thinking({ at, text: '', requestId })
      return true
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return isCall(record, fields, at, sink)
    case 'fallback': {
      const from = record.text(record.get(record.get(block, K.from), K.model))
      const to = record.text(record.get(record.get(block, K.to), K.model))
      const message = `the answer fell back from ${from ?? 'one model'} to ${to ?? 'another'}`
      sink.warning({ at, code: 'fallback', message })
      return true
    }
    case null:
      return false
    default:
      // web_search_tool_result, web_fetch_tool_result, code_execution_tool_result, advisor_tool_result, …
      return type.endsWith('_tool_result') && isServerResult(record, fields, at, sink)
  }
}

function isCall(record: RecordView, { id, name, input }: Block, at: Text, sink: Sink): boolean {
  const word = record.word(name)
  if (word === null) return false
  if (!sink.takesTalk) return true
  sink.toolRequested({
    at,
    callId: textAt(record, id) ?? '',
    name,
    input: jsonAt(input),
    operations: operationsOf('claude', word),
    subjects: subjectsOf(record, input),
    decisionRequired: false,
    deadlineMs: null,
    seam: 'none',
  })
  return true
}

/** Result of a tool that ran at the vendor's: it stands in the assistant's own message. */
function isServerResult(record: RecordView, fields: Block, at: Text, sink: Sink): boolean {
  const { tool_use_id: call, content, is_error: isError } = fields
  if (!record.isString(call)) return false
  const failed = record.word(record.get(content, K.type))?.endsWith('_error') === true
  toolResult(record, call, content, record.bool(isError) ?? (failed ? true : null), NONE, at, sink)
  return true
}

/** One `tool.result`; `bytes` is the UTF-8 length of a string, else of the compact JSON. */
export function toolResult(
  record: RecordView,
  callId: Text,
  content: Node,
  isError: boolean | null,
  toolUseResult: Node,
  at: Text,
  sink: Sink,
): void {
  if (!sink.takesTalk) return
  sink.toolResult({
    at,
    exitCode: null,
    outcomeSource: null,
    callId,
    isError,
    content: jsonAt(content),
    bytes: content === NONE ? null : (record.textBytes(content) ?? record.compactBytes(content)),
    toolUseResult: record.isNullish(toolUseResult) ? null : toolUseResult,
  })
}
