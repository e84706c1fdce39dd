import { Bin, type Sink } from '../event/sink.ts'
import type { Text } from '../event/value.ts'
import { type Key, keys } from '../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'
import { Shape } from '../kernel/shape.ts'
import type { Adapter, Evidence } from './adapter.ts'
import { type Event, open } from './copilot/event.ts'
import { modelChange, segmentBegins, shutdown } from './copilot/session.ts'
import { initialState, type State } from './copilot/state.ts'
import { assistantMessage, injected, reasoning, userMessage } from './copilot/talk.ts'
import {
  executionComplete,
  executionStart,
  hookEnd,
  permissionCompleted,
  permissionRequested,
} from './copilot/tools.ts'
import { timeAt } from './times.ts'
import { textAt } from './values.ts'

const RECORD = new Shape('type', 'data', 'id', 'timestamp', 'parentId', 'agentId')
const K = keys(
  'type',
  'data',
  'sessionId',
  'parentToolCallId',
  'errorType',
  'message',
  'reason',
  'error',
  'agentName',
  'success',
  'summaryContent',
  'preCompactionTokens',
  'preTruncationTokensInMessages',
  'postTruncationTokensInMessages',
  'warningType',
  'errorMessage',
)

/** Types that are written as nothing: states of the program, and steps of what another event tells whole. */
const BOOKKEEPING: ReadonlySet<string> = new Set(
  `assistant.intent assistant.message_delta assistant.message_start assistant.reasoning_delta
  assistant.streaming_delta assistant.usage auto_mode_switch.completed auto_mode_switch.requested
  capabilities.changed command.completed command.execute command.queued commands.changed elicitation.completed
  elicitation.requested exit_plan_mode.completed exit_plan_mode.requested external_tool.completed
  external_tool.requested hook.progress hook.start mcp.oauth_completed mcp.oauth_required sampling.completed
  sampling.requested session.auto_mode_resolved session.background_tasks_changed session.binary_asset
  session.compaction_start session.context_changed session.custom_agents_updated session.custom_notification
  session.extensions_loaded session.handoff session.idle session.import_legacy session.info
  session.mcp_server_status_changed session.mcp_servers_loaded session.mode_changed
  session.permissions_changed session.plan_changed session.remote_steerable_changed session.skills_loaded
  session.snapshot_rewind session.task_complete session.title_changed session.todos_changed
  session.tools_updated session.usage_checkpoint session.usage_info session.workspace_file_changed
  subagent.completed subagent.deselected subagent.selected tool.execution_partial_result
  tool.execution_progress tool.user_requested user_input.completed user_input.requested`.split(/\s+/),
)

/** What becomes of the other types. Null: it could not be read. */
const ACTS: ReadonlyMap<string, (event: Event) => Bin | null> = new Map<string, (event: Event) => Bin | null>(
  [
    ['session.start', segmentBegins],
    ['session.resume', segmentBegins],
    ['session.model_change', modelChange],
    ['session.shutdown', shutdown],
    ['session.error', (event) => trouble(event, K.errorType, K.message, 'error')],
    ['session.warning', (event) => trouble(event, K.warningType, K.message, 'warning')],
    ['model.call_failure', (event) => trouble(event, K.errorType, K.errorMessage, 'error')],
    ['session.compaction_complete', compaction],
    ['session.truncation', truncation],
    ['subagent.started', subagentStarted],
    ['subagent.failed', subagentFailed],
    ['abort', abort],
    ['user.message', userMessage],
    ['system.message', injected],
    ['system.notification', injected],
    ['skill.invoked', injected],
    ['assistant.turn_start', turnStart],
    ['assistant.turn_end', turnEnd],
    ['assistant.message', assistantMessage],
    ['assistant.reasoning', reasoning],
    ['tool.execution_start', executionStart],
    ['tool.execution_complete', executionComplete],
    ['permission.requested', permissionRequested],
    ['permission.completed', permissionCompleted],
    ['hook.end', hookEnd],
  ],
)

/**
 * The events of GitHub Copilot CLI (spec vendor-transcripts §7).
 *
 * Whole usage is only in `session.shutdown`, by model, for the segment since the start or the last resumption; a segment
 * that was cut off has the output of its messages and no more. A call stands in the message that asks for it and again
 * in its execution.
 */
export const copilot: Adapter<State> = {
  dialect: 'copilot',
  summary: 'events of GitHub Copilot CLI',
  evidence,
  runId(record, value) {
    if (!record.is(record.get(value, K.type), 'session.start')) return null
    return record.text(record.get(record.get(value, K.data), K.sessionId))
  },
  initial: initialState,
  step(record, state, sink) {
    const fields = RECORD.read(record, record.root)
    const type = record.word(fields.type)
    const at = timeAt(record, fields.timestamp)
    if (type === null) return opaque(record, fields.type, at, sink)
    if (BOOKKEEPING.has(type)) return Bin.Bookkeeping
    const act = ACTS.get(type)
    const { data, id } = fields
    const ofSubagent =
      record.isString(fields.agentId) || record.isString(record.get(data, K.parentToolCallId))
    const bin = act?.({ record, type, data, id, at, ofSubagent, state, sink }) ?? null
    return bin ?? opaque(record, record.get(record.root, K.type), at, sink)
  },
  end: (state) => state.ending,
}

function turnStart(event: Event): Bin {
  const { at, ofSubagent, state, sink } = event
  if (ofSubagent) return Bin.Bookkeeping
  open(event)
  state.turn++
  state.inTurn = true
  sink.turnStarted({ at, turn: state.turn, frameDigest: null })
  return Bin.Translated
}

function turnEnd({ at, ofSubagent, state, sink }: Event): Bin {
  if (ofSubagent || !state.inTurn) return Bin.Bookkeeping
  state.inTurn = false
  sink.turnEnded({ at, turn: state.turn, stopReason: null })
  return Bin.Translated
}

function trouble(event: Event, code: Key, words: Key, severity: 'error' | 'warning'): Bin {
  const { record, type, data, at, sink } = event
  open(event)
  const message = record.text(record.get(data, words)) ?? type
  sink.warning({ at, code: textAt(record, record.get(data, code)) ?? type, message, severity })
  return Bin.Translated
}

function compaction(event: Event): Bin {
  const { record, data, at, sink } = event
  open(event)
  if (record.bool(record.get(data, K.success)) === false) {
    const message = record.text(record.get(data, K.error)) ?? 'the conversation could not be compacted'
    sink.warning({ at, code: 'compaction', message, severity: 'error' })
    return Bin.Translated
  }
  const before = record.integer(record.get(data, K.preCompactionTokens))
  const of = before === null ? '' : ` of ${before} tokens`
  sink.warning({ at, code: 'compaction', message: `the conversation${of} was compacted` })
  const summary = record.get(data, K.summaryContent)
  if (record.isString(summary)) sink.injection({ at, text: summary, origin: 'synthetic' })
  return Bin.Translated
}

function truncation(event: Event): Bin {
  const { record, data, at, sink } = event
  const before = record.integer(record.get(data, K.preTruncationTokensInMessages))
  const after = record.integer(record.get(data, K.postTruncationTokensInMessages))
  const size = before === null || after === null ? '' : ` from ${before} to ${after} tokens`
  open(event)
  sink.warning({ at, code: 'session.truncation', message: `the conversation was cut${size}` })
  return Bin.Translated
}

function subagentStarted({ state }: Event): Bin {
  state.subagents++
  return Bin.Bookkeeping
}

function subagentFailed(event: Event): Bin {
  const { record, type, data, at, sink } = event
  const name = record.text(record.get(data, K.agentName)) ?? 'a subagent'
  const error = record.text(record.get(data, K.error))
  open(event)
  sink.warning({ at, code: type, message: `${name} failed${error === null ? '' : `: ${error}`}` })
  return Bin.Translated
}

function abort(event: Event): Bin {
  const { record, type, data, at, state, sink } = event
  open(event)
  state.aborted = true
  sink.warning({
    at,
    code: type,
    message: record.text(record.get(data, K.reason)) ?? 'the user stopped the turn',
  })
  return Bin.Translated
}

function opaque(record: RecordView, type: Node, at: Text, sink: Sink): Bin {
  sink.opaque({ at, vendorType: textAt(record, type), vendorSubtype: null })
  return Bin.Opaque
}

/** A type with a dot, or one of the known, beside the envelope of an event. */
function evidence(record: RecordView, value: Node): Evidence | null {
  const { type, data, id, timestamp, parentId } = RECORD.read(record, value)
  const word = record.word(type)
  if (word === null || !record.isObject(data) || !record.isString(id) || !record.isString(timestamp))
    return null
  if (!ACTS.has(word) && !BOOKKEEPING.has(word)) return null
  const inTree = parentId !== NONE
  return { weight: inTree ? 'proof' : 'weak', reason: `event "${word}" with data and id` }
}
