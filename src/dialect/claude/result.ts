import type { Denial } from '../../event/events.ts'
import type { Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import { Kind } from '../../kernel/layout.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import type { Ending } from '../adapter.ts'
import { picoUsd } from '../figures.ts'
import { resultReason } from '../result-reason.ts'
import { sessionEnd } from '../session-events.ts'
import { children, jsonAt, textAt } from '../values.ts'
import { authFromError, authFromText } from './auth.ts'
import { firstItem, keptTime, wholeOf } from './fields.ts'
import { type ProcessTotal, readModels } from './totals.ts'
import { readUsage } from './usage.ts'

const K = keys(
  'subtype',
  'is_error',
  'result',
  'error',
  'errors',
  'stop_reason',
  'terminal_reason',
  'api_error_status',
  'num_turns',
  'duration_ms',
  'duration_api_ms',
  'ttft_ms',
  'time_to_request_ms',
  'total_cost_usd',
  'permission_denials',
  'tool_name',
  'tool_use_id',
  'tool_input',
  'subagent_stats',
  'spawned',
  'usage',
  'modelUsage',
)

/** What a `result` leaves behind: how the run stands, and the running totals of its process. */
export interface ResultOutcome {
  readonly reason: Ending['reason']
  readonly total: ProcessTotal
}

/** A `result` record of a stream: `session.ended`, after `auth.expired` when that is what it says. */
export function resultRecord(
  record: RecordView,
  at: Text,
  credentialSource: Text,
  sink: Sink,
): ResultOutcome {
  const { root } = record
  const isError = record.bool(record.get(root, K.is_error))
  const subtype = record.get(root, K.subtype)
  saysExpired(record, isError, at, credentialSource, sink)

  const usage = record.get(root, K.usage)
  const models = readModels(record, record.get(root, K.modelUsage), sink)
  const cost = record.get(root, K.total_cost_usd)
  const ended = sessionEnd({
    at,
    isError,
    subtype: textAt(record, subtype),
    stopReason: textAt(record, record.get(root, K.stop_reason)),
    terminalReason: textAt(record, record.get(root, K.terminal_reason)),
    apiErrorStatus: statusOf(record, record.get(root, K.api_error_status)),
    numTurns: wholeOf(record, record.get(root, K.num_turns)),
    durationMs: wholeOf(record, record.get(root, K.duration_ms)),
    durationApiMs: wholeOf(record, record.get(root, K.duration_api_ms)),
    ttftMs: wholeOf(record, record.get(root, K.ttft_ms)),
    timeToRequestMs: wholeOf(record, record.get(root, K.time_to_request_ms)),
    totalCostUsd: record.kind(cost) === Kind.Number ? cost : null,
    permissionDenials: denials(record, record.get(root, K.permission_denials)),
    subagentsSpawned: wholeOf(record, record.get(record.get(root, K.subagent_stats), K.spawned)),
    usage: record.isObject(usage) ? readUsage(record, usage, sink).figures : null,
    modelUsage: models?.wire ?? null,
  })
  sink.sessionEnded(ended)
  return {
    reason: resultReason(isError, record.word(subtype)),
    total: { at: keptTime(record, at), models: models?.totals ?? null, picoUsd: picoUsd(record, cost) },
  }
}

/** An expired login, in the words of the harness: of a successful run `result` holds the model's answer. */
function saysExpired(
  record: RecordView,
  isError: boolean | null,
  at: Text,
  credentialSource: Text,
  sink: Sink,
): boolean {
  const { root } = record
  if (isError !== false && authFromText(record, record.get(root, K.result), at, credentialSource, sink))
    return true
  if (authFromError(record, record.get(root, K.error), at, credentialSource, sink)) return true
  const errors = record.get(root, K.errors)
  for (let error = firstItem(record, errors); error !== NONE; error = record.next(error)) {
    if (authFromError(record, error, at, credentialSource, sink)) return true
  }
  return false
}

/** A status is a word on the wire; numbers are kept as their characters. */
function statusOf(record: RecordView, node: Node): Text {
  return record.kind(node) === Kind.Number ? record.raw(node) : textAt(record, node)
}

function denials(record: RecordView, list: Node): readonly Denial[] | null {
  if (!record.isArray(list)) return null
  return children(record, list, (item) =>
    record.isObject(item)
      ? {
          toolName: textAt(record, record.get(item, K.tool_name)),
          toolUseId: textAt(record, record.get(item, K.tool_use_id)),
          toolInput: jsonAt(record.get(item, K.tool_input)),
        }
      : null,
  )
}
