import type { CloseReason } from '../../event/events.ts'
import type { Text } from '../../event/value.ts'
import type { Sink } from '../../event/sink.ts'
import type { JsonBytes, Node, RecordView } from '../../kernel/record.ts'
import type { AdapterContext } from '../adapter.ts'
import { keptTimeOf } from '../times.ts'
import { type Audit, emptyAudit } from './audit.ts'
import { emptySequence, type Sequence } from './sequence.ts'
import { emptySpend, type Spend } from './sums.ts'
import { emptyTalk, type Talk } from './talk.ts'

/** Runs of one transcript that are told apart; of more, those that ended are forgotten first. */
const MOST_RUNS = 256

/** An event that waits for `session.started`, which is written when all it needs was said. */
export type Held = {
  readonly at: string | null
  readonly line: number
} & (
  | { readonly kind: 'prompt'; readonly queued: boolean; readonly text: JsonBytes }
  | { readonly kind: 'steering'; readonly text: JsonBytes }
  | { readonly kind: 'turn'; readonly turn: number }
  | {
      readonly kind: 'warning'
      readonly code: string
      readonly message: string
      readonly severity: 'warning' | 'error'
      readonly deniedCall: string | null
    }
)

/** A call that was announced. */
export interface Call {
  readonly tool: string | null
  /** It was blocked or denied: no completion is owed. */
  denied: boolean
  done: boolean
}

/** Pieces of something whose whole has not come: they leave a trace of their own when it never does. */
interface Pieces {
  readonly type: string
  /** Id of the call, null when it was not named. */
  readonly call: string | null
  readonly tool: string | null
  readonly at: string | null
  readonly line: number
  /** Digest of the first piece's record. */
  readonly digest: string
  readonly lines: number[]
}

/** What the first records of a run say about it. */
interface Facts {
  /** Id of the conversation, else of the run; null when no record names one. */
  session: string | null
  conversation: string | null
  model: string | null
  cwd: string | null
  skills: string[] | null
  offered: string[] | null
}

/** All that is remembered of one run. Plain data; nothing in it points into a record. */
export interface Run {
  readonly id: string
  /** At, and on the line of, the first record. */
  readonly at: string | null
  readonly line: number
  opened: boolean
  readonly facts: Facts
  held: Held[]
  heldBytes: number
  readonly sequence: Sequence
  readonly talk: Talk
  /** The last text of the run, null when it is too long to be kept; that of an answer is told by it. */
  lastText: string | null
  turn: number | null
  readonly calls: Map<string, Call>
  readonly pieces: Map<string, Pieces>
  readonly spend: Spend
  /** Events of this run that a recorder says it dropped. */
  dropped: number
  costLimit: boolean
  /** Type of the event after which the run must fail. */
  mustFail: string | null
  /** Type of the terminal event. */
  terminal: string | null
}

export interface State {
  /** Run of records that name none. */
  readonly fallback: string
  readonly deltas: boolean
  readonly runs: Map<string, Run>
  sessions: number
  reason: CloseReason
  ended: boolean
  /** Records are missing from the transcript. */
  gapped: boolean
  /** Any record of a run, or of the conversation around it, was seen. */
  isRun: boolean
  /** Prints of records without a number, of which a resumed stream repeats some. */
  readonly prints: Set<number>
  readonly audit: Audit
}

/** One event being read. */
export interface Step {
  readonly record: RecordView
  readonly type: string
  readonly at: Text
  /** Payload; `NONE` when there is none. */
  readonly data: Node
  readonly run: Run
  readonly seq: number | null
  readonly state: State
  readonly sink: Sink
}

export function initialState(context: AdapterContext): State {
  return {
    fallback: context.run,
    deltas: context.deltas,
    runs: new Map(),
    sessions: 0,
    reason: 'error',
    ended: false,
    gapped: false,
    isRun: false,
    prints: new Set(),
    audit: emptyAudit(),
  }
}

/**
 * What names an event in every recording of it: its number and time in its conversation, since rollouts do not name their
 * run. Without these, its run.
 */
export function identityOf({ record, at, run, seq }: Step): string {
  const place = seq ?? `line ${record.line}`
  const time = keptTimeOf(record, at)
  const { conversation } = run.facts
  return conversation === null || time === null
    ? `go-harness:${run.id}:${place}`
    : `go-harness:${conversation}:${time}:${place}`
}

/** A new run, in the place of one of the same id. */
export function beginRun(state: State, id: string, at: string | null, line: number): Run {
  state.runs.delete(id)
  if (state.runs.size >= MOST_RUNS) {
    const [oldest] = state.runs.keys()
    const ended = [...state.runs.values()].find(({ terminal }) => terminal !== null)?.id ?? oldest
    if (ended !== undefined) state.runs.delete(ended)
  }
  const made: Run = {
    id,
    at,
    line,
    opened: false,
    facts: { session: null, conversation: null, model: null, cwd: null, skills: null, offered: null },
    held: [],
    heldBytes: 0,
    sequence: emptySequence(),
    talk: emptyTalk(!state.deltas),
    lastText: '',
    turn: null,
    calls: new Map(),
    pieces: new Map(),
    spend: emptySpend(),
    dropped: 0,
    costLimit: false,
    mustFail: null,
    terminal: null,
  }
  state.runs.set(id, made)
  return made
}
