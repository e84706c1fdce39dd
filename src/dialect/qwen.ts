import { keys } from '../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'
import type { Adapter, Evidence } from './adapter.ts'
import { chatRecord } from './qwen/chat.ts'
import { initialState, type State } from './qwen/state.ts'
import { streamRecord } from './qwen/stream.ts'

const K = keys(
  'type',
  'subtype',
  'sessionId',
  'session_id',
  'agentId',
  'isSidechain',
  'uuid',
  'parentUuid',
  'message',
  'parts',
  'usageMetadata',
  'systemPayload',
  'toolCallResult',
  'qwen_code_version',
)

/** Subtypes of `system` that no other harness writes. */
const OWN_SUBTYPES: ReadonlySet<string> = new Set([
  'ui_telemetry',
  'chat_compression',
  'attribution_snapshot',
  'slash_command',
])

/**
 * Qwen Code (spec vendor-transcripts §6): its chats, which are messages in the shape of the Gemini API with the envelope of
 * Claude Code around them, and its streams, which copy those of Claude Code but count the cache into the input.
 *
 * In chats the telemetry of `system` records tells the counts of every request a second time; it is folded.
 */
export const qwen: Adapter<State> = {
  dialect: 'qwen',
  summary: 'Qwen Code: chats, and qwen --output-format stream-json or json',
  evidence,
  runId(record, value) {
    const session =
      record.text(record.get(value, K.sessionId)) ?? record.text(record.get(value, K.session_id))
    const agent = record.text(record.get(value, K.agentId))
    const isSubagent = record.bool(record.get(value, K.isSidechain)) === true
    return session !== null && agent !== null && isSubagent ? `${session}/${agent}` : session
  },
  initial: ({ run }) => initialState(run),
  step(record, state, sink) {
    const { root } = record
    const isChat = record.get(root, K.sessionId) !== NONE || record.get(root, K.parentUuid) !== NONE
    return isChat ? chatRecord(record, state, sink) : streamRecord(record, state, sink)
  },
  end: (state) => state.ending,
}

/** What a value says about being of Qwen Code (spec vendor-transcripts §1). */
function evidence(record: RecordView, value: Node): Evidence | null {
  const type = record.word(record.get(value, K.type))
  if (type === null) return null
  if (record.isString(record.get(value, K.qwen_code_version))) {
    return { weight: 'proof', reason: 'init with qwen_code_version' }
  }
  const hasIds = record.isString(record.get(value, K.sessionId)) && record.isString(record.get(value, K.uuid))
  if (!hasIds) return null
  if (record.isArray(record.get(record.get(value, K.message), K.parts))) {
    const isTree = record.get(value, K.parentUuid) !== NONE
    return { weight: isTree ? 'proof' : 'weak', reason: 'record of a chat with message.parts' }
  }
  if (type === 'tool_result' || record.isObject(record.get(value, K.usageMetadata))) {
    return { weight: 'proof', reason: 'tool_result or usageMetadata in a chat' }
  }
  const subtype = record.word(record.get(value, K.subtype))
  if (type === 'system' && subtype !== null && OWN_SUBTYPES.has(subtype)) {
    return { weight: 'proof', reason: `system record of subtype ${subtype}` }
  }
  if (record.isObject(record.get(value, K.systemPayload))) {
    return { weight: 'weak', reason: 'record with systemPayload' }
  }
  return null
}
