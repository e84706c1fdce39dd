import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'

const K = keys('type', 'sessionID', 'session_id', 'sessionId', 'part', 'error', 'messageID')

/** Records of `run --format json` with a part in them. */
const WITH_PART: ReadonlySet<string> = new Set(['step_start', 'step_finish', 'tool_use', 'text', 'reasoning'])

/** The type of a record in the shape that OpenCode and Kilo share; null when the value has another. */
export function runType(record: RecordView, value: Node): string | null {
  const type = record.word(record.get(value, K.type))
  if (type === null || record.get(value, K.messageID) !== NONE) return null
  const hasSession = [K.sessionID, K.session_id, K.sessionId].some((name) =>
    record.isString(record.get(value, name)),
  )
  if (!hasSession) return null
  if (WITH_PART.has(type)) return record.isObject(record.get(value, K.part)) ? type : null
  return type === 'error' &&
    record.get(value, K.sessionID) !== NONE &&
    record.isObject(record.get(value, K.error))
    ? type
    : null
}
