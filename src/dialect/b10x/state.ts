import type { Denial } from '../../event/events.ts'
import type { Sink } from '../../event/sink.ts'
import type { Node, RecordView } from '../../kernel/record.ts'
import type { AdapterContext } from '../adapter.ts'
import { emptySpend, type Spend } from './figures.ts'
import { emptyTalk, type Talk } from './talk.ts'
import type { LINE } from './words.ts'

/** Bytes of record content kept beyond their record, for each purpose; beyond it things are left out with a notice. */
export const KEPT_BYTES = 8 * 1024 * 1024

/** A call without a result yet, for the list of denials. */
export interface OpenCall {
  /** The catalogue entry when an approver was asked, else the name the model used. */
  name: string | null
  /** Null when there is none, or no room to keep it. */
  input: CallInput | null
}

/** Few are ever asked for, and most calls are over before their record goes: only then is it copied. */
interface CallInput {
  readonly node: Node
  /** In bytes, as it is spelled. */
  readonly length: number
  /** Of its record (`RecordView.suspect`). */
  readonly suspect: boolean
  /** The copy; null while the node is good. */
  bytes: Uint8Array | null
}

interface Flow {
  /** Flows begun and not finished. */
  open: number
  /** How many flows were begun. */
  begun: number
  workflow: string
  /** Per path of a step: its order of first entry, and how often it was entered. */
  readonly steps: Map<string, { readonly index: number; attempts: number }>
}

/** All that is remembered between records. Plain data; nothing in it points into a record but the inputs of open calls. */
export interface State {
  /** How many `session.started` were written. */
  sessions: number
  turn: number | null
  readonly talk: Talk
  spend: Spend
  readonly calls: Map<string, OpenCall>
  /** The only open call, while `calls` is empty and its record is at hand: most are over before they need a name. */
  latest: { readonly scope: string; readonly id: Node; readonly call: OpenCall } | null
  callBytes: number
  denials: Denial[]
  denialBytes: number
  subagents: number
  /** The last structured answer of the run. */
  answer: { readonly text: string; readonly line: number } | null
  readonly flow: Flow
  /** How the last run ended; null while one is going on. */
  stop: { readonly kind: string | null } | null
}

/** One record being read; inside `delegated` lines the record of the child. */
export interface Step {
  readonly record: RecordView
  readonly node: Node
  /** Of `node`; good until the next record is read. */
  readonly fields: ReturnType<typeof LINE.read>
  /** The calls that delegated to this child, joined by `/`; empty for the run itself. */
  readonly scope: string
  readonly state: State
  readonly sink: Sink
}

export function initialState(context: AdapterContext): State {
  return {
    sessions: 0,
    turn: null,
    talk: emptyTalk(!context.deltas),
    spend: emptySpend(),
    calls: new Map(),
    latest: null,
    callBytes: 0,
    denials: [],
    denialBytes: 0,
    subagents: 0,
    answer: null,
    flow: { open: 0, begun: 0, workflow: '', steps: new Map() },
    stop: null,
  }
}

/** Forget what belonged to an earlier run of the same record: every total is of one run. */
export function beginRun(state: State): void {
  state.turn = null
  state.spend = emptySpend()
  forgetCalls(state)
  state.denials = []
  state.denialBytes = 0
  state.subagents = 0
  state.answer = null
  state.stop = null
}

export function forgetCalls(state: State): void {
  if (state.calls.size > 0) state.calls.clear()
  state.latest = null
  state.callBytes = 0
}
