import { Bin } from '../../event/sink.ts'
import { NONE, type Node } from '../../kernel/record.ts'
import { textAt } from '../values.ts'
import { limits, tokenCount, turnUsage } from './accounting.ts'
import { callOf, idOf, madeId, request } from './calls.ts'
import { ended } from './completions.ts'
import { image } from './items.ts'
import { otherOutcome } from './outcome.ts'
import { searchEvent } from './searches.ts'
import { settings } from './session.ts'
import type { Step } from './state.ts'
import { told, toldAll } from './talk.ts'
import { taskComplete, taskStarted, turnAborted, warnError } from './turns.ts'
import { K, PAYLOAD } from './words.ts'

const bookkeeping = (): Bin => Bin.Bookkeeping
const folded = (): Bin => Bin.Folded

/**
 * Events that are written as nothing: what a display shows while something is going on, what asks for an answer, and the state
 * of the program. What came of it is told by other records.
 */
const BOOKKEEPING = `session_configured thread_name_updated thread_goal_updated entered_review_mode exited_review_mode
  sub_agent_activity plan_update turn_diff background_event mcp_startup_update mcp_startup_complete shutdown_complete
  get_history_entry_response mcp_list_tools_response list_custom_prompts_response list_skills_response
  skills_update_available exec_command_begin exec_command_output_delta terminal_interaction mcp_tool_call_begin
  web_search_begin image_generation_begin patch_apply_begin patch_apply_updated view_image_begin exec_approval_request
  apply_patch_approval_request request_permissions request_user_input elicitation_request item_started hook_started
  agent_reasoning_section_break raw_response_item undo_started collab_agent_spawn_begin collab_agent_interaction_begin
  collab_waiting_begin collab_close_begin collab_resume_begin model_verification safety_buffering
  turn_moderation_metadata realtime_conversation_started realtime_conversation_sdp realtime_conversation_realtime
  realtime_conversation_closed realtime_conversation_list_voices_response`

/** Pieces of texts that other records hold whole. */
const PIECES = `agent_message_delta agent_message_content_delta agent_reasoning_delta agent_reasoning_raw_content_delta
  reasoning_content_delta reasoning_raw_content_delta plan_delta`

/** What becomes of each `event_msg` (spec vendor-transcripts §4.2). One that is not here is opaque. */
export const EVENTS: ReadonlyMap<string, (step: Step) => Bin> = new Map([
  ...BOOKKEEPING.split(/\s+/).map((type) => [type, bookkeeping] as const),
  ...PIECES.split(/\s+/).map((type) => [type, folded] as const),
  ['user_message', (step: Step) => told(step, 'user', PAYLOAD.read(step.record, step.payload).message)],
  ['injected_message', (step: Step) => told(step, 'user', PAYLOAD.read(step.record, step.payload).message)],
  ['agent_message', (step: Step) => told(step, 'text', PAYLOAD.read(step.record, step.payload).message)],
  ['agent_reasoning', (step: Step) => told(step, 'thinking', PAYLOAD.read(step.record, step.payload).text)],
  [
    'agent_reasoning_raw_content',
    (step: Step) => told(step, 'thinking', PAYLOAD.read(step.record, step.payload).text),
  ],
  ['task_started', taskStarted],
  ['turn_started', taskStarted],
  ['task_complete', taskComplete],
  ['turn_complete', taskComplete],
  ['turn_aborted', turnAborted],
  ['turn.completed', turnUsage],
  ['token_count', tokenCount],
  ['account/rateLimits/updated', rateLimits],
  ['thread_settings_applied', settings],
  ['exec_command_end', (step: Step) => ended(step, step.payload, 'command')],
  ['patch_apply_end', (step: Step) => ended(step, step.payload, 'patch')],
  ['mcp_tool_call_end', (step: Step) => ended(step, step.payload, 'mcp')],
  ['dynamic_tool_call_response', (step: Step) => ended(step, step.payload, 'host')],
  ['web_search_end', searchEnd],
  ['image_generation_end', image],
  ['view_image_tool_call', (step: Step) => asked(step, 'view_image')],
  ['dynamic_tool_call_request', (step: Step) => asked(step, null)],
  ['collab_tool_call', (step: Step) => asked(step, null)],
  ['collab_agent_spawn_end', (step: Step) => asked(step, 'spawn_agent')],
  ['collab_agent_interaction_end', (step: Step) => asked(step, 'send_input')],
  ['collab_waiting_end', (step: Step) => asked(step, 'wait')],
  ['collab_close_end', (step: Step) => asked(step, 'close_agent')],
  ['collab_resume_end', (step: Step) => asked(step, 'resume_agent')],
  ['item_completed', itemCompleted],
  ['context_compacted', contextCompacted],
  ['error', (step: Step) => failed(step, 'error')],
  ['stream_error', (step: Step) => failed(step, 'stream_error')],
  ['warning', (step: Step) => warned(step, 'warning')],
  ['guardian_warning', (step: Step) => warned(step, 'guardian_warning')],
  ['deprecation_notice', (step: Step) => warned(step, 'deprecation_notice')],
  ['model_reroute', (step: Step) => warned(step, 'model_reroute')],
  ['undo_completed', (step: Step) => warned(step, 'undo_completed')],
  ['thread_rolled_back', rolledBack],
  ['guardian_assessment', assessed],
  ['hook_completed', hookCompleted],
])

/** How an item that was completed is told by older builds. */
const ITEMS: ReadonlyMap<string, (step: Step, item: Node) => Bin> = new Map([
  ['CommandExecution', (step: Step, item: Node) => ended(step, item, 'command')],
  ['FileChange', (step: Step, item: Node) => ended(step, item, 'patch')],
  ['McpToolCall', (step: Step, item: Node) => ended(step, item, 'mcp')],
  ['DynamicToolCall', (step: Step, item: Node) => ended(step, item, 'host')],
  ['CollabAgentToolCall', (step: Step, item: Node) => ended(step, item, 'host')],
  ['Extension', (step: Step, item: Node) => ended(step, item, 'extension')],
  ['WebSearch', (step: Step, item: Node) => search(step, item)],
  ['ImageGeneration', (step: Step, item: Node) => image({ ...step, payload: item })],
  ['ImageView', (step: Step, item: Node) => asked({ ...step, payload: item }, 'view_image')],
  ['UserMessage', (step: Step, item: Node) => toldAll(step, 'user', [step.record.get(item, K.content)])],
  ['AgentMessage', (step: Step, item: Node) => toldAll(step, 'text', [step.record.get(item, K.content)])],
  ['Plan', (step: Step, item: Node) => toldAll(step, 'text', [step.record.get(item, K.text)])],
  [
    'Reasoning',
    (step: Step, item: Node) =>
      toldAll(step, 'thinking', [
        step.record.get(item, K.summary_text),
        step.record.get(item, K.raw_content),
      ]),
  ],
  ['ContextCompaction', contextCompacted],
  ['Sleep', bookkeeping],
  ['HookPrompt', bookkeeping],
  ['EnteredReviewMode', bookkeeping],
  ['ExitedReviewMode', bookkeeping],
  ['SubAgentActivity', bookkeeping],
])

/** `item_completed`. The type of the item is the subtype when nobody knows it. */
function itemCompleted(step: Step): Bin {
  const { record, payload } = step
  const { item } = PAYLOAD.read(record, payload)
  const act = ITEMS.get(record.word(record.get(item, K.type)) ?? '')
  return act === undefined ? Bin.Opaque : act(step, item)
}

/** An event beside a call that an item asks for; alone, it is the call. */
function asked(step: Step, name: string | null): Bin {
  const { record, payload, thread } = step
  const id =
    textAt(record, PAYLOAD.read(record, payload).call_id) ??
    textAt(record, record.get(payload, K.id)) ??
    textAt(record, record.get(payload, K.callId))
  if (id === null) return Bin.Opaque
  if (callOf(thread, idOf(record, id)) !== undefined) return Bin.Folded
  const tool = name ?? textAt(record, record.get(payload, K.tool))
  if (tool === null) return Bin.Opaque
  const inputs = [K.arguments, K.path, K.prompt].map((key) => record.get(payload, key))
  request(step, { id, name: tool, input: inputs.find((node) => node !== NONE) ?? NONE })
  return Bin.Translated
}

function searchEnd(step: Step): Bin {
  return search(step, step.payload)
}

function search(step: Step, item: Node): Bin {
  const { record } = step
  const id = textAt(record, PAYLOAD.read(record, item).call_id) ?? textAt(record, record.get(item, K.id))
  const action = record.get(item, K.action)
  return searchEvent(step, {
    id: id ?? madeId(record, 'web_search'),
    name: 'web_search',
    input: action === NONE ? record.get(item, K.query) : action,
    family: 'other',
    outcome: otherOutcome(record, item),
    turn: null,
    content: record.get(item, K.results),
    item,
  })
}

function rateLimits(step: Step): Bin {
  return limits(step, step.record.get(step.payload, K.rate_limits)) ? Bin.Translated : Bin.Bookkeeping
}

/** Told by `compacted` too: the first of the two is written. */
function contextCompacted({ at, sink, thread }: Step): Bin {
  thread.compactions--
  if (thread.compactions >= 0) return Bin.Folded
  sink.warning({ at, code: 'context_compacted', message: 'the conversation was compacted' })
  return Bin.Translated
}

/** `compacted`: its message is the summary. The history it repeats is neither told nor billed again. */
export function compacted({ record, payload, at, sink, thread }: Step): Bin {
  thread.compactions++
  if (thread.compactions <= 0) return Bin.Folded
  const summary = record.get(payload, K.message)
  const message =
    record.isString(summary) && record.rawBytes(summary) > 2 ? summary : 'the conversation was compacted'
  sink.warning({ at, code: 'compacted', message })
  return Bin.Translated
}

function failed(step: Step, code: string): Bin {
  warnError(step, step.payload, code)
  return Bin.Translated
}

function warned({ record, payload, at, sink }: Step, code: string): Bin {
  const message =
    textAt(record, PAYLOAD.read(record, payload).message) ?? textAt(record, record.get(payload, K.summary))
  sink.warning({ at, code, message: message ?? textAt(record, record.get(payload, K.reason)) ?? code })
  return Bin.Translated
}

function rolledBack({ record, payload, at, sink }: Step): Bin {
  const turns = record.integer(record.get(payload, K.num_turns))
  const many = turns === null ? 'turns were' : turns === 1 ? '1 turn was' : `${turns} turns were`
  sink.warning({ at, code: 'thread_rolled_back', message: `${many} taken out of the conversation` })
  return Bin.Translated
}

/** A reviewer's word on a call; only a refusal is told. */
function assessed({ record, payload, at, sink, thread }: Step): Bin {
  if (!record.is(record.get(payload, K.status), 'denied')) return Bin.Bookkeeping
  const id =
    idOf(record, textAt(record, record.get(payload, K.target_item_id))) ??
    record.text(record.get(payload, K.id))
  const call = callOf(thread, id)
  if (call?.denied === true) return Bin.Folded
  if (call !== undefined) call.denied = true
  sink.warning({
    at,
    code: 'approval-denied',
    message: `the reviewer denied ${id ?? 'an unnamed call'}`,
    ...(id === null ? {} : { deniedCall: id }),
  })
  return Bin.Translated
}

function hookCompleted({ record, payload, at, sink }: Step): Bin {
  const run = record.get(payload, K.run)
  const status = record.word(record.get(run, K.status))
  if (status !== 'blocked' && status !== 'failed') return Bin.Bookkeeping
  const code = status === 'blocked' ? 'hook-refused' : 'hook-failed'
  sink.warning({ at, code, message: textAt(record, record.get(run, K.reason)) ?? `a hook ${status}` })
  return Bin.Translated
}
