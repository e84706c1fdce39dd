import type { Ending } from '../adapter.ts'
import { UNFINISHED } from '../endings.ts'

/** Nothing in it points into a record. */
export interface State {
  session: string | null
  /** Segments begun: a session is one from its start, or from a resumption, to its shutdown. */
  segments: number
  /** See `Billed.process`: the totals of a shutdown are those of its segment. */
  process: string
  /** The model chosen last, for messages that do not name theirs. */
  model: string | null
  turn: number
  inTurn: boolean
  /** Calls that were written. */
  readonly calls: Set<string>
  /** Calls whose denial was written. */
  readonly denied: Set<string>
  /** Permissions asked for, with the call each is about. */
  readonly asked: Map<string, string>
  /** Reasoning written since the turn began, as `printOf` knows it: some versions tell it twice. */
  reasoning: string[]
  subagents: number
  /** The user stopped what was going on, and has asked for nothing since. */
  aborted: boolean
  ending: Ending
}

export function initialState(): State {
  return {
    session: null,
    segments: 0,
    process: processId(null, 1),
    model: null,
    turn: 0,
    inTurn: false,
    calls: new Set(),
    denied: new Set(),
    asked: new Map(),
    reasoning: [],
    subagents: 0,
    aborted: false,
    ending: UNFINISHED,
  }
}

/** A session that is started or resumed is a process of its own, whose turns count from 0. */
export function beginSegment(session: string | null, state: State): void {
  state.session = session ?? state.session
  state.segments++
  state.process = processId(state.session, state.segments)
  state.turn = 0
  state.inTurn = false
  state.subagents = 0
  state.aborted = false
  state.ending = UNFINISHED
}

function processId(session: string | null, segment: number): string {
  return `${session ?? ''}#${segment}`
}

const MOST_REASONING = 32

/** True when this reasoning was not told yet in this turn. */
export function isNewReasoning(text: string, state: State): boolean {
  const print = `${text.length}:${text.slice(0, 256)}`
  if (state.reasoning.includes(print)) return false
  state.reasoning.push(print)
  if (state.reasoning.length > MOST_REASONING) state.reasoning.shift()
  return true
}
