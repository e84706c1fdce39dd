import type { Tokens } from '../event/billing.ts'
import { type LedgerEntry, partlyUnknown, totalTokens } from './entry.ts'

/** The classes of tokens that are summed; `reasoning` is a part of `output`, the others are disjoint. */
const TOKEN_CLASSES = [
  'input',
  'cacheRead',
  'cacheWrite5m',
  'cacheWrite1h',
  'cacheWrite',
  'output',
  'reasoning',
] as const satisfies readonly (keyof Tokens)[]

/** Sums of what is known; null as long as nothing is. */
export type TokenSums = { -readonly [Class in keyof Tokens]: Tokens[Class] }

/** What a row of a usage report says. Sums hold what is known; null as long as nothing is. */
export interface Figures {
  requests: number
  readonly tokens: TokenSums
  webSearches: number | null
  /** What harnesses wrote, and what our prices give; 10^-12 USD, never mixed. */
  reportedPicoUsd: bigint | null
  computedPicoUsd: bigint | null
  /** Something was unknown, or its harness never wrote the final numbers. */
  lowerBound: boolean
  /** Some request has no computed price. */
  partialCost: boolean
}

/** The figures of nothing: `mergeFigures(emptyFigures(), x)` equals `x`. */
export function emptyFigures(): Figures {
  return {
    requests: 0,
    tokens: emptySums(),
    webSearches: null,
    reportedPicoUsd: null,
    computedPicoUsd: null,
    lowerBound: false,
    partialCost: false,
  }
}

/** Sums of nothing: as yet nothing is known. */
export function emptySums(): TokenSums {
  return {
    input: null,
    cacheRead: null,
    cacheWrite5m: null,
    cacheWrite1h: null,
    cacheWrite: null,
    output: null,
    reasoning: null,
  }
}

/** Count one entry; `picoUsd` is its computed price, null when it has none. */
export function addEntry(into: Figures, entry: LedgerEntry, picoUsd: bigint | null): void {
  into.reportedPicoUsd = plusPico(into.reportedPicoUsd, entry.reportedPicoUsd)
  if (entry.scope === 'price') return
  into.requests += entry.requests
  addTokens(into.tokens, entry.tokens)
  into.webSearches = plus(into.webSearches, entry.webSearches)
  into.computedPicoUsd = plusPico(into.computedPicoUsd, picoUsd)
  into.lowerBound ||= !entry.final || partlyUnknown(entry.tokens)
  into.partialCost ||= picoUsd === null
}

/** Fold `from` into `into` and return `into`. Associative and commutative. */
export function mergeFigures(into: Figures, from: Figures): Figures {
  into.requests += from.requests
  addTokens(into.tokens, from.tokens)
  into.webSearches = plus(into.webSearches, from.webSearches)
  into.reportedPicoUsd = plusPico(into.reportedPicoUsd, from.reportedPicoUsd)
  into.computedPicoUsd = plusPico(into.computedPicoUsd, from.computedPicoUsd)
  into.lowerBound ||= from.lowerBound
  into.partialCost ||= from.partialCost
  return into
}

/** Add what is known of each class; what is unknown leaves its sum as it is. */
export function addTokens(into: TokenSums, from: Tokens): void {
  into.input = plus(into.input, from.input)
  into.cacheRead = plus(into.cacheRead, from.cacheRead)
  into.cacheWrite5m = plus(into.cacheWrite5m, from.cacheWrite5m)
  into.cacheWrite1h = plus(into.cacheWrite1h, from.cacheWrite1h)
  into.cacheWrite = plus(into.cacheWrite, from.cacheWrite)
  into.output = plus(into.output, from.output)
  into.reasoning = plus(into.reasoning, from.reasoning)
}

/** A sum as it is shown: without any request it is 0, of requests of which none said anything it is unknown. */
export function shown<T extends number | bigint>(sum: T | null, zero: T, requests: number): T | null {
  return sum ?? (requests === 0 ? zero : null)
}

/** All classes of tokens together, as they are shown. */
export function shownTotal(tokens: TokenSums, requests: number): number | null {
  const known = TOKEN_CLASSES.some((name) => name !== 'reasoning' && tokens[name] !== null)
  return known || requests === 0 ? totalTokens(tokens) : null
}

function plus(a: number | null, b: number | null): number | null {
  if (a === null) return b
  return b === null ? a : a + b
}

function plusPico(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null) return b
  return b === null ? a : a + b
}
