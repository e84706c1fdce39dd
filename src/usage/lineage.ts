import type { Place } from '../event/billing.ts'
import {
  type OwnedEntry,
  type ProcessTotal,
  type TranscriptLedger,
  compareTimes,
  totalTokens,
} from './entry.ts'
import { type Orphan, type PlacedStep, withoutReplays } from './replay.ts'

export type { OwnedEntry } from './entry.ts'

/** All that is known of one key: who owns it, and who has the numbers. */
interface Claim {
  owner: OwnedEntry
  values: OwnedEntry
  final: boolean
  sidechain: boolean
  /** Transcripts that hold the key. */
  copies: number
}

/**
 * Ledgers of many transcripts before copies are told apart. Plain data. Everything that is decided by comparing two
 * transcripts waits for `resolveLineage`, so ledgers may be added and merged in any order.
 */
export interface Lineage {
  readonly keyed: Map<string, Claim>
  readonly keyless: OwnedEntry[]
  readonly totals: { readonly total: ProcessTotal; readonly transcript: number }[]
  readonly echoes: { readonly place: Place; readonly transcript: number }[]
  /** Transcripts that give way to an equal copy of their thread. */
  readonly yielding: Set<number>
  repeats: number
}

/** What is left when every request counts once. */
export interface ResolvedLineage {
  /** In no particular order. */
  readonly entries: readonly OwnedEntry[]
  /** Requests left out because another transcript has them too. */
  readonly duplicateResponses: number
  /** Records that repeated a request of their own transcript. */
  readonly repeats: number
  /** Requests left out because their transcript only replays the history of another thread. */
  readonly replayed: number
  /** Threads that replay the same history of a parent that is not here. */
  readonly orphans: readonly Orphan[]
}

/** The lineage of nothing. */
export function emptyLineage(): Lineage {
  return { keyed: new Map(), keyless: [], totals: [], echoes: [], yielding: new Set(), repeats: 0 }
}

/**
 * Add one transcript's ledger.
 *
 * @param transcript its place in the byte order of the paths of the whole corpus; the last word on who owns a request
 * @param yields the transcript is an archived copy, should there be another of the same thread
 */
export function addLedger(into: Lineage, ledger: TranscriptLedger, transcript: number, yields = false): void {
  for (const entry of ledger.entries) {
    const owned = { entry, transcript }
    if (entry.key === null) into.keyless.push(owned)
    else addClaim(into.keyed, entry.key, claimOf(owned))
  }
  for (const total of ledger.totals) into.totals.push({ total, transcript })
  for (const place of ledger.echoes ?? []) into.echoes.push({ place, transcript })
  if (yields) into.yielding.add(transcript)
  into.repeats += ledger.repeats
}

/** Fold `from` into `into`. Associative and commutative; `from` must not be used afterwards. */
export function mergeLineage(into: Lineage, from: Lineage): Lineage {
  for (const [key, claim] of from.keyed) addClaim(into.keyed, key, claim)
  for (const owned of from.keyless) into.keyless.push(owned)
  for (const total of from.totals) into.totals.push(total)
  for (const echo of from.echoes) into.echoes.push(echo)
  for (const transcript of from.yielding) into.yielding.add(transcript)
  into.repeats += from.repeats
  return into
}

/**
 * Count every request once. The owner is who had the key first, then the main conversation before a side chain, then
 * the first path; the numbers are those with the largest output (final ones, then the owner's, on a tie).
 */
export function resolveLineage(lineage: Lineage): ResolvedLineage {
  const { kept, replayed, orphans, duplicates: copies } = resolveThreads(lineage)
  const entries = lineage.keyless.filter(({ entry }) => entry.place === undefined)
  for (const owned of kept) entries.push(owned)
  const { covered, duplicates } = resolveTotals(lineage, entries)
  const sideQuestions = repeatedSideQuestions(lineage.keyed)
  let duplicateResponses = copies + duplicates
  for (const [key, claim] of lineage.keyed) {
    if (covered.has(key) || sideQuestions.has(key)) duplicateResponses += claim.copies
    else {
      duplicateResponses += claim.copies - 1
      entries.push(resolved(claim))
    }
  }
  return { entries, duplicateResponses, repeats: lineage.repeats, replayed, orphans }
}

/** Entries without a key that have a place in a thread, without those that are copied history. */
function resolveThreads(lineage: Lineage): ReturnType<typeof withoutReplays> {
  const steps: PlacedStep[] = lineage.echoes.map((echo) => ({ ...echo, entry: null }))
  for (const owned of lineage.keyless) {
    const { place } = owned.entry
    if (place !== undefined) steps.push({ place, transcript: owned.transcript, entry: owned })
  }
  const known = new Set<string>()
  for (const { owner } of lineage.keyed.values()) {
    const { place } = owner.entry
    if (place?.kind === 'request') known.add(place.thread)
  }
  return withoutReplays(steps, known, (transcript) => Number(lineage.yielding.has(transcript)))
}

function claimOf(owned: OwnedEntry): Claim {
  const { final, sidechain } = owned.entry
  return { owner: owned, values: owned, final, sidechain, copies: 1 }
}

function addClaim(keyed: Map<string, Claim>, key: string, claim: Claim): void {
  const known = keyed.get(key)
  if (known === undefined) {
    keyed.set(key, claim)
    return
  }
  if (compareOwners(claim.owner, known.owner) < 0) known.owner = claim.owner
  if (compareValues(claim.values, known.values) < 0) known.values = claim.values
  known.final ||= claim.final
  known.sidechain &&= claim.sidechain
  known.copies += claim.copies
}

function compareOwners(a: OwnedEntry, b: OwnedEntry): number {
  return (
    compareTimes(a.entry.firstAt, b.entry.firstAt) ||
    Number(a.entry.sidechain) - Number(b.entry.sidechain) ||
    a.transcript - b.transcript
  )
}

function compareValues(a: OwnedEntry, b: OwnedEntry): number {
  return (
    (b.entry.tokens.output ?? -1) - (a.entry.tokens.output ?? -1) ||
    Number(b.entry.final) - Number(a.entry.final) ||
    compareOwners(a, b)
  )
}

/** Copies keep their numbers but may rewrite session and time, so those are the owner's. */
function resolved({ owner, values, final, sidechain, copies }: Claim): OwnedEntry {
  if (copies === 1) return owner
  const { at, session, firstAt } = owner.entry
  return { entry: { ...values.entry, at, session, firstAt, final, sidechain }, transcript: owner.transcript }
}

/**
 * A process that is in several transcripts (a stream kept twice) is known by a request in common; the largest total
 * stays. Requests that a total covers do not count again where another transcript shows them.
 */
function resolveTotals(
  lineage: Lineage,
  entries: OwnedEntry[],
): { covered: ReadonlySet<string>; duplicates: number } {
  const covered = new Set<string>()
  let duplicates = 0
  const inOrder = lineage.totals
    .map(({ total, transcript }) => ({ total, transcript, size: sizeOf(total) }))
    .toSorted((a, b) => b.size - a.size || a.transcript - b.transcript || compareProcesses(a.total, b.total))
  for (const { total, transcript } of inOrder) {
    if (total.keys.some((key) => covered.has(key))) {
      for (const { requests } of total.entries) duplicates += requests
    } else {
      for (const entry of total.entries) entries.push({ entry, transcript })
    }
    for (const key of total.keys) covered.add(key)
  }
  return { covered, duplicates }
}

function sizeOf(total: ProcessTotal): number {
  return total.entries.reduce((sum, { tokens }) => sum + totalTokens(tokens), 0)
}

function compareProcesses(a: ProcessTotal, b: ProcessTotal): number {
  const [left, right] = [a.entries[0]?.process ?? '', b.entries[0]?.process ?? '']
  return left < right ? -1 : Number(left > right)
}

/**
 * Claude's side questions repeat messages of the main conversation, sometimes under another request id: keys that are
 * only in side chains and whose message is also in a main conversation.
 */
function repeatedSideQuestions(keyed: ReadonlyMap<string, Claim>): ReadonlySet<string> {
  const sideKeys = new Map<string, string[]>()
  for (const [key, { sidechain }] of keyed) {
    const message = sidechain ? claudeMessage(key) : null
    if (message === null) continue
    const known = sideKeys.get(message)
    if (known === undefined) sideKeys.set(message, [key])
    else known.push(key)
  }
  const repeated = new Set<string>()
  if (sideKeys.size === 0) return repeated
  for (const [key, { sidechain }] of keyed) {
    const message = sidechain ? null : claudeMessage(key)
    if (message === null) continue
    for (const sideKey of sideKeys.get(message) ?? []) repeated.add(sideKey)
  }
  return repeated
}

/** `claude:<message>:<request>` without its request; an advisor's number stays, its usage is not the message's. */
function claudeMessage(key: string): string | null {
  const match = /^claude:([^:]+)(?::.*?)?(:advisor:\d+)?$/.exec(key)
  return match === null ? null : `${match[1]}${match[2] ?? ''}`
}
