import { Bin, type Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { requestCall } from '../calls.ts'
import { encodedJson } from '../encoded.ts'
import { operationsOf } from '../operations.ts'

const K = keys('say', 'ask', 'text', 'partial')

const SPOKEN: ReadonlySet<string> = new Set(['completion_result', 'followup', 'plan_mode_respond', 'text'])
const FAILED: ReadonlySet<string> = new Set([
  'api_req_failed',
  'diff_error',
  'error',
  'mistake_limit_reached',
])
/** States of the program, and asks to go on. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  'api_req_finished',
  'api_req_retried',
  'api_req_started',
  'checkpoint_created',
  'command_output',
  'deleted_api_reqs',
  'resume_completed_task',
  'resume_task',
  'shell_integration_warning',
])

/** A record `say` or `ask` of the older stream; null when it is not known, or cannot be read. */
export function sayAsk(record: RecordView, type: 'say' | 'ask', at: Text, sink: Sink): Bin | null {
  const { root } = record
  const kind = record.word(record.get(root, K[type]))
  const text = record.get(root, K.text)
  if (kind === null) return null
  // A message grows while it is written, and is told again each time.
  if (record.bool(record.get(root, K.partial)) === true) return Bin.Folded
  if (BOOKKEEPING.has(kind)) return Bin.Bookkeeping
  if (kind === 'user_feedback' || kind === 'task') {
    if (!record.isString(text)) return null
    sink.injection({ at, text, origin: 'user' })
    return Bin.Translated
  }
  const isEmpty = text === NONE || (record.isString(text) && record.textBytes(text) === 0)
  if (SPOKEN.has(kind) || kind === 'reasoning') {
    if (isEmpty) return Bin.Bookkeeping
    if (!record.isString(text)) return null
    if (kind === 'reasoning') sink.thinking({ at, text, requestId: null })
    else sink.text({ at, text, requestId: null })
    return Bin.Translated
  }
  if (FAILED.has(kind)) {
    sink.warning({ at, code: kind, message: record.text(text) ?? 'a request failed', severity: 'error' })
    return Bin.Translated
  }
  return call(record, kind, text, at, sink)
}

const TOOL = /^\s*\{\s*"tool"\s*:\s*"([^"\\]{1,100})"/

/** A call is a line that tells of it, without an id or a result: the place of the line is its id. */
function call(record: RecordView, kind: string, text: Node, at: Text, sink: Sink): Bin | null {
  const said = record.text(text)
  if (said === null || (kind !== 'tool' && kind !== 'command' && kind !== 'use_mcp_server')) return null
  const named =
    kind === 'tool' ? TOOL.exec(said)?.[1] : kind === 'command' ? 'execute_command' : 'use_mcp_tool'
  if (named === undefined) return null
  const callId = `${record.line}.1`
  const input = encodedJson(record, text) ?? text
  requestCall(record, { at, callId, name: named, input, operations: operationsOf('cline', named) }, sink)
  return Bin.Translated
}
