import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Billed } from '../../src/event/billing.ts'
import { LedgerSink } from '../../src/sink/ledger.ts'
import type { TranscriptLedger } from '../../src/usage/transcript-ledger.ts'
import {
  type OwnedEntry,
  type ResolvedLineage,
  addLedger,
  emptyLineage,
  mergeLineage,
  resolveLineage,
} from '../../src/usage/lineage.ts'
import { anyBilled, billed, tokens } from './entries.ts'

describe('over transcripts', () => {
  test('a copied request counts once, for the transcript that had it first', () => {
    const original = request({
      key: 'k',
      at: '2026-11-30T10:00:00Z',
      session: 'old',
      tokens: tokens({ output: 7 }),
    })
    const copy = { ...original, at: '2026-11-30T11:00:00Z', session: 'new' }
    const { entries, duplicateResponses } = resolve([[copy], [original]])
    expect(entries).toMatchObject([
      { transcript: 1, entry: { session: 'old', instant: Date.UTC(2026, 10, 30, 10) } },
    ])
    expect(duplicateResponses).toBe(1)
  })

  test('equal times: the main conversation owns it, then the first path', () => {
    const side = request({ key: 'k', sidechain: true })
    const main = request({ key: 'k' })
    expect(resolve([[side], [main], [main]]).entries).toMatchObject([
      { transcript: 1, entry: { sidechain: false } },
    ])
  })

  test('the same instant spelled in two ways is the same time', () => {
    const first = request({ key: 'k', at: '2026-11-30T12:00:00+02:00' })
    const second = request({ key: 'k', at: '2026-11-30T10:00:00.000Z' })
    expect(resolve([[first], [second]]).entries).toMatchObject([{ transcript: 0 }])
  })

  test('the largest output gives the whole line, wherever it is', () => {
    const early = request({ key: 'k', tokens: tokens({ input: 10, output: 1 }) })
    const full = request({
      key: 'k',
      at: '2026-12-01T00:00:00Z',
      tokens: tokens({ input: 3, output: 90 }),
      final: false,
    })
    const [only] = resolve([[early], [full]]).entries
    expect(only).toMatchObject({ transcript: 0, entry: { tokens: { input: 3, output: 90 }, final: true } })
  })

  test('a side question does not count again, even under another request id', () => {
    const { entries, duplicateResponses } = resolve([
      [request({ key: 'claude:m1:r1' }), request({ key: 'claude:m1:r1:advisor:0' })],
      [
        request({ key: 'claude:m1:r9', sidechain: true }),
        request({ key: 'claude:m1:r9:advisor:0', sidechain: true }),
        request({ key: 'claude:m2:r2', sidechain: true }),
      ],
    ])
    expect(entries.map((one) => one.entry.model)).toEqual([
      'claude:m1:r1',
      'claude:m1:r1:advisor:0',
      'claude:m2:r2',
    ])
    expect(duplicateResponses).toBe(2)
  })

  test('a message without its request is the request that another form names', () => {
    const named = [
      request({ key: 'claude:m1:r1', tokens: tokens({ output: 8 }) }),
      request({ key: 'claude:m2:r2' }),
    ]
    const nameless = [
      request({ key: 'claude:m1:', tokens: tokens({ output: 1 }), at: '2026-11-30T09:59:59Z' }),
      request({ key: 'claude:m3:' }),
    ]
    for (const files of [
      [named, nameless],
      [nameless, named],
    ]) {
      const { entries, duplicateResponses } = resolve(files)
      const found = entries.map(({ entry }) => [entry.model, entry.tokens.output, entry.instant])
      expect(found.toSorted()).toEqual([
        ['claude:m1:r1', 8, Date.UTC(2026, 10, 30, 9, 59, 59)],
        ['claude:m2:r2', 0, Date.UTC(2026, 10, 30, 10)],
        ['claude:m3:', 0, Date.UTC(2026, 10, 30, 10)],
      ])
      expect(duplicateResponses).toBe(1)
    }
  })

  test('a total covers a message whichever side names its request', () => {
    for (const [inTotal, inFile] of [
      ['claude:m1:', 'claude:m1:r1'],
      ['claude:m1:r1', 'claude:m1:'],
    ] as const) {
      const { entries } = resolveLedgers([ledgerOf([request({ key: inFile })]), processLedger(inTotal)])
      expect(entries).toMatchObject([{ transcript: 1, entry: { scope: 'process' } }])
    }
    expect(
      resolveLedgers([ledgerOf([request({ key: 'claude:m1:r2' })]), processLedger()]).entries,
    ).toHaveLength(2)
  })

  test('two requests of the main conversation stay two, whatever their message id', () => {
    expect(
      resolve([[request({ key: 'claude:m1:r1' }), request({ key: 'claude:m1:r2' })]]).entries,
    ).toHaveLength(2)
  })

  test('requests without a key are never taken for one another', () => {
    expect(resolve([[request(), request()], [request()]])).toMatchObject({
      duplicateResponses: 0,
      entries: [{}, {}, {}],
    })
  })

  test('a process total covers its requests in other transcripts, and a second copy of itself', () => {
    const file = ledgerOf([request({ key: 'claude:m1:r1' })])
    const resolved = resolveLedgers([processLedger(), file, processLedger()])
    expect(resolved.entries).toMatchObject([
      { transcript: 0, entry: { scope: 'process', tokens: { output: 30 } } },
    ])
    expect(resolved.duplicateResponses).toBe(2)
  })
})

describe('the order of transcripts', () => {
  const corpus = fc
    .array(fc.array(anyBilled, { maxLength: 6 }), { maxLength: 5 })
    .map((files) => files.map(ledgerOf))

  test('does not matter, nor in which groups they are merged', () => {
    const property = fc.property(corpus, fc.infiniteStream(fc.nat()), (ledgers, numbers) => {
      const expected = canonical(resolveLedgers(ledgers))
      const order = ledgers
        .map((_, i) => [numbers.next().value ?? 0, i] as const)
        .toSorted(([a], [b]) => a - b)
      const groups = [emptyLineage(), emptyLineage(), emptyLineage()]
      for (const [n, i] of order) addLedger(groups[n % 3]!, ledgers[i]!, i)
      const merged = groups.reduceRight((into, from) => mergeLineage(into, from), emptyLineage())
      expect(canonical(resolveLineage(merged))).toEqual(expected)
    })
    fc.assert(property)
  })

  test('merging is associative', () => {
    const three = fc.tuple(fc.array(anyBilled), fc.array(anyBilled), fc.array(anyBilled))
    const property = fc.property(three, (files) => {
      const lineages = () =>
        files.map((file, i) => {
          const lineage = emptyLineage()
          addLedger(lineage, ledgerOf(file), i)
          return lineage
        })
      const [a, b, c] = lineages()
      const [x, y, z] = lineages()
      const left = mergeLineage(mergeLineage(a!, b!), c!)
      const right = mergeLineage(x!, mergeLineage(y!, z!))
      expect(canonical(resolveLineage(left))).toEqual(canonical(resolveLineage(right)))
    })
    fc.assert(property)
  })
})

/** A process of which the transcript shows one request, and its total. */
function processLedger(key = 'claude:m1:r1'): TranscriptLedger {
  const sink = new LedgerSink()
  sink.billed(billed({ key, process: 'p', tokens: tokens({ output: 3 }) }))
  const models = [{ model: 'm', tokens: tokens({ output: 30 }), webSearches: 0, reportedPicoUsd: 5n }]
  sink.settled({ process: 'p', session: 's', at: null, models, reportedPicoUsd: 5n })
  return sink.finish()
}

function ledgerOf(requests: readonly Parameters<LedgerSink['billed']>[0][]): TranscriptLedger {
  const sink = new LedgerSink()
  for (const one of requests) sink.billed(one)
  return sink.finish()
}

/** A request that is known again by its model: of its key only a hash is kept. */
function request(given: Partial<Billed> = {}): Billed {
  return billed({ model: given.key ?? null, ...given })
}

/** A resolved lineage whose entries were all read. */
type Read = Omit<ResolvedLineage, 'entries'> & { readonly entries: readonly OwnedEntry[] }

function resolve(files: readonly (readonly Billed[])[]): Read {
  return resolveLedgers(files.map(ledgerOf))
}

function resolveLedgers(ledgers: readonly TranscriptLedger[]): Read {
  const lineage = emptyLineage()
  for (const [i, ledger] of ledgers.entries()) addLedger(lineage, ledger, i)
  return read(resolveLineage(lineage))
}

function read(resolved: ResolvedLineage): Read {
  return { ...resolved, entries: [...resolved.entries] }
}

function canonical({ entries, duplicateResponses, repeats }: ResolvedLineage): unknown {
  const lines = [...entries].map((owned) =>
    JSON.stringify(owned, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)),
  )
  return { lines: lines.toSorted(), duplicateResponses, repeats }
}
