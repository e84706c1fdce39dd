import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { noRepairs, repaired, type Repairs, wellFormed } from '../../src/sink/repair.ts'
import { spelledValue } from '../property/odd-json.ts'
import { holds } from '../property/seeds.ts'

function repair(raw: string, badUtf8 = false): [string, Repairs] {
  const repairs = noRepairs()
  return [repaired(raw, badUtf8, repairs), repairs]
}

const arrays = (levels: number, inside = ''): string => `${'['.repeat(levels)}${inside}${']'.repeat(levels)}`

describe('a value is written in the nearest form that strict readers take', () => {
  test.each([
    { raw: '"\\ud83d"', to: '"\\ufffd"', surrogates: 1 },
    { raw: '"\\ude00"', to: '"\\ufffd"', surrogates: 1 },
    { raw: '"a\\uD83Db"', to: '"a\\ufffdb"', surrogates: 1 },
    { raw: '"\\ude00\\ud83d"', to: '"\\ufffd\\ufffd"', surrogates: 2 },
    { raw: '"\\ud83d\\ud83d\\ude00"', to: '"\\ufffd\\ud83d\\ude00"', surrogates: 1 },
    { raw: '"\\ud83d\\ude00\\ude00"', to: '"\\ud83d\\ude00\\ufffd"', surrogates: 1 },
    { raw: '"\\ud83d\\\\ude00"', to: '"\\ufffd\\\\ude00"', surrogates: 1 },
    { raw: '"\\\\\\ud83d"', to: '"\\\\\\ufffd"', surrogates: 1 },
    { raw: '"\\ud83d\\u0041"', to: '"\\ufffd\\u0041"', surrogates: 1 },
    { raw: '"\\ud83dude00"', to: '"\\ufffdude00"', surrogates: 1 },
    {
      raw: '{"\\ud83d":["\\ude00",{"a":"\\udfff"}]}',
      to: '{"\\ufffd":["\\ufffd",{"a":"\\ufffd"}]}',
      surrogates: 3,
    },
  ])('half a surrogate pair: $raw', ({ raw, to, surrogates }) => {
    expect(repair(raw)).toEqual([to, { ...noRepairs(), surrogates }])
  })

  test.each([
    { raw: '1e400', to: '"1e400"', numbers: 1 },
    { raw: '-1E+999', to: '"-1E+999"', numbers: 1 },
    { raw: '[1e308,1e309]', to: '[1e308,"1e309"]', numbers: 1 },
    { raw: '{"a":1e400,"b":-1e400 }', to: '{"a":"1e400","b":"-1e400" }', numbers: 2 },
    { raw: '9'.repeat(400), to: `"${'9'.repeat(400)}"`, numbers: 1 },
    { raw: '1e-400', to: '1e-400', numbers: 0 },
    { raw: `0.${'0'.repeat(400)}1e400`, to: `0.${'0'.repeat(400)}1e400`, numbers: 0 },
    { raw: '"1e400"', to: '"1e400"', numbers: 0 },
  ])('a number outside the double range: $raw', ({ raw, to, numbers }) => {
    expect(repair(raw)).toEqual([to, { ...noRepairs(), numbers }])
  })

  test.each([
    { raw: arrays(120), to: arrays(120), depths: 0 },
    { raw: arrays(121), to: arrays(120, '"[]"'), depths: 1 },
    { raw: arrays(123, '1'), to: arrays(120, '"[[[1]]]"'), depths: 1 },
    { raw: arrays(120, '{"a":"b\\n"}'), to: arrays(120, '"{\\"a\\":\\"b\\\\n\\"}"'), depths: 1 },
    { raw: arrays(119, '[[]],[{}]'), to: arrays(119, '["[]"],["{}"]'), depths: 2 },
    { raw: arrays(120, '"]]"'), to: arrays(120, '"]]"'), depths: 0 },
    { raw: arrays(120, '["]","\\"]"]'), to: arrays(120, '"[\\"]\\",\\"\\\\\\"]\\"]"'), depths: 1 },
  ])('a value of more than 120 levels: $to', ({ raw, to, depths }) => {
    expect(repair(raw)).toEqual([to, { ...noRepairs(), depths }])
  })

  test('all of it at once', () => {
    const [out, repairs] = repair(arrays(120, '["\\ud83d",1e400,"\ufffd"],1e999,"\\ude00"'), true)
    expect(out).toBe(arrays(120, '"[\\"\\\\ufffd\\",1e400,\\"\ufffd\\"]","1e999","\\ufffd"'))
    expect(repairs).toEqual({ surrogates: 2, utf8: 1, numbers: 1, depths: 1 })
    // The text of what lay too deep is JSON, and as strict as the rest.
    const inner = /"(\[.*\])","1e999"/.exec(out)?.[1] ?? ''
    expect(JSON.parse(String(JSON.parse(`"${inner}"`)))).toEqual(['\ufffd', Infinity, '\ufffd'])
  })

  test.each([
    '{}',
    ' { "a" : [ 1 , -0 , 1.50 , 1E5 ] } ',
    '"\\ud83d\\ude00"',
    '"\\\\ud83d"',
    '"\\\\\\\\ud83d"',
    '"\\u0000\\/\\b"',
    '"\ufffd"',
    '"é😀"',
    '{"a":1,"a":2}',
    '123456789012345678901234567890',
    'null',
    '-0',
  ])('and as it is when nothing is wrong: %s', (raw) => {
    expect(repair(raw)).toEqual([raw, noRepairs()])
  })

  test('however long its strings are', () => {
    const escapes = '\\u0041'.repeat(3_000_000)
    const [out, { surrogates }] = repair(`"${escapes}\\ud83d"`)
    expect(surrogates).toBe(1)
    expect(out.length).toBe(escapes.length + 8)
    expect(out.endsWith('\\u0041\\ufffd"')).toBe(true)
  })

  test('however many numbers, brackets and strings it has', () => {
    const items = Array.from({ length: 100_000 }, (_, i) =>
      i % 3 === 0 ? '1e400' : i % 3 === 1 ? '"\\ud83d"' : '[{}]',
    )
    const [out, repairs] = repair(`[${items.join(',')}]`)
    expect(repairs).toEqual({ surrogates: 33_333, utf8: 0, numbers: 33_334, depths: 0 })
    expect(out.startsWith('["1e400","\\ufffd",[{}],"1e400"')).toBe(true)
  })
})

/** What a strict parser takes: no surrogate alone, only finite numbers, and no deeper than `levels`. */
function isStrict(value: unknown, levels: number): boolean {
  if (levels < 0) return false
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value === 'string') return !/\p{Surrogate}/u.test(value)
  if (Array.isArray(value)) return value.every((item) => isStrict(item, levels - 1))
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, item]) => isStrict(key, levels) && isStrict(item, levels - 1))
}

describe('whatever the value, what comes out', () => {
  const nested = fc
    .tuple(fc.nat({ max: 130 }), spelledValue, fc.boolean())
    .map(([levels, inside, isObject]) =>
      isObject ? `${'{"\\ud83d":'.repeat(levels)}${inside}${'}'.repeat(levels)}` : arrays(levels, inside),
    )

  test('is JSON that strict readers take, and is not touched again', () => {
    const property = fc.property(fc.oneof(spelledValue, nested), (raw) => {
      const [out] = repair(raw)
      const value: unknown = JSON.parse(out)
      if (!isStrict(value, 120)) throw new Error(`not strict: ${out}`)
      const [again, repairs] = repair(out)
      if (again !== out || JSON.stringify(repairs) !== JSON.stringify(noRepairs()))
        throw new Error(`again: ${again}`)
    })
    holds(property, 3000)
  })

  test('is what came in, when that was strict already', () => {
    let strict = 0
    const property = fc.property(spelledValue, (raw) => {
      // Of duplicate keys JSON.parse shows the last only.
      if (!isStrict(JSON.parse(raw), 120) || /"\s*:/.test(raw)) return
      strict++
      const [out, repairs] = repair(raw)
      if (out !== raw || JSON.stringify(repairs) !== JSON.stringify(noRepairs()))
        throw new Error(`${raw} to ${out}`)
    })
    holds(property, 2000)
    expect(strict).toBeGreaterThan(300)
  })
})

describe('a decoded text', () => {
  test.each([
    { text: 'a', to: 'a', surrogates: 0 },
    { text: '😀', to: '😀', surrogates: 0 },
    { text: '\ud83d', to: '\ufffd', surrogates: 1 },
    { text: '\ude00\ud83d', to: '\ufffd\ufffd', surrogates: 2 },
    { text: 'a\ud83d😀\ude00', to: 'a\ufffd😀\ufffd', surrogates: 2 },
  ])('has no surrogate alone: $to', ({ text, to, surrogates }) => {
    const repairs = noRepairs()
    expect(wellFormed(text, repairs)).toBe(to)
    expect(repairs).toEqual({ ...noRepairs(), surrogates })
  })
})
