import { Bin, type Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { type Fields, Shape } from '../../kernel/shape.ts'
import { textAt } from '../values.ts'
import { authFromContent, authFromError } from './auth.ts'
import { assistantContent } from './blocks.ts'
import { firstItem, keptTime, wordOf } from './fields.ts'
import type { Messages } from './message-state.ts'
import { addLine, close, noteFolded, resume } from './messages.ts'

const MESSAGE = new Shape('id', 'model', 'content', 'usage', 'stop_reason')
const K = keys('type', 'text', 'apiErrorStatus')

/** The fields of a message. */
export type Message = Fields<'id' | 'model' | 'content' | 'usage' | 'stop_reason'>

/** The model of messages that the harness words itself; it is no model and costs nothing. */
const SYNTHETIC = '<synthetic>'

/** The parts of an `assistant` record in which the two Claude dialects differ. */
export interface AssistantLine {
  readonly at: Text
  /** See `MessageLine.thread`. */
  readonly thread: string
  readonly requestId: Node
  readonly uuid: Node
  readonly error: Node
  readonly costUsd: Node
  readonly session: string | null
  readonly process: string | null
  readonly sidechain: boolean
  /** The harness says that this is the error of a request: its text is a warning and nobody's answer. */
  readonly isApiError: boolean
  readonly credentialSource: Text
}

/** The message of a record, which need not be there; good until the next one is read. */
export function readMessage(record: RecordView, message: Node): Message {
  return MESSAGE.read(record, message)
}

/** Can anything of this message be read? If not, its record is opaque as a whole. */
export function isReadable(record: RecordView, { content, usage }: Message): boolean {
  return record.isString(content) || firstItem(record, content) !== NONE || record.isObject(usage)
}

/**
 * An `assistant` record: one event for each content block of its line, and the usage of its message when the message
 * is over (spec vendor-transcripts §2.5).
 */
export function assistantRecord(
  record: RecordView,
  message: Message,
  line: AssistantLine,
  messages: Messages,
  sink: Sink,
): Bin {
  const { at, thread, requestId, error } = line
  const { id, content, usage } = message
  const known = resume(record, messages, thread, id, requestId, sink)
  const model = record.word(message.model)
  const isOurs = line.isApiError || model === SYNTHETIC
  let given = 0
  if (isOurs || !record.isNullish(error)) given += harnessSpeaks(record, content, error, line, sink)
  if (!line.isApiError) given += assistantContent(record, content, at, textAt(record, requestId), sink)
  if (isOurs || !record.isObject(usage)) return given > 0 ? Bin.Translated : opaque(record, at, sink)

  const { session, process, sidechain, uuid, costUsd } = line
  const final = !record.isNullish(message.stop_reason)
  const kept = keptTime(record, at)
  const fields = { thread, id, requestId, model, uuid, at: kept, final, session, process, sidechain, costUsd }
  const open = addLine(record, usage, fields, known, messages, sink)
  if (given === 0) noteFolded(open, record.line)
  // Without an id no other line can be told to be of the same message.
  if ((final || open.id === null) && close(open, messages, sink)) given++
  return given > 0 ? Bin.Translated : Bin.Folded
}

/** What the harness has to say for itself on this line: an expired login, the error of a request. */
function harnessSpeaks(
  record: RecordView,
  content: Node,
  error: Node,
  line: AssistantLine,
  sink: Sink,
): number {
  const { at, credentialSource } = line
  const expired =
    authFromError(record, error, at, credentialSource, sink) ||
    authFromContent(record, content, at, credentialSource, sink)
  const kind = record.text(error)
  if (!line.isApiError && kind === null) return expired ? 1 : 0
  const status = wordOf(record, record.get(record.root, K.apiErrorStatus))
  // A message that is flagged as an error is not written as an answer beside this.
  const said = line.isApiError ? saidIn(record, content) : null
  const parts = [kind, status === null ? null : `status ${status}`, said]
  const message = parts.filter((part) => part !== null && part !== '').join(': ')
  sink.warning({ at, code: 'api-error', message: message || 'a request failed', severity: 'error' })
  return expired ? 2 : 1
}

function saidIn(record: RecordView, content: Node): string | null {
  if (record.isString(content)) return record.text(content)
  const texts: string[] = []
  for (let block = firstItem(record, content); block !== NONE; block = record.next(block)) {
    if (record.word(record.get(block, K.type)) !== 'text') continue
    texts.push(record.text(record.get(block, K.text)) ?? '')
  }
  return texts.join('\n')
}

function opaque(record: RecordView, at: Text, sink: Sink): Bin {
  sink.opaque({ at, vendorType: textAt(record, record.get(record.root, K.type)), vendorSubtype: null })
  return Bin.Opaque
}
