import type { Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { Shape } from '../../kernel/shape.ts'
import { answerCall, requestCall } from '../calls.ts'
import { operationsOf } from '../operations.ts'
import { authorOf } from '../reminder.ts'
import { textAt } from '../values.ts'

const BLOCK = new Shape(
  'type',
  'text',
  'thinking',
  'id',
  'toolCall',
  'toolResult',
  'toolName',
  'arguments',
  'msg',
  'notificationType',
  'prompt',
)
const K = keys('status', 'value', 'name', 'arguments', 'error', 'command', 'content', 'isError', 'is_error')

/** The fields of a content block of goose; good until the next one is read. */
export type GooseBlock = ReturnType<typeof BLOCK.read>

export function readGooseBlock(record: RecordView, block: Node): GooseBlock {
  return BLOCK.read(record, block)
}

/** What `developer__text_editor` does is in its `command`. */
const EDITOR: ReadonlyMap<string, readonly string[]> = new Map([
  ['read', ['file.read']],
  ['view', ['file.read']],
  ['create', ['file.write']],
  ['overwrite', ['file.write']],
  ['write', ['file.write']],
  ['delete', ['file.edit']],
  ['edit', ['file.edit']],
  ['insert', ['file.edit']],
  ['move', ['file.edit']],
  ['rename', ['file.edit']],
  ['str_replace', ['file.edit']],
  ['undo_edit', ['file.edit']],
])
const TASK_LIST: readonly string[] = ['task.todo']
const NOTHING: readonly string[] = []

/** Tools are named `<extension>__<tool>`; those of the extension `todo` keep a list. */
function operations(record: RecordView, name: string, input: Node): readonly string[] {
  const cut = name.indexOf('__')
  if (cut > 0 && name.slice(0, cut) === 'todo') return TASK_LIST
  const base = (cut < 0 ? name : name.slice(cut + 2)).toLowerCase()
  if (base !== 'text_editor') return operationsOf('goose', base)
  return EDITOR.get(record.word(record.get(input, K.command)) ?? '') ?? NOTHING
}

/**
 * A block that is no text and no thinking of the model (spec test-cabinet §4.6): calls, results, and what goose itself
 * has to say. False when it is not known, or cannot be read.
 */
export function gooseBlock(
  record: RecordView,
  fields: GooseBlock,
  isUser: boolean,
  at: Text,
  sink: Sink,
): boolean {
  const { text } = fields
  switch (record.word(fields.type)) {
    case 'text':
      if (!isUser || !record.isString(text)) return false
      sink.injection({ at, text, origin: authorOf(record.text(text)) })
      return true
    case 'toolRequest':
    case 'frontendToolRequest':
      return request(record, fields, at, sink)
    case 'toolResponse':
      return response(record, fields, at, sink)
    case 'toolConfirmationRequest':
    case 'actionRequired':
      return true
    case 'systemNotification':
    case 'contextLengthExceeded':
    case 'summarizationRequested': {
      const code =
        textAt(record, fields.notificationType) ?? textAt(record, fields.type) ?? 'systemNotification'
      sink.warning({ at, code, message: textAt(record, fields.msg) ?? '' })
      return true
    }
    default:
      return false
  }
}

/** A request that could not be parsed is a call without a name: opaque, like any other block that cannot be read. */
function request(record: RecordView, { id, toolCall }: GooseBlock, at: Text, sink: Sink): boolean {
  const value = record.get(toolCall, K.value)
  const called = value === NONE ? toolCall : value
  const name = record.get(called, K.name)
  const word = record.text(name)
  if (word === null) return failedRequest(record, toolCall, at, sink)
  const input = record.get(called, K.arguments)
  const callId = textAt(record, id) ?? ''
  requestCall(record, { at, callId, name, input, operations: operations(record, word, input) }, sink)
  return true
}

function failedRequest(record: RecordView, toolCall: Node, at: Text, sink: Sink): boolean {
  const error = record.text(record.get(toolCall, K.error))
  if (error === null) return false
  sink.warning({ at, code: 'toolRequest', message: `a call could not be read: ${error}` })
  return true
}

function response(record: RecordView, { id, toolResult }: GooseBlock, at: Text, sink: Sink): boolean {
  const callId = textAt(record, id)
  if (callId === null) return false
  const status = record.word(record.get(toolResult, K.status))
  const value = record.get(toolResult, K.value)
  const inner = record.get(value, K.content)
  const error = record.get(toolResult, K.error)
  const flag = record.get(value, K.isError)
  const failed = record.bool(flag === NONE ? record.get(value, K.is_error) : flag)
  const isError = status === 'error' ? true : (failed ?? (status === 'success' ? false : null))
  answerCall(
    record,
    { at, callId, content: error !== NONE ? error : inner === NONE ? value : inner, isError },
    sink,
  )
  return true
}
