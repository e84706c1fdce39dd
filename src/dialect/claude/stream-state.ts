import { UNFINISHED } from '../endings.ts'
import { sessionStart } from '../session-events.ts'
import type { Text } from '../../event/value.ts'
import type { Sink } from '../../event/sink.ts'
import type { Node, RecordView } from '../../kernel/record.ts'
import type { Ending } from '../adapter.ts'
import { textAt } from '../values.ts'
import { isText } from './fields.ts'
import { type Messages, noMessages } from './message-state.ts'
import { closeAll } from './messages.ts'
import { noteSession } from './opening.ts'
import { type ProcessTotal, withMessages } from './totals.ts'

/** What is remembered of a stream between records. Plain data. */
export interface StreamState {
  /** `session.started` has been written. */
  started: boolean
  /** It was written from an `init` record, not from what other records say. */
  isFromInit: boolean
  session: string | null
  readonly sessions: string[]
  credentialSource: string | null
  /** Processes begun. */
  processes: number
  /** The current one (`Billed.process`). */
  process: string
  /** Its running totals as of its last `result`. */
  total: ProcessTotal | null
  ending: Ending
  readonly messages: Messages
  readonly denied: string[]
}

export function initialState(traced: boolean | undefined): StreamState {
  return {
    started: false,
    isFromInit: false,
    session: null,
    sessions: [],
    credentialSource: null,
    processes: 0,
    process: processId(null, 0),
    total: null,
    ending: UNFINISHED,
    messages: noMessages(true, traced),
    denied: [],
  }
}

/**
 * Events of this record are about to be written: its session opens first when no `init` record has opened it, from
 * what this record says. True when `session.started` was written.
 */
export function enter(record: RecordView, node: Node, at: Text, state: StreamState, sink: Sink): boolean {
  if (state.session !== null && isText(record, node, state.session)) return false
  const session = record.text(node)
  if (state.started && (session === null || session === state.session)) return false
  const isFirst = !state.started
  const isNamedLate = !isFirst && state.session === null
  const isNew = session === null || noteSession(session, state.sessions)
  changeSession(session, state, sink)
  if (isNamedLate) {
    sink.notice('late-session', record.line, 'the session id came after the first events of the session')
    return false
  }
  if (!isFirst && !isNew) return false
  if (!isFirst) sink.notice('second-session', record.line, 'another session begins in the same transcript')
  state.started = true
  state.isFromInit = false
  sink.sessionStarted(sessionStart('claude', { at, sessionId: textAt(record, node) }))
  return true
}

/** Another session counts from nothing, in a process of its own. */
export function changeSession(session: string | null, state: StreamState, sink: Sink): void {
  if (session !== null) noteSession(session, state.sessions)
  if (session === state.session) return
  closeAll(state.messages, sink)
  settleRest(state, sink)
  const isNamedLate = state.started && state.session === null
  state.session = session
  if (isNamedLate) return
  state.total = null
  state.messages.since?.clear()
  nextProcess(state)
}

export function nextProcess(state: StreamState): void {
  state.processes += 1
  state.process = processId(state.session, state.processes)
}

function processId(session: string | null, number: number): string {
  return `${session ?? ''}#${number}`
}

/** A process that went on after its last total and was cut off: the messages since count as they are. */
export function settleRest(state: StreamState, sink: Sink): void {
  const { total, process, session, messages } = state
  const { since } = messages
  if (total === null || total.models === null || since === null || since.size === 0) return
  sink.notice(
    'after-last-result',
    null,
    'messages after the last result were added to its totals: a lower bound',
  )
  const models = withMessages(total.models, since)
  sink.settled({ process, session, at: total.at, models, reportedPicoUsd: total.picoUsd })
}
