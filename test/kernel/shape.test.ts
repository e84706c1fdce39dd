import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { keys } from '../../src/kernel/key.ts'
import type { Node, RecordView } from '../../src/kernel/record.ts'
import { Scanner } from '../../src/kernel/scanner.ts'
import { Shape } from '../../src/kernel/shape.ts'

// The last two have one hash: they differ in the middle only.
const names = ['a', 'type', 'isSidechain', 'ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens'] as const
const shape = new Shape(...names)
const byOne = keys(...names)

function recordOf(json: string): RecordView {
  const scanner = new Scanner()
  scanner.scanBytes(Buffer.from(json))
  return scanner.select(0, 1)
}

/** What the shape finds, and what asking for one key at a time finds. */
function both(json: string): [(string | null)[], (string | null)[]] {
  const record = recordOf(json)
  const spelled = (node: Node): string | null => (node === 0 ? null : record.raw(node))
  const fields = shape.read(record, record.root)
  return [
    names.map((name) => spelled(fields[name])),
    names.map((name) => spelled(record.get(record.root, byOne[name]))),
  ]
}

describe('a shape', () => {
  test.each([
    { json: '{"type":"x","a":1}', found: ['1', '"x"', null, null, null] },
    { json: '{"a":1,"a":[2]}', found: ['[2]', null, null, null, null] },
    { json: '{"b":{"type":1},"type":{"a":2}}', found: [null, '{"a":2}', null, null, null] },
    { json: String.raw`{"t\u0079pe":3}`, found: [null, '3', null, null, null] },
    {
      json: '{"ephemeral_1h_input_tokens":1,"ephemeral_5m_input_tokens":5,"ephemeral_9x_input_tokens":9}',
      found: [null, null, null, '5', '1'],
    },
    { json: '{"typed":1,"typ":2,"aa":3,"":4}', found: [null, null, null, null, null] },
    { json: '{}', found: [null, null, null, null, null] },
    { json: '["a","type"]', found: [null, null, null, null, null] },
    { json: '"type"', found: [null, null, null, null, null] },
  ])('finds in $json', ({ json, found }) => {
    expect(both(json)).toEqual([found, found])
  })

  test('forgets what the last object had', () => {
    const first = recordOf('{"a":1}')
    const { a } = shape.read(first, first.root)
    expect(a).toBeGreaterThan(0)
    const second = recordOf('{"type":2}')
    expect(shape.read(second, second.root).a).toBe(0)
  })

  test('finds what asking for each key finds, wherever the keys lie', () => {
    const keyed = fc.tuple(fc.constantFrom(...names, 'other', 'type2'), fc.jsonValue({ maxDepth: 2 }))
    const space = fc.nat({ max: 5 })
    fc.assert(
      fc.property(fc.array(keyed), space, (entries, spaces) => {
        const gap = ' '.repeat(spaces)
        const members = entries.map(
          ([name, value]) => `${gap}${JSON.stringify(name)}${gap}:${JSON.stringify(value)}`,
        )
        const [together, apart] = both(`{${members.join(',')}}`)
        return JSON.stringify(together) === JSON.stringify(apart)
      }),
    )
  })

  test('may have keys of 40 bytes, and none that are longer', () => {
    const long = 'k'.repeat(40)
    for (let before = 0; before < 4; before++) {
      const record = recordOf(`${' '.repeat(before)}{"${long}":1,"${long}x":2}`)
      expect(record.raw(new Shape(long).read(record, record.root)[long] ?? (0 as Node))).toBe('1')
    }
    expect(() => new Shape(`${long}k`)).toThrow(RangeError)
  })

  test('may have many keys', () => {
    const many = Array.from({ length: 200 }, (_, i) => `key-number-${i}`)
    const record = recordOf(`{${many.map((name, i) => `"${name}":${i}`).join(',')}}`)
    const fields = new Shape(...many).read(record, record.root)
    expect(many.map((name) => record.raw(fields[name] ?? (0 as Node)))).toEqual(many.map((_, i) => String(i)))
  })
})
