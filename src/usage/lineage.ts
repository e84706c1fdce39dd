import type { EntryRows } from './entry-row.ts'
import type { OwnedTotal } from './process-totals.ts'
import type { LeftOutReason } from './trace.ts'
import type { TranscriptLedger } from './transcript-ledger.ts'
import type { LeftOut } from './witness.ts'

/** The entries of one transcript, where they lie. */
export interface LineagePart {
  readonly entries: EntryRows
  readonly transcript: number
  /** Null when all of it stays. */
  readonly givesWay: GivesWay | null
}

export type GivesWay = NonNullable<Standing['givesWay']>

/**
 * Ledgers of many transcripts before copies are told apart. Everything that is decided by comparing two transcripts waits for
 * `resolveLineage` (`resolution.ts`), so ledgers may be added and merged in any order. Entries stay where they are.
 */
export interface Lineage {
  readonly parts: LineagePart[]
  readonly totals: OwnedTotal[]
  /** Transcripts that give way to an equal copy of their thread. */
  readonly yielding: Set<number>
  repeats: number
  /** Requests in totals left out for another form of their session, or for equal bytes. */
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

/** The lineage of nothing. @param explained remember what is left out, for ledgers that were traced */
export function emptyLineage(explained = false): Lineage {
  return {
    parts: [],
    totals: [],
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
  { yields = false, givesWay }: Standing = {},
): void {
  into.parts.push({ entries: ledger.entries, transcript, givesWay: givesWay ?? null })
  for (const total of ledger.totals) {
    const given = givesWay?.(total.entries[0]?.session ?? null) ?? null
    if (given === null) {
      into.totals.push({ total, transcript })
      continue
    }
    for (const entry of total.entries) {
      into.givenWay += entry.requests
      into.leftOut?.push({ entry, transcript, reason: given.reason, by: null, to: given.to })
    }
  }
  for (const { entry, reason, by } of ledger.leftOut ?? []) {
    into.leftOut?.push({ entry, transcript, reason, by: by === null ? null : { entry: by, transcript } })
  }
  if (yields) into.yielding.add(transcript)
  into.repeats += ledger.repeats
}

/** Fold `from` into `into`. Associative and commutative; `from` must not be used afterwards. */
export function mergeLineage(into: Lineage, from: Lineage): Lineage {
  for (const part of from.parts) into.parts.push(part)
  for (const total of from.totals) into.totals.push(total)
  for (const transcript of from.yielding) into.yielding.add(transcript)
  if (into.leftOut !== null) for (const left of from.leftOut ?? []) into.leftOut.push(left)
  into.repeats += from.repeats
  into.givenWay += from.givenWay
  return into
}
