import { Bin, type Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import type { Node, RecordView } from '../../kernel/record.ts'
import { textAt, wholeAt, wordAt } from '../values.ts'
import type { State } from './state.ts'

const K = keys(
  'systemPayload',
  'uiEvent',
  'event.name',
  'error_type',
  'error',
  'error_message',
  'info',
  'originalTokenCount',
  'newTokenCount',
  'truncatedCount',
  'attempt',
  'state',
  'message',
  'code',
)

/**
 * Subtypes that say how the session is kept or shown, and put nothing into the conversation: titles, snapshots of
 * files, bindings of models, commands of the user to the harness and what they showed.
 */
const BOOKKEEPING: ReadonlySet<string> = new Set(
  `agent_bootstrap agent_session_ready at_command attribution_snapshot background_task_completed branch_checkpoint
  custom_title file_history_snapshot goal_runtime goal_state goal_turn_end managed_session_commit_v1
  managed_session_event_v1 managed_session_header_v1 omni_recall parent_session session_approval_mode
  session_artifact_event session_artifact_snapshot session_execution_engine session_model session_notes session_source
  session_sources_snapshot slash_command user_text_elements`.split(/\s+/),
)

/** Telemetry that repeats what the records of the conversation say: counts of requests, calls and their results. */
const TWINS: ReadonlySet<string> = new Set(['qwen-code.api_response', 'qwen-code.tool_call'])

/** A record of the harness itself. `Bin.Opaque` when its subtype is not known; nothing was written then. */
export function system(record: RecordView, subtype: string | null, at: Text, state: State, sink: Sink): Bin {
  const payload = record.get(record.root, K.systemPayload)
  switch (subtype) {
    case 'ui_telemetry':
      return telemetry(record, record.get(payload, K.uiEvent), at, sink)
    case 'chat_compression': {
      const info = record.get(payload, K.info)
      const before = wholeAt(record, record.get(info, K.originalTokenCount))
      const after = wholeAt(record, record.get(info, K.newTokenCount))
      const size = before === null || after === null ? '' : ` from ${before} to ${after} tokens`
      return warn(`the conversation was compressed${size}`)
    }
    case 'rewind': {
      const cut = wholeAt(record, record.get(payload, K.truncatedCount))
      return warn(`the conversation was taken back${cut === null ? '' : ` by ${cut} items`}`)
    }
    case 'agent_retry': {
      const attempt = wholeAt(record, record.get(payload, K.attempt))
      return warn(`the subagent was started again${attempt === null ? '' : ` (attempt ${attempt})`}`)
    }
    case 'turn_result':
      return turnResult(record, payload, at, state, sink)
    default:
      return subtype !== null && BOOKKEEPING.has(subtype) ? Bin.Bookkeeping : Bin.Opaque
  }

  function warn(message: string): Bin {
    sink.warning({ at, code: subtype, message })
    return Bin.Translated
  }
}

function telemetry(record: RecordView, event: Node, at: Text, sink: Sink): Bin {
  const name = record.word(record.get(event, K['event.name']))
  if (name !== null && TWINS.has(name)) return Bin.Folded
  if (name !== 'qwen-code.api_error') return Bin.Bookkeeping
  const message = record.get(event, K.error_message)
  sink.warning({
    at,
    code: wordAt(record, record.get(event, K.error_type)) ?? 'api_error',
    message: textAt(record, message) ?? textAt(record, record.get(event, K.error)) ?? 'a request failed',
    severity: 'error',
  })
  return Bin.Translated
}

/** How one prompt was settled: the only sign of an end that a chat can hold. */
function turnResult(record: RecordView, payload: Node, at: Text, state: State, sink: Sink): Bin {
  const settled = record.word(record.get(payload, K.state))
  const promised = state.ending.promised
  if (settled === 'completed') {
    state.ending = { reason: 'completed', terminal: true, promised }
    return Bin.Bookkeeping
  }
  state.ending = {
    reason: settled === 'cancelled' ? 'killed' : 'error',
    terminal: settled !== null,
    promised,
  }
  const error = record.get(payload, K.error)
  sink.warning({
    at,
    code: wordAt(record, record.get(error, K.code)) ?? 'turn_result',
    message: textAt(record, record.get(error, K.message)) ?? `the turn ended: ${settled ?? 'unknown'}`,
    severity: settled === 'cancelled' ? 'warning' : 'error',
  })
  return Bin.Translated
}
