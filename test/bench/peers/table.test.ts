import { expect, test } from 'vitest'
import type { PeersDocument } from '../../../bench/peers/document.ts'
import { goalsFor, judgeGoals } from '../../../bench/peers/goals.ts'
import type { Field } from '../../../bench/peers/group.ts'
import { disagreements, formatGoals, formatPeers } from '../../../bench/peers/table.ts'

const field: Field = {
  title: 'usage',
  bytes: 1_000_000_000,
  ours: 'millrace usage',
  timings: [
    {
      name: 'millrace usage',
      isOurs: true,
      seconds: [0.5, 0.4],
      processorSeconds: [0.75, 0.7],
      peakRssBytes: 100_000_000,
      faults: [],
    },
    { name: 'slow', isOurs: false, seconds: [3.2], processorSeconds: [], peakRssBytes: null, faults: [] },
  ],
}

const measured = [
  { name: 'usage-ccusage', value: 8, note: 'same totals' },
  { name: 'small-files', value: 19_999.4, note: '100,000 files' },
] as const

const document: PeersDocument = {
  format: 'millrace.peers/1',
  at: '2026-01-02T03:04:05.000Z',
  machine: {
    cpu: 'a mill',
    cores: 2,
    memoryBytes: 1,
    platform: 'linux x64',
    node: 'v20.20.0',
    commit: null,
    loadBefore: 0,
  },
  loadAfter: 1.25,
  inMemory: true,
  sizeBytes: 1_000_000_000,
  rounds: 5,
  versions: { ccusage: '20.0.24', jq: '1.6' },
  goals: judgeGoals(goalsFor(304), measured),
  fields: [field],
}

test('a goal has a line with what is wanted, what was reached and whether that will do', () => {
  const lines = formatGoals(document.goals).split('\n')
  expect(lines).toHaveLength(document.goals.length + 1)
  const words = lines.map((line) => line.split(/ {2,}/))
  expect(words).toContainEqual([
    'usage of the folder, against ccusage',
    '≥ 8.00 x',
    '8.00 x',
    'met',
    'same totals',
  ])
  expect(words).toContainEqual([
    'convert files of 2 KB, both digests',
    '≥ 20,000 files/s',
    '19,999 files/s',
    'MISSED',
    '100,000 files',
  ])
  expect(words).toContainEqual(['millrace --version', '≤ 60 ms', 'not measured'])
})

test('programs have their best time, and the time of others as multiples of ours', () => {
  const words = formatPeers(document)
    .split('\n')
    .map((line) => line.split(/ {2,}/))
  expect(words).toContainEqual(['millrace usage', '0.40', '2500', '0.70', '100 MB'])
  expect(words).toContainEqual(['slow', '3.20', '313', '8.00 x'])
})

test('answers that differ are named at the end, with whose they are', () => {
  expect(formatPeers(document)).toMatch(
    /load 0\.0 before and 1\.3 after; against ccusage 20\.0\.24, jq 1\.6\n\nall answers agree$/,
  )
  expect(formatPeers({ ...document, fields: [] })).toMatch(/jq 1\.6$/)
  const wrong = {
    ...field,
    timings: field.timings.map((timing) => ({ ...timing, faults: ['output 1, expected 2'] })),
  }
  expect(disagreements([wrong])).toEqual([
    'usage: millrace usage: output 1, expected 2',
    'usage: slow: output 1, expected 2',
  ])
  expect(formatPeers({ ...document, fields: [wrong] })).toMatch(
    /answers DISAGREE:\nusage: millrace usage: output 1, expected 2\nusage: slow: output 1, expected 2$/,
  )
})
