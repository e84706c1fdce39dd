import { describe, expect, test } from 'vitest'
import type { Contender } from '../../bench/case.ts'
import { race } from '../../bench/race.ts'
import { rowsOf, type Sampled } from '../../bench/sampled.ts'

const contender = (name: string, given: Partial<Contender> = {}): Contender => ({
  name,
  expected: 1,
  run: () => 1,
  ...given,
})

describe('a race', () => {
  test('lets everybody run in every round, and turns the order', async () => {
    const ran: string[] = []
    const runs = (name: string): Contender => contender(name, { run: () => ran.push(name) && 1 })
    const three = [runs('a'), runs('b'), runs('c')]
    const seconds = await race(three, { budgetMs: 0, leastRounds: 3, clock: 'wall' })
    expect(ran.join('')).toBe('abcbcacab')
    expect(seconds.map(({ length }) => length)).toEqual([3, 3, 3])
  })

  test('warms up what does not start anew, untimed', async () => {
    let runs = 0
    const seconds = await race([contender('a', { run: () => (runs++, 1) })], {
      budgetMs: 0,
      leastRounds: 2,
      clock: 'processor',
    })
    expect(runs).toBe(3)
    expect(seconds).toHaveLength(1)
    expect(seconds[0]).toHaveLength(2)
  })

  test('goes on until its time is over', async () => {
    const slow = contender('slow', { run: () => new Promise((resolve) => setTimeout(() => resolve(1), 5)) })
    const [seconds = []] = await race([slow], { budgetMs: 60, leastRounds: 1, clock: 'wall' })
    expect(seconds.length).toBeGreaterThan(2)
    expect(Math.min(...seconds)).toBeGreaterThan(0.003)
  })

  test('counts only what the process itself used, when that is asked for', async () => {
    const idle = contender('idle', { run: () => new Promise((resolve) => setTimeout(() => resolve(1), 50)) })
    const busy = contender('busy', { run: () => spin(20) })
    const pace = { budgetMs: 0, leastRounds: 3, clock: 'processor' } as const
    const [idled = [], worked = []] = await race([idle, busy], pace)
    expect(Math.min(...idled)).toBeLessThan(0.02)
    expect(Math.min(...worked)).toBeGreaterThanOrEqual(0.02)
  })

  test('prepares before each sample and asks for the answer after it', async () => {
    const seen: string[] = []
    const careful = contender('careful', {
      expected: 'answer of 1',
      prepare: () => seen.push('prepare'),
      run: () => seen.push('run') && 1,
      answer: (result) => seen.push('answer') && `answer of ${String(result)}`,
    })
    await race([careful], { budgetMs: 0, leastRounds: 2, clock: 'wall' })
    expect(seen).toEqual(['prepare', 'run', 'answer', 'prepare', 'run', 'answer'])
  })

  test.each([
    { what: 'another value', run: () => ({ events: 2 }) },
    { what: 'nothing', run: () => undefined },
    { what: 'another value later', run: () => Promise.resolve({ events: 3 }) },
  ])('takes $what for an error, not for a slow sample', async ({ run }) => {
    const wrong = contender('wrong', { expected: { events: 1 }, run })
    await expect(
      race([contender('right'), wrong], { budgetMs: 0, leastRounds: 1, clock: 'processor' }),
    ).rejects.toThrow(/^wrong gave a wrong answer: .*, expected \{ events: 1 \}$/)
  })
})

test('a row holds best samples, as speed in multiples of the baseline', () => {
  const sampled: Sampled = {
    name: 'case',
    title: 'a case',
    bytes: 3_000_000,
    items: { count: 10, unit: 'files' },
    seconds: [0.5, 0.25, 1],
    baselines: [
      { name: 'slower', seconds: [2, 1.5] },
      { name: 'faster', seconds: [0.125, 3] },
    ],
    peakRssBytes: null,
    tookSeconds: 9,
  }
  expect(rowsOf(sampled)).toMatchObject([
    {
      name: 'case / slower',
      ratio: 6,
      milliseconds: 250,
      megabytesPerSecond: 12,
      itemsPerSecond: { count: 40 },
    },
    { name: 'case / faster', ratio: 0.5 },
  ])
  expect(rowsOf({ ...sampled, bytes: 0, items: null })[0]).toMatchObject({
    megabytesPerSecond: null,
    itemsPerSecond: null,
  })
})

/** Work until the process has used so much processor time. */
function spin(forMs: number): number {
  const before = process.cpuUsage()
  while (process.cpuUsage(before).user < forMs * 1000);
  return 1
}
