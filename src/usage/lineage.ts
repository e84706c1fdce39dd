import type { Place } from '../event/billing.ts'
import { claudeMessage, Coverage, isWithoutRequest } from './claude-key.ts'
import {
  type OwnedEntry,
  type ProcessTotal,
  type TranscriptLedger,
  compareTimes,
  totalTokens,
} from './entry.ts'
import { type Orphan, type PlacedStep, withoutReplays } from './replay.ts'
import type { LeftOutReason } from './trace.ts'
import type { LeftOut, Witness } from './witness.ts'

export type { OwnedEntry } from './entry.ts'

/** All that is known of one key: who owns it, and who has the numbers. */
interface Claim {
  owner: OwnedEntry
  values: OwnedEntry
  final: boolean
  sidechain: boolean
  /** Transcripts that hold the key. */
  copies: number
  /** All of them, when it is to be explained. */
  all: OwnedEntry[] | null
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
  /** Requests left out for another form of their session, or for equal bytes. */
  givenWay: number
  /** What was left out so far; null when nobody will ask for an explanation. */
  readonly leftOut: LeftOut[] | null
}

/** How one transcript stands in the corpus. */
export interface Standing {
  /** It is an archived copy, should there be another of the same thread. */
  readonly yields?: boolean
  /** Why all entries of a session give way to another transcript, and to which; null when they stay. */
  readonly givesWay?: (session: string | null) => GivenWay | null
}

export interface GivenWay {
  readonly reason: LeftOutReason
  readonly to: number
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
  /** Empty unless asked for. */
  readonly leftOut: readonly LeftOut[]
}

/** The lineage of nothing. @param explained remember what is left out, for ledgers that were traced */
export function emptyLineage(explained = false): Lineage {
  return {
    keyed: new Map(),
    keyless: [],
    totals: [],
    echoes: [],
    yielding: new Set(),
    repeats: 0,
    givenWay: 0,
    leftOut: explained ? [] : null,
  }
}

/**
 * Add one transcript's ledger.
 *
 * @param transcript its place in the byte order of the paths of the whole corpus; the last word on who owns a request
 */
export function addLedger(
  into: Lineage,
  ledger: TranscriptLedger,
  transcript: number,
  { yields = false, givesWay = () => null }: Standing = {},
): void {
  for (const entry of ledger.entries) {
    const owned = { entry, transcript }
    const given = givesWay(entry.session)
    if (given !== null) giveWay(into, owned, given)
    else if (entry.key === null) into.keyless.push(owned)
    else addClaim(into.keyed, entry.key, claimOf(owned, into.leftOut !== null))
  }
  for (const total of ledger.totals) {
    const given = givesWay(total.entries[0]?.session ?? null)
    if (given === null) into.totals.push({ total, transcript })
    else for (const entry of total.entries) giveWay(into, { entry, transcript }, given)
  }
  for (const place of ledger.echoes ?? []) into.echoes.push({ place, transcript })
  for (const { entry, reason, by } of ledger.leftOut ?? []) {
    into.leftOut?.push({ entry, transcript, reason, by: by === null ? null : { entry: by, transcript } })
  }
  if (yields) into.yielding.add(transcript)
  into.repeats += ledger.repeats
}

/** Leave an entry out for another transcript. Its place in its thread stays: copies of its history are told by it. */
function giveWay(into: Lineage, owned: OwnedEntry, { reason, to }: GivenWay): void {
  const { entry, transcript } = owned
  into.givenWay += entry.requests
  if (entry.place !== undefined && entry.key === null) into.echoes.push({ place: entry.place, transcript })
  into.leftOut?.push({ ...owned, reason, by: null, to })
}

/** Fold `from` into `into`. Associative and commutative; `from` must not be used afterwards. */
export function mergeLineage(into: Lineage, from: Lineage): Lineage {
  for (const [key, claim] of from.keyed) addClaim(into.keyed, key, claim)
  for (const owned of from.keyless) into.keyless.push(owned)
  for (const total of from.totals) into.totals.push(total)
  for (const echo of from.echoes) into.echoes.push(echo)
  for (const transcript of from.yielding) into.yielding.add(transcript)
  if (into.leftOut !== null) for (const left of from.leftOut ?? []) into.leftOut.push(left)
  into.repeats += from.repeats
  into.givenWay += from.givenWay
  return into
}

/**
 * Count every request once. The owner is who had the key first, then the main conversation before a side chain, then
 * the first path; the numbers are those with the largest output (final ones, then the owner's, on a tie).
 */
export function resolveLineage(lineage: Lineage): ResolvedLineage {
  const leftOut = lineage.leftOut === null ? null : [...lineage.leftOut]
  const witness: Witness = (left, reason, by) => leftOut?.push({ ...left, reason, by })
  const { kept, replayed, orphans, duplicates: copies } = resolveThreads(lineage, witness)
  const entries = lineage.keyless.filter(({ entry }) => entry.place === undefined)
  for (const owned of kept) entries.push(owned)
  const { covered, duplicates } = resolveTotals(lineage, entries, witness)
  const keyed = withRequests(lineage.keyed)
  const sideQuestions = repeatedSideQuestions(keyed)
  let duplicateResponses = lineage.givenWay + copies + duplicates
  for (const [key, claim] of keyed) {
    const by = covered.by(key)
    if (by !== undefined || sideQuestions.has(key)) {
      duplicateResponses += claim.copies
      const reason = by === undefined ? 'side-question' : 'same-process'
      for (const copy of claim.all ?? []) witness(copy, reason, by ?? null)
      continue
    }
    duplicateResponses += claim.copies - 1
    entries.push(resolved(claim))
    for (const copy of claim.all ?? []) {
      if (copy !== claim.owner && copy !== claim.values) witness(copy, 'same-request', claim.values)
    }
  }
  return { entries, duplicateResponses, repeats: lineage.repeats, replayed, orphans, leftOut: leftOut ?? [] }
}

/** Entries without a key that have a place in a thread, without those that are copied history. */
function resolveThreads(lineage: Lineage, witness: Witness): ReturnType<typeof withoutReplays> {
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
  return withoutReplays(steps, known, (transcript) => Number(lineage.yielding.has(transcript)), witness)
}

function claimOf(owned: OwnedEntry, explained: boolean): Claim {
  const { final, sidechain } = owned.entry
  return { owner: owned, values: owned, final, sidechain, copies: 1, all: explained ? [owned] : null }
}

/**
 * A message whose request id one form leaves out is that request where another form names it: the first of them that is of the
 * main conversation, by its key.
 */
function withRequests(keyed: ReadonlyMap<string, Claim>): ReadonlyMap<string, Claim> {
  const nameless = new Map<string, string>()
  for (const key of keyed.keys()) {
    if (isWithoutRequest(key)) nameless.set(claudeMessage(key) ?? '', key)
  }
  if (nameless.size === 0) return keyed
  const named = new Map<string, string>()
  for (const [key, claim] of keyed) {
    const message = isWithoutRequest(key) ? null : claudeMessage(key)
    if (message === null || !nameless.has(message)) continue
    const other = named.get(message)
    if (other === undefined || precedes(key, claim, other, keyed.get(other))) named.set(message, key)
  }
  if (named.size === 0) return keyed
  const joined = new Map(keyed)
  for (const [message, key] of named) {
    const [claim, without] = [keyed.get(key), keyed.get(nameless.get(message) ?? '')]
    if (claim === undefined || without === undefined) continue
    joined.delete(nameless.get(message) ?? '')
    joined.set(key, { ...claim, all: claim.all === null ? null : [...claim.all] })
    addClaim(joined, key, without)
  }
  return joined
}

function precedes(key: string, claim: Claim, otherKey: string, other: Claim | undefined): boolean {
  const side = Number(claim.sidechain) - Number(other?.sidechain ?? false)
  return side < 0 || (side === 0 && key < otherKey)
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
  for (const copy of claim.all ?? []) known.all?.push(copy)
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
function resolved({ owner, values, final, sidechain, copies, all }: Claim): OwnedEntry {
  if (copies === 1) return owner
  const { transcript } = owner
  const { at, session, firstAt, origin } = owner.entry
  const entry = { ...values.entry, at, session, firstAt, final, sidechain }
  if (all === null || origin === undefined) return { entry, transcript }
  const traced = { entry: { ...entry, origin }, transcript }
  return values === owner ? traced : { ...traced, numbersOf: values }
}

/**
 * A process that is in several transcripts (a stream kept twice) is known by a request in common; the largest total
 * stays. Requests that a total covers do not count again where another transcript shows them.
 */
function resolveTotals(
  lineage: Lineage,
  entries: OwnedEntry[],
  witness: Witness,
): { covered: Coverage<OwnedEntry | null>; duplicates: number } {
  const covered = new Coverage<OwnedEntry | null>()
  let duplicates = 0
  const inOrder = lineage.totals
    .map(({ total, transcript }) => ({ total, transcript, size: sizeOf(total) }))
    .toSorted((a, b) => b.size - a.size || a.transcript - b.transcript || compareProcesses(a.total, b.total))
  for (const { total, transcript } of inOrder) {
    const first = total.entries[0]
    let by: OwnedEntry | null = first === undefined ? null : { entry: first, transcript }
    const shared = total.keys.find((key) => covered.by(key) !== undefined)
    if (shared === undefined) {
      for (const entry of total.entries) entries.push({ entry, transcript })
    } else {
      by = covered.by(shared) ?? null
      for (const entry of total.entries) {
        duplicates += entry.requests
        witness({ entry, transcript }, 'same-process', by)
      }
    }
    for (const key of total.keys) covered.add(key, by)
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
