import type { Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import type { JsonBytes, Node, RecordView } from '../../kernel/record.ts'
import type { Counters } from './counters.ts'
import { type Calls, noCalls } from './open-calls.ts'
import { noTwins, type Twins } from './twins.ts'

/** Bytes of record content kept beyond their record, for each purpose; beyond it things are written apart, or left out with a notice. */
export const KEPT_BYTES = 8 * 1024 * 1024

/** The running totals of a thread, and what was counted of them (spec vendor-transcripts §4.5). */
export interface Meter {
  /** Last total. */
  total: Counters | null
  /** Usage of ledger records that no count has repeated yet, the last few. */
  unechoed: Counters[]
  /** Ids of responses that were billed. */
  readonly responses: Set<string>
  /** Records that moved the totals. */
  steps: number
  /** All that was billed. */
  spent: Counters | null
}

/** What a `task_complete` said, held until the file ends: a later task takes its place. */
export interface Completed {
  readonly at: string | null
  readonly line: number
  readonly isError: boolean | null
  readonly answer: JsonBytes | null
  readonly turnId: string | null
  readonly durationMs: number | null
  readonly ttftMs: number | null
}

/** The model chosen for a turn. */
export interface Observed {
  readonly turn: number
  readonly turn_id: string | null
  readonly model: string | null
  readonly scope: 'turn_selection'
}

export interface Turns {
  /** Tasks begun. */
  count: number
  /** The task that is going on. */
  open: { readonly id: string | null } | null
  /** A context that came before its task. */
  context: { readonly id: string | null; readonly model: string | null } | null
  readonly observed: Observed[]
  completed: Completed | null
  /** Why the last task was broken off, when nothing came after. */
  aborted: string | null
}

/** One thread in the file. */
export interface Thread {
  /** Id of its `session_meta`; null when the file begins without one. */
  readonly id: string | null
  readonly session: string | null
  parent: string | null
  /** Threads whose history it may hold: its parent, and the parents that copied records declare. */
  readonly ancestors: string[]
  readonly subagent: boolean
  /** Something was said or done in it. */
  hasContent: boolean
  model: string | null
  tier: string | null
  readonly turns: Turns
  readonly meter: Meter
  readonly calls: Calls
  readonly twins: Twins
  /** Compactions told by records of one kind and not yet by those of the other: `compacted` counts up. */
  compactions: number
}

export interface State {
  /** `session.started` written. */
  sessions: number
  thread: Thread
  /** Last `ordinal`. */
  ordinal: number | null
  /** Line of the first words of the model in a file of bare items, which never tell their usage. */
  bareLine: number | null
}

/** One record being read. */
export interface Step {
  readonly record: RecordView
  /** The payload; of a bare item the record itself. */
  readonly payload: Node
  readonly at: Text
  readonly state: State
  readonly thread: Thread
  readonly sink: Sink
}

export function newThread(about: Pick<Thread, 'id' | 'session' | 'parent' | 'subagent'>): Thread {
  return {
    ...about,
    ancestors: about.parent === null ? [] : [about.parent],
    hasContent: false,
    model: null,
    tier: null,
    turns: { count: 0, open: null, context: null, observed: [], completed: null, aborted: null },
    meter: { total: null, unechoed: [], responses: new Set(), steps: 0, spent: null },
    calls: noCalls(),
    twins: noTwins(),
    compactions: 0,
  }
}

export function initialState(): State {
  return {
    sessions: 0,
    thread: newThread({ id: null, session: null, parent: null, subagent: false }),
    ordinal: null,
    bareLine: null,
  }
}
