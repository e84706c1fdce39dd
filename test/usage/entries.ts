import * as fc from 'fast-check'
import type { Billed, Tokens } from '../../src/event/billing.ts'
import { type LedgerEntry, type OwnedEntry, requestEntry } from '../../src/usage/entry.ts'

/** Tokens of a request that used no cache; give what differs. */
export function tokens(given: Partial<Tokens> = {}): Tokens {
  return {
    input: 0,
    cacheRead: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    cacheWrite: null,
    output: 0,
    reasoning: null,
    ...given,
  }
}

/** A plain finished request; give what differs. */
export function billed(given: Partial<Billed> = {}): Billed {
  return {
    key: null,
    process: null,
    session: 's',
    model: 'claude-sonnet-4-5',
    at: '2026-11-30T10:00:00.000Z',
    tokens: tokens(),
    webSearches: null,
    final: true,
    reportedPicoUsd: null,
    serviceTier: null,
    speed: null,
    geo: null,
    sidechain: false,
    ...given,
  }
}

export function entry(given: Partial<Billed & LedgerEntry> = {}): LedgerEntry {
  const { key: _key, at: _at, place: _place, ...own } = given
  return { ...requestEntry(billed(given)), ...own }
}

const count = fc.option(fc.nat({ max: 400_000 }), { freq: 8 })

export const anyTokens: fc.Arbitrary<Tokens> = fc.record({
  input: count,
  cacheRead: count,
  cacheWrite5m: count,
  cacheWrite1h: count,
  cacheWrite: count,
  output: count,
  reasoning: count,
})

/** Times around two changes of the clocks, of which some are unknown or no times at all. */
const anyTime: fc.Arbitrary<string | null> = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1_774_000_000, max: 1_793_900_000 }).map(isoOf) },
  { weight: 1, arbitrary: fc.constantFrom(null, 'soon', '0001-01-01T00:00:00Z') },
)

function isoOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

export const anyBilled: fc.Arbitrary<Billed> = fc.record({
  key: fc.option(
    fc.constantFrom('claude:a:1', 'claude:a:2', 'claude:b:1', 'claude:b:1:advisor:0', 'codex:x', 'codex:y'),
  ),
  process: fc.constant(null),
  session: fc.option(fc.constantFrom('s1', 's2', 's3')),
  model: fc.option(fc.constantFrom('claude-opus-4-6', 'gpt-5.5', 'zz-new-9', '__proto__')),
  at: anyTime,
  tokens: anyTokens,
  webSearches: fc.option(fc.nat({ max: 3 })),
  final: fc.boolean(),
  reportedPicoUsd: fc.option(fc.bigInt({ min: 0n, max: 10n ** 13n })),
  serviceTier: fc.constantFrom(null, 'standard', 'batch', 'priority'),
  speed: fc.constantFrom(null, 'standard', 'fast'),
  geo: fc.constantFrom(null, 'us'),
  sidechain: fc.boolean(),
})

export const anyOwned: fc.Arbitrary<OwnedEntry> = fc.record({
  entry: anyBilled.map((one) => requestEntry({ ...one, key: null })),
  transcript: fc.nat({ max: 3 }),
})
