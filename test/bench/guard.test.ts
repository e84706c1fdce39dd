import { describe, expect, test } from 'vitest'
import { entries } from '../../bench/cases.ts'
import { formatFindings, type Guard, judge, readGuard } from '../../bench/guard.ts'
import type { Row } from '../../bench/sampled.ts'

const row = (name: string, ratio: number, peakRssBytes: number | null = null): Row => ({
  name,
  case: name.split(' / ')[0] ?? '',
  title: name,
  baseline: name.split(' / ')[1] ?? '',
  milliseconds: 1,
  megabytesPerSecond: 1,
  itemsPerSecond: null,
  ratio,
  peakRssBytes,
})

const guard: Guard = {
  about: '',
  floors: { 'a / x': { measured: 4, floor: 3 }, 'b / x': { measured: 1, floor: 0.7 } },
  peakRss: { megabytes: 256, megabytesPerWorker: 24 },
}

describe('bench/guard.json', () => {
  const { floors, peakRss } = readGuard()

  test('guards every case', () => {
    const guarded = new Set(Object.keys(floors).map((name) => name.split(' / ')[0]))
    expect(guarded).toEqual(new Set(entries.map(({ bench }) => bench.name)))
  })

  test.each(Object.entries(floors))('%s has a floor with room under what was measured', (name, floor) => {
    expect(name).toMatch(/^[a-z0-9-]+ \/ .+$/)
    expect(Object.keys(floor)).toEqual(['measured', 'floor'])
    expect(floor.floor).toBeGreaterThan(0)
    expect(floor.floor).toBeLessThanOrEqual(floor.measured * 0.8)
  })

  test('bounds memory as the design does', () => {
    expect(peakRss).toEqual({ megabytes: 256, megabytesPerWorker: 24 })
  })
})

describe('judging', () => {
  test('holds what reaches its floor', () => {
    const findings = judge([row('a / x', 3), row('b / x', 9), row('c / x', 0.1)], guard, 2, false)
    expect(findings).toEqual([
      { name: 'a / x', measured: 3, limit: 3, unit: 'x', ok: true },
      { name: 'b / x', measured: 9, limit: 0.7, unit: 'x', ok: true },
    ])
    expect(formatFindings(findings)).toMatch(
      /^ok {4}a \/ x: 3\.00 x, at least 3\.00 x\n.*\nguard: all of 2 hold$/,
    )
  })

  test('names what fell short', () => {
    const findings = judge([row('a / x', 2.99), row('b / x', 1)], guard, 2, false)
    expect(findings.map(({ ok }) => ok)).toEqual([false, true])
    expect(formatFindings(findings)).toMatch(/^SHORT a \/ x: 2\.99 x, at least 3\.00 x\n/)
    expect(formatFindings(findings)).toMatch(/guard: 1 of 2 fell short: a \/ x$/)
  })

  test('takes a guarded row that is missing for one that fell short, unless only some were asked for', () => {
    expect(judge([row('a / x', 4)], guard, 2, false).map(({ ok }) => ok)).toEqual([true, false])
    expect(judge([row('a / x', 4)], guard, 2, true).map(({ ok }) => ok)).toEqual([true])
  })

  test('does not ask for a binding that a machine lacks', () => {
    const native = { ...guard, floors: { 'scan / simdjson isValid': { measured: 4, floor: 3 } } }
    expect(judge([], native, 2, false)).toEqual([])
    expect(judge([row('scan / simdjson isValid', 2)], native, 2, false)).toMatchObject([{ ok: false }])
  })

  test('bounds the peak memory by the number of workers, once a case', () => {
    const rows = [row('a / x', 4, 304e6), row('a / y', 4, 304e6), row('b / x', 1, 305e6)]
    const findings = judge(rows, guard, 2, false)
    expect(findings.filter(({ unit }) => unit === 'MB')).toEqual([
      { name: 'a, peak RSS', measured: 304, limit: 304, unit: 'MB', ok: true },
      { name: 'b, peak RSS', measured: 305, limit: 304, unit: 'MB', ok: false },
    ])
  })
})
