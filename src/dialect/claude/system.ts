import { Bin, type Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { textAt } from '../values.ts'
import { deny } from './denial.ts'
import { firstItem, wordOf } from './fields.ts'

const K = keys(
  'error',
  'message',
  'status',
  'formatted',
  'error_status',
  'attempt',
  'max_retries',
  'retry_delay_ms',
  'retryAttempt',
  'maxRetries',
  'retryInMs',
  'tasks',
  'task_id',
  'compactMetadata',
  'compact_metadata',
  'trigger',
  'preTokens',
  'postTokens',
  'pre_tokens',
  'post_tokens',
  'originalModel',
  'fallbackModel',
  'original_model',
  'fallback_model',
  'estimated_tokens',
  'estimated_tokens_delta',
  'tool_use_id',
)

/** Subtypes of `system` that `systemRecord` reads, in both Claude dialects. */
export const SPEAKING_SUBTYPES: ReadonlySet<string> = new Set([
  'api_error',
  'api_retry',
  'background_tasks_changed',
  'compact_boundary',
  'model_refusal_fallback',
  'permission_denied',
  'thinking_tokens',
])

/**
 * The `system` records that say something of their own, in both Claude dialects (spec vendor-transcripts §2.7,
 * metaharness-event-1 §8). Null when this is none of them, or holds nothing readable.
 */
export function systemRecord(
  record: RecordView,
  subtype: string | null,
  at: Text,
  denied: string[],
  sink: Sink,
): Bin | null {
  const { root } = record
  switch (subtype) {
    case 'api_error':
    case 'api_retry':
      sink.warning({ at, code: 'VENDOR_API_RETRY', message: retryMessage(record, root) })
      return Bin.Translated
    case 'compact_boundary':
      sink.warning({ at, code: 'conversation-compacted', message: compactionMessage(record, root) })
      return Bin.Translated
    case 'model_refusal_fallback': {
      const from = record.text(either(record, root, K.originalModel, K.original_model))
      const to = record.text(either(record, root, K.fallbackModel, K.fallback_model))
      const message = `refused by ${from ?? 'one model'}, answered by ${to ?? 'another'}`
      sink.warning({ at, code: 'model_refusal_fallback', message })
      return Bin.Translated
    }
    case 'background_tasks_changed': {
      const tasks = record.get(root, K.tasks)
      if (!record.isArray(tasks)) return null
      sink.warning({ at, code: 'VENDOR_BACKGROUND_TASKS', message: tasksMessage(record, tasks) })
      return Bin.Translated
    }
    case 'thinking_tokens': {
      const estimate = record.integer(record.get(root, K.estimated_tokens))
      if (estimate === null || estimate < 0) return null
      const delta = record.integer(record.get(root, K.estimated_tokens_delta))
      sink.thinkingEstimate({ at, estimate, delta })
      return Bin.Translated
    }
    case 'permission_denied': {
      const call = textAt(record, record.get(root, K.tool_use_id))
      const told = deny(record, call, at, 'said by a permission_denied record', denied, sink)
      return told ? Bin.Translated : Bin.Folded
    }
    default:
      return null
  }
}

/** Attempt, status, delay and reason of a repeated request, as far as they are told. */
function retryMessage(record: RecordView, root: Node): string {
  const error = record.get(root, K.error)
  const attempt = wordOf(record, either(record, root, K.attempt, K.retryAttempt))
  const limit = wordOf(record, either(record, root, K.max_retries, K.maxRetries))
  const delayMs = wordOf(record, either(record, root, K.retry_delay_ms, K.retryInMs))
  const status =
    wordOf(record, record.get(root, K.error_status)) ?? wordOf(record, record.get(error, K.status))
  const reason = reasonOf(record, error)
  let message = 'a request was repeated'
  if (attempt !== null) message += `, attempt ${attempt}`
  if (limit !== null) message += ` of ${limit}`
  if (delayMs !== null) message += `, after ${delayMs} ms`
  if (status !== null) message += `, status ${status}`
  return reason === null ? message : `${message}: ${reason}`
}

/** The words of an error: a string, or the message of an object, which may wrap the error of the API twice. */
function reasonOf(record: RecordView, error: Node): string | null {
  let node = error
  for (let depth = 0; depth < 3; depth++) {
    const text = record.text(node) ?? record.text(record.get(node, K.message))
    if (text !== null && text !== '') return text
    node = record.get(node, K.error)
  }
  return record.text(record.get(error, K.formatted))
}

function compactionMessage(record: RecordView, root: Node): string {
  const metadata = either(record, root, K.compactMetadata, K.compact_metadata)
  const trigger = record.text(record.get(metadata, K.trigger))
  const before = wordOf(record, either(record, metadata, K.preTokens, K.pre_tokens))
  const after = wordOf(record, either(record, metadata, K.postTokens, K.post_tokens))
  let message = 'the conversation was compacted'
  if (trigger !== null) message += ` (${trigger})`
  if (before !== null) message += `, from ${before} tokens`
  if (after !== null) message += ` to ${after} tokens`
  return message
}

/** The set of live tasks, which replaces the one told before. */
function tasksMessage(record: RecordView, tasks: Node): string {
  const ids: string[] = []
  let live = 0
  for (let task = firstItem(record, tasks); task !== NONE; task = record.next(task)) {
    live++
    const id = record.text(record.get(task, K.task_id))
    if (id !== null) ids.push(id)
  }
  const counted = live === 1 ? '1 background task is live' : `${live} background tasks are live`
  return ids.length === 0 ? counted : `${counted}: ${ids.join(', ')}`
}

/** The first of two spellings that is there. */
function either(
  record: RecordView,
  node: Node,
  first: (typeof K)[keyof typeof K],
  second: (typeof K)[keyof typeof K],
): Node {
  const found = record.get(node, first)
  return found === NONE ? record.get(node, second) : found
}
