/** Where a transcript tells of an entry. Kept only when an explanation is asked for. Plain data: it crosses threads. */
export interface Origin {
  /** 1-based line of the record. */
  readonly line: number
  /** Further lines that say the same: repeats of the message, its price. */
  readonly foldedLines: readonly number[]
  /** The id the harness gives the request, when that is not a part of the key. */
  readonly requestId: string | null
}

/**
 * Why an entry is in no sum.
 *
 * - `repeated`: its own transcript tells the request again, with a larger output, or later
 * - `in-process-total`: a total of its process holds it
 * - `earlier-total`: a later total of the same process took its place
 * - `same-request`: another transcript has the request too
 * - `same-process`: another transcript has a total of the same process that is at least as large
 * - `side-question`: a side chain repeats a message of the main conversation
 * - `replayed`: the history of another thread, copied
 * - `same-thread`: another transcript has the thread too
 * - `thread-total`: a summary of a thread of which the requests themselves are known
 * - `other-form`: its session is here in another form, which was preferred
 * - `same-bytes`: another transcript has the very same bytes
 */
export type LeftOutReason =
  | 'repeated'
  | 'in-process-total'
  | 'earlier-total'
  | 'same-request'
  | 'same-process'
  | 'side-question'
  | 'replayed'
  | 'same-thread'
  | 'thread-total'
  | 'other-form'
  | 'same-bytes'
