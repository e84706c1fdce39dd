import { isDeepStrictEqual, inspect } from 'node:util'
import type { Contender } from './case.ts'

/** Rounds after which everything is as fast as it gets. */
const MOST_WARM_UPS = 30

/** How much longer than meant sampling may take on a machine that others use. */
const PATIENCE = 4

export interface Pace {
  /** Processor time to sample for; the time of the clock when the work is done by other processes. */
  readonly budgetMs: number
  readonly leastRounds: number
  readonly startsAnew?: boolean
}

/**
 * Sample contenders in turn, so that all of them meet the same weather of the machine: whoever else uses it, its
 * clock, its caches. The order turns with every round. Garbage of one sample is collected before the next begins, where
 * the process allows it.
 *
 * @returns seconds of each sample, one list a contender, in the order of rounds
 * @throws Error when an answer is wrong
 */
export async function race(contenders: readonly Contender[], pace: Pace): Promise<number[][]> {
  const { budgetMs, leastRounds, startsAnew = false } = pace
  const seconds = contenders.map((): number[] => [])
  if (!startsAnew) await warmUp(contenders, budgetMs / 4)
  const isOver = timer(budgetMs, startsAnew)
  for (let round = 0; round < leastRounds || !isOver(); round++) {
    for (let i = 0; i < contenders.length; i++) {
      const turn = (round + i) % contenders.length
      seconds[turn]?.push(await sample(contenders[turn]!))
    }
  }
  return seconds
}

/** The first samples run code that is not compiled for speed yet: several of each, until the time is over. */
async function warmUp(contenders: readonly Contender[], forMs: number): Promise<void> {
  const isOver = timer(forMs, false)
  for (let i = 0; i < MOST_WARM_UPS; i++) {
    for (const contender of contenders) await sample(contender)
    if (isOver()) return
  }
}

/**
 * Tells when a budget is used up. Processor time and not that of the clock: a machine that others use then costs
 * patience and not samples, of which the best are wanted.
 */
function timer(budgetMs: number, byClock: boolean): () => boolean {
  const startedMs = performance.now()
  const before = process.cpuUsage()
  return () => {
    const passedMs = performance.now() - startedMs
    const { user, system } = process.cpuUsage(before)
    const usedMs = byClock ? passedMs : (user + system) / 1000
    return usedMs >= budgetMs || passedMs >= budgetMs * PATIENCE
  }
}

/** Seconds of one sample. */
async function sample(contender: Contender): Promise<number> {
  contender.prepare?.()
  globalThis.gc?.()
  const startedMs = performance.now()
  const result: unknown = await contender.run()
  const seconds = (performance.now() - startedMs) / 1000
  const answer = contender.answer === undefined ? result : contender.answer(result)
  if (!isDeepStrictEqual(answer, contender.expected)) {
    const [got, wanted] = [answer, contender.expected].map((value) =>
      inspect(value, { breakLength: Infinity }),
    )
    throw new Error(`${contender.name} gave a wrong answer: ${got}, expected ${wanted}`)
  }
  return seconds
}

/** The best of some samples: what the machine gives when nobody else wants it. */
export function best(seconds: readonly number[]): number {
  return Math.min(...seconds)
}
