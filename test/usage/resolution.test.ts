import { describe, expect, test } from 'vitest'
import type { Billed } from '../../src/event/billing.ts'
import { LedgerSink } from '../../src/sink/ledger.ts'
import type { OwnedEntry } from '../../src/usage/entry.ts'
import { addLedger, emptyLineage } from '../../src/usage/lineage.ts'
import { type ResolvedLineage, resolveLineage } from '../../src/usage/resolution.ts'
import type { TranscriptLedger } from '../../src/usage/transcript-ledger.ts'
import { billed, tokens } from './entries.ts'
import { ledgerOf } from './resolving.ts'

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

/** A process of which the transcript shows one request, and its total. */
function processLedger(key = 'claude:m1:r1'): TranscriptLedger {
  const sink = new LedgerSink()
  sink.billed(billed({ key, process: 'p', tokens: tokens({ output: 3 }) }))
  const models = [{ model: 'm', tokens: tokens({ output: 30 }), webSearches: 0, reportedPicoUsd: 5n }]
  sink.settled({ process: 'p', session: 's', at: null, models, reportedPicoUsd: 5n })
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
