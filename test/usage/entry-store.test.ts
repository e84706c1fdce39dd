import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Billed } from '../../src/event/billing.ts'
import { requestEntry } from '../../src/usage/entry.ts'
import { BLOCK_ROWS, entriesIn, selectRows, settingsIn, tokensIn } from '../../src/usage/entry-row.ts'
import { EntryStore } from '../../src/usage/entry-store.ts'
import { anyBilled, billed, tokens } from './entries.ts'

/** Figures that do not fit a row, too. */
const anyLarge: fc.Arbitrary<Billed> = fc
  .record({
    one: anyBilled,
    cacheRead: fc.option(fc.nat({ max: Number.MAX_SAFE_INTEGER })),
    output: fc.constantFrom(null, 0, 2 ** 32 - 3, 2 ** 32 - 2, 2 ** 32 - 1, 2 ** 32, 1.5, -1),
    webSearches: fc.constantFrom(null, 0, 253, 254, 255, 256, 70_000),
    reportedPicoUsd: fc.option(fc.bigInt({ min: -1n, max: 2n ** 70n })),
  })
  .map(({ one, cacheRead, output, ...rest }) => ({
    ...one,
    ...rest,
    tokens: { ...one.tokens, cacheRead, output },
  }))

function storeOf(all: readonly Billed[]): EntryStore {
  const store = new EntryStore()
  for (const one of all) store.add(one, null, null)
  return store
}

describe('a store of entries', () => {
  test('gives back what was put in', () => {
    const property = fc.property(fc.array(anyLarge, { maxLength: 40 }), (all) => {
      expect([...entriesIn(storeOf(all).finish())]).toEqual(all.map(requestEntry))
    })
    fc.assert(property)
  })

  test('gives it back after it crossed a thread and was taken over, with what others brought', () => {
    const property = fc.property(
      fc.array(fc.array(anyLarge, { maxLength: 5 }), { maxLength: 8 }),
      (ledgers) => {
        const whole = new EntryStore(BLOCK_ROWS)
        const rows = ledgers.map((all) => whole.adopt(structuredClone(storeOf(all).finish())))
        expect(rows.map((some) => [...entriesIn(some)])).toEqual(ledgers.map((all) => all.map(requestEntry)))
      },
    )
    fc.assert(property)
  })

  test('takes over large ledgers without copying them, small ones around them', () => {
    const many = Array.from({ length: 2 * BLOCK_ROWS + 10 }, (_, i) => request(i))
    const few = many.slice(0, 3)
    const whole = new EntryStore(BLOCK_ROWS)
    const large = storeOf(many).finish()
    const parts = [few, many, few].map((all, i) => whole.adopt(i === 1 ? large : storeOf(all).finish()))
    expect(parts.map(outputs)).toEqual([few, many, few].map((all) => all.map((one) => one.tokens.output)))
    expect(parts[1]?.blocks[0]?.buffer).toBe(large.blocks[0]?.buffer)
    expect(parts[0]?.blocks[0]?.buffer).toBe(parts[2]?.blocks[0]?.buffer)
  })

  test('leaves rows out in place, over the bounds of blocks', () => {
    const all = Array.from({ length: 2 * BLOCK_ROWS + 10 }, (_, i) => request(i))
    for (const period of [1, 2, 3]) {
      const store = storeOf(all)
      let n = 0
      store.keep(() => n++ % period === 0)
      store.add(request(-5), null, null)
      const left = all.filter((_, i) => i % period === 0).map((one) => one.tokens.output)
      expect(outputs(store.finish())).toEqual([...left, 0])
    }
  })

  test('does not show the next ledger what a finished one left behind', () => {
    const first = storeOf(Array.from({ length: 100 }, (_, i) => request(i)))
    const rows = first.finish()
    const second = storeOf([billed({ at: null, model: 'other' }), request(7)]).finish()
    expect([...entriesIn(second)]).toEqual(
      [billed({ at: null, model: 'other' }), request(7)].map(requestEntry),
    )
    expect(outputs(rows)).toHaveLength(100)
  })

  test('knows its settings and tokens without reading every entry', () => {
    const all = [
      request(1),
      billed({ session: 't', tokens: tokens({ input: 5, output: 2 ** 33 }) }),
      request(2),
    ]
    const rows = storeOf(all).finish()
    expect(tokensIn(rows)).toBe(8 + 2 ** 33)
    const settings = settingsIn(rows)
    expect([...settings].map(({ session, model }) => `${session} ${model}`)).toEqual([
      's m1',
      't claude-sonnet-4-5',
      's m2',
    ])
    const wanted = new Set([...settings].filter(({ session }) => session === 's'))
    expect(outputs(selectRows(rows, wanted))).toEqual([1, 2])
  })
})

function request(output: number): Billed {
  return billed({ model: `m${Math.abs(output) % 11}`, tokens: tokens({ output: Math.max(0, output) }) })
}

function outputs(rows: Parameters<typeof entriesIn>[0]): (number | null)[] {
  return Array.from(entriesIn(rows), ({ tokens: { output } }) => output)
}
