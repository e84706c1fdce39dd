import { describe, expect, test } from 'vitest'
import { key } from '../../src/kernel/key.ts'
import { Kind, RecordFlag } from '../../src/kernel/layout.ts'
import { NONE, type Node, type RecordView } from '../../src/kernel/record.ts'
import { Scanner } from '../../src/kernel/scanner.ts'
import { only } from './scanning.ts'

/** The view set on `{"v": …}`, and the node of the value. */
function value(spelled: string | Uint8Array): [RecordView, Node] {
  const record = only(Buffer.concat([Buffer.from('{"v":'), Buffer.from(spelled), Buffer.from('}\n')]))
  return [record, record.get(record.root, key('v'))]
}

describe('kinds', () => {
  test.each([
    { spelled: '{}', kind: Kind.Object },
    { spelled: '[]', kind: Kind.Array },
    { spelled: '""', kind: Kind.String },
    { spelled: '0', kind: Kind.Number },
    { spelled: 'true', kind: Kind.True },
    { spelled: 'false', kind: Kind.False },
    { spelled: 'null', kind: Kind.Null },
  ])('of $spelled', ({ spelled, kind }) => {
    const [record, node] = value(spelled)
    expect(record.kind(node)).toBe(kind)
    expect(record.isNullish(node)).toBe(kind === Kind.Null)
    expect([record.isObject(node), record.isArray(node), record.isString(node)]).toEqual([
      kind === Kind.Object,
      kind === Kind.Array,
      kind === Kind.String,
    ])
  })

  test('and readers of what is absent', () => {
    const [record] = value('1')
    expect(record.kind(NONE)).toBe(Kind.None)
    expect(record.isNullish(NONE)).toBe(true)
    expect(record.first(NONE)).toBe(NONE)
    expect(record.size(NONE)).toBe(0)
    const found = [
      record.text(NONE),
      record.word(NONE),
      record.integer(NONE),
      record.number(NONE),
      record.bool(NONE),
    ]
    expect([...found, record.textBytes(NONE), record.raw(NONE)]).toEqual([
      null,
      null,
      null,
      null,
      null,
      null,
      '',
    ])
  })
})

describe('numbers', () => {
  test.each([
    { spelled: '0', integer: 0, number: 0 },
    { spelled: '-0', integer: 0, number: -0 },
    { spelled: '5.0', integer: 5, number: 5 },
    { spelled: '5e0', integer: 5, number: 5 },
    { spelled: '5E+2', integer: 500, number: 500 },
    { spelled: '500e-2', integer: 5, number: 5 },
    { spelled: '-12', integer: -12, number: -12 },
    { spelled: '1.5', integer: null, number: 1.5 },
    { spelled: '123456789012345', integer: 123456789012345, number: 123456789012345 },
    { spelled: '1234567890123456', integer: 1234567890123456, number: 1234567890123456 },
    { spelled: '9007199254740991', integer: 9007199254740991, number: 9007199254740991 },
    { spelled: '9007199254740992', integer: null, number: 9007199254740992 },
    { spelled: '-9007199254740991', integer: -9007199254740991, number: -9007199254740991 },
    { spelled: '1e15', integer: 1e15, number: 1e15 },
    { spelled: '1e16', integer: null, number: 1e16 },
    { spelled: '1e400', integer: null, number: null },
    { spelled: '-1e400', integer: null, number: null },
    { spelled: '5e-324', integer: null, number: 5e-324 },
  ])('$spelled', ({ spelled, integer, number }) => {
    const [record, node] = value(spelled)
    expect(record.integer(node)).toBe(integer)
    expect(record.number(node)).toBe(number)
    expect(record.raw(node)).toBe(spelled)
  })

  test('are no strings, nor strings numbers', () => {
    for (const spelled of ['"5"', 'true', 'null', '[5]', '{"v":5}']) {
      const [record, node] = value(spelled)
      expect([record.integer(node), record.number(node)]).toEqual([null, null])
    }
  })
})

describe('text', () => {
  test.each([
    { spelled: '""', text: '' },
    { spelled: '"abc"', text: 'abc' },
    { spelled: '"a\\nb"', text: 'a\nb' },
    { spelled: '"\\u0000"', text: '\0' },
    { spelled: '"\\ud83d\\ude00"', text: '😀' },
    { spelled: '"\\ud83d"', text: '\ud83d' },
    { spelled: '"é😀"', text: 'é😀' },
    { spelled: '"\\\\ud83d"', text: '\\ud83d' },
    { spelled: '"__proto__"', text: '__proto__' },
  ])('of $spelled', ({ spelled, text }) => {
    const [record, node] = value(spelled)
    expect(record.text(node)).toBe(text)
    expect(record.word(node)).toBe(text)
    expect(record.is(node, text)).toBe(true)
    expect(record.is(node, `${text}x`)).toBe(false)
    expect(record.textBytes(node)).toBe(Buffer.byteLength(text))
    expect(record.rawBytes(node)).toBe(Buffer.byteLength(spelled))
  })

  test('that is not UTF-8 holds the sign for it', () => {
    const [record, node] = value(Buffer.from([0x22, 0x61, 0xff, 0xe2, 0x82, 0x22]))
    expect(record.text(node)).toBe('a\ufffd\ufffd')
    expect(record.textBytes(node)).toBe(7)
  })

  test('beyond ASCII is the same whatever words were read before', () => {
    // One byte and two, the second text as the first would be in Latin-1: in a table they must not meet.
    for (let unit = 0x80; unit < 0x100; unit++) {
      const [first, one] = value(JSON.stringify(String.fromCodePoint(unit)))
      if (first.word(one) !== String.fromCodePoint(unit)) throw new Error(`U+${unit.toString(16)}`)
      const [second, two] = value(Buffer.from([0x22, unit, 0x22]))
      if (second.word(two) !== '\ufffd') throw new Error(`byte ${unit.toString(16)}`)
    }
  })

  test('of words is shared, and never that of another word, however many there are', () => {
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 10_000; i++) {
        const [record, node] = value(`"word-${i}"`)
        if (record.word(node) !== `word-${i}`) throw new Error(`word ${i}`)
      }
    }
  })

  test('has a beginning', () => {
    const cases = [
      { spelled: '"abcdef"', bytes: 3, head: 'abc' },
      { spelled: '"abc"', bytes: 10, head: 'abc' },
      { spelled: '"ab\\ncd"', bytes: 3, head: 'ab' },
      { spelled: '"ab\\ncd"', bytes: 4, head: 'ab\n' },
      { spelled: '"ab\\u0041cd"', bytes: 7, head: 'ab' },
      { spelled: '"ab\\u0041cd"', bytes: 8, head: 'abA' },
      { spelled: '"ab\\\\\\\\"', bytes: 5, head: 'ab\\' },
      { spelled: '5', bytes: 5, head: null },
    ]
    for (const { spelled, bytes, head } of cases) {
      const [record, node] = value(spelled)
      expect([spelled, record.head(node, bytes)]).toEqual([spelled, head])
    }
  })
})

describe('children', () => {
  test('come in order, with their keys and spans', () => {
    const [record, node] = value('{ "a" : 1 , "b\\n" : [ ] , "" :{"x":2}}')
    const found: [string, string][] = []
    for (let child = record.first(node); child !== NONE; child = record.next(child)) {
      found.push([record.key(child), record.raw(child)])
    }
    expect(found).toEqual([
      ['a', '1'],
      ['b\n', '[ ]'],
      ['', '{"x":2}'],
    ])
    expect(record.size(node)).toBe(3)
    const [start, end] = record.keySpan(record.next(record.first(node)))
    expect(record.bytes.latin1Slice(start, end)).toBe('b\\n')
  })

  test.each(['{}', '[]', '[ ]', '{ }', '""', '1', 'null'])('%s has none', (spelled) => {
    const [record, node] = value(spelled)
    expect(record.first(node)).toBe(NONE)
    expect(record.size(node)).toBe(0)
  })
})

describe('copies', () => {
  test('outlive the record', () => {
    const [record, node] = value('{"a": [1, "x\\n"]}')
    const kept = record.keep(node)
    value('[9,9,9,9,9,9,9,9,9,9,9]')
    expect(Buffer.from(kept.bytes).toString()).toBe('{"a": [1, "x\\n"]}')
    expect(kept.suspect).toBe(false)
  })

  test.each([
    { spelled: '"\\ud83d"', suspect: true },
    { spelled: '1e999', suspect: true },
    { spelled: `${'['.repeat(121)}${']'.repeat(121)}`, suspect: true },
    { spelled: '"\\ud83d\\ude00"', suspect: false },
  ])('say whether they may be unfit: $spelled', ({ spelled, suspect }) => {
    const [record, node] = value(spelled)
    expect(record.keep(node).suspect).toBe(suspect)
  })

  test('of items of a document hold no line feeds', () => {
    const scanner = new Scanner()
    scanner.scanBytes(Buffer.from('[\n {\n "a" : [ 1,\r\n\t" x \\" \\n" ],\n "b":2 }\n]\n'), true)
    const record = scanner.select(0, 1)
    record.flags |= RecordFlag.Item
    const kept = record.keep(record.first(record.root))
    expect(Buffer.from(kept.bytes).toString()).toBe('{"a":[1," x \\" \\n"],"b":2}')
    expect(record.compactBytes(record.first(record.root))).toBe(kept.bytes.length)
  })
})

describe('two values', () => {
  test.each([
    ['"a"', '"a"', true],
    ['"a"', '"b"', false],
    ['"a"', '"ab"', false],
    ['"ab"', '"a"', false],
    ['"a"', '"\\u0061"', false],
    ['12', '12', true],
    ['12', '12.0', false],
    ['{"a":1}', '{"a":1}', true],
    ['{"a":1}', '{"a": 1}', false],
  ])('%s and %s are spelled the same: %s', (one, other, same) => {
    const [record, list] = value(`[${one},"between",${other}]`)
    const first = record.first(list)
    const last = record.next(record.next(first))
    expect(record.isSpelledAs(first, last)).toBe(same)
    expect(record.isSpelledAs(last, first)).toBe(same)
    expect(record.isSpelledAs(first, first)).toBe(true)
  })
})
