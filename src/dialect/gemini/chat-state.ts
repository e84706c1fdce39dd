import type { Tokens } from '../../event/billing.ts'
import type { Sink } from '../../event/sink.ts'
import { spend } from '../spend.ts'

/** Messages remembered by their ids, oldest first. */
const MOST_MESSAGES = 50_000
/** Calls remembered by their ids, oldest first. */
const MOST_CALLS = 50_000
/** Ids longer than this are no ids: they are not remembered, so that memory stays bounded. */
const LONGEST_ID = 512

/** What was written of a message. A later state of it adds only what is new. */
export interface Seen {
  /** Length in bytes of the content that was written, 0 for none. */
  content: number
  thoughts: number
  /** The counts that were billed, as one text. */
  spent: string | null
}

/** The usage of the message that the log is in the middle of. */
interface OpenUsage {
  readonly id: string | null
  readonly key: string | null
  readonly at: string | null
  readonly line: number
  readonly model: string | null
  readonly tokens: Tokens
}

/** All that is remembered between records. Plain data; nothing in it points into a record. */
export interface State {
  /** Names the session in keys when the transcript does not. */
  readonly run: string
  started: boolean
  session: string | null
  readonly sessions: string[]
  subagent: boolean
  readonly seen: Map<string, Seen>
  /** Calls by their ids: whether they were answered. */
  readonly calls: Map<string, boolean>
  open: OpenUsage | null
}

export function initialState(run: string): State {
  return {
    run,
    started: false,
    session: null,
    sessions: [],
    subagent: false,
    seen: new Map(),
    calls: new Map(),
    open: null,
  }
}

/** What is known of the message `id`; null when this is its first state. */
export function seenOf(state: State, id: string | null): Seen | null {
  return id === null ? null : (state.seen.get(id) ?? null)
}

/** Remember a new message. Without an id it cannot come again. */
export function noteMessage(state: State, id: string | null): Seen {
  const seen: Seen = { content: 0, thoughts: 0, spent: null }
  if (id !== null && id.length <= LONGEST_ID) put(state.seen, id, seen, MOST_MESSAGES)
  return seen
}

/** Remember a call, and whether it was answered, so that a later state of its message does not tell it again. */
export function noteCall(state: State, id: string, answered: boolean): void {
  if (id.length <= LONGEST_ID) put(state.calls, id, answered, MOST_CALLS)
}

/** The message is over, as far as the log goes: its usage is written once, with the counts of its last state. */
export function closeUsage(state: State, sink: Sink): void {
  const { open } = state
  if (open === null) return
  state.open = null
  const { id, key, at, line, model, tokens } = open
  const { session, subagent } = state
  // No node is in it, so no record is needed to read it.
  spend(null, { at, line, requestId: id, key, model, tokens, session, sidechain: subagent }, sink)
}

/** Identity of a request: the message in its session (spec vendor-transcripts §9). */
export function keyOf(state: State, id: string | null): string | null {
  return id === null ? null : `gemini:${state.session ?? state.run}:${id}`
}

function put<T>(map: Map<string, T>, id: string, value: T, most: number): void {
  if (!map.has(id) && map.size >= most) map.delete(map.keys().next().value ?? '')
  map.set(id, value)
}
