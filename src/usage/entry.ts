import type { Billed, Tokens } from '../event/billing.ts'
import { instantOf } from './instant.ts'
import type { Origin } from './trace.ts'

/** One line of the ledger: a request, what a process total adds up to for one model, or a price without tokens. */
export interface LedgerEntry extends Omit<Billed, 'key' | 'at' | 'place' | 'told'> {
  /** Time of the request in milliseconds since 1970 UTC; null when it is not known. */
  readonly instant: number | null
  /** A `process` entry cannot be priced by the size of its prompts; a `price` entry has no tokens. */
  readonly scope: 'request' | 'process' | 'price'
  /** Requests it stands for: 1; in a process total those that were seen, at least one if tokens were used; 0 for a price. */
  readonly requests: number
  /** Earliest time at which its key was seen in the transcript, as `instant`. */
  readonly firstInstant: number | null
  /** Both only when it is to be explained: otherwise of a key no more is kept than its identity. */
  readonly key?: string | null
  readonly origin?: Origin
}

/** An entry and the transcript that owns it, by its place in the byte order of all paths. */
export interface OwnedEntry {
  readonly entry: LedgerEntry
  readonly transcript: number
  /** The copy that has the numbers, when the owner has only the time and the session. Only when it is to be explained. */
  readonly numbersOf?: OwnedEntry
}

/** The entry of one request, as it was billed. */
export function requestEntry(billed: Billed): LedgerEntry {
  const { key: _key, at, place: _place, told: _told, ...rest } = billed
  const instant = instantOf(at)
  return { ...rest, instant, firstInstant: instant, scope: 'request', requests: 1 }
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
