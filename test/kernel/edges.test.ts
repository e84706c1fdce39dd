import { describe, expect, test } from 'vitest'
import { key } from '../../src/kernel/key.ts'
import { NONE } from '../../src/kernel/record.ts'
import { only, records, scanned, valueOf } from './scanning.ts'

/** Bytes the scanner looks at in one step, and in one batch. */
const BLOCK = 64
const BATCH = 32 * 1024

const values = [
  '{"key":"value","n":[1,-2.5e3,true,false,null],"o":{"a":{"b":[]}}}',
  '["\\ud83d\\ude00","\\u00e9","\\\\","\\"","é😀"]',
  '"a string of its own, as long as more than one block of the scanner, which has sixty-four bytes"',
  '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]',
  '{"a":"","":{},"b":"\\n"}',
  '-123456789.5E-10',
  'false',
]

describe('edges', () => {
  test.each(values)('of blocks change nothing: %s', (value) => {
    const wanted = JSON.stringify(JSON.parse(value))
    for (let before = 0; before < 2 * BLOCK; before++) {
      const record = only(' '.repeat(before) + value)
      if (JSON.stringify(valueOf(record, record.root)) !== wanted) throw new Error(`after ${before}`)
    }
  })

  test.each(values)('of batches change nothing: %s', (value) => {
    const wanted = JSON.stringify(['', JSON.parse(value), 1])
    const size = Buffer.byteLength(value)
    for (let back = 0; back < size + 70; back++) {
      // The batch ends within the value, or up to one block beside it.
      const text = 'x'.repeat(BATCH - back)
      const record = only(`["${text}",${value},1]`)
      const found = JSON.stringify(valueOf(record, record.root)).replace(text, '')
      if (found !== wanted) throw new Error(`${back} before the edge: ${found}`)
    }
  })

  test.each(values)('of batches change nothing between lines: %s', (value) => {
    const size = Buffer.byteLength(value)
    for (let back = 0; back < size + 70; back++) {
      const input = `"${'x'.repeat(BATCH - back)}"\n${value}\n{"a":\n${value}\n`
      const seen = records(input)
      if (seen.map(({ isJson }) => isJson).join() !== 'true,true,false,true')
        throw new Error(`${back} before the edge`)
      if (seen[1]!.raw !== Buffer.from(value).toString('latin1')) throw new Error(`${back} before the edge`)
    }
  })

  test('of blocks and batches do not part an escape', () => {
    const escapes = ['\\n', '\\\\', '\\"', '\\u0041', '\\ud83d\\ude00', '\\\\\\"', '\\ud83d\\\\ude00']
    for (const escape of escapes) {
      for (const edge of [BLOCK, BATCH, 3 * BATCH]) {
        for (let back = 0; back < 16; back++) {
          const line = `["${'x'.repeat(edge - back)}${escape}",2]`
          const record = only(line)
          if (JSON.stringify(valueOf(record, record.root)) !== JSON.stringify(JSON.parse(line))) {
            throw new Error(`${escape}, ${back} before ${edge}`)
          }
          const lone = (record.flags & 4) !== 0
          if (lone !== (escape === '\\ud83d\\\\ude00'))
            throw new Error(`${escape}, ${back} before ${edge}: ${lone}`)
        }
      }
    }
  })

  test('of batches of nothing but brackets change nothing', () => {
    for (const pair of ['[]', '{}', '[{}]', '[[],[]]']) {
      const count = Math.ceil((3 * BATCH) / (pair.length + 1))
      const line = `[${Array.from({ length: count }, () => pair).join(',')}]`
      const record = only(line)
      expect(record.size(record.root)).toBe(count)
      expect(JSON.stringify(valueOf(record, record.root))).toBe(line)
    }
  })

  test('of batches do not part fields', () => {
    const fields = Array.from({ length: 20_000 }, (_, i) => `"k${i}":${i % 3 === 0 ? `"v${i}"` : i}`)
    for (let shift = 0; shift < 8; shift++) {
      const record = only(`${' '.repeat(shift)}{${fields.join(',')}}`)
      expect(record.size(record.root)).toBe(20_000)
      expect(record.text(record.get(record.root, key('k19998')))).toBe('v19998')
      expect(record.integer(record.get(record.root, key('k19999')))).toBe(19_999)
    }
  })

  test('of batches of nothing but white space change nothing', () => {
    for (const space of [' ', '\t', '\r', ' \t\r']) {
      const gap = space.repeat(2 * BATCH)
      const record = only(`${gap}{${gap}"a"${gap}:${gap}"b"${gap},${gap}"c"${gap}:${gap}1${gap}}${gap}`)
      expect(valueOf(record, record.root)).toEqual({ a: 'b', c: 1 })
      expect(record.compactBytes(record.root)).toBe(15)
    }
  })

  test('of the memory are moved for more input', () => {
    const sizes = [10, 100_000, 1_000_000, 10]
    for (const size of sizes) {
      const record = only(`{"a":"${'x'.repeat(size)}"}`)
      expect(record.textBytes(record.get(record.root, key('a')))).toBe(size)
    }
  })
})

describe('keys', () => {
  test('of every length are found, and told apart from the next shorter and longer', () => {
    for (let length = 0; length <= 80; length++) {
      const name = 'abcdefgh'.repeat(11).slice(0, length)
      const record = only(`{"${name}x":1,"${name}":2,"x${name}":3}`)
      if (record.integer(record.get(record.root, key(name))) !== 2) throw new Error(`of ${length}`)
      for (const other of [`${name}y`, `y${name}`, name.slice(1)]) {
        if (other !== name && record.get(record.root, key(other)) !== NONE)
          throw new Error(`${other} in ${length}`)
      }
    }
  })

  test('of one hash are told apart by their bytes', () => {
    const names = Array.from(
      { length: 50 },
      (_, i) => `a-long-head-${String(i).padStart(2, '0')}-and-a-long-tail`,
    )
    expect(new Set(names.map((name) => key(name).prepare().hash)).size).toBe(1)
    const record = only(`{${names.map((name, i) => `"${name}":${i}`).join(',')}}`)
    for (const [i, name] of names.entries()) {
      expect(record.integer(record.get(record.root, key(name)))).toBe(i)
    }
    expect(record.get(record.root, key('a-long-head-xx-and-a-long-tail'))).toBe(NONE)
  })

  test('are found at every place in the memory', () => {
    for (let before = 0; before < 130; before++) {
      const record = only(`${' '.repeat(before)}{"message":1,"type":"assistant"}`)
      if (record.text(record.get(record.root, key('type'))) !== 'assistant')
        throw new Error(`after ${before}`)
    }
  })

  test('may be spelled with escapes', () => {
    const record = only(
      String.raw`{"\u0074ype":1,"me\u0073sage":2,"\u0075\u0073\u0061ge":3,"a\/b":4,"q\"":5,"\u00e9":6}`,
    )
    const found = ['type', 'message', 'usage', 'a/b', 'é'].map((name) =>
      record.integer(record.get(record.root, key(name))),
    )
    expect(found).toEqual([1, 2, 3, 4, 6])
    expect(record.get(record.root, key('u0074ype'))).toBe(NONE)
    expect(Object.keys(valueOf(record, record.root) ?? {})).toEqual([
      'type',
      'message',
      'usage',
      'a/b',
      'q"',
      'é',
    ])
  })

  test('with an escape anywhere in them are looked at as such', () => {
    for (let length = 1; length < 60; length++) {
      for (let at = 0; at < length; at++) {
        const name = 'k'.repeat(length)
        const spelled = `${'k'.repeat(at)}\\u006b${'k'.repeat(length - at - 1)}`
        const record = only(`{"${spelled}":1}`)
        if (record.integer(record.get(record.root, key(name))) !== 1) throw new Error(`${at} of ${length}`)
      }
    }
  })

  test('whose spelling has by chance the hash of the key are found all the same', () => {
    // The first eight bytes differ in the first only, the last eight not, and the lengths differ in the same bits.
    const name = '/'.repeat(140)
    const spelled = String.raw`\/` + '/'.repeat(6) + String.raw`\/`.repeat(114) + '/'.repeat(19)
    expect(key(spelled).prepare().hash).toBe(key(name).prepare().hash)
    const record = only(`{"${spelled}":1}`)
    expect(record.key(record.first(record.root))).toBe(name)
    expect(record.integer(record.get(record.root, key(name)))).toBe(1)
  })

  test('that repeat: the last counts, however spelled', () => {
    const record = only(String.raw`{"a":1,"b":2,"\u0061":3,"b":4,"c":5,"a":6,"\u0063":7}`)
    const found = ['a', 'b', 'c'].map((name) => record.integer(record.get(record.root, key(name))))
    expect(found).toEqual([6, 4, 7])
    expect(record.size(record.root)).toBe(7)
  })

  test('of the prototype are keys like others', () => {
    const line = '{"__proto__":{"a":1},"constructor":2,"toString":3}'
    const record = only(line)
    expect(record.raw(record.get(record.root, key('__proto__')))).toBe('{"a":1}')
    expect(record.integer(record.get(record.root, key('constructor')))).toBe(2)
    expect(record.get(record.root, key('hasOwnProperty'))).toBe(NONE)
    expect(JSON.stringify(valueOf(record, record.root))).toBe(line)
  })

  test('are no keys inside values', () => {
    const record = only('{"a":{"type":1},"b":["type"],"c":"\\"type\\":2"}')
    expect(record.get(record.root, key('type'))).toBe(NONE)
    expect(record.get(NONE, key('type'))).toBe(NONE)
    expect(record.get(record.get(record.root, key('b')), key('type'))).toBe(NONE)
  })
})

/** The values of a document. */
function items(text: string): [isJson: boolean, raw: string][] {
  const from = scanned(text)
  from.scanBytes(Buffer.from(text), true)
  return Array.from({ length: from.recordCount }, (_, i) => {
    const record = from.select(i, 1)
    return [record.root !== NONE, record.raw(record.root)]
  })
}

describe('a document', () => {
  test.each([
    { text: '[\n1,\n2\n]\n', seen: [[true, '[\n1,\n2\n]']] },
    {
      text: '{\n"a":\n1\n}\n{\n}\n',
      seen: [
        [true, '{\n"a":\n1\n}'],
        [true, '{\n}'],
      ],
    },
    {
      text: '1\n2 3\n"a"\n',
      seen: [
        [true, '1'],
        [true, '2'],
        [true, '3'],
        [true, '"a"'],
      ],
    },
    {
      text: '{}[]"x"',
      seen: [
        [true, '{}'],
        [true, '[]'],
        [true, '"x"'],
      ],
    },
    { text: '[1,\n"a\nb"]\n', seen: [[false, '']] },
    { text: '"open\n', seen: [[false, '']] },
    {
      text: '[1]\n[2\n',
      seen: [
        [true, '[1]'],
        [false, ''],
      ],
    },
    { text: ' \n\n', seen: [] },
    { text: '\ufeff[\n]\n', seen: [[true, '[\n]']] },
  ])('is read over its lines: $text', ({ text, seen }) => {
    expect(items(text)).toEqual(seen)
  })
})
