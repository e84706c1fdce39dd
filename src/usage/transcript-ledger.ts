import type { LedgerEntry } from './entry.ts'
import type { EntryRows } from './entry-row.ts'
import type { LeftOutReason } from './trace.ts'

/** What one transcript says was billed. Plain data: it crosses threads. */
export interface TranscriptLedger {
  /** Each key once, and the steps of threads that bill nothing (`entriesIn` leaves them out). */
  readonly entries: EntryRows
  readonly totals: readonly ProcessTotal[]
  /** Records that repeated a key of this transcript. */
  readonly repeats: number
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
  /** Identities of the requests inside: the same requests in another transcript are part of this total. */
  readonly keys: Uint32Array
}
