import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { instantOf } from '../../src/usage/instant.ts'

describe('the instant of a time', () => {
  test.each([
    ['2026-01-25T04:08:00Z', Date.UTC(2026, 0, 25, 4, 8)],
    ['2026-01-25T04:08:00.5Z', Date.UTC(2026, 0, 25, 4, 8, 0, 500)],
    ['2026-01-25T04:08:00.123456789Z', Date.UTC(2026, 0, 25, 4, 8, 0, 123)],
    ['2026-01-25T04:08:00.123+02:00', Date.UTC(2026, 0, 25, 2, 8, 0, 123)],
    ['2026-01-25T04:08:00-0530', Date.UTC(2026, 0, 25, 9, 38)],
    ['2026-01-25 04:08', Date.UTC(2026, 0, 25, 4, 8)],
    ['2026-01-25t04:08:00z', Date.UTC(2026, 0, 25, 4, 8)],
    ['2024-02-29T00:00:00.000Z', Date.UTC(2024, 1, 29)],
    ['1970-01-01T00:00:00Z', 0],
  ])('%s', (iso, instant) => {
    expect(instantOf(iso)).toBe(instant)
  })

  test.each([
    null,
    '',
    'soon',
    '2026-01-25',
    '1769314080000',
    '2026-02-30T00:00:00Z',
    '2026-02-30T00:00:00.000Z',
    '2026-13-01T00:00:00.000Z',
    '2026-01-25T25:00:00.000Z',
    '2026-01-2xT00:00:00.000Z',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
    '2026-01-25T04:08:00+99:00',
  ])('is unknown for %j', (iso) => {
    expect(instantOf(iso)).toBe(null)
  })

  test('agrees with the platform on what it writes', () => {
    const instants = fc.integer({ min: 0, max: Date.UTC(9998, 0) })
    fc.assert(fc.property(instants, (instant) => instantOf(new Date(instant).toISOString()) === instant))
  })
})
