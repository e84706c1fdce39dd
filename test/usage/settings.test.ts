import { describe, expect, test } from 'vitest'
import type { Billed, Place } from '../../src/event/billing.ts'
import { Settings } from '../../src/usage/settings.ts'
import { billed } from './entries.ts'

const place: Place = { thread: 't', parent: null, step: 0, counters: null, kind: 'request' }
/** More of them than are looked through one by one. */
const SESSIONS = Array.from({ length: 50 }, (_, i) => `s${i}`)

describe('the setting of a request', () => {
  test.each<{ field: string; other: Partial<Billed> }>([
    { field: 'model', other: { model: 'other' } },
    { field: 'session', other: { session: null } },
    { field: 'process', other: { process: 'p' } },
    { field: 'service tier', other: { serviceTier: 'batch' } },
    { field: 'speed', other: { speed: 'fast' } },
    { field: 'geography', other: { geo: 'us' } },
    { field: 'thread', other: { place } },
    { field: 'parent', other: { place: { ...place, parent: 'u' } } },
    { field: 'kind', other: { place: { ...place, kind: 'total' } } },
  ])('is another one with another $field, and the same when that comes again', ({ other }) => {
    const settings = new Settings()
    const requests = [billed(), billed(other), billed(), billed(other)]
    expect(requests.map((one) => settings.of(one))).toEqual([0, 1, 0, 1])
    expect(settings.all).toHaveLength(2)
  })

  test('is found again among many', () => {
    const settings = new Settings()
    for (let round = 0; round < 3; round++) for (const session of SESSIONS) settings.of(billed({ session }))
    // Those that came before there were many are known by place only, and get a second number once.
    expect(settings.all.length).toBeLessThan(2 * SESSIONS.length)
    const numbers = SESSIONS.map((session) => settings.of(billed({ session })))
    expect(numbers.map((number) => settings.all[number]?.session)).toEqual(SESSIONS)
  })

  test('is never one that was added for something else than a request', () => {
    const settings = new Settings()
    const request = settings.of(billed())
    const made = settings.add({ ...settings.all[request]!, scope: 'process', requests: 7 })
    expect([made, settings.of(billed())]).toEqual([1, request])
  })
})
