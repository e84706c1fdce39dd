import { describe, expect, test } from 'vitest'
import { binNames } from '../recording-sink.ts'
import { brief, OPEN, read, RUN, usage } from './runs.ts'

const hook = { stage: 'pre_message', hook: 'h' }
const tool = { call_id: 'c', tool: 'bash' }
const callback = { callback_id: 'cb', conversation_id: RUN, state: 's', delay: '5m0s', prompt: 'p' }

/** Type, payload, bin, and what is written for it. */
const TYPES: readonly (readonly [string, unknown, string, readonly string[]])[] = [
  ['run.started', { prompt: 'x' }, 'Translated', ['injection x']],
  ['run.queued', { prompt: 'x' }, 'Folded', ['injection x']],
  ['run.step.started', { step: 2, step_start_ms: 1 }, 'Translated', ['turn.started 2']],
  ['run.step.completed', { step: 1, tool_calls: 1, duration_ms: 3 }, 'Translated', ['turn.ended 1']],
  ['run.waiting_for_user', { ...tool, questions: [], deadline_at: '' }, 'Bookkeeping', []],
  ['run.resumed', { ...tool, answered_at: '' }, 'Bookkeeping', []],
  [
    'run.cost_limit_reached',
    { max_cost_usd: 1, cumulative_cost_usd: 1.5 },
    'Translated',
    ['warning run.cost_limit_reached'],
  ],
  ['run.completed', { output: 'x' }, 'Translated', ['text x', 'turn.ended 1', 'session.ended']],
  ['run.failed', { error: 'x' }, 'Translated', ['warning run.failed', 'turn.ended 1', 'session.ended']],
  ['run.cancelled', {}, 'Translated', ['turn.ended 1', 'session.ended']],
  ['llm.turn.requested', {}, 'Folded', []],
  ['llm.turn.completed', { tool_calls: 1, total_duration_ms: 3, provider: 'p' }, 'Bookkeeping', ['usage']],
  ['assistant.message.delta', { content: 'x' }, 'Folded', ['text x']],
  ['assistant.thinking.delta', { content: 'x' }, 'Folded', ['thinking x']],
  ['reasoning.complete', { text: 'x', tokens: 1 }, 'Translated', ['thinking x']],
  ['assistant.message', { content: 'x' }, 'Translated', ['text x']],
  ['tool.call.started', { ...tool, arguments: '{}' }, 'Translated', ['tool.requested c']],
  ['tool.call.completed', { ...tool, output: 'o', duration_ms: 1 }, 'Translated', ['tool.result c']],
  [
    'tool.call.delta',
    { index: 0, call_id: 'c', tool: 'bash', arguments: '{' },
    'Folded',
    ['opaque tool.call.delta'],
  ],
  ['tool.activated', {}, 'Opaque', ['opaque tool.activated']],
  ['tool.output.delta', { ...tool, stream_index: 0, content: 'x' }, 'Folded', ['opaque tool.output.delta']],
  ['tool.approval_required', { ...tool, arguments: '{}', deadline_at: '' }, 'Bookkeeping', []],
  ['tool.approval_granted', tool, 'Bookkeeping', []],
  ['tool.approval_denied', tool, 'Translated', ['warning approval-denied']],
  ['tool.call.blocked', { ...tool, reason: 'r' }, 'Translated', ['warning call-blocked']],
  ['conversation.continued', { prior_message_count: 4 }, 'Bookkeeping', []],
  ['prompt.resolved', { intent: 'general', applied_skills: ['s'] }, 'Bookkeeping', []],
  [
    'prompt.warning',
    { code: 'provider_fallback', message: 'x' },
    'Translated',
    ['warning provider_fallback'],
  ],
  ['provider.resolved', { model: 'm2', provider: 'p' }, 'Folded', []],
  ['memory.observe.started', {}, 'Bookkeeping', []],
  ['memory.observe.completed', { observed: true, reflected: false, observation: 1 }, 'Bookkeeping', []],
  ['memory.observe.failed', { error: 'x' }, 'Translated', ['warning memory.observe.failed']],
  ['memory.reflection.completed', {}, 'Bookkeeping', []],
  ['usage.delta', usage(1, 1)[1], 'Translated', ['usage']],
  ['cost.anomaly', { anomaly_type: 'step_multiplier' }, 'Translated', ['warning cost.anomaly']],
  ['hook.started', hook, 'Bookkeeping', []],
  [
    'hook.failed',
    { ...hook, error: 'x', mode: 'fail_open', ignored: true },
    'Translated',
    ['warning hook-failed'],
  ],
  ['hook.completed', { ...hook, action: 'continue', mutated: false, reason: '' }, 'Bookkeeping', []],
  ['tool_hook.started', { ...tool, stage: 'pre_tool_use', hook: 'h' }, 'Bookkeeping', []],
  [
    'tool_hook.failed',
    { ...tool, stage: 'post_tool_use', hook: 'h', ignored: true },
    'Translated',
    ['warning hook-failed'],
  ],
  [
    'tool_hook.completed',
    { ...tool, stage: 'pre_tool_use', hook: 'h', decision: 'allow' },
    'Bookkeeping',
    [],
  ],
  ['callback.scheduled', callback, 'Bookkeeping', []],
  ['callback.fired', callback, 'Bookkeeping', []],
  ['callback.canceled', callback, 'Bookkeeping', []],
  [
    'skill.constraint.activated',
    { skill: 's', allowed_tools: null },
    'Translated',
    ['warning skill.constraint.activated'],
  ],
  ['skill.constraint.deactivated', { skill: 's', reason: 'replaced_by_new_skill' }, 'Bookkeeping', []],
  ['meta.message.injected', { ...tool, length: 9 }, 'Translated', ['warning meta.message.injected']],
  ['steering.received', { message: 'x' }, 'Translated', ['injection x']],
  ['auto_compact.started', { mode: 'strip' }, 'Bookkeeping', []],
  [
    'auto_compact.completed',
    { before_tokens: 2, after_tokens: 1, mode: 'strip' },
    'Translated',
    ['warning auto_compact.completed'],
  ],
  [
    'compact_history.completed',
    { message_count: 2, duration_ms: 1 },
    'Translated',
    ['warning compact_history.completed'],
  ],
  ['context.reset', { reset_index: 0, at_step: 1, persist: null }, 'Translated', ['warning context.reset']],
  ['skill.fork.started', {}, 'Opaque', ['opaque skill.fork.started']],
  ['skill.fork.completed', {}, 'Opaque', ['opaque skill.fork.completed']],
  ['skill.fork.failed', {}, 'Opaque', ['opaque skill.fork.failed']],
  ['spawn_agent.started', { task: 't', depth: 1 }, 'Opaque', ['opaque spawn_agent.started']],
  ['spawn_agent.completed', { task: 't', status: 'partial' }, 'Opaque', ['opaque spawn_agent.completed']],
  ['task.completed', { status: 'completed' }, 'Opaque', ['opaque task.completed']],
  ['step_budget.pressure', { steps_remaining: 3, depth: 0 }, 'Translated', ['warning step_budget.pressure']],
  ['max_turns.exhausted', { turn_count: 1, max_turns: 1 }, 'Translated', ['warning max_turns.exhausted']],
  [
    'profile.efficiency_suggestion',
    { profile_name: 'p' },
    'Translated',
    ['warning profile.efficiency_suggestion'],
  ],
  ['context.window.snapshot', { usage_ratio: 0.5 }, 'Bookkeeping', []],
  ['context.window.warning', { usage_ratio: 0.9 }, 'Translated', ['warning context.window.warning']],
  ['llm.request.snapshot', { tool_names: ['bash'] }, 'Bookkeeping', []],
  ['llm.response.meta', { latency_ms: 1, model_version: '' }, 'Bookkeeping', []],
  ['tool.decision', { call_sequence: 1, available_tools: ['bash'] }, 'Bookkeeping', []],
  [
    'tool.antipattern',
    { type: 'retry_loop', tool: 'bash', call_count: 3 },
    'Translated',
    ['warning tool.antipattern'],
  ],
  [
    'tool.hook.mutation',
    { tool_call_id: 'c', hook: 'h', action: 'Modify' },
    'Translated',
    ['warning tool.hook.mutation'],
  ],
  ['audit.action', { ...tool, arguments: '{}' }, 'Folded', []],
  ['causal.graph.snapshot', { graph: { nodes: [], edges: [] } }, 'Bookkeeping', []],
  ['error.context', { class: 'provider', error: 'x' }, 'Translated', ['warning error.context']],
  [
    'llm.empty_response.retry',
    { retry: 1, max_retries: 3 },
    'Translated',
    ['warning llm.empty_response.retry'],
  ],
  ['rule.injected', { rule_id: 'r', trigger_tool: 'bash' }, 'Translated', ['warning rule.injected']],
  [
    'recorder.drop_detected',
    { dropped_event_type: 'hook.started' },
    'Translated',
    ['warning recorder.drop_detected'],
  ],
  ['workspace.provisioned', { workspace_type: 'local', workspace_path: '/w' }, 'Bookkeeping', []],
  ['workspace.destroyed', { workspace_type: 'local', workspace_path: '/w' }, 'Bookkeeping', []],
  [
    'workspace.provision_failed',
    { workspace_type: 'vm', error: 'x' },
    'Translated',
    ['warning workspace.provision_failed'],
  ],
  // Newer than the published page, or of the conversation around the run.
  ['job.completed', { shell_id: 'j', command: 'make', exit_code: 0 }, 'Bookkeeping', []],
  ['todos.updated', { todos: [] }, 'Bookkeeping', []],
  ['plan.approval_required', { tool: 'plan_exit', plan: 'p' }, 'Bookkeeping', []],
  ['plan.approval_granted', { plan: 'p' }, 'Bookkeeping', []],
  ['plan.approval_denied', { plan: 'p' }, 'Translated', ['warning plan.approval_denied']],
  ['callback.dispatching', callback, 'Bookkeeping', []],
  ['callback.retry_wait', callback, 'Bookkeeping', []],
  ['callback.started', callback, 'Bookkeeping', []],
  ['callback.failed', { ...callback, last_error: 'x' }, 'Translated', ['warning callback.failed']],
  ['conversation.replay.completed', { messages: [] }, 'Bookkeeping', []],
  ['some.future.event', { k: 'v' }, 'Opaque', ['opaque some.future.event']],
]

describe('every type of the catalogue', () => {
  test.each(TYPES)('%s', (type, payload, bin, made) => {
    const lines = [...OPEN, [type, payload] as const]
    const { bins, events: written } = read(lines)
    expect(binNames(bins).at(-1)).toBe(bin)
    const opening = read(OPEN).events.length
    expect(written.slice(opening).map(brief)).toEqual(made)
    for (const event of written.slice(opening)) expect(event['line'] ?? lines.length).toBe(lines.length)
  })

  test('is here: the 77 of the published page, ten that are newer, and one that is none', () => {
    expect(new Set(TYPES.map(([type]) => type)).size).toBe(77 + 10 + 1)
  })
})
