import { expect, test } from 'vitest'
import { differences } from '../../scripts/compare-ccusage.ts'

const row = { input: 1, cacheRead: 2, cacheWrite: 3, output: 4 }

test('bills that are equal do not differ, whatever the order of their rows', () => {
  const ours = new Map([
    ['2026-11-29 m', row],
    ['2026-11-30 m', { ...row, output: 5 }],
  ])
  expect(differences(ours, new Map([...ours].toReversed()))).toEqual([])
})

test('every class that differs is named, and a row that one side lacks', () => {
  const ours = new Map([
    ['2026-11-29 m', row],
    ['2026-11-30 m', { ...row, input: 0, cacheRead: 0, cacheWrite: 0 }],
  ])
  expect(differences(ours, new Map([['2026-11-29 m', { ...row, input: 9, cacheWrite: 0 }]]))).toEqual([
    '2026-11-29 m: input is 1 for millrace, 9 for ccusage',
    '2026-11-29 m: cacheWrite is 3 for millrace, 0 for ccusage',
    '2026-11-30 m: output is 4 for millrace, 0 for ccusage',
  ])
})
