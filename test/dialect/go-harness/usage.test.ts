import { describe, expect, test } from 'vitest'
import { goHarness } from '../../../src/dialect/go-harness.ts'
import { translate } from '../recording-sink.ts'
import {
  answered,
  codes,
  completed,
  events,
  type Line,
  OPEN,
  read,
  requested,
  RUN,
  started,
  usage,
} from './runs.ts'

const turn = (more: object, counts: object = {}): Line => [
  'usage.delta',
  {
    usage_status: 'provider_reported',
    cost_status: 'available',
    turn_usage: { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14, ...counts },
    turn_cost_usd: 0.25,
    ...more,
  },
]

const totals = (prompt: number, completion: number, more: object = {}): Line =>
  completed({
    usage_totals: {
      prompt_tokens_total: prompt,
      completion_tokens_total: completion,
      total_tokens: prompt + completion,
      ...more,
    },
    cost_totals: { cost_usd_total: 0.5, last_turn_cost_usd: 0.5, cost_status: 'available' },
  })

describe('usage', () => {
  test.each([
    {
      name: 'splits the prompt by what came from the cache',
      line: turn({}, { cached_prompt_tokens: 3, reasoning_tokens: 2 }),
      tokens: { input: 7, cacheRead: 3, output: 4, reasoning: 2 },
      cost: 250_000_000_000n,
      final: true,
    },
    {
      name: 'does not know the cache when the provider did not say',
      line: turn({}),
      tokens: { input: 10, cacheRead: null, output: 4, reasoning: null },
      cost: 250_000_000_000n,
      final: true,
    },
    {
      name: 'knows that nothing came from the cache',
      line: turn({}, { cached_prompt_tokens: 0, reasoning_tokens: 0 }),
      tokens: { input: 10, cacheRead: 0, output: 4, reasoning: 0 },
      cost: 250_000_000_000n,
      final: true,
    },
    {
      name: 'takes the zeros of a provider that reported nothing for unknown',
      line: turn(
        { usage_status: 'provider_unreported', cost_status: 'provider_unreported', turn_cost_usd: 0 },
        { prompt_tokens: 0, completion_tokens: 0 },
      ),
      tokens: { input: null, cacheRead: null, output: null, reasoning: null },
      cost: null,
      final: false,
    },
    {
      name: 'has no price where the model has none',
      line: turn({ cost_status: 'unpriced_model', turn_cost_usd: 0 }),
      tokens: { input: 10, output: 4 },
      cost: null,
      final: true,
    },
    {
      name: 'believes a price of nothing when there was one',
      line: turn({ turn_cost_usd: 0 }),
      tokens: { input: 10, output: 4 },
      cost: 0n,
      final: true,
    },
  ])('$name', ({ line, tokens, cost, final }) => {
    const { entries } = read([...OPEN, line])
    expect(entries).toHaveLength(1)
    expect(entries[0]).toMatchObject({
      model: 'm',
      tokens: { cacheWrite: line === undefined || tokens.input === null ? null : 0, ...tokens },
      reportedPicoUsd: cost,
      final,
      session: RUN,
    })
  })

  test('is of the model that answers', () => {
    const { entries } = read([
      ...OPEN,
      usage(1, 1),
      ['provider.resolved', { model: 'n', provider: 'q' }],
      usage(1, 1),
    ])
    expect(entries.map(({ model }) => model)).toEqual(['m', 'n'])
  })

  test('has the same identity in the stream, the rollout and the backup', () => {
    const lines: Line[] = [['run.started', { prompt: 'x', conversation_id: 'conv' }], usage(1, 1)]
    const sent = events(lines)
    const rollout = sent.map((_, seq) => ({
      ts: `2026-10-12T08:30:00.${String(seq).padStart(3, '0')}Z`,
      seq,
      type: lines[seq]?.[0],
      data: lines[seq]?.[1],
    }))
    const backup = rollout.map(({ ts, seq, type, data }) => ({
      type: 'event',
      run_id: RUN,
      seq,
      event_id: `${RUN}:${seq}`,
      event_type: type,
      payload: data,
      timestamp: ts,
    }))
    const keys = [sent, rollout, backup].map((form) =>
      translate(goHarness, form).entries.map(({ key }) => key),
    )
    expect(keys[0]).toHaveLength(1)
    expect(keys[1]).toEqual(keys[0])
    expect(keys[2]).toEqual(keys[0])
  })

  test('that only the totals have is billed from them', () => {
    const { entries, notices } = read([...OPEN, totals(5, 1)])
    expect(entries.map(({ tokens }) => [tokens.input, tokens.output])).toEqual([[5, 1]])
    expect(notices).toEqual([])
  })

  test('that was lost is what the totals hold beyond the turns', () => {
    const lost: Line = ['recorder.drop_detected', { dropped_event_type: 'usage.delta', dropped_seq: 7 }]
    const { entries, notices, ending } = read([
      ...OPEN,
      requested,
      usage(10, 2),
      answered,
      lost,
      answered,
      totals(30, 5),
    ])
    expect(entries.map(({ tokens, final }) => [tokens.input, tokens.output, final])).toEqual([
      [10, 2, true],
      [20, 3, false],
    ])
    expect(entries.map(({ reportedPicoUsd }) => reportedPicoUsd)).toEqual([500_000_000_000n, null])
    expect(notices.map(({ code }) => code)).toEqual(['usage-outside-turns'])
    expect(ending.gapped).toBe(true)
  })

  test('that was lost costs what the price of the run holds beyond the turns', () => {
    const costs = { cost_usd_total: 0.75, cost_status: 'available' }
    const all = { prompt_tokens_total: 30, completion_tokens_total: 5, total_tokens: 35 }
    const { entries, events: made } = read([
      ...OPEN,
      usage(10, 2),
      completed({ usage_totals: all, cost_totals: costs }),
    ])
    expect(entries.map(({ reportedPicoUsd }) => reportedPicoUsd)).toEqual([
      500_000_000_000n,
      250_000_000_000n,
    ])
    expect(made.filter(({ event }) => event === 'usage')[1]).toMatchObject({
      usage: { costUsd: '0.25' },
    })
  })

  test('that was dropped has the identity that the recording with it gives it', () => {
    const lines = [...OPEN, requested, usage(10, 2), answered, totals(10, 2)]
    const drop = {
      ...events(lines)[5],
      type: 'recorder.drop_detected',
      payload: { dropped_event_type: 'usage.delta' },
    }
    const whole = translate(goHarness, events(lines))
    const holed = translate(goHarness, [...events(lines).slice(0, 5), drop, ...events(lines).slice(6)])
    expect(holed.entries.map(({ key, final }) => [key, final])).toEqual([[whole.entries[0]?.key, false]])
  })

  test.each([
    { name: 'lost', line: ['recorder.drop_detected', { dropped_event_type: 'usage.delta' }] as const },
    { name: 'never written', line: answered },
  ])('that was $name is a request of unknown size', ({ line }) => {
    for (const end of [[], [completed({ usage_totals: {} })]]) {
      const { entries, events: made } = read([...OPEN, line, ...end])
      expect(entries.map(({ tokens, final }) => [tokens.input, tokens.output, final])).toEqual([
        [null, null, false],
      ])
      expect(made.filter(({ event }) => event === 'usage')).toHaveLength(1)
    }
  })

  test('totals that say nothing take nothing away', () => {
    const { entries, events: made } = read([
      ...OPEN,
      usage(10, 2),
      completed({ usage_totals: {}, cost_totals: {} }),
    ])
    expect(entries).toHaveLength(1)
    expect(made.at(-1)).toMatchObject({ event: 'session.ended', usage: { inputTokens: 10, outputTokens: 2 } })
  })

  test('states the price of the run', () => {
    const { totals: settled, events: made } = read([...OPEN, requested, usage(5, 1), answered, totals(5, 1)])
    expect(settled).toMatchObject([{ process: RUN, models: null, reportedPicoUsd: 500_000_000_000n }])
    expect(made.at(-1)).toMatchObject({ totalCostUsd: '0.5' })
  })

  test('states no price for a run without one', () => {
    const costs = { cost_usd_total: 0, cost_status: 'pending' }
    const { totals: settled, events: made } = read([
      started,
      ['run.failed', { error: 'x', cost_totals: costs }],
    ])
    expect(settled).toEqual([])
    expect(made.at(-1)).toMatchObject({ totalCostUsd: null, usage: null })
  })

  const whole: readonly Line[] = [...OPEN, requested, usage(5, 1), answered]

  test.each([
    { name: 'holds of a sound run', lines: [...whole, totals(5, 1, { last_turn_tokens: 6 })], notices: [] },
    {
      name: 'that totals are the sums of turns',
      lines: [...whole, totals(4, 1)],
      notices: ['usage-totals-differ'],
    },
    {
      name: 'that the last cumulative counts are the sums of turns',
      lines: [
        ...OPEN,
        requested,
        usage(5, 1, { cumulative_usage: { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 } }),
        answered,
        totals(5, 1),
      ],
      notices: ['usage-totals-differ'],
    },
    {
      name: 'that costs add up to the last digit',
      lines: [...whole, completed({ cost_totals: { cost_usd_total: 0.50000001, cost_status: 'available' } })],
      notices: ['cost-totals-differ'],
    },
    {
      name: 'that the last turn is the last turn',
      lines: [...whole, totals(5, 1, { last_turn_tokens: 7 })],
      notices: ['last-turn-differs'],
    },
    {
      name: 'that turns asked for, answered and accounted for are equally many',
      lines: [...OPEN, usage(5, 1), answered, totals(5, 1)],
      notices: ['turn-counts-differ'],
    },
  ])('is checked: $name', ({ lines, notices }) => {
    expect(codes(lines)).toEqual(notices)
  })

  test('of a run with holes is not held against it', () => {
    const [a, b, c, , e, f] = events([...whole, totals(4, 1)])
    const { notices } = translate(
      goHarness,
      [a, b, c, e, f].filter((line) => line !== undefined),
    )
    expect(notices.map(({ code }) => code)).toEqual(['seq-gap'])
  })
})
