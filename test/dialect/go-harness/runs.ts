import { goHarness } from '../../../src/dialect/go-harness.ts'
import { type Recorded, translate, type Translation } from '../recording-sink.ts'

export const RUN = 'run_00000000-0000-4000-8000-000000000001'

export type Line = readonly [type: string, payload?: unknown]

/** Events of one run as the server sends them, numbered in their order. */
export function events(lines: readonly Line[], run = RUN): object[] {
  return lines.map(([type, payload], seq) => ({
    id: `${run}:${seq}`,
    run_id: run,
    type,
    timestamp: `2026-10-12T08:30:00.${String(seq).padStart(3, '0')}Z`,
    payload: payload ?? {},
  }))
}

export const started: Line = ['run.started', { prompt: 'go on' }]
export const resolved: Line = ['provider.resolved', { model: 'm', provider: 'p' }]
export const step = (n: number): Line => ['run.step.started', { step: n, step_start_ms: 1 }]
export const requested: Line = ['llm.turn.requested', {}]
export const answered: Line = ['llm.turn.completed', { tool_calls: 0 }]
export const stepDone = (n: number): Line => [
  'run.step.completed',
  { step: n, tool_calls: 0, duration_ms: 1 },
]
export const text = (content: unknown): Line => ['assistant.message.delta', { content }]
export const thought = (content: unknown): Line => ['assistant.thinking.delta', { content }]
export const call = (id: string, tool = 'bash', args: unknown = '{"command":"ls"}'): Line => [
  'tool.call.started',
  { call_id: id, tool, arguments: args },
]
export const done = (id: string, more: object = { output: 'ok' }): Line => [
  'tool.call.completed',
  { call_id: id, tool: 'bash', ...more },
]
export const usage = (prompt: number, completion: number, more: object = {}): Line => [
  'usage.delta',
  {
    usage_status: 'provider_reported',
    cost_status: 'available',
    turn_usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
    turn_cost_usd: 0.5,
    ...more,
  },
]
export const completed = (more: object = {}): Line => ['run.completed', { step: 1, output: '', ...more }]

/** What becomes of a run. */
export function read(lines: readonly Line[], context: { readonly deltas?: boolean } = {}): Translation {
  return translate(goHarness, events(lines), context)
}

/** Each event in a word or two, which is what most rules are about. */
export function brief(event: Recorded): string {
  const said = event['text'] ?? event['code'] ?? event['callId'] ?? event['turn'] ?? event['vendorType']
  return said === undefined || said === null ? event.event : `${event.event} ${String(said)}`
}

export const story = (lines: readonly Line[], context = {}): string[] =>
  read(lines, context).events.map(brief)
export const codes = (lines: readonly Line[]): string[] => read(lines).notices.map(({ code }) => code)

/** A run that has opened, so that what is tested stands alone. */
export const OPEN: readonly Line[] = [
  started,
  resolved,
  step(1),
  ['llm.request.snapshot', { tool_names: ['bash'] }],
]
