import { keys } from '../../kernel/key.ts'
import { Kind } from '../../kernel/layout.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import type { Evidence } from '../adapter.ts'

const K = keys(
  'apiKeySource',
  'claude_code_version',
  'event',
  'mcp_servers',
  'message',
  'modelUsage',
  'parent_tool_use_id',
  'parts',
  'permissionMode',
  'qwen_code_version',
  'rate_limit_info',
  'reasoning_effort',
  'sessionId',
  'session_id',
  'slash_commands',
  'subtype',
  'timestamp',
  'total_cost_usd',
  'type',
)

/**
 * What a value says about being of a stream (spec vendor-transcripts §1). Many vendors copy the shape: the marks of
 * Qwen, Droid, Amp and Cursor are looked for first.
 */
export function streamEvidence(record: RecordView, value: Node): Evidence | null {
  const type = record.word(record.get(value, K.type))
  const session = record.text(record.get(value, K.session_id))
  if (record.get(value, K.sessionId) !== NONE || session?.startsWith('T-') === true) return null
  switch (type) {
    case 'system':
      return record.word(record.get(value, K.subtype)) === 'init'
        ? initEvidence(record, value)
        : weak(session, 'system record of a stream')
    case 'assistant':
    case 'user': {
      const message = record.get(value, K.message)
      if (!record.isObject(message) || record.get(message, K.parts) !== NONE) return null
      if (session !== null && record.get(value, K.parent_tool_use_id) !== NONE) {
        return {
          weight: 'proof',
          reason: `${type} record of a stream with session_id and parent_tool_use_id`,
        }
      }
      return weak(session, `${type} record with session_id`)
    }
    case 'result':
      if (record.isObject(record.get(value, K.modelUsage))) {
        return { weight: 'proof', reason: 'result with modelUsage' }
      }
      if (record.kind(record.get(value, K.total_cost_usd)) === Kind.Number) {
        return { weight: 'proof', reason: 'result with total_cost_usd' }
      }
      return weak(session, 'result with session_id')
    case 'rate_limit_event':
      if (!record.isObject(record.get(value, K.rate_limit_info))) return null
      return { weight: session === null ? 'weak' : 'proof', reason: 'rate_limit_event' }
    case 'stream_event':
      return record.isObject(record.get(value, K.event)) ? weak(session, 'stream_event') : null
    default:
      return null
  }
}

function initEvidence(record: RecordView, value: Node): Evidence | null {
  if (record.get(value, K.qwen_code_version) !== NONE || record.get(value, K.reasoning_effort) !== NONE)
    return null
  if (record.kind(record.get(value, K.timestamp)) === Kind.Number) return null
  if (record.isString(record.get(value, K.claude_code_version))) {
    return { weight: 'proof', reason: 'init with claude_code_version' }
  }
  const hasServers = record.get(value, K.mcp_servers) !== NONE
  if (hasServers && record.get(value, K.slash_commands) !== NONE) {
    return { weight: 'proof', reason: 'init with mcp_servers and slash_commands' }
  }
  const isCursor = record.get(value, K.apiKeySource) !== NONE && record.get(value, K.permissionMode) !== NONE
  return isCursor && !hasServers ? null : { weight: 'weak', reason: 'init of a stream' }
}

function weak(session: string | null, reason: string): Evidence | null {
  return session === null ? null : { weight: 'weak', reason }
}
