import type { CloseReason, ProcessEnd } from '../event/events.ts'
import type { Bin, Sink } from '../event/sink.ts'
import type { Key } from '../kernel/key.ts'
import type { Node, RecordView } from '../kernel/record.ts'

/** What an adapter may know of its transcript and of what the caller wants. Plain data. */
export interface AdapterContext {
  /** The run id of the stream: that of the first record which has one, else one made of the path. */
  readonly run: string
  /** Keep one event per delta instead of one joined text a turn. */
  readonly deltas: boolean
  /** Strict readers refuse what tolerant ones repair (dialect `metaharness`). */
  readonly tolerant: boolean
  /** Sidecars of the transcript that are there, in the order in which the adapter named them. */
  readonly parts: readonly Part[]
  /** Usage is to be explained: keep what lines told of it besides what counts (`Billed.told`). */
  readonly traced?: boolean
}

/** A small file beside a transcript that belongs to it. */
export interface Part {
  /** Path relative to the transcript's folder. */
  readonly path: string
  /** The whole file, decoded as UTF-8; parse it as untrusted. */
  readonly text: string
}

/** How a transcript ended. */
export interface Ending {
  readonly reason: CloseReason
  /** The dialect's terminal record was seen; false adds the warning `NO_TERMINAL_RECORD`. */
  readonly terminal: boolean
  /** False when the dialect never has a terminal record, so that its absence says nothing about completeness. */
  readonly promised: boolean
  /** Records are missing from it, as far as the dialect can tell. */
  readonly gapped?: boolean
  /** The run has ended, but the line that closes its stream is missing, and may still come. */
  readonly unclosed?: boolean
  readonly process?: ProcessEnd
  /** What is wrong with the stream as a whole, for dialects that can tell (design §5.6). */
  readonly inconsistent?: string
}

/** A value's claim to be of a dialect. `proof` settles it; `weak` counts when no value proves anything. */
export interface Evidence {
  readonly weight: 'proof' | 'weak'
  /** What in the value shows it, in words for `millrace dialects --explain`. */
  readonly reason: string
  /** False for what belongs to the dialect and is not a run: it is checked, but neither converted nor counted. */
  readonly isRun?: false
}

/**
 * One transcript format. An adapter is a sequential state machine over records: no threads, no files, no output
 * formats. Its state is plain data that survives `structuredClone`, so that a large transcript can be
 * translated from snapshots; node numbers are in it only until `leave`.
 */
export interface Adapter<State> {
  readonly dialect: string
  /** One line for `millrace dialects`. */
  readonly summary: string
  /** Does this value (a record's root) show the dialect? Null when it says nothing. */
  evidence(record: RecordView, value: Node): Evidence | null
  /** The session id this value carries, for the run id of the stream; null when it has none. Null itself where none ever has. */
  readonly runId: ((record: RecordView, value: Node) => string | null) | null
  /** The field without which `runId` finds nothing in a record, for dialects whose records seldom carry an id. */
  readonly runKey?: Key
  /** For dialects whose records carry no session id: the run that a path names with its folders, null when it names none. */
  runOfPath?(path: string): string | null
  /**
   * For a transcript that is one JSON object: the array in it whose elements are the records. The object itself comes to
   * `step` first, as the header. Without this the object is the only record.
   */
  items?(record: RecordView, root: Node): Node
  /** Sidecars to look for: paths relative to the folder of the transcript whose base name is given. */
  sidecars?(baseName: string): readonly string[]
  /** The state before the first record. */
  initial(context: AdapterContext): State
  /** Translate one record. Every record has a root: unparsed lines never come here. */
  step(record: RecordView, state: State, sink: Sink): Bin
  /**
   * The bytes of all records so far go: copy what the state still needs of them. For dialects that may need much and
   * seldom do.
   *
   * @param record gives access to those bytes; none of them is current
   */
  leave?(record: RecordView, state: State): void
  /** Write what was held back, after the last record. No record is current any more. */
  end(state: State, sink: Sink): Ending
}
