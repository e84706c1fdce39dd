import { Bin, type Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { Shape } from '../../kernel/shape.ts'
import { sessionStart } from '../session-events.ts'
import { answerCall, requestCall } from '../calls.ts'
import { answerIn, readContent } from '../gemini/parts.ts'
import { isUncounted, readCounts, tokensOf } from '../gemini/tokens.ts'
import { operationsOf } from '../operations.ts'
import { spend } from '../spend.ts'
import { timeAt } from '../times.ts'
import { textAt } from '../values.ts'
import { enter } from './session.ts'
import type { State } from './state.ts'
import { system } from './system.ts'

const RECORD = new Shape(
  'type',
  'subtype',
  'uuid',
  'sessionId',
  'timestamp',
  'cwd',
  'version',
  'model',
  'message',
  'usageMetadata',
  'toolCallResult',
  'isSidechain',
  'provenance',
)
const RESULT = new Shape('callId', 'status', 'resultDisplay', 'errorType')
const K = keys('parts', 'content', 'id', 'name', 'args')
const TOKENS = {
  prompt: keys('promptTokenCount').promptTokenCount,
  cached: keys('cachedContentTokenCount').cachedContentTokenCount,
  candidates: keys('candidatesTokenCount').candidatesTokenCount,
  thoughts: keys('thoughtsTokenCount').thoughtsTokenCount,
  tool: keys('toolUsePromptTokenCount').toolUsePromptTokenCount,
  total: keys('totalTokenCount').totalTokenCount,
}

/** Records of type `user` whose text a person wrote, beside those without a subtype. */
const TYPED: ReadonlySet<string> = new Set(['mid_turn_user_message', 'realtime_message'])
/** How the harness wraps what its hooks add to a prompt. */
const HOOK_CONTEXT = '<qwen:user-prompt-submit-context>'
/** Kinds of a tool's error that say the call was never allowed. */
const REFUSED = 'execution_denied'

type ChatFields = ReturnType<typeof RECORD.read>

/** One record of a chat file: a Gemini-shaped message with the ids of a session around it. */
export function chatRecord(record: RecordView, state: State, sink: Sink): Bin {
  const fields = RECORD.read(record, record.root)
  const at = timeAt(record, fields.timestamp)
  const type = record.word(fields.type)
  switch (type) {
    case 'user':
    case 'assistant':
    case 'tool_result': {
      const content = contentOf(record, fields)
      if (content === NONE && fields.toolCallResult === NONE) return opaque(record, fields, at, sink)
      const opened = enterChat(record, fields, at, state, sink)
      state.ending = { reason: 'error', terminal: false, promised: state.ending.promised }
      const written =
        type === 'user'
          ? said(record, fields, content, at, sink)
          : type === 'assistant'
            ? answered(record, fields, content, at, state, sink)
            : returned(record, fields, content, at, sink)
      return opened || written > 0 ? Bin.Translated : Bin.Bookkeeping
    }
    case 'system': {
      const opened = enterChat(record, fields, at, state, sink)
      const bin = system(record, record.word(fields.subtype), at, state, sink)
      if (bin === Bin.Opaque) return opaque(record, fields, at, sink)
      return opened ? Bin.Translated : bin
    }
    default:
      return opaque(record, fields, at, sink)
  }
}

function contentOf(record: RecordView, { message }: ChatFields): Node {
  const parts = record.get(message, K.parts)
  const content = parts === NONE ? record.get(message, K.content) : parts
  return record.isArray(content) || record.isString(content) ? content : NONE
}

function enterChat(record: RecordView, fields: ChatFields, at: Text, state: State, sink: Sink): boolean {
  return enter(
    record,
    fields.sessionId,
    () =>
      sessionStart('qwen', {
        at,
        harnessVersion: textAt(record, fields.version),
        sessionId: textAt(record, fields.sessionId),
        model: textAt(record, fields.model),
        cwd: textAt(record, fields.cwd),
        subagent: record.bool(fields.isSidechain) === true,
      }),
    state,
    sink,
  )
}

/** A prompt, or what stands in the place of one: notices, timers, the task of a subagent. */
function said(record: RecordView, fields: ChatFields, content: Node, at: Text, sink: Sink): number {
  const subtype = record.word(fields.subtype)
  const provenance = record.word(fields.provenance)
  const isOurs =
    record.bool(fields.isSidechain) === true ||
    (subtype !== null && !TYPED.has(subtype)) ||
    (provenance !== null && provenance !== 'real_user')
  const inject = (text: Node): number => {
    const isContext = record.text(text)?.startsWith(HOOK_CONTEXT) === true
    sink.injection({ at, text, origin: isOurs || isContext ? 'synthetic' : 'user' })
    return 1
  }
  const call = (node: Node): number => callOf(record, node, at, sink)
  const response = (node: Node): number => answer(record, fields, node, at, sink)
  return readContent(record, content, at, 'user', { text: inject, thought: inject, call, response }, sink)
}

function answered(
  record: RecordView,
  fields: ChatFields,
  content: Node,
  at: Text,
  state: State,
  sink: Sink,
): number {
  const requestId = textAt(record, fields.uuid)
  const written = readContent(
    record,
    content,
    at,
    'assistant',
    {
      text(text) {
        sink.text({ at, text, requestId })
        return 1
      },
      thought(text) {
        sink.thinking({ at, text, requestId })
        return 1
      },
      call: (node) => callOf(record, node, at, sink),
      response: (node) => answer(record, fields, node, at, sink),
    },
    sink,
  )
  return written + (use(record, fields, at, state, sink) ? 1 : 0)
}

/** Usage of one request. The prompt holds the cached tokens, the candidates the thoughts (spec §6, §9). */
function use(record: RecordView, fields: ChatFields, at: Text, state: State, sink: Sink): boolean {
  const { usageMetadata, uuid, model, isSidechain } = fields
  if (record.isNullish(usageMetadata)) return false
  const counts = readCounts(record, usageMetadata, TOKENS, sink)
  if (isUncounted(counts)) {
    sink.notice('bad-usage', record.line, 'counts of tokens that cannot be read were taken as unknown')
    return false
  }
  const id = record.text(uuid)
  const spent = {
    at,
    requestId: textAt(record, uuid),
    model: record.word(model),
    tokens: tokensOf(counts, true, record.line, sink),
    // Branches copy records with their ids.
    key: id === null ? null : `qwen:${id}`,
    session: state.session,
    sidechain: record.bool(isSidechain) === true,
  }
  spend(record, spent, sink)
  return true
}

function callOf(record: RecordView, node: Node, at: Text, sink: Sink): number {
  const name = record.get(node, K.name)
  const word = record.word(name)
  if (word === null) {
    sink.opaque({ at, vendorType: 'assistant', vendorSubtype: 'functionCall', block: node })
    return 1
  }
  const callId = textAt(record, record.get(node, K.id)) ?? ''
  const input = record.get(node, K.args)
  requestCall(record, { at, callId, name, input, operations: operationsOf('qwen', word) }, sink)
  return 1
}

/** A `tool_result` record. Without a part that answers a call, what was shown to the user is all there is. */
function returned(record: RecordView, fields: ChatFields, content: Node, at: Text, sink: Sink): number {
  let answers = 0
  const inject = (text: Node): number => {
    sink.injection({ at, text, origin: 'synthetic' })
    return 1
  }
  const written = readContent(
    record,
    content,
    at,
    'tool_result',
    {
      text: inject,
      thought: inject,
      call: (node) => callOf(record, node, at, sink),
      response(node) {
        answers++
        return answer(record, fields, node, at, sink)
      },
    },
    sink,
  )
  if (answers > 0 || !record.isObject(fields.toolCallResult)) return written
  return written + answer(record, fields, NONE, at, sink)
}

/** One answer, with what the record says about the call beside it. */
function answer(record: RecordView, fields: ChatFields, node: Node, at: Text, sink: Sink): number {
  const { callId: named, status, resultDisplay, errorType } = RESULT.read(record, fields.toolCallResult)
  const told = answerIn(record, node)
  const word = record.word(status)
  const isError = word === null ? (told.isError ? true : null) : word !== 'success'
  const callId = textAt(record, record.get(node, K.id)) ?? textAt(record, named) ?? ''
  const content = node === NONE ? resultDisplay : told.content
  answerCall(record, { at, callId, content, isError, own: resultDisplay }, sink)
  if (!record.is(errorType, REFUSED)) return 1
  const message = textAt(record, told.content) ?? 'the call was not allowed'
  sink.warning({ at, code: 'approval-denied', message, deniedCall: callId })
  return 2
}

function opaque(record: RecordView, fields: ChatFields, at: Text, sink: Sink): Bin {
  const vendorType = textAt(record, fields.type)
  sink.opaque({ at, vendorType, vendorSubtype: textAt(record, fields.subtype) })
  return Bin.Opaque
}
