import type { Tokens } from '../event/billing.ts'
import { type LedgerEntry, totalTokens } from './entry.ts'
import type { Origin } from './trace.ts'
import type { Setting } from './settings.ts'

// One entry of a ledger as a row of 32-bit words:
//
//   0 identity (4)   5 flags          13 transcript   16 time (a double)          20 reported price (a double)
//   4 setting        6 tokens (7)     14 owner, values 18 earliest time (a double)
//
// A row without a key that has a place holds the number of its step and a hash of its counters where others have their identity.
// 13 to 15 belong to whoever resolves the lineage.

export const ROW_WORDS = 22
/** Rows in a block: 720 KB. A reference to a row is the number of its block times this, and its number in the block. */
export const BLOCK_ROWS = 8192

export const SETTING = 4
export const FLAGS = 5
const TOKENS = 6
const OUTPUT = TOKENS + 5
export const TRANSCRIPT = 13
export const OWNER = 14
export const VALUES = 15
/** In doubles. */
export const INSTANT = 8
export const FIRST_INSTANT = 9
const REPORTED = 10

export const Flag = {
  Final: 1,
  Sidechain: 2,
  Keyed: 4,
  /** Has a place in a thread. */
  Placed: 8,
  /** Bills nothing: it is only a step of its thread. */
  Echo: 0x10,
  /** Something of it does not fit: the reported price is the number of an `Odd`. */
  Odd: 0x20,
  // Of the lineage:
  GivesWay: 0x40,
  Kept: 0x80,
  /** Of all copies of the key. */
  ClaimFinal: 0x100,
  ClaimSidechain: 0x200,
  /** The claim became a part of another one. */
  Joined: 0x400,
  /** The first row with its key. */
  Claim: 0x800,
  OfLineage: 0xfc0,
} as const

/** Web searches are the uppermost 8 bits of the flags. */
const SEARCH_SHIFT = 24
const NO_SEARCHES = 255
/** A count that is not known. Larger ones than this do not fit. */
const UNKNOWN = 0xffff_ffff

/** What does not fit a row: counts from 2^32 on, prices from 2^53 on, and what only an explanation wants. */
export interface Odd {
  readonly tokens: Tokens
  readonly webSearches: number | null
  readonly reportedPicoUsd: bigint | null
  readonly key: string | null
  readonly origin: Origin | null
}

/** The entries of one ledger. Plain data: it crosses threads. Each block holds whole rows. */
export interface EntryRows {
  readonly blocks: readonly Uint32Array<ArrayBuffer>[]
  readonly settings: readonly Setting[]
  readonly odd: readonly Odd[]
}

/** A ledger's entry without what it shares with others. */
export type Counts = Pick<LedgerEntry, 'tokens' | 'webSearches' | 'reportedPicoUsd' | 'final' | 'sidechain'>

/**
 * Write tokens, price and flags of a row. Returns false when something does not fit; then the caller keeps an `Odd`.
 *
 * @param at word at which the row begins
 */
export function writeCounts(words: Uint32Array, floats: Float64Array, at: number, counts: Counts): boolean {
  const { tokens, webSearches, reportedPicoUsd, final, sidechain } = counts
  const price = reportedPicoUsd === null ? Number.NaN : Number(reportedPicoUsd)
  const fitsSearches = webSearches === null || (webSearches < NO_SEARCHES && isCount(webSearches))
  const searches = webSearches === null ? NO_SEARCHES : fitsSearches ? webSearches : 0
  words[at + FLAGS] = (final ? Flag.Final : 0) | (sidechain ? Flag.Sidechain : 0) | (searches << SEARCH_SHIFT)
  floats[(at >> 1) + REPORTED] = price
  let fits = fitsSearches && !(Math.abs(price) > Number.MAX_SAFE_INTEGER)
  fits = writeCount(words, at + TOKENS, tokens.input) && fits
  fits = writeCount(words, at + TOKENS + 1, tokens.cacheRead) && fits
  fits = writeCount(words, at + TOKENS + 2, tokens.cacheWrite5m) && fits
  fits = writeCount(words, at + TOKENS + 3, tokens.cacheWrite1h) && fits
  fits = writeCount(words, at + TOKENS + 4, tokens.cacheWrite) && fits
  fits = writeCount(words, at + OUTPUT, tokens.output) && fits
  return writeCount(words, at + TOKENS + 6, tokens.reasoning) && fits
}

function writeCount(words: Uint32Array, at: number, count: number | null): boolean {
  words[at] = count ?? UNKNOWN
  return count === null || isCount(count)
}

function isCount(count: number): boolean {
  return count < UNKNOWN && count >>> 0 === count
}

/** Mark a row as one of which `odd[index]` knows the rest. */
export function writeOdd(words: Uint32Array, floats: Float64Array, at: number, index: number): void {
  words[at + FLAGS]! |= Flag.Odd
  floats[(at >> 1) + REPORTED] = index
}

/** Where its `Odd` is; undefined for a row that has none. */
export function oddIndex(words: Uint32Array, floats: Float64Array, at: number): number | undefined {
  return (words[at + FLAGS]! & Flag.Odd) === 0 ? undefined : floats[(at >> 1) + REPORTED]
}

/** Output tokens, -1 when they are not known. */
export function outputOf(words: Uint32Array, floats: Float64Array, at: number, odd: readonly Odd[]): number {
  const index = oddIndex(words, floats, at)
  if (index !== undefined) return odd[index]?.tokens.output ?? -1
  const output = words[at + OUTPUT]!
  return output === UNKNOWN ? -1 : output
}

/** The row as an entry. */
export function readEntry(
  words: Uint32Array,
  floats: Float64Array,
  at: number,
  settings: readonly Setting[],
  odds: readonly Odd[],
): LedgerEntry {
  const setting = settings[words[at + SETTING]!]
  if (setting === undefined) throw new RangeError('a row without a setting')
  const flags = words[at + FLAGS]!
  const half = at >> 1
  const index = oddIndex(words, floats, at)
  const odd = index === undefined ? undefined : odds[index]
  const searches = flags >>> SEARCH_SHIFT
  const price = floats[half + REPORTED]!
  const entry = {
    process: setting.process,
    session: setting.session,
    model: setting.model,
    instant: knownTime(floats[half + INSTANT]!),
    tokens: odd === undefined ? readTokens(words, at + TOKENS) : odd.tokens,
    webSearches: odd === undefined ? (searches === NO_SEARCHES ? null : searches) : odd.webSearches,
    final: (flags & Flag.Final) !== 0,
    reportedPicoUsd: odd === undefined ? (price !== price ? null : BigInt(price)) : odd.reportedPicoUsd,
    serviceTier: setting.serviceTier,
    speed: setting.speed,
    geo: setting.geo,
    sidechain: (flags & Flag.Sidechain) !== 0,
    scope: setting.scope,
    requests: setting.requests,
    firstInstant: knownTime(floats[half + FIRST_INSTANT]!),
  }
  if (odd === undefined || odd.origin === null) return entry
  return { ...entry, key: odd.key, origin: odd.origin }
}

function readTokens(words: Uint32Array, at: number): Tokens {
  return {
    input: known(words[at]!),
    cacheRead: known(words[at + 1]!),
    cacheWrite5m: known(words[at + 2]!),
    cacheWrite1h: known(words[at + 3]!),
    cacheWrite: known(words[at + 4]!),
    output: known(words[at + 5]!),
    reasoning: known(words[at + 6]!),
  }
}

function known(word: number): number | null {
  return word === UNKNOWN ? null : word
}

/** Not a number is a time that is not known. */
function knownTime(instant: number): number | null {
  return instant !== instant ? null : instant
}

/** All entries of a ledger; steps that bill nothing are none. */
export function* entriesIn({ blocks, settings, odd }: EntryRows): Generator<LedgerEntry, void, undefined> {
  for (const words of blocks) {
    const floats = floatsOf(words)
    for (let at = 0; at < words.length; at += ROW_WORDS) {
      if ((words[at + FLAGS]! & Flag.Echo) === 0) yield readEntry(words, floats, at, settings, odd)
    }
  }
}

/** What the entries of a ledger have in common, each once; `settings` may hold those of other ledgers too. */
export function settingsIn({ blocks, settings }: EntryRows): Set<Setting> {
  const found = new Set<Setting>()
  let last = -1
  for (const words of blocks) {
    for (let at = 0; at < words.length; at += ROW_WORDS) {
      const setting = words[at + SETTING]!
      if ((words[at + FLAGS]! & Flag.Echo) !== 0 || setting === last) continue
      found.add(settings[setting]!)
      last = setting
    }
  }
  return found
}

/** Tokens of all entries; what is unknown counts as nothing. */
export function tokensIn({ blocks, odd }: EntryRows): number {
  let sum = 0
  for (const words of blocks) {
    const floats = floatsOf(words)
    for (let at = 0; at < words.length; at += ROW_WORDS) {
      if ((words[at + FLAGS]! & Flag.Echo) !== 0) continue
      const index = oddIndex(words, floats, at)
      if (index !== undefined) sum += totalTokens(odd[index]!.tokens)
      else for (let i = TOKENS; i <= OUTPUT; i++) sum += known(words[at + i]!) ?? 0
    }
  }
  return sum
}

/** The rows that have a setting of these. */
export function selectRows(rows: EntryRows, wanted: ReadonlySet<Setting>): EntryRows {
  const blocks: Uint32Array<ArrayBuffer>[] = []
  for (const words of rows.blocks) {
    const some = new Uint32Array(words.length)
    let end = 0
    for (let at = 0; at < words.length; at += ROW_WORDS) {
      if (!wanted.has(rows.settings[words[at + SETTING]!]!)) continue
      some.set(words.subarray(at, at + ROW_WORDS), end)
      end += ROW_WORDS
    }
    if (end === words.length) blocks.push(words)
    else if (end > 0) blocks.push(some.slice(0, end))
  }
  return { ...rows, blocks }
}

/** The same memory as doubles. */
export function floatsOf(words: Uint32Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  return new Float64Array(words.buffer, words.byteOffset, words.length / 2)
}
