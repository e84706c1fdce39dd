import { Bin, type Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { Shape } from '../../kernel/shape.ts'
import { UNFINISHED } from '../endings.ts'
import { sessionStart } from '../session-events.ts'
import { answerCall, requestCall } from '../calls.ts'
import { mcpServersAt } from '../mcp-servers.ts'
import { operationsOf } from '../operations.ts'
import { timeAt } from '../times.ts'
import { firstOf, textAt, textsAt } from '../values.ts'
import { result } from './result.ts'
import { enter } from './session.ts'
import type { State } from './state.ts'
import { messageUse } from './usage.ts'

const RECORD = new Shape(
  'type',
  'subtype',
  'session_id',
  'uuid',
  'timestamp',
  'message',
  'parent_tool_use_id',
)
const BLOCK = new Shape(
  'type',
  'id',
  'name',
  'text',
  'input',
  'content',
  'thinking',
  'tool_use_id',
  'is_error',
)
const K = keys(
  'content',
  'cwd',
  'tools',
  'mcp_servers',
  'model',
  'permission_mode',
  'slash_commands',
  'qwen_code_version',
  'output_style',
  'agents',
  'skills',
)

/** Raw deltas that repeat what messages say, and talk between the harness and the program that runs it. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  'control_cancel_request',
  'control_request',
  'control_response',
  'stream_event',
])

type StreamFields = ReturnType<typeof RECORD.read>

/** One record of `--output-format stream-json`, or of the array of `json`: shaped like those of Claude Code. */
export function streamRecord(record: RecordView, state: State, sink: Sink): Bin {
  const fields = RECORD.read(record, record.root)
  const at = timeAt(record, fields.timestamp)
  const type = record.word(fields.type)
  switch (type) {
    case 'system':
      return system(record, fields, at, state, sink)
    case 'assistant':
      return assistant(record, fields, at, state, sink)
    case 'user':
      return user(record, fields, at, state, sink)
    case 'result':
      open(record, fields, at, state, sink)
      result(record, at, state, sink)
      return Bin.Translated
    default:
      return type !== null && BOOKKEEPING.has(type) ? Bin.Bookkeeping : opaque(record, fields, at, sink)
  }
}

function open(record: RecordView, fields: StreamFields, at: Text, state: State, sink: Sink): boolean {
  const sessionId = textAt(record, fields.session_id)
  state.ending = { ...state.ending, promised: true }
  return enter(record, fields.session_id, () => sessionStart('qwen', { at, sessionId }), state, sink)
}

function system(record: RecordView, fields: StreamFields, at: Text, state: State, sink: Sink): Bin {
  const subtype = record.word(fields.subtype)
  if (subtype === 'init') return init(record, fields, at, state, sink)
  if (subtype === 'compact_boundary') {
    open(record, fields, at, state, sink)
    sink.warning({ at, code: subtype, message: 'the conversation was compacted' })
    return Bin.Translated
  }
  return opaque(record, fields, at, sink)
}

/** The opening record, written again when a further turn of the same session begins. */
function init(record: RecordView, fields: StreamFields, at: Text, state: State, sink: Sink): Bin {
  const { root } = record
  const model = record.get(root, K.model)
  const cwd = record.get(root, K.cwd)
  state.model = record.word(model) ?? state.model
  state.ending = UNFINISHED
  const opened = enter(
    record,
    fields.session_id,
    () =>
      sessionStart('qwen', {
        at,
        harnessVersion: textAt(record, record.get(root, K.qwen_code_version)),
        sessionId: textAt(record, fields.session_id),
        model: textAt(record, model),
        permissionMode: textAt(record, record.get(root, K.permission_mode)),
        outputStyle: textAt(record, record.get(root, K.output_style)),
        cwd: textAt(record, cwd),
        offeredTools: textsAt(record, record.get(root, K.tools)),
        slashCommands: textsAt(record, record.get(root, K.slash_commands)),
        skills: textsAt(record, record.get(root, K.skills)),
        agents: textsAt(record, record.get(root, K.agents)),
        mcpServers: mcpServersAt(record, record.get(root, K.mcp_servers)),
      }),
    state,
    sink,
  )
  return opened ? Bin.Translated : Bin.Bookkeeping
}

function assistant(record: RecordView, fields: StreamFields, at: Text, state: State, sink: Sink): Bin {
  const content = record.get(fields.message, K.content)
  if (!record.isString(content) && !record.isArray(content)) return opaque(record, fields, at, sink)
  const { message, uuid } = fields
  const sidechain = record.isString(fields.parent_tool_use_id)
  let isTranslated = open(record, fields, at, state, sink)
  if (record.isString(content)) {
    sink.text({ at, text: content, requestId: null })
    isTranslated = true
  }
  for (let block = firstOf(record, content); block !== NONE; block = record.next(block)) {
    isTranslated = true
    if (!isSpoken(record, block, at, sink)) unread(record, block, 'assistant', at, sink)
  }
  if (messageUse(record, message, uuid, sidechain, at, state, sink)) isTranslated = true
  return isTranslated ? Bin.Translated : Bin.Bookkeeping
}

function isSpoken(record: RecordView, block: Node, at: Text, sink: Sink): boolean {
  const { type, id, name, text, input, thinking } = BLOCK.read(record, block)
  switch (record.word(type)) {
    case 'text':
      if (!record.isString(text)) return false
      sink.text({ at, text, requestId: null })
      return true
    case 'thinking':
      if (!record.isString(thinking)) return false
      sink.thinking({ at, text: thinking, requestId: null })
      return true
    case 'tool_use': {
      const word = record.word(name)
      if (word === null) return false
      const callId = textAt(record, id) ?? ''
      requestCall(record, { at, callId, name, input, operations: operationsOf('qwen', word) }, sink)
      return true
    }
    default:
      return false
  }
}

/** Prompts, and results of calls. Inside a subagent the parent agent takes the user's place. */
function user(record: RecordView, fields: StreamFields, at: Text, state: State, sink: Sink): Bin {
  const content = record.get(fields.message, K.content)
  if (!record.isString(content) && firstOf(record, content) === NONE) return opaque(record, fields, at, sink)
  const origin = record.isString(fields.parent_tool_use_id) ? 'synthetic' : 'user'
  open(record, fields, at, state, sink)
  if (record.isString(content)) sink.injection({ at, text: content, origin })
  for (let block = firstOf(record, content); block !== NONE; block = record.next(block)) {
    const { type, text, content: answer, tool_use_id: call, is_error: failed } = BLOCK.read(record, block)
    const word = record.word(type)
    if (word === 'text' && record.isString(text)) sink.injection({ at, text, origin })
    else if (word === 'tool_result') {
      answerCall(
        record,
        { at, callId: textAt(record, call) ?? '', content: answer, isError: record.bool(failed) },
        sink,
      )
    } else unread(record, block, 'user', at, sink)
  }
  return Bin.Translated
}

function unread(record: RecordView, block: Node, vendorType: string, at: Text, sink: Sink): void {
  sink.opaque({ at, vendorType, vendorSubtype: textAt(record, BLOCK.read(record, block).type), block })
}

function opaque(record: RecordView, fields: StreamFields, at: Text, sink: Sink): Bin {
  sink.opaque({ at, vendorType: textAt(record, fields.type), vendorSubtype: textAt(record, fields.subtype) })
  return Bin.Opaque
}
