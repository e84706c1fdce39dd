import type { Tokens } from '../../event/billing.ts'
import type { Ending } from '../adapter.ts'
import { UNFINISHED } from '../endings.ts'

export interface State {
  started: boolean
  session: string | null
  model: string | null
  turn: number
  inTurn: boolean
  readonly calls: Set<string>
  /** What the requests of the run came to so far; null when it told of none. */
  spent: Tokens | null
  ending: Ending
}

export function initialState(): State {
  return {
    started: false,
    session: null,
    model: null,
    turn: 0,
    inTurn: false,
    calls: new Set(),
    spent: null,
    ending: UNFINISHED,
  }
}
