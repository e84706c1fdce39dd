import type { Tokens } from '../../event/billing.ts'
import type { Ending } from '../adapter.ts'
import { WITHOUT_END } from '../endings.ts'

/** All that is remembered between records. Plain data; nothing in it points into a record. */
export interface State {
  readonly run: string
  started: boolean
  /** Opened by an `init` record of a stream. */
  isFromInit: boolean
  session: string | null
  readonly sessions: string[]
  /** The model of the stream, for totals that name none. */
  model: string | null
  /** Sums of the requests of this process by model, to tell whether its totals hold more. */
  readonly byModel: Map<string, Tokens>
  requests: number
  /** Processes of the stream so far. */
  processes: number
  /** Calls whose denial was written. */
  readonly denied: string[]
  ending: Ending
}

export function initialState(run: string): State {
  return {
    run,
    started: false,
    isFromInit: false,
    session: null,
    sessions: [],
    model: null,
    byModel: new Map(),
    requests: 0,
    processes: 0,
    denied: [],
    ending: WITHOUT_END,
  }
}

/** Another process counts from nothing. */
export function nextProcess(state: State): void {
  state.processes++
  state.byModel.clear()
  state.requests = 0
}

/** Names the process that is running, unique in the transcript. */
export function processOf(state: State): string {
  return `${state.session ?? state.run}#${state.processes}`
}

/** Ids longer than this are no ids: they are not remembered, so that memory stays bounded. */
const LONGEST_ID = 512
const MOST_SESSIONS = 64

/** Remember a session id; false when it was remembered already. */
export function noteSession(id: string, sessions: string[]): boolean {
  if (sessions.includes(id)) return false
  if (id.length > LONGEST_ID) return true
  sessions.push(id)
  if (sessions.length > MOST_SESSIONS) sessions.shift()
  return true
}
