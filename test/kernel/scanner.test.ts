import { describe, expect, test } from 'vitest'
import { key } from '../../src/kernel/key.ts'
import { RecordFlag } from '../../src/kernel/layout.ts'
import { DEPTH_LIMIT, INPUT_AT, Scanner } from '../../src/kernel/scanner.ts'
import { accepts, only, records, recordsOf, scanned, valueOf } from './scanning.ts'

/** A value of `levels` arrays, objects every third. */
function nested(levels: number): string {
  const opening = Array.from({ length: levels }, (_, i) => (i % 3 === 2 ? '{"k":' : '['))
  const closing = opening.map((open) => (open === '[' ? ']' : '}')).toReversed()
  return `${opening.join('')}1${closing.join('')}`
}

describe('strings', () => {
  test('may hold every escape, wherever it lies', () => {
    const escapes = [
      '\\"',
      '\\\\',
      '\\/',
      '\\b',
      '\\f',
      '\\n',
      '\\r',
      '\\t',
      '\\u0000',
      '\\u00e9',
      '\\uABCD',
      '\\uabcd',
    ]
    for (const escape of escapes) {
      for (let before = 0; before < 130; before++) {
        const line = `["${'x'.repeat(before)}${escape}","y"]`
        const record = only(line)
        if (JSON.stringify(valueOf(record, record.root)) !== JSON.stringify(JSON.parse(line))) {
          throw new Error(`${escape} after ${before}`)
        }
      }
    }
  })

  test('may not hold other escapes, wherever they lie', () => {
    const wrong = [
      '\\a',
      '\\0',
      '\\x41',
      "\\'",
      '\\U0041',
      '\\u',
      '\\u1',
      '\\u12',
      '\\u123',
      '\\u123g',
      '\\u 123',
      '\\ ',
    ]
    for (const escape of [...wrong, '\\N', '\\é', '\\u{41}', '\\u-123', '\\uD83', '\\ud83d\\u']) {
      for (let before = 0; before < 130; before++) {
        const line = `["${'x'.repeat(before)}${escape}","y"]`
        if (accepts(line)) throw new Error(`${escape} after ${before} was taken`)
        const [bad, good] = records(`${line}\n["z"]\n`)
        if (bad!.isJson || !good!.isJson) throw new Error(`${escape} after ${before} spoiled its neighbour`)
      }
    }
  })

  test('end at every offset of a block, behind every number of backslashes', () => {
    for (let before = 0; before < 70; before++) {
      for (let slashes = 0; slashes < 70; slashes++) {
        const line = `"${'x'.repeat(before)}${'\\'.repeat(slashes)}"`
        if (accepts(line) !== (slashes % 2 === 0)) throw new Error(`${slashes} backslashes after ${before}`)
      }
    }
  })

  test.each(Array.from({ length: 32 }, (_, code) => code).filter((code) => code !== 0x0a))(
    'may not hold the control character %i as it is',
    (code) => {
      for (const before of [0, 1, 40, 61, 62, 63, 64, 65, 126, 127, 128, 200]) {
        const line = `["${'x'.repeat(before)}${String.fromCodePoint(code)}y"]\n[1]\n`
        expect(records(line).map(({ isJson }) => isJson)).toEqual([false, true])
      }
    },
  )

  test('may hold DEL, NEL and the separators of lines that are none here', () => {
    expect(accepts('["\u007f\u0085\u2028\u2029"]')).toBe(true)
    expect(records('["\u2028"]\n["\u2029"]\n')).toHaveLength(2)
  })

  test.each([
    { spelled: '\\ud83d', lone: true },
    { spelled: '\\ude00', lone: true },
    { spelled: '\\ud83d\\ude00', lone: false },
    { spelled: '\\uD83D\\uDE00', lone: false },
    { spelled: '\\ude00\\ud83d', lone: true },
    { spelled: '\\ud83d\\ud83d', lone: true },
    { spelled: '\\ude00\\ude00', lone: true },
    { spelled: '\\ud83d\\ud83d\\ude00', lone: true },
    { spelled: '\\ud83d\\ude00\\ude00', lone: true },
    { spelled: '\\ud83d\\ude00\\ud83d\\ude00', lone: false },
    { spelled: '\\ud83dx\\ude00', lone: true },
    { spelled: '\\ud83d\\n\\ude00', lone: true },
    { spelled: '\\ud83d\\\\ude00', lone: true },
    { spelled: '\\\\ud83d', lone: false },
    { spelled: '\\\\\\ud83d', lone: true },
    { spelled: '\\\\ud83d\\\\ude00', lone: false },
    { spelled: '\\ud83d\\\\\\ude00', lone: true },
    { spelled: '\\ud83d\\u0041', lone: true },
    { spelled: '\\udbff\\udfff', lone: false },
    { spelled: '\\ud800\\udc00', lone: false },
    { spelled: '\\ud7ff\\ue000', lone: false },
  ])('with half a surrogate pair are marked: $spelled', ({ spelled, lone }) => {
    for (let before = 0; before < 70; before++) {
      const spaces = ' '.repeat(before)
      for (const line of [`["${spaces}${spelled}"]`, `{"${spaces}${spelled}":1}`, `${spaces}"${spelled}"`]) {
        const seen = records(`"a"\n${line}\n"b"\n`)
        const marked = seen.map(({ flags }) => (flags & RecordFlag.LoneSurrogate) !== 0)
        if (!seen.every(({ isJson }) => isJson) || marked[0] || marked[2] || marked[1] !== lone) {
          throw new Error(`${line}: ${JSON.stringify(seen)}`)
        }
      }
    }
  })

  test('are marked however many there are, and nothing else is touched by it', () => {
    // Marks are kept in a list with an end: more of them than any batch of the scanner has bytes.
    const line = `[${Array.from({ length: 150_000 }, () => '"\\ud800"').join(',')}]\n`
    const input = Buffer.from(`${line}{"a":1}\n${line}`)
    const from = scanned(input)
    expect(recordsOf(from).map(({ flags }) => flags)).toEqual([
      RecordFlag.LoneSurrogate,
      0,
      RecordFlag.LoneSurrogate,
    ])
    expect(Buffer.compare(from.buffer.subarray(INPUT_AT, INPUT_AT + input.length), input)).toBe(0)
  })

  test('are refused however many faults are in them, and nothing else is touched by it', () => {
    const line = `[${Array.from({ length: 150_000 }, () => '"\\q"').join(',')}]\n`
    const input = Buffer.from(`${line}{"a":1}\n${line}`)
    const from = scanned(input)
    expect(recordsOf(from).map(({ isJson }) => isJson)).toEqual([false, true, false])
    expect(Buffer.compare(from.buffer.subarray(INPUT_AT, INPUT_AT + input.length), input)).toBe(0)
  })
})

describe('bytes that are not UTF-8', () => {
  test.each([
    { name: 'a continuation byte', bytes: [0x80] },
    { name: 'a cut sequence', bytes: [0xe2, 0x82] },
    { name: 'an overlong slash', bytes: [0xc0, 0xaf] },
    { name: 'a surrogate', bytes: [0xed, 0xa0, 0x80] },
    { name: 'beyond U+10FFFF', bytes: [0xf4, 0x90, 0x80, 0x80] },
    { name: 'Latin-1', bytes: [0xe9] },
    { name: 'FF', bytes: [0xff] },
  ])('mark their record, and no other: $name', ({ bytes }) => {
    const input = Buffer.concat([Buffer.from('["é"]\n["'), Buffer.from(bytes), Buffer.from('"]\n["😀"]\n')])
    expect(records(input).map(({ isJson, flags }) => [isJson, flags])).toEqual([
      [true, 0],
      [true, RecordFlag.BadUtf8],
      [true, 0],
    ])
    // Outside strings they are no JSON.
    expect(accepts(Buffer.concat([Buffer.from('['), Buffer.from(bytes), Buffer.from(']')]))).toBe(false)
  })
})

describe('depth', () => {
  test('up to the limit is read as it is written', () => {
    const line = nested(DEPTH_LIMIT)
    const record = only(line)
    expect(JSON.stringify(valueOf(record, record.root))).toBe(line)
  })

  const deep = RecordFlag.Unparsed | RecordFlag.TooDeep | RecordFlag.Deep
  test.each([
    { levels: 1, flags: 0 },
    { levels: 120, flags: 0 },
    { levels: 121, flags: RecordFlag.Deep },
    { levels: DEPTH_LIMIT, flags: RecordFlag.Deep },
    { levels: DEPTH_LIMIT + 1, flags: deep },
    { levels: 10_000, flags: deep },
  ])('of $levels levels', ({ levels, flags }) => {
    const line = nested(levels)
    const seen = records(`[1]\n${line}\n{"a":1}\n`)
    expect(seen.map((record) => record.flags)).toEqual([0, flags, 0])
    expect(seen.map(({ isJson }) => isJson)).toEqual([true, (flags & RecordFlag.TooDeep) === 0, true])
  })

  test('is counted from the outside: many values side by side are not deep', () => {
    const wide = `[${Array.from({ length: 5000 }, () => nested(100)).join(',')}]`
    expect(records(wide).map(({ flags, isJson }) => [flags, isJson])).toEqual([[RecordFlag.NoLineEnd, true]])
    expect(records(`[${nested(DEPTH_LIMIT)}]\n`)[0]!.flags).toBe(deep)
    expect(records(`[${nested(DEPTH_LIMIT - 1)},${nested(DEPTH_LIMIT - 1)}]\n`)[0]!.isJson).toBe(true)
  })

  test('of brackets that are never closed ends nothing but their line', () => {
    const input = `${'['.repeat(100_000)}\n${'{"a":'.repeat(100_000)}\n[1]\n`
    expect(records(input).map(({ flags, isJson }) => [flags, isJson])).toEqual([
      [deep, false],
      [deep, false],
      [0, true],
    ])
  })
})

describe('a scanner', () => {
  test('takes the same lines after any other', () => {
    const first = records('{"a":[1,2,"x"]}\n')
    for (const other of ['{"a":"\\ud800', '[[[[', '"\n"\n"\n', '\0\0', '{"a":1e999', '{}{}{}', '["\\', '']) {
      records(other)
      expect(records('{"a":[1,2,"x"]}\n')).toEqual(first)
    }
  })

  test('has no records of no input', () => {
    const from = scanned('')
    expect([from.recordCount, from.lineCount, from.blankCount]).toEqual([0, 0, 0])
  })

  test('reads its tables where they lie beyond two gigabytes', () => {
    const wide = new Scanner()
    // The tape of an input of this size would be that large; nothing of it is touched.
    wide.reserve(230 * 1024 * 1024)
    wide.scanBytes(Buffer.from('{"a":[1]}\n["\\ud800"]\n["\xff\n'))
    expect(recordsOf(wide).map(({ raw, flags, isJson }) => [raw, flags, isJson])).toEqual([
      ['{"a":[1]}', 0, true],
      ['["\\ud800"]', RecordFlag.LoneSurrogate, true],
      ['["\xc3\xbf', RecordFlag.Unparsed, false],
    ])
    wide.scanBytes(Buffer.from([0x22, 0xff, 0x22]))
    expect(wide.select(0, 1).flags).toBe(RecordFlag.BadUtf8 | RecordFlag.NoLineEnd)
  })

  test.each([
    { from: 0, found: 1 },
    { from: 1, found: 1 },
    { from: 2, found: 5 },
    { from: 6, found: 7 },
    { from: 8, found: 9 },
    { from: 9, found: 9 },
  ])('finds the next record with a key at its top behind $from', ({ from, found }) => {
    const lines = [
      '{"a":{"id":1}}',
      '{"a":[{"b":2}],"id":null}',
      '["id"]',
      '"id"',
      '{"id":',
      String.raw`{"\u0069d":1}`,
      '{"ids":1,"i":2,"":3}',
      '{"id":1,"id":2}',
      '{}',
    ]
    const of = scanned(`${lines.join('\n')}\n`)
    expect(of.recordCount).toBe(9)
    expect(of.nextWith(key('id'), from)).toBe(found)
  })

  test('gives its records to another scanner of the same memory', () => {
    const one = new Scanner()
    const other = new Scanner({ memory: one.memory })
    one.scanBytes(Buffer.from(`{"a":"${'x'.repeat(200_000)}"}\n\n[1]`))
    other.adopt(one.facts())
    expect(recordsOf(other)).toEqual(recordsOf(one))
    expect([other.lineCount, other.blankCount]).toEqual([3, 1])
  })
})
