import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { goHarness } from '../../../src/dialect/go-harness.ts'
import { projectDir } from '../../shared.ts'
import { evidenceOf } from '../detecting.ts'
import { binNames, translate } from '../recording-sink.ts'

function reversed(line: string): string {
  const value: unknown = JSON.parse(line, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null
      ? Object.fromEntries(Object.entries(inner).toReversed())
      : inner,
  )
  return JSON.stringify(value)
}

describe('an audit log', () => {
  const log = readFileSync(join(projectDir, 'corpora/go-harness/audit.jsonl'), 'utf8').trimEnd().split('\n')
  const entry = (n: number): string => log[n] ?? ''

  test('is checked and is no run', () => {
    expect(evidenceOf(goHarness, JSON.parse(entry(0)))).toMatchObject({ weight: 'proof', isRun: false })
    const { events: made, bins, ending, notices } = translate(goHarness, log)
    expect(made).toEqual([])
    expect(binNames(bins)).toEqual(Array(4).fill('Bookkeeping'))
    expect(ending).toEqual({ reason: 'error', terminal: false, promised: false })
    expect(notices).toEqual([])
  })

  test.each([
    {
      name: 'a changed payload',
      lines: [entry(0), entry(1).replace('"step":1', '"step":2'), entry(2), entry(3)],
      broken: [2],
    },
    {
      name: 'a changed time',
      lines: [entry(0).replace('08:30:00.5', '08:30:00.6'), entry(1), entry(2), entry(3)],
      broken: [1],
    },
    { name: 'an entry that was removed', lines: [entry(0), entry(2), entry(3)], broken: [2] },
    { name: 'the first entry removed', lines: log.slice(1), broken: [1] },
    { name: 'entries in another order', lines: [entry(0), entry(2), entry(1), entry(3)], broken: [2, 3, 4] },
    { name: 'keys in another order', lines: log.map(reversed), broken: [] },
  ])('names the entry that is broken: $name', ({ lines, broken }) => {
    const { ending, notices } = translate(goHarness, lines)
    expect(notices.map(({ line }) => line)).toEqual(broken)
    const [first] = broken
    expect(/line (\d+)/.exec(ending.inconsistent ?? '')?.[1]).toBe(first?.toString())
  })
})
