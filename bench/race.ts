import { isDeepStrictEqual, inspect } from 'node:util'
import type { Clock, Contender } from './case.ts'

/** Rounds after which everything is as fast as it gets. */
const MOST_WARM_UPS = 30

/** How much longer than meant sampling may take on a machine that others use. */
const PATIENCE = 6

export interface Pace {
  readonly budgetMs: number
  readonly leastRounds: number
  readonly clock: Clock
}

/**
 * Sample contenders in turn, so that all of them meet the same weather of the machine: whoever else uses it, its
 * frequency, its caches. The order turns with every round.
 *
 * @returns seconds of each sample, one list a contender, in the order of rounds
 * @throws Error when an answer is wrong
 */
export async function race(contenders: readonly Contender[], pace: Pace): Promise<number[][]> {
  const { budgetMs, leastRounds, clock } = pace
  const seconds = contenders.map((): number[] => [])
  // Other processes start anew for each sample; there is nothing to warm up.
  if (clock === 'processor') await warmUp(contenders, budgetMs / 4)
  const isOver = timer(budgetMs, clock)
  for (let round = 0; round < leastRounds || !isOver(); round++) {
    for (let i = 0; i < contenders.length; i++) {
      const turn = (round + i) % contenders.length
      seconds[turn]?.push(await sample(contenders[turn]!, clock))
    }
  }
  return seconds
}

/** The first samples run code that is not compiled for speed yet: several of each, until the time is over. */
async function warmUp(contenders: readonly Contender[], forMs: number): Promise<void> {
  const isOver = timer(forMs, 'processor')
  for (let i = 0; i < MOST_WARM_UPS; i++) {
    for (const contender of contenders) await sample(contender, 'processor')
    if (isOver()) return
  }
}

/** Tells when a budget is used up. On a machine that others use, processor time takes patience, which has an end. */
function timer(budgetMs: number, clock: Clock): () => boolean {
  const [used, passed] = [stopwatch(clock), stopwatch('wall')]
  return () => used() * 1000 >= budgetMs || passed() * 1000 >= budgetMs * PATIENCE
}

/** Seconds since it was made. */
function stopwatch(clock: Clock): () => number {
  if (clock === 'wall') {
    const startedMs = performance.now()
    return () => (performance.now() - startedMs) / 1000
  }
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    // Counted in microseconds, of which the shortest sample takes one.
    return Math.max(user + system, 1) / 1e6
  }
}

/** Seconds of one sample. */
async function sample(contender: Contender, clock: Clock): Promise<number> {
  contender.prepare?.()
  const elapsed = stopwatch(clock)
  const result: unknown = await contender.run()
  const seconds = elapsed()
  const answer = contender.answer === undefined ? result : contender.answer(result)
  if (!isDeepStrictEqual(answer, contender.expected)) {
    const [got, wanted] = [answer, contender.expected].map((value) =>
      inspect(value, { breakLength: Infinity }),
    )
    throw new Error(`${contender.name} gave a wrong answer: ${got}, expected ${wanted}`)
  }
  return seconds
}
