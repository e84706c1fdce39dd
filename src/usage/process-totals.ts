import { Coverage } from './coverage.ts'
import { type OwnedEntry, totalTokens } from './entry.ts'
import type { ProcessTotal } from './transcript-ledger.ts'
import { IDENTITY_WORDS } from './identity.ts'
import type { LeftOut } from './witness.ts'

/** A total and the transcript that states it, as in `OwnedEntry`. */
export interface OwnedTotal {
  readonly total: ProcessTotal
  readonly transcript: number
}

/** Totals of processes once each process counts once. */
export interface ResolvedTotals {
  readonly counted: readonly OwnedEntry[]
  /** The requests inside, by the number of what covers them in `covering`. */
  readonly covered: Coverage
  readonly covering: readonly (OwnedEntry | null)[]
  /** Requests in totals of processes that another transcript has too. */
  readonly duplicates: number
}

/**
 * A process that is in several transcripts (a stream kept twice) is known by a request in common; the largest total
 * stays. Requests that a total covers do not count again where another transcript shows them.
 *
 * @param leftOut takes what does not count; null when nobody will ask
 */
export function resolveTotals(totals: readonly OwnedTotal[], leftOut: LeftOut[] | null): ResolvedTotals {
  const covered = new Coverage()
  const covering: (OwnedEntry | null)[] = []
  const counted: OwnedEntry[] = []
  let duplicates = 0
  for (const { total, transcript } of inOrder(totals)) {
    const first = total.entries[0]
    let by: OwnedEntry | null = first === undefined ? null : { entry: first, transcript }
    const shared = covered.byAny(total.keys)
    if (shared === null) {
      for (const entry of total.entries) counted.push({ entry, transcript })
    } else {
      by = covering[shared] ?? null
      for (const entry of total.entries) {
        duplicates += entry.requests
        leftOut?.push({ entry, transcript, reason: 'same-process', by })
      }
    }
    for (let at = 0; at < total.keys.length; at += IDENTITY_WORDS)
      covered.add(total.keys, at, covering.length)
    covering.push(by)
  }
  return { counted, covered, covering, duplicates }
}

/** The largest first. */
function inOrder(totals: readonly OwnedTotal[]): OwnedTotal[] {
  return totals
    .map((owned) => ({ ...owned, size: sizeOf(owned.total) }))
    .toSorted((a, b) => b.size - a.size || a.transcript - b.transcript || compareProcesses(a.total, b.total))
}

function sizeOf(total: ProcessTotal): number {
  return total.entries.reduce((sum, { tokens }) => sum + totalTokens(tokens), 0)
}

function compareProcesses(a: ProcessTotal, b: ProcessTotal): number {
  const [left, right] = [a.entries[0]?.process ?? '', b.entries[0]?.process ?? '']
  return left < right ? -1 : Number(left > right)
}
