import type { Billed, Place, Tokens } from '../event/billing.ts'
import { instantOf } from './instant.ts'
import type { LeftOutReason, Origin } from './trace.ts'

/** One line of the ledger: a request, what a process total adds up to for one model, or a price without tokens. */
export interface LedgerEntry extends Billed {
  /** A `process` entry cannot be priced by the size of its prompts; a `price` entry has no tokens. */
  readonly scope: 'request' | 'process' | 'price'
  /** Requests it stands for: 1; in a process total those that were seen, at least one if tokens were used; 0 for a price. */
  readonly requests: number
  /** Earliest time at which its key was seen in the transcript. */
  readonly firstAt: string | null
  /** Only when it is to be explained. */
  readonly origin?: Origin
}

/** An entry and the transcript that owns it, by its place in the byte order of all paths. */
export interface OwnedEntry {
  readonly entry: LedgerEntry
  readonly transcript: number
  /** The copy that has the numbers, when the owner has only the time and the session. Only when it is to be explained. */
  readonly numbersOf?: OwnedEntry
}

/** What one transcript says was billed. Plain data: it crosses threads. */
export interface TranscriptLedger {
  /** Each key once. */
  readonly entries: readonly LedgerEntry[]
  readonly totals: readonly ProcessTotal[]
  /** Records that repeated a key of this transcript. */
  readonly repeats: number
  /** Places of records that bill nothing themselves, for the comparison of sequences. */
  readonly echoes?: readonly Place[]
  /** Only when it is to be explained. */
  readonly leftOut?: readonly OwnLeftOut[]
}

/** An entry that its own transcript left out of its ledger, and the entry that counts in its place. */
export interface OwnLeftOut {
  readonly entry: LedgerEntry
  readonly reason: LeftOutReason
  readonly by: LedgerEntry | null
}

/** A process whose total took the place of its requests. */
export interface ProcessTotal {
  readonly entries: readonly LedgerEntry[]
  /** Keys of the requests inside: the same requests in another transcript are part of this total. */
  readonly keys: readonly string[]
}

/** The entry of one request, as it was billed. */
export function requestEntry(billed: Billed): LedgerEntry {
  // Field by field: V8 makes a slow dictionary of an object this large when it is spread.
  return {
    key: billed.key,
    process: billed.process,
    session: billed.session,
    model: billed.model,
    at: billed.at,
    tokens: billed.tokens,
    webSearches: billed.webSearches,
    final: billed.final,
    reportedPicoUsd: billed.reportedPicoUsd,
    serviceTier: billed.serviceTier,
    speed: billed.speed,
    geo: billed.geo,
    sidechain: billed.sidechain,
    place: billed.place,
    scope: 'request',
    requests: 1,
    firstAt: billed.at,
  }
}

/**
 * Which of two entries with the same key has the numbers: the one with the largest output, whole; on a tie one that is
 * final, else `later`. Whether the request became final, was a side chain and when it began is known from both.
 */
export function together(earlier: LedgerEntry, later: LedgerEntry): LedgerEntry {
  const kept = outweighs(earlier, later) ? earlier : later
  const final = earlier.final || later.final
  const sidechain = earlier.sidechain && later.sidechain
  const firstAt = compareTimes(earlier.firstAt, later.firstAt) <= 0 ? earlier.firstAt : later.firstAt
  if (kept.final === final && kept.sidechain === sidechain && kept.firstAt === firstAt) return kept
  return { ...kept, final, sidechain, firstAt }
}

function outweighs(a: LedgerEntry, b: LedgerEntry): boolean {
  const difference = (a.tokens.output ?? -1) - (b.tokens.output ?? -1)
  return difference === 0 ? a.final && !b.final : difference > 0
}

/** Order of two times, unknown ones last; 0 for equal instants, however spelled. */
export function compareTimes(a: string | null, b: string | null): number {
  if (a === b) return 0
  const left = instantOf(a) ?? Number.MAX_VALUE
  return left - (instantOf(b) ?? Number.MAX_VALUE)
}

/** The whole prompt, cache included; what is unknown counts as nothing. */
export function promptTokens(tokens: Tokens): number {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, cacheWrite } = tokens
  return (input ?? 0) + (cacheRead ?? 0) + (cacheWrite5m ?? 0) + (cacheWrite1h ?? 0) + (cacheWrite ?? 0)
}

/** Everything but `reasoning`, which is a part of the output; what is unknown counts as nothing. */
export function totalTokens(tokens: Tokens): number {
  return promptTokens(tokens) + (tokens.output ?? 0)
}

/** No class of tokens is known at all. */
export function nothingKnown(tokens: Tokens): boolean {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, cacheWrite, output } = tokens
  return (input ?? cacheRead ?? cacheWrite5m ?? cacheWrite1h ?? cacheWrite ?? output) === null
}

/** Some class is not known; cache writes are known as soon as one of their lifetimes is. */
export function partlyUnknown(tokens: Tokens): boolean {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, cacheWrite, output } = tokens
  const writes = cacheWrite5m ?? cacheWrite1h ?? cacheWrite
  return input === null || output === null || cacheRead === null || writes === null
}
