import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Calendar } from '../../src/usage/calendar.ts'
import type { LedgerEntry } from '../../src/usage/entry.ts'
import { addEntry, emptyFigures, type Figures, mergeFigures } from '../../src/usage/figures.ts'
import {
  GROUP_KEYS,
  type GroupedUsage,
  type GroupKey,
  type GroupRequest,
  groupUsage,
  type LedgerTranscript,
  parseGroupKeys,
} from '../../src/usage/group.ts'
import { readOwnPrices } from '../../src/usage/price-file.ts'
import { PriceTable, priceOf } from '../../src/usage/prices.ts'
import { anyOwned, entry, tokens } from './entries.ts'

const pricer = new PriceTable(await readOwnPrices())
const calendar = new Calendar('Europe/Madrid')
const transcripts: readonly LedgerTranscript[] = [
  { path: 'a.jsonl', run: 'r1', dialect: 'claude-session', harness: 'claude', project: '/p' },
  { path: 'b.jsonl', run: 'r1', dialect: 'claude-session', harness: 'claude', project: null },
  { path: 'c.jsonl', run: 'r2', dialect: 'codex-rollout', harness: 'codex', project: '/p' },
  { path: 'd.jsonl', run: 'r3', dialect: 'b10x', harness: 'b10x', project: '/q' },
]

function group(
  entries: readonly LedgerEntry[],
  by: readonly GroupKey[],
  given: Partial<GroupRequest> = {},
): GroupedUsage {
  const owned = entries.map((one) => ({ entry: one, transcript: 0 }))
  return groupUsage(owned, transcripts, {
    by,
    calendar,
    span: { since: null, until: null },
    pricer,
    ...given,
  })
}

describe('rows', () => {
  test('nest in the order of the keys and are sorted by them, null last', () => {
    const { rows } = group(
      [
        entry({ model: null }),
        entry({ model: 'b', at: null }),
        entry({ model: 'b', at: '2026-11-29T23:30:00Z' }),
        entry({ model: 'a' }),
        entry({ model: 'a' }),
      ],
      ['day', 'model'],
    )
    expect(rows.map(({ keys, figures }) => [...keys, figures.requests])).toEqual([
      ['2026-11-30', 'a', 2],
      ['2026-11-30', 'b', 1],
      ['2026-11-30', null, 1],
      [null, 'b', 1],
    ])
  })

  test('hours that the clocks repeat stand in the order in which they passed', () => {
    const at = ['2026-10-25T01:30:00Z', '2026-10-25T00:30:00Z', '2026-10-25T02:30:00Z']
    const { rows } = group(
      at.map((time) => entry({ at: time })),
      ['hour'],
    )
    expect(rows.map(({ keys }) => keys[0])).toEqual([
      '2026-10-25T02:00+02:00',
      '2026-10-25T02:00+01:00',
      '2026-10-25T03:00+01:00',
    ])
  })

  test('values cannot be mistaken for one another', () => {
    const models = ['a,b', 'a', '__proto__', 'null', '', null]
    const { rows } = group(
      models.map((model) => entry({ model })),
      ['model'],
    )
    expect(rows).toHaveLength(6)
  })

  test('a request without a session belongs to its run', () => {
    expect(group([entry({ session: null })], ['session']).rows).toMatchObject([{ keys: ['r1'] }])
  })

  test('keep to the days asked for, in the zone, unknown days left out', () => {
    const at = ['2026-11-28T22:59:59Z', '2026-11-28T23:00:00Z', '2026-11-29T23:00:00Z', null]
    const { totals } = group(
      at.map((time) => entry({ at: time })),
      [],
      {
        span: { since: '2026-11-29', until: '2026-11-29' },
      },
    )
    expect(totals.requests).toBe(1)
  })
})

describe('figures', () => {
  test('what no one knows is null, no requests are zero', () => {
    const { totals } = group([entry({ tokens: tokens({ input: 5, reasoning: null }) })], [])
    expect(totals).toMatchObject({
      tokens: { input: 5, reasoning: null, cacheWrite: null },
      reportedPicoUsd: null,
    })
  })

  test.each([
    { name: 'final and known', given: {}, lowerBound: false },
    { name: 'not final', given: { final: false }, lowerBound: true },
    { name: 'unknown output', given: { tokens: tokens({ output: null }) }, lowerBound: true },
    { name: 'unknown reasoning', given: { tokens: tokens({ reasoning: null }) }, lowerBound: false },
    {
      name: 'cache writes in one number',
      given: { tokens: tokens({ cacheWrite5m: null, cacheWrite1h: null, cacheWrite: 1 }) },
      lowerBound: false,
    },
  ])('a lower bound when $name: $lowerBound', ({ given, lowerBound }) => {
    expect(group([entry(given)], []).totals.lowerBound).toBe(lowerBound)
  })

  test('a model without a price is listed and makes the cost partial, not zero', () => {
    const unknown = entry({ model: 'zz-new-9', tokens: tokens({ input: 5, output: 5 }) })
    expect(group([unknown], [])).toMatchObject({
      totals: { computedPicoUsd: null, partialCost: true },
      unpriced: [{ model: 'zz-new-9', requests: 1, tokens: { input: 5, output: 5 } }],
    })
    const known = entry({ tokens: tokens({ input: 1 }) })
    expect(group([known, unknown], []).totals).toMatchObject({
      computedPicoUsd: 3_000_000n,
      partialCost: true,
    })
    expect(group([known], [])).toMatchObject({ totals: { partialCost: false }, unpriced: [] })
  })

  test('many small requests never make a long one', () => {
    const one = entry({ tokens: tokens({ input: 120_000, output: 500 }) })
    expect(group([one, one, one], []).totals.computedPicoUsd).toBe(1_102_500_000_000n)
  })

  test('a price alone adds to what was reported and to nothing else', () => {
    const price = entry({ scope: 'price', requests: 0, model: null, reportedPicoUsd: 9n, tokens: tokens() })
    expect(group([price], ['model'])).toMatchObject({
      totals: { requests: 0, reportedPicoUsd: 9n, computedPicoUsd: null, partialCost: false },
      unpriced: [],
    })
  })

  test('identity, associativity, any split', () => {
    const property = fc.property(fc.array(anyOwned), fc.nat(), fc.nat(), (owned, i, j) => {
      const [low, high] = [i % (owned.length + 1), j % (owned.length + 1)].toSorted((a, b) => a - b)
      const part = (start?: number, end?: number) =>
        figuresOf(owned.slice(start, end).map((one) => one.entry))
      const [a, b, c] = [() => part(0, low), () => part(low, high), () => part(high)]
      const whole = part()
      expect(mergeFigures(emptyFigures(), whole)).toEqual(whole)
      expect(mergeFigures(mergeFigures(a(), b()), c())).toEqual(whole)
      expect(mergeFigures(a(), mergeFigures(b(), c()))).toEqual(whole)
    })
    fc.assert(property)
  })
})

describe('one accounting', () => {
  const request = { calendar, pricer, span: { since: null, until: null } }

  test('every grouping sums to the same totals, to the last digit, in any order', () => {
    const property = fc.property(
      fc.array(anyOwned, { maxLength: 40 }),
      fc.shuffledSubarray([...GROUP_KEYS], { minLength: 1, maxLength: 4 }),
      fc.infiniteStream(fc.nat()),
      (owned, by, numbers) => {
        const usage = groupUsage(owned, transcripts, { ...request, by })
        const sum = usage.rows.reduce((into, { figures }) => mergeFigures(into, figures), emptyFigures())
        expect(sum).toEqual(usage.totals)
        const shuffled = owned
          .map((one) => [numbers.next().value ?? 0, one] as const)
          .toSorted(([a], [b]) => a - b)
        expect(
          groupUsage(
            shuffled.map(([, one]) => one),
            transcripts,
            { ...request, by },
          ),
        ).toEqual(usage)
      },
    )
    fc.assert(property)
  })

  test('on a corpus of 20,000 requests in 3 models, 40 days and 500 sessions', () => {
    const models = ['claude-opus-4-8', 'gpt-5.5', 'claude-haiku-4-5']
    const entries = Array.from({ length: 20_000 }, (_, i) =>
      entry({
        model: models[i % 3] ?? null,
        session: `s${(i * 7) % 500}`,
        at: new Date(Date.UTC(2026, 9, 1) + ((i * 7_919) % 40) * 86_400_000 + i).toISOString(),
        tokens: tokens({ input: (i * 31) % 7, output: (i * 17) % 5, cacheRead: i % 400_000 }),
      }),
    )
    const { totals } = group(entries, [])
    for (const by of [['day'], ['model'], ['session'], ['week', 'model'], ['hour', 'session']] as const) {
      const sum = group(entries, by).rows.reduce(
        (into, { figures }) => mergeFigures(into, figures),
        emptyFigures(),
      )
      expect(sum).toEqual(totals)
    }
    expect(totals.requests).toBe(20_000)
  })
})

describe('lists of keys', () => {
  test('are read in their order', () => {
    expect(parseGroupKeys('day, model')).toEqual({ ok: true, value: ['day', 'model'] })
  })
  test('may hold every key that is published', () => {
    const published = 'day,hour,week,month,model,harness,dialect,project,session,run,transcript'
    expect(parseGroupKeys(published)).toEqual({ ok: true, value: GROUP_KEYS })
  })
  test.each(['', 'year', 'day,day', 'day,'])('%j is refused', (text) => {
    expect(parseGroupKeys(text).ok).toBe(false)
  })
})

function figuresOf(entries: readonly LedgerEntry[]): Figures {
  const figures = emptyFigures()
  for (const one of entries) addEntry(figures, one, priceOf(one, pricer))
  return figures
}
