import { keys } from '../../kernel/key.ts'

/** Every field of an event that is read (spec go-agent-harness §1.1, §2, §3). */
export const K = keys(
  'action',
  'applied_skills',
  'arguments',
  'available_tools',
  'cached_prompt_tokens',
  'call_id',
  'code',
  'completion_tokens',
  'completion_tokens_total',
  'content',
  'conversation_id',
  'cost_status',
  'cost_totals',
  'cost_usd_total',
  'cumulative_usage',
  'data',
  'decision',
  'dropped_event_id',
  'dropped_event_type',
  'entry_hash',
  'error',
  'event_id',
  'event_type',
  'hook',
  'id',
  'ignored',
  'index',
  'killed',
  'last_turn_cost_usd',
  'last_turn_tokens',
  'message',
  'model',
  'name',
  'output',
  'payload',
  'persist',
  'prev_hash',
  'prompt',
  'prompt_tokens',
  'prompt_tokens_total',
  'reason',
  'reasoning_tokens',
  'rewind_warning',
  'run_id',
  'schema_version',
  'seq',
  'stage',
  'status',
  'step',
  'terminal',
  'text',
  'timestamp',
  'tool',
  'tool_names',
  'total_tokens',
  'ts',
  'turn_cost_usd',
  'turn_usage',
  'type',
  'usage_status',
  'usage_totals',
  'workspace_path',
)

/** The events after which a run says nothing more (spec §1.5). */
export const TERMINAL: ReadonlySet<string> = new Set(['run.completed', 'run.failed', 'run.cancelled'])

/** The events that a run begins with. */
export const OPENING: ReadonlySet<string> = new Set(['run.queued', 'run.started'])

/**
 * Types that are in the catalogue and that nothing emits: no payload of theirs is known, so one that turns up is not
 * understood.
 */
export const RESERVED: ReadonlySet<string> = new Set(
  `tool.activated skill.fork.started skill.fork.completed skill.fork.failed spawn_agent.started spawn_agent.completed
  task.completed`.split(/\s+/),
)

/**
 * Types that are written as nothing (spec §6.3 as decided in design §5.6): what is waiting, allowed or observed, and
 * measurements of the harness for itself.
 */
export const BOOKKEEPING: ReadonlySet<string> = new Set(
  `run.waiting_for_user run.resumed tool.approval_required tool.approval_granted conversation.continued
  memory.observe.started memory.observe.completed memory.reflection.completed hook.started tool_hook.started
  callback.scheduled callback.fired callback.canceled callback.dispatching callback.retry_wait callback.started
  skill.constraint.deactivated auto_compact.started context.window.snapshot llm.response.meta causal.graph.snapshot
  job.completed todos.updated plan.approval_required plan.approval_granted
  conversation.replay.completed`.split(/\s+/),
)
