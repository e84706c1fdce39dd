import { describe, expect, test } from 'vitest'
import type { Settled } from '../../src/event/billing.ts'
import { LedgerSink } from '../../src/sink/ledger.ts'
import { entriesIn } from '../../src/usage/entry-row.ts'
import { IDENTITY_WORDS, writeIdentity } from '../../src/usage/identity.ts'
import { billed, tokens } from '../usage/entries.ts'

const plain: Settled = { process: 'p', session: 's', at: null, models: null, reportedPicoUsd: null }

const totalOf = (output: number): Settled => ({
  ...plain,
  models: [
    { model: 'big', tokens: tokens({ output }), webSearches: 2, reportedPicoUsd: 70n },
    { model: 'small', tokens: tokens({ output: 10 }), webSearches: 0, reportedPicoUsd: 30n },
  ],
  reportedPicoUsd: 100n,
})

describe('one transcript', () => {
  test('the lines of one message count once: the largest output, whole, and later on a tie', () => {
    const sink = new LedgerSink()
    sink.billed(billed({ key: 'k', tokens: tokens({ input: 5, output: 2 }), final: false }))
    sink.billed(billed({ key: 'k', tokens: tokens({ input: 6, output: 480 }), final: false }))
    sink.billed(billed({ key: 'k', tokens: tokens({ input: 7, output: 480 }), at: '2026-11-30T10:00:09Z' }))
    sink.billed(billed({ key: 'k', tokens: tokens({ input: 8, output: 1 }), final: false }))
    const { entries: rows, repeats } = sink.finish()
    const entries = [...entriesIn(rows)]
    expect(entries).toMatchObject([{ tokens: { input: 7, output: 480 }, final: true, requests: 1 }])
    const began = Date.UTC(2026, 10, 30, 10)
    expect(entries[0]).toMatchObject({ instant: began + 9000, firstInstant: began })
    expect(repeats).toBe(3)
  })

  test('on a tie the final line wins over a later one that is not', () => {
    const sink = new LedgerSink()
    sink.billed(billed({ key: 'k', tokens: tokens({ input: 1, output: 9 }) }))
    sink.billed(billed({ key: 'k', tokens: tokens({ input: 2, output: 9 }), final: false }))
    expect([...entriesIn(sink.finish().entries)]).toMatchObject([{ tokens: { input: 1 } }])
  })

  test('unknown output is less than none', () => {
    const sink = new LedgerSink()
    sink.billed(billed({ key: 'k', tokens: tokens({ output: 0 }) }))
    sink.billed(billed({ key: 'k', tokens: tokens({ output: null }) }))
    expect([...entriesIn(sink.finish().entries)]).toMatchObject([{ tokens: { output: 0 } }])
  })
})

describe('process totals', () => {
  test('take the place of the requests of their process, and of earlier totals', () => {
    const sink = new LedgerSink()
    sink.billed(billed({ key: 'a', process: 'p', model: 'big', tokens: tokens({ output: 1 }) }))
    sink.billed(billed({ key: 'b', process: 'p', model: 'big', tokens: tokens({ output: 1 }) }))
    sink.billed(billed({ key: 'c', process: 'q', model: 'big', tokens: tokens({ output: 4 }) }))
    sink.settled(totalOf(50))
    sink.settled(totalOf(90))
    const { entries, totals } = sink.finish()
    expect([...entriesIn(entries)]).toMatchObject([{ process: 'q', tokens: { output: 4 } }])
    expect(totals).toMatchObject([
      {
        keys: identities('a', 'b'),
        entries: [
          {
            model: 'big',
            requests: 2,
            tokens: { output: 90 },
            scope: 'process',
            webSearches: 2,
            final: true,
          },
          { model: 'small', requests: 1, tokens: { output: 10 } },
        ],
      },
    ])
    expect(totals[0]?.entries).toHaveLength(2)
  })

  test('a request whose model the total spells otherwise still counts', () => {
    const sink = new LedgerSink()
    sink.billed(billed({ process: 'p', model: 'opus' }))
    sink.billed(billed({ process: 'p', model: 'odd' }))
    const models = [
      { model: 'haiku', tokens: tokens({ output: 1 }), webSearches: 0, reportedPicoUsd: null },
      { model: 'opus[1m]', tokens: tokens({ output: 9 }), webSearches: 0, reportedPicoUsd: null },
    ]
    sink.settled({ ...plain, models })
    expect(sink.finish().totals[0]?.entries.map(({ requests }) => requests)).toEqual([1, 2])
  })

  test.each([
    { name: 'no request has a price', prices: [null, null], total: 900_000n, rest: [900_000n] },
    { name: 'some have one', prices: [500_000n, null], total: 900_000n, rest: [400_000n] },
    { name: 'they add up', prices: [500_000n, 400_000n], total: 900_000n, rest: [] },
    { name: 'floating point noise', prices: [899_999n], total: 900_000n, rest: [] },
    { name: 'they are more than the total', prices: [900_001n], total: 900_000n, rest: [] },
    { name: 'no total', prices: [1n], total: null, rest: [] },
  ])('without models they only complete the reported price: $name', ({ prices, total, rest }) => {
    const sink = new LedgerSink()
    for (const reportedPicoUsd of prices) sink.billed(billed({ process: 'p', reportedPicoUsd }))
    sink.settled({ ...plain, reportedPicoUsd: total })
    const added = [...entriesIn(sink.finish().entries)].filter(({ scope }) => scope === 'price')
    expect(added.map(({ reportedPicoUsd }) => reportedPicoUsd)).toEqual(rest)
    for (const one of added) expect(one).toMatchObject({ requests: 0, tokens: { input: 0, output: 0 } })
  })

  test('without models, a price by model is that of its model, and only the rest is of none', () => {
    const sink = new LedgerSink()
    sink.billed(billed({ process: 'p', model: 'big', reportedPicoUsd: 300_000n }))
    sink.billed(billed({ process: 'p', model: 'small' }))
    const prices = [
      { model: 'big', reportedPicoUsd: 700_000n },
      { model: 'small', reportedPicoUsd: 50_000n },
    ]
    sink.settled({ ...plain, reportedPicoUsd: 800_000n, prices })
    const added = [...entriesIn(sink.finish().entries)].filter(({ scope }) => scope === 'price')
    expect(added.map(({ model, reportedPicoUsd }) => [model, reportedPicoUsd])).toEqual([
      ['big', 400_000n],
      ['small', 50_000n],
      [null, 50_000n],
    ])
  })

  test('a price beyond that of the models is kept too', () => {
    const sink = new LedgerSink()
    const models = [{ model: 'm', tokens: tokens({ output: 1 }), webSearches: 0, reportedPicoUsd: null }]
    sink.settled({ ...plain, models, reportedPicoUsd: 77n })
    expect(sink.finish().totals[0]?.entries).toMatchObject([
      { scope: 'process', reportedPicoUsd: null },
      { scope: 'price', reportedPicoUsd: 77n },
    ])
  })
})

function identities(...keys: string[]): Uint32Array {
  const words = new Uint32Array(IDENTITY_WORDS * keys.length)
  for (const [i, key] of keys.entries()) writeIdentity(words, IDENTITY_WORDS * i, key)
  return words
}
