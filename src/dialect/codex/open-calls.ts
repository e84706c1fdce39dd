import type { JsonBytes } from '../../kernel/record.ts'
import type { Family, Outcome } from './outcome.ts'

/** A call whose output is still to come, or came already. */
export interface Call {
  readonly family: Family
  /** The turn in which it was made. */
  readonly turn: string | null
  /** Its output was written. */
  answered: boolean
  denied: boolean
  /** What the harness recorded of its end; `unverified` for good once evidence was contradictory. */
  outcome: Outcome | 'unverified' | null
  /** The record with that evidence, until the output comes. */
  held: { readonly item: JsonBytes; readonly line: number; readonly at: string | null } | null
}

export interface Calls {
  readonly byId: Map<string, Call>
  heldBytes: number
  /** Searches that were asked for and have no results yet; the oldest builds gave them no ids. */
  readonly searches: string[]
  /** Searches told by events whose item is still to come. */
  searchEvents: number
}

/** Calls remembered. */
export const MOST_CALLS = 65_536

export function noCalls(): Calls {
  return { byId: new Map(), heldBytes: 0, searches: [], searchEvents: 0 }
}
