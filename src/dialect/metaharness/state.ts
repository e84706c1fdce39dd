import type { CloseReason, ProcessEnd } from '../../event/events.ts'
import type { Refusal } from '../verdict.ts'
import { type Books, emptyBooks } from './books.ts'

/** Refusals kept in full; further ones are only counted. */
const MOST_REFUSALS = 1000

export interface State {
  readonly tolerant: boolean
  /** Lines read so far that are JSON. */
  read: number
  seq: number | null
  /** Run of the line before. */
  run: string | null
  readonly books: Books
  readonly refusals: Refusal[]
  refused: number
  /** How the `session.ended` that came last says the run ended; null when a session began after it. */
  ended: CloseReason | null
  /** The `stream.closed` that came last. */
  marker: Marker | null
  markers: number
}

interface Marker {
  readonly reason: CloseReason
  readonly process: ProcessEnd | null
  /** The lines it says there are before it. */
  readonly events: number | null
  /** Lines read before it. */
  readonly read: number
  /** 1-based. */
  readonly line: number
}

export function initialState(run: string, tolerant: boolean): State {
  return {
    tolerant,
    read: 0,
    seq: null,
    run: null,
    books: emptyBooks(run),
    refusals: [],
    refused: 0,
    ended: null,
    marker: null,
    markers: 0,
  }
}

export function refuse(state: State, refusal: Refusal): void {
  state.refused++
  if (state.refusals.length < MOST_REFUSALS) state.refusals.push(refusal)
}

/**
 * What is wrong with a stream as a whole: more than one marker, one that is not last, or one that counts other lines
 * than there are. Lines that are no JSON never come here, so the count may also be that of the lines of the file.
 */
export function inconsistency({ marker, markers, read }: State): string | undefined {
  if (marker === null) return undefined
  if (markers > 1) return `${markers} lines say that the stream is closed`
  if (marker.read !== read - 1) return 'lines follow the one that says the stream is closed'
  const { events, line } = marker
  if (events === marker.read || events === line - 1) return undefined
  return `the stream says it has ${events ?? 'an unreadable number of'} events and has ${marker.read}`
}
