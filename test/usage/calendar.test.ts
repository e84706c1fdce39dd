import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Calendar, dayName, inSpan, systemZone, zoneName } from '../../src/usage/calendar.ts'

describe('keys', () => {
  test.each([
    ['America/Los_Angeles', '2026-01-25T04:08:00Z', '2026-01-24'],
    ['Asia/Tokyo', '2026-01-25T04:08:00Z', '2026-01-25'],
    ['UTC', '2026-01-25T04:08:00Z', '2026-01-25'],
    ['America/Chicago', '2026-11-01T06:30:00Z', '2026-11-01'],
    ['America/Chicago', '2026-03-09T04:59:59Z', '2026-03-08'],
    ['America/Chicago', '2026-03-09T05:00:00Z', '2026-03-09'],
    ['UTC', 'soon', null],
    ['UTC', null, null],
  ])('day in %s of %s', (zone, iso, day) => {
    expect(new Calendar(zone).key('day', iso)).toBe(day)
  })

  test('an hour that the clocks repeat stays two', () => {
    const calendar = new Calendar('America/Chicago')
    expect(calendar.key('hour', '2026-11-01T06:30:00Z')).toBe('2026-11-01T01:00-05:00')
    expect(calendar.key('hour', '2026-11-01T07:30:00Z')).toBe('2026-11-01T01:00-06:00')
  })

  test('clocks may change at half an hour of UTC', () => {
    const calendar = new Calendar('Australia/Lord_Howe')
    expect(calendar.key('hour', '2026-04-04T14:59:59Z')).toBe('2026-04-05T01:00+11:00')
    expect(calendar.key('hour', '2026-04-04T15:00:00Z')).toBe('2026-04-05T01:00+10:30')
  })

  test.each([
    ['2026-11-30T12:00:00Z', '2026-W49'],
    ['2027-01-03T12:00:00Z', '2026-W53'],
    ['2027-01-04T12:00:00Z', '2027-W01'],
    ['2025-12-29T00:00:00Z', '2026-W01'],
    ['2024-12-30T00:00:00Z', '2025-W01'],
  ])('week of %s', (iso, week) => {
    expect(new Calendar('UTC').key('week', iso)).toBe(week)
  })

  const zones = [
    'UTC',
    'Europe/Madrid',
    'America/Chicago',
    'America/St_Johns',
    'Asia/Kathmandu',
    'Australia/Lord_Howe',
    'Pacific/Apia',
    'Africa/Casablanca',
  ]
  test.each(zones)('agree with Intl in %s, at random instants and around changes of the clocks', (zone) => {
    const calendar = new Calendar(zone)
    const parts = new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      timeZoneName: 'longOffset',
    })
    const anywhere = fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2037, 0) })
    const nearChange = fc
      .tuple(fc.constantFrom(...clockChanges(zone)), fc.integer({ min: -7_200_000, max: 7_200_000 }))
      .map(([change, distance]) => change + distance)
    const property = fc.property(fc.oneof(anywhere, nearChange), (instant) => {
      const iso = new Date(instant).toISOString()
      const of = Object.fromEntries(parts.formatToParts(instant).map(({ type, value }) => [type, value]))
      const day = `${of['year']}-${of['month']}-${of['day']}`
      const offset = of['timeZoneName']?.slice(3) || '+00:00'
      return (
        calendar.key('day', iso) === day &&
        calendar.key('month', iso) === day.slice(0, 7) &&
        calendar.key('hour', iso) === `${day}T${of['hour']}:00${offset}`
      )
    })
    fc.assert(property, { numRuns: 400 })
  })

  test('an hour begins with the instant its key says', () => {
    const calendar = new Calendar('Europe/Madrid')
    const instants = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2037, 0) })
    const property = fc.property(instants, (instant) => {
      const start = Date.parse(calendar.key('hour', new Date(instant).toISOString()) ?? '')
      return start <= instant && instant < start + 3_600_000
    })
    fc.assert(property)
  })
})

describe('zones', () => {
  test.each([
    ['Europe/Madrid', 'Europe/Madrid'],
    ['europe/madrid', 'Europe/Madrid'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['UTC', 'UTC'],
    ['Mars/Base', null],
    ['', null],
  ])('%j is %j', (given, name) => {
    expect(zoneName(given)).toBe(name)
  })

  test('that of this machine is known', () => {
    expect(zoneName(systemZone())).toBe(systemZone())
  })
})

describe('spans of days', () => {
  test.each([
    [null, null, null, true],
    ['2026-11-01', null, null, false],
    ['2026-11-01', null, '2026-11-01', true],
    ['2026-11-01', null, '2026-10-31', false],
    [null, '2026-11-03', '2026-11-03', true],
    [null, '2026-11-03', '2026-11-04', false],
  ])('from %s to %s, day %s: %s', (since, until, day, inside) => {
    expect(inSpan({ since, until }, day)).toBe(inside)
  })

  test.each([
    ['2026-11-30', true],
    ['2026-02-29', false],
    ['2026-11', false],
    ['today', false],
  ])('%s is a day: %s', (text, is) => {
    expect(dayName(text) !== null).toBe(is)
  })
})

/** Instants of some recent years between which the zone's offset changed, to a quarter of an hour. */
function clockChanges(zone: string): number[] {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
  const offset = (instant: number): string =>
    format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const changes = [Date.UTC(2026, 0)]
  for (let day = Date.UTC(2024, 0); day < Date.UTC(2027, 0); day += 86_400_000) {
    if (offset(day) === offset(day + 86_400_000)) continue
    let at = day
    while (offset(at) === offset(day)) at += 900_000
    changes.push(at)
  }
  return changes
}
