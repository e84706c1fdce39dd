import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Place } from '../../src/event/billing.ts'
import type { TranscriptLedger } from '../../src/usage/transcript-ledger.ts'
import { addLedger, emptyLineage, mergeLineage } from '../../src/usage/lineage.ts'
import { type ResolvedLineage, resolveLineage } from '../../src/usage/resolution.ts'
import { billed, tokens } from './entries.ts'
import { canonical, ledgerOf as billedLedger } from './resolving.ts'

/** A thread as its transcript has it: what each request used. An `e` in front makes the step an echo. */
interface Thread {
  readonly id: string
  readonly parent?: string
  readonly steps: readonly (number | `e${number}`)[]
  readonly at?: string
  readonly kind?: Place['kind']
  /** Archived. */
  readonly yields?: boolean
}

describe('a transcript that begins with the history of its parent', () => {
  test('bills what comes after it', () => {
    expect(
      outputs([
        { id: 'p', steps: [40, 50] },
        { id: 'c', parent: 'p', steps: [40, 50, 30] },
      ]),
    ).toEqual([[40, 50], [30]])
  })

  test('bills nothing when nothing comes after it', () => {
    const resolved = resolve([
      { id: 'p', steps: [40, 50] },
      { id: 'c', parent: 'p', steps: [40, 50] },
    ])
    expect(resolved.replayed).toBe(2)
    expect([...resolved.entries]).toHaveLength(2)
  })

  test('bills all of it when it is no copy', () => {
    expect(
      outputs([
        { id: 'p', steps: [40, 50] },
        { id: 'c', parent: 'p', steps: [41, 50, 30] },
      ]),
    ).toEqual([
      [40, 50],
      [41, 50, 30],
    ])
  })

  test('may go on with a turn of the same size as its sibling', () => {
    expect(
      outputs([
        { id: 'p', steps: [40] },
        { id: 'a', parent: 'p', steps: [40, 7] },
        { id: 'b', parent: 'p', steps: [40, 7] },
      ]),
    ).toEqual([[40], [7], [7]])
  })

  test('is compared with all that its parent holds, the copied part included', () => {
    expect(
      outputs([
        { id: 'c', parent: 'b', steps: [1, 2, 3, 4] },
        { id: 'b', parent: 'a', steps: [1, 2, 3] },
        { id: 'a', steps: [1, 2] },
      ]),
    ).toEqual([[4], [3], [1, 2]])
  })

  test('is compared step by step, also where the parent has its requests in a ledger', () => {
    expect(
      outputs([
        { id: 'p', steps: [40, 'e50', 60] },
        { id: 'c', parent: 'p', steps: [40, 50, 60, 30] },
      ]),
    ).toEqual([[40, 60], [30]])
  })

  test('is no parent of itself', () => {
    expect(outputs([{ id: 'p', parent: 'p', steps: [1, 2] }])).toEqual([[1, 2]])
  })

  test('is found in a long line of forks without walking it again and again', () => {
    const line = Array.from({ length: 20_000 }, (_, i) => ({
      id: `t${i}`,
      parent: `t${i + 1}`,
      steps: [1, 2],
    }))
    expect([...resolve(line).entries]).toHaveLength(2)
  })

  test('counts once in a ring of parents, whoever leads into it', () => {
    const ring = outputs([
      { id: 'a', parent: 'b', steps: [1, 2] },
      { id: 'b', parent: 'a', steps: [1, 2, 3] },
      { id: 'c', parent: 'a', steps: [1, 2, 9] },
    ])
    expect(ring).toEqual([[1, 2], [3], [9]])
  })
})

describe('threads whose parent is not here', () => {
  const siblings: readonly Thread[] = [
    { id: 'a', parent: 'gone', steps: [1, 2, 3], at: '2026-11-30T12:00:00Z' },
    { id: 'b', parent: 'gone', steps: [1, 2, 4], at: '2026-11-30T11:00:00Z' },
    { id: 'c', parent: 'gone', steps: [1, 2, 4, 5], at: '2026-11-30T13:00:00Z' },
  ]

  test('share a beginning, which counts for the earliest', () => {
    const resolved = resolve(siblings)
    expect(outputsOf(resolved, 3)).toEqual([[3], [1, 2, 4], [5]])
    expect(resolved.replayed).toBe(5)
    expect(resolved.orphans.toSorted((x, y) => x.transcript - y.transcript)).toEqual([
      { transcript: 0, parent: 'gone' },
      { transcript: 2, parent: 'gone' },
    ])
  })

  test('one alone keeps all it has', () => {
    const resolved = resolve(siblings.slice(0, 1))
    expect(outputsOf(resolved, 1)).toEqual([[1, 2, 3]])
    expect(resolved.orphans).toEqual([])
  })

  test('those of other parents are not compared', () => {
    expect(
      outputs([
        { id: 'a', parent: 'gone', steps: [1] },
        { id: 'b', parent: 'lost', steps: [1] },
        { id: 'c', steps: [1] },
      ]),
    ).toEqual([[1], [1], [1]])
  })
})

describe('several transcripts of one thread', () => {
  test.each([
    { name: 'the longer one counts', first: {}, second: { steps: [1, 2] as const }, owner: 1 },
    { name: 'of equal ones the first', first: {}, second: {}, owner: 0 },
    { name: 'an archived one gives way', first: { yields: true }, second: {}, owner: 1 },
    {
      name: 'records come before totals',
      first: { kind: 'total' as const, steps: [9, 9] as const },
      second: {},
      owner: 1,
    },
  ])('$name', ({ first, second, owner }) => {
    const resolved = resolve([
      { id: 't', steps: [1], ...first },
      { id: 't', steps: [1], ...second },
    ])
    expect(new Set([...resolved.entries].map(({ transcript }) => transcript))).toEqual(new Set([owner]))
    expect(resolved.duplicateResponses).toBeGreaterThan(0)
  })

  test('of totals the largest covers the others', () => {
    const resolved = resolve([
      { id: 't', steps: [100], kind: 'total' },
      { id: 't', steps: [250], kind: 'total' },
    ])
    expect(outputsOf(resolved, 2)).toEqual([[], [250]])
  })

  test('a total gives way to requests that are known by their ids', () => {
    const lineage = emptyLineage()
    const place: Place = { thread: 't', parent: null, step: null, counters: null, kind: 'request' }
    const request = billed({ key: 'codex:r1', tokens: tokens({ output: 70 }), place })
    addLedger(lineage, billedLedger([request]), 0)
    addLedger(lineage, ledgerOf({ id: 't', steps: [100], kind: 'total' }), 1)
    expect(outputsOf(resolveLineage(lineage), 2)).toEqual([[70], []])
  })
})

describe('whatever the order', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd')
  const anyThread: fc.Arbitrary<Thread> = fc.record({
    id,
    parent: fc.constantFrom('a', 'b', 'c', 'd', 'gone', 'lost'),
    // Few different steps, so that beginnings are often the same.
    steps: fc.array(fc.constantFrom(1, 2, 'e1' as const, 'e2' as const), { maxLength: 5 }),
    at: fc.constantFrom('2026-11-30T10:00:00Z', '2026-11-30T11:00:00Z'),
    kind: fc.constantFrom('request' as const, 'request' as const, 'total' as const),
    yields: fc.boolean(),
  })

  test('of transcripts and groups, the same is left', () => {
    const property = fc.property(
      fc.array(anyThread, { maxLength: 7 }),
      fc.infiniteStream(fc.nat()),
      (threads, numbers) => {
        const expected = canonical(resolve(threads))
        const order = threads
          .map((_, i) => [numbers.next().value ?? 0, i] as const)
          .toSorted(([a], [b]) => a - b)
        const groups = [emptyLineage(), emptyLineage()]
        for (const [n, i] of order) addLedger(groups[n % 2]!, ledgerOf(threads[i]!), i, threads[i]!)
        const merged = groups.reduceRight((into, from) => mergeLineage(into, from), emptyLineage())
        expect(canonical(resolveLineage(merged))).toEqual(expected)
      },
    )
    fc.assert(property)
  })

  test('nothing is lost: each sequence of counters that somebody had is billed by somebody', () => {
    const requests = anyThread.map((thread) => ({
      ...thread,
      kind: 'request' as const,
      steps: thread.steps.filter((step) => typeof step === 'number'),
    }))
    const property = fc.property(fc.uniqueArray(requests, { selector: (thread) => thread.id }), (threads) => {
      const { entries: kept, replayed } = resolve(threads)
      const entries = [...kept]
      const all = threads.reduce((sum, { steps }) => sum + steps.length, 0)
      if (entries.length + replayed !== all) throw new Error('an entry is neither kept nor replayed')
      const longest = Math.max(0, ...threads.map(({ steps }) => steps.length))
      if (entries.length < longest) throw new Error('a whole sequence is gone')
    })
    fc.assert(property)
  })
})

function outputs(threads: readonly Thread[]): number[][] {
  return outputsOf(resolve(threads), threads.length)
}

/** Output tokens of what is left, by transcript. */
function outputsOf({ entries }: ResolvedLineage, transcripts: number): number[][] {
  const all = [...entries]
  return Array.from({ length: transcripts }, (_, i) =>
    all.filter(({ transcript }) => transcript === i).map(({ entry }) => entry.tokens.output ?? -1),
  )
}

function resolve(threads: readonly Thread[]): ResolvedLineage {
  const lineage = emptyLineage()
  for (const [i, thread] of threads.entries()) addLedger(lineage, ledgerOf(thread), i, thread)
  return resolveLineage(lineage)
}

function ledgerOf({ id, parent, steps, at, kind }: Thread): TranscriptLedger {
  const requests = steps.map((size, step) => {
    const counters = typeof size === 'number' ? `${size}` : size.slice(1)
    return billed({
      ...(at === undefined ? {} : { at }),
      tokens: tokens({ output: Number(counters) }),
      place: {
        thread: id,
        parent: parent === undefined || parent === id ? null : parent,
        step,
        counters,
        kind: typeof size === 'number' ? (kind ?? 'request') : 'echo',
      },
    })
  })
  return billedLedger(requests)
}
