import type { OwnedEntry } from './entry.ts'
import type { LeftOutReason } from './trace.ts'

/** An entry of the corpus that was left out; `by` is what counts in its place, if that is one entry. */
export interface LeftOut extends OwnedEntry {
  readonly reason: LeftOutReason
  readonly by: OwnedEntry | null
  /** The transcript that counts in its place, where it is left out with its whole session. */
  readonly to?: number
}

/** Told of every row that is left out, while it is decided, and of the row that counts in its place, if it is one. */
export type Witness = (row: number, reason: LeftOutReason, by: number | null) => void
