import { describe, expect, test } from 'vitest'
import { goHarness } from '../../../src/dialect/go-harness.ts'
import { type Recorded, translate } from '../recording-sink.ts'
import {
  answered,
  brief,
  completed,
  events,
  requested,
  RUN,
  started,
  step,
  stepDone,
  text,
  usage,
} from './runs.ts'

const LINES = [started, step(1), text('a'), requested, usage(1, 1), answered, stepDone(1), completed()]

/** An event without the lines it came from. */
function bare({ event, line: _line, foldedLines: _lines, ...rest }: Recorded): Recorded {
  return { event, ...rest }
}

describe('numbers of events', () => {
  const all = events(LINES)
  const pick = (...numbers: number[]): object[] => numbers.map((n) => all[n] ?? {})
  const plain = translate(goHarness, all)

  test.each([
    { name: 'in order', lines: pick(0, 1, 2, 3, 4, 5, 6, 7), repeats: 0 },
    { name: 'repeated', lines: pick(0, 1, 2, 3, 2, 3, 4, 5, 6, 7), repeats: 2 },
    { name: 'all sent again', lines: pick(0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7), repeats: 8 },
  ])('$name change nothing', ({ lines, repeats }) => {
    const made = translate(goHarness, lines)
    expect(made.notices.map(({ code }) => code)).toEqual(Array(repeats).fill('seq-repeat'))
    expect(made.events.map(bare)).toEqual(plain.events.map(bare))
    expect(made.entries).toEqual(plain.entries)
    expect(made.ending).toEqual({ reason: 'completed', terminal: true, promised: true })
  })

  test.each([
    { name: 'missing', lines: pick(0, 1, 4, 6, 7), notices: ['seq-gap'], gapped: true },
    { name: 'late', lines: pick(0, 1, 3, 2, 4, 5, 6, 7), notices: ['seq-disorder'], gapped: undefined },
    { name: 'missing at the front', lines: pick(3, 4, 5, 6, 7), notices: ['seq-gap'], gapped: true },
    { name: 'missing at the end', lines: pick(0, 1, 2, 3), notices: [], gapped: undefined },
  ])('$name are said to be', ({ lines, notices, gapped }) => {
    const made = translate(goHarness, lines)
    expect(made.notices.map(({ code }) => code)).toEqual(notices)
    expect(made.ending.gapped).toBe(gapped)
    expect(made.bins).toHaveLength(lines.length)
  })

  test('that are missing are counted', () => {
    const [notice] = translate(goHarness, pick(0, 1, 4, 6, 7)).notices
    expect(notice).toMatchObject({ line: 3, message: '3 events of the run are missing' })
  })

  test('from 1, as in recordings made by hand, are not missing one', () => {
    const lines = [started, completed()].map(([type, data], i) => ({ ts: 't', seq: i + 1, type, data }))
    expect(translate(goHarness, lines).notices).toEqual([])
  })

  test('used twice are told from repeats by what they number', () => {
    const other = { ...all[2], payload: { content: 'b' }, timestamp: '2026-10-12T09:00:00Z' }
    const made = translate(goHarness, [...pick(0, 1, 2), other, ...pick(3, 4, 5, 6, 7)])
    expect(made.notices.map(({ code }) => code)).toEqual(['seq-conflict'])
    expect(made.events.map(brief)).toContain('text ab')
  })

  test('written as strings are numbers', () => {
    const lines = [started, completed()].map(([type, data], i) => ({ ts: 't', seq: String(i), type, data }))
    expect(translate(goHarness, [...lines, ...lines]).notices.map(({ code }) => code)).toEqual([
      'seq-repeat',
      'seq-repeat',
    ])
  })

  test('are those of runs, not of the conversation around them', () => {
    const around = {
      id: `${RUN}:conversation:0b6c`,
      run_id: RUN,
      type: 'job.completed',
      timestamp: 't',
      payload: {},
    }
    const made = translate(goHarness, [...all, around, around, { ...around, type: 'callback.failed' }])
    expect(made.notices.map(({ code }) => code)).toEqual(['seq-repeat'])
    expect(made.events.at(-1)).toMatchObject({ code: 'callback.failed' })
    expect(translate(goHarness, [around]).ending).toMatchObject({ terminal: false, promised: false })
  })
})
