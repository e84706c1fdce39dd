import { describe, expect, test } from 'vitest'
import { goalsFor, judgeGoals } from '../../../bench/peers/goals.ts'

const goals = goalsFor(304)

/** The verdict on one goal for a measured value. */
function verdictOn(name: 'scan' | 'folder' | 'peak-rss', value: number): boolean | null | undefined {
  return judgeGoals(goals, [{ name, value, note: '' }]).find((verdict) => verdict.name === name)?.met
}

describe('goals', () => {
  test.each([
    { name: 'scan', value: 10, met: true },
    { name: 'scan', value: 9.99, met: false },
    { name: 'folder', value: 1.8, met: true },
    { name: 'folder', value: 1.81, met: false },
    { name: 'peak-rss', value: 304, met: true },
    { name: 'peak-rss', value: 305, met: false },
    { name: 'scan', value: Number.NaN, met: false },
  ] as const)('$name at $value: $met', ({ name, value, met }) => {
    expect(verdictOn(name, value)).toBe(met)
  })

  test('are all listed, in order, also those that were not measured', () => {
    const verdicts = judgeGoals(goals, [{ name: 'version', value: 55, note: 'node -e 0: 40 ms' }])
    expect(verdicts.map(({ name }) => name)).toEqual(goals.map(({ name }) => name))
    expect(verdicts.filter(({ measured }) => measured !== null)).toEqual([
      {
        name: 'version',
        work: 'millrace --version',
        sense: 'at most',
        limit: 60,
        unit: 'ms',
        measured: 55,
        met: true,
        note: 'node -e 0: 40 ms',
      },
    ])
    expect(verdicts.find(({ name }) => name === 'scan')).toMatchObject({ measured: null, met: null })
  })

  test('have names of their own', () => {
    expect(new Set(goals.map(({ name }) => name)).size).toBe(goals.length)
  })
})
