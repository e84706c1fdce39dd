import { describe, expect, test } from 'vitest'
import { goHarness } from '../../../src/dialect/go-harness.ts'
import { evidenceOf, runIdOf } from '../detecting.ts'
import { binNames, translate } from '../recording-sink.ts'
import { completed, events, OPEN, read, RUN, started } from './runs.ts'

describe('odd records', () => {
  test.each([
    ['assistant.message.delta', { content: null }],
    ['assistant.message', { content: ['x'] }],
    ['reasoning.complete', {}],
    ['tool.call.started', { call_id: null, tool: 'bash' }],
    ['tool.call.started', { call_id: 'c' }],
    ['tool.call.completed', { output: 'x' }],
    ['tool.output.delta', { content: 'x' }],
    ['usage.delta', { turn_usage: 'none' }],
    ['run.step.started', { step: -1 }],
    ['run.step.completed', {}],
    ['steering.received', { message: 7 }],
    ['prompt.warning', { message: 'x' }],
    ['cost.anomaly', 'text'],
    ['hook.started', []],
  ] as const)('that cannot be read are opaque: %s %j', (type, payload) => {
    const { bins, events: made, notices } = read([...OPEN, [type, payload]])
    expect(binNames(bins).at(-1)).toBe('Opaque')
    expect(made.at(-1)).toMatchObject({ event: 'opaque', vendorType: type })
    expect(notices.filter(({ code }) => code !== 'bad-count')).toEqual([])
  })

  test('cost only the field that is odd', () => {
    const {
      events: made,
      bins,
      notices,
    } = read([
      ['run.started', { prompt: ['list'], conversation_id: 7 }],
      ['provider.resolved', { model: null }],
      ['prompt.resolved', { applied_skills: null }],
      ['workspace.provisioned', {}],
      ['run.step.started', { step: '1' }],
      ['llm.request.snapshot', { tool_names: 'bash' }],
      ['usage.delta', { turn_usage: { prompt_tokens: '12', completion_tokens: -1 }, turn_cost_usd: 'free' }],
      ['tool.call.completed', { call_id: 'c', output: { exit_code: 0 } }],
      ['cost.anomaly', {}],
      completed({ output: 5, usage_totals: null, cost_totals: 'none', step: null }),
    ])
    expect(binNames(bins)).not.toContain('Opaque')
    expect(made[0]).toMatchObject({
      sessionId: RUN,
      model: null,
      skills: null,
      cwd: null,
      offeredTools: null,
    })
    expect(made.find(({ event }) => event === 'usage')).toMatchObject({
      usage: { inputTokens: 12, outputTokens: null, costUsd: null },
    })
    expect(made.find(({ event }) => event === 'tool.result')).toMatchObject({
      content: { exit_code: 0 },
      isError: false,
    })
    expect(made.at(-1)).toMatchObject({ event: 'session.ended', finalAnswer: null, numTurns: null })
    expect(new Set(notices.map(({ code }) => code))).toEqual(
      new Set(['numeric-string', 'bad-count', 'turn-counts-differ']),
    )
  })

  test('without a type, or with one that is no word, are opaque', () => {
    const lines = [{ id: 'r:0', payload: {} }, { type: 7 }, [], '5', 'null', { type: 'x.y' }]
    const { bins } = translate(goHarness, lines)
    expect(binNames(bins)).toEqual(Array(6).fill('Opaque'))
  })
})

describe('evidence', () => {
  test.each([
    { value: events([started])[0], weight: 'proof' },
    { value: { ts: 't', seq: 0, type: 'run.started', data: {} }, weight: 'proof' },
    { value: { ts: 't', seq: 0, type: 'new.type' }, weight: 'proof' },
    {
      value: { type: 'event', run_id: 'r', seq: 0, event_id: 'r:0', event_type: 'run.started', payload: {} },
      weight: 'proof',
    },
    { value: { type: 'run', run_id: 'r', status: 'completed' }, weight: 'proof' },
    { value: { type: 'conversation.replay.completed', payload: {} }, weight: 'weak' },
    { value: { type: 'session.start', data: {}, id: 'x', parentId: null, timestamp: 't' }, weight: null },
    { value: { type: 'turn.prompt', time: 1 }, weight: null },
    { value: { type: 'thread.started', thread_id: 't' }, weight: null },
    { value: { id: 'x', type: 'text', timestamp: 't' }, weight: null },
    { value: { type: 'run' }, weight: null },
    { value: [], weight: null },
  ])('of $value: $weight', ({ value, weight }) => {
    expect(evidenceOf(goHarness, value)?.weight ?? null).toBe(weight)
  })

  test.each([
    { value: events([started])[0], run: RUN },
    { value: { id: 'run_3:0', type: 'run.started' }, run: 'run_3' },
    { value: { id: `${RUN}:conversation:0b6c`, run_id: RUN, type: 'job.completed' }, run: null },
    { value: { ts: 't', seq: 0, type: 'run.started', data: { conversation_id: 'conv' } }, run: null },
    { value: { type: 'run', run_id: 'r', status: 'completed' }, run: 'r' },
  ])('names the run: $run', ({ value, run }) => {
    expect(runIdOf(goHarness, value)).toBe(run)
  })
})
