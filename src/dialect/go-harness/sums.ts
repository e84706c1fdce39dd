/** Counts as the harness writes them: what came from the cache is a part of the prompt. */
export interface Counts {
  readonly prompt: number | null
  readonly completion: number | null
  readonly total: number | null
}

/** What the turns of a run used, and what else its totals are checked against. Plain data. */
export interface Spend {
  turns: number
  prompt: number
  completion: number
  total: number
  /** Null when some turn did not say. */
  cached: number | null
  reasoning: number | null
  /** Sum in the order of turns, as the harness adds; exact equality is to be had. */
  costUsd: number
  /** Sum of the prices that stand, in 10^-12 USD. */
  picoUsd: bigint
  lastTotal: number | null
  lastCostUsd: number | null
  cumulative: Counts | null
  /** Identities of `usage.delta` events that a recorder says it dropped. */
  readonly lost: string[]
  requested: number
  completed: number
  /** Line of the last record that told of a turn. */
  line: number
}

export function emptySpend(): Spend {
  return {
    turns: 0,
    prompt: 0,
    completion: 0,
    total: 0,
    cached: 0,
    reasoning: 0,
    costUsd: 0,
    picoUsd: 0n,
    lastTotal: null,
    lastCostUsd: null,
    cumulative: null,
    lost: [],
    requested: 0,
    completed: 0,
    line: 1,
  }
}
