import type { RecordView } from '../kernel/record.ts'
import type { Billed, Settled } from './billing.ts'
import type * as E from './events.ts'

/** Where a record ended up (design §5.2). `Unparsed` is the reader's to say; adapters never see such a record. */
export const Bin = { Translated: 0, Folded: 1, Bookkeeping: 2, Opaque: 3, Unparsed: 4 } as const
export type Bin = (typeof Bin)[keyof typeof Bin]

/** What is known of a stream before its first record. Plain data: it crosses threads. */
export interface StreamContext {
  /** Path as in the manifest, without compression suffix; `-` for standard input. */
  readonly path: string
  /** The run id on every line of the stream. */
  readonly run: string
  readonly dialect: string
}

/**
 * What consumes events: writers, the usage ledger, the census. An adapter calls these and knows nothing
 * else; a reader announces each record before the adapter sees it, and files it after.
 *
 * What an event points to, nodes and bytes, is good until its record is filed.
 */
export interface Sink {
  /**
   * False when what was said and done (texts, thoughts, injections, calls and their results) is nothing to it: adapters may
   * leave these events out then, and nothing else. How a record falls does not depend on it.
   */
  readonly takesTalk: boolean
  /** False when what is billed and settled is nothing to it: adapters need not work it out then. Notices do not depend on it. */
  readonly takesBills: boolean

  /** The record that the next events come from. */
  record(record: RecordView): void
  /** The record just translated went into `bin`. */
  file(record: RecordView, bin: Bin): void

  // One for each event of the wire, in its order; `events.ts` says what they carry.
  sessionStarted(event: E.SessionStarted): void
  sessionEnded(event: E.SessionEnded): void
  stepEntered(event: E.StepEntered): void
  stepLeft(event: E.StepLeft): void
  turnStarted(event: E.TurnStarted): void
  turnEnded(event: E.TurnEnded): void
  text(event: E.Said): void
  thinking(event: E.Said): void
  thinkingEstimate(event: E.ThinkingEstimate): void
  injection(event: E.Injection): void
  toolRequested(event: E.ToolRequested): void
  toolDecided(event: E.ToolDecided): void
  toolResult(event: E.ToolResult): void
  usage(event: E.Usage): void
  rateLimit(event: E.RateLimit): void
  commandResult(event: E.CommandResult): void
  warning(event: E.Warning): void
  opaque(event: E.Opaque): void
  authExpired(event: E.AuthExpired): void
  streamClosed(event: E.StreamClosed): void

  /** A stage of the run around the harness; no event of the wire. */
  system(event: E.SystemStage): void
  /** A request to be billed; no event of the wire. */
  billed(entry: Billed): void
  /** A process total; no event of the wire. */
  settled(total: Settled): void
  /** Something odd that was dealt with; `line` is 1-based. */
  notice(code: string, line: number | null, message: string): void
}
