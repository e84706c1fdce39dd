import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import type { Evidence } from '../adapter.ts'

const K = keys(
  'agentId',
  'attachment',
  'content',
  'isSidechain',
  'key',
  'leafUuid',
  'message',
  'parentUuid',
  'parent_tool_use_id',
  'parts',
  'payload',
  'sessionId',
  'session_id',
  'systemPayload',
  'type',
  'usage',
  'uuid',
)

/**
 * Types that tell of the session and not of the conversation (spec vendor-transcripts §2.3), and the journal of a
 * workflow (`started`, `result` with `key` and `agentId`): bookkeeping. `progress` holds copies of what subagents
 * say in files of their own; nothing in it counts.
 */
export const BOOKKEEPING: ReadonlySet<string> = new Set([
  'agent-name',
  'ai-title',
  'bridge-session',
  'content-replacement',
  'custom-title',
  'file-history-snapshot',
  'frame-link',
  'last-prompt',
  'mode',
  'permission-mode',
  'pr-link',
  'queue-operation',
  'relocated',
  'summary',
  'worktree-state',
])

/**
 * What a value says about being of a session file (spec vendor-transcripts §1). Stream records carry `session_id` or
 * `parent_tool_use_id`, Qwen's chats `message.parts` and `systemPayload`.
 */
export function evidence(record: RecordView, value: Node): Evidence | null {
  const type = record.word(record.get(value, K.type))
  if (type === null) return null
  const hasSession = record.isString(record.get(value, K.sessionId))
  if (!hasSession && record.get(value, K.session_id) !== NONE) return null
  if (record.get(value, K.parent_tool_use_id) !== NONE || record.get(value, K.payload) !== NONE) return null
  const hasId = hasSession || record.isString(record.get(value, K.uuid))
  const inTree = record.get(value, K.parentUuid) !== NONE
  switch (type) {
    case 'assistant':
    case 'user': {
      const message = record.get(value, K.message)
      if (!record.isObject(message) || record.get(message, K.parts) !== NONE) return null
      const hasContent = record.get(message, K.content) !== NONE || record.get(message, K.usage) !== NONE
      if (!hasContent) return null
      if (hasId) return { weight: 'proof', reason: `${type} record of a session with message content` }
      return { weight: 'weak', reason: `${type} record with a message and no ids` }
    }
    case 'attachment':
      if (!record.isObject(record.get(value, K.attachment))) return null
      return { weight: hasId && inTree ? 'proof' : 'weak', reason: 'attachment record' }
    case 'system':
    case 'progress': {
      if (!hasId || record.get(value, K.systemPayload) !== NONE) return null
      const isOurs = inTree && record.get(value, K.isSidechain) !== NONE
      return { weight: isOurs ? 'proof' : 'weak', reason: `${type} record of a session` }
    }
    default:
      if (BOOKKEEPING.has(type) && (hasSession || isNamedMetadata(record, value, type))) {
        return { weight: 'weak', reason: `metadata of a session: ${type}` }
      }
      if (isJournal(record, value, type)) return { weight: 'weak', reason: 'journal of a workflow' }
      return null
  }
}

/** Metadata that carries no session id but is told by its own fields. */
function isNamedMetadata(record: RecordView, value: Node, type: string): boolean {
  return type === 'file-history-snapshot' || (type === 'summary' && record.get(value, K.leafUuid) !== NONE)
}

/** A line of a workflow's journal. */
export function isJournal(record: RecordView, root: Node, type: string): boolean {
  if (type !== 'started' && type !== 'result') return false
  return (
    record.isString(record.get(root, K.key)) &&
    record.isString(record.get(root, K.agentId)) &&
    record.get(root, K.session_id) === NONE
  )
}
