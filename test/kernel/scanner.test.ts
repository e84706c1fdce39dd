import { describe, expect, test } from 'vitest'
import { RecordFlag } from '../../src/kernel/layout.ts'
import { DEPTH_LIMIT, INPUT_AT, Scanner } from '../../src/kernel/scanner.ts'
import { accepts, only, records, recordsOf, scanned, valueOf } from './scanning.ts'

/** A value of `levels` arrays, objects every third. */
function nested(levels: number): string {
  const opening = Array.from({ length: levels }, (_, i) => (i % 3 === 2 ? '{"k":' : '['))
  const closing = opening.map((open) => (open === '[' ? ']' : '}')).toReversed()
  return `${opening.join('')}1${closing.join('')}`
}

describe('the grammar', () => {
  test.each([
    '{}',
    '[]',
    '""',
    '0',
    'true',
    'false',
    'null',
    ' { } ',
    '\t[\r ]\t',
    '{"a":1}',
    '{"a":{}}',
    '{"a":[]}',
    '{ "a" : 1 , "b" : 2 }',
    '{"":""}',
    '{"a":"b","c":"d"}',
    '{"a" :"b" ,"c": "d" }',
    '[1,2,3]',
    '[[],{},"",0,true,false,null]',
    '[{"a":[{"b":[{}]}]}]',
    '{"a":true,"b":false,"c":null,"d":-1.5e+10}',
    '["a" , "b"]',
    '["{}[]:,"]',
    '{"{}[]:,":"{}[]:,"}',
  ])('takes %s', (line) => {
    expect(accepts(line)).toBe(true)
    const record = only(line)
    expect(valueOf(record, record.root)).toEqual(JSON.parse(line))
  })

  test.each([
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '{]',
    '[}',
    '{}}',
    '[]]',
    '[1,]',
    '[,1]',
    '[,]',
    '[1,,2]',
    '[1 2]',
    '["a" "b"]',
    '["a""b"]',
    '[{}{}]',
    '[1:2]',
    '{,}',
    '{"a"}',
    '{"a":}',
    '{"a",}',
    '{"a":1,}',
    '{,"a":1}',
    '{"a":1,,"b":2}',
    '{"a":1 "b":2}',
    '{"a" 1}',
    '{"a"::1}',
    '{"a":1:2}',
    '{1:2}',
    '{a:1}',
    "{'a':1}",
    '{null:1}',
    '{[]:1}',
    '{{}:1}',
    '{"a":1]',
    '[1}',
    '[[1]',
    '{"a":{"b":1}',
    '{"a":[1}',
    '{} 1',
    '{},',
    '{}:',
    '{}]',
    '{}"a"',
    '1 2',
    '"a" "b"',
    '"a"{}',
    '1{}',
    'true[]',
    '{"a":1}x',
    'x{"a":1}',
    '// c',
    '{"a":1}//',
    '\\',
    '\\"a"',
    '"a"\\',
    '[\\n]',
    '[\\u0041]',
    '\v{}',
    '{}\f',
    '[\b1]',
    '\u00a0{}',
    '{\u2028}',
    '[1\u00a0]',
  ])('refuses %s', (line) => {
    expect(accepts(line)).toBe(false)
    expect(() => JSON.parse(line)).toThrow(SyntaxError)
  })
})

describe('literals and numbers', () => {
  const literals = [
    'tru',
    'truee',
    'True',
    'TRUE',
    'fals',
    'falsey',
    'nul',
    'nulll',
    'NULL',
    'nil',
    'NaN',
    'Infinity',
  ]
  test.each([...literals, '-Infinity', 'undefined', 'ture', 't', 'f', 'n', 'true1', 'null"', 'nan'])(
    'refuse %s',
    (word) => {
      for (const line of [word, `[${word}]`, `{"a":${word}}`, `[1,${word} ,2]`, `{"a":${word},"b":1}`]) {
        expect([line, accepts(line)]).toEqual([line, false])
      }
    },
  )

  test.each([
    '0',
    '-0',
    '7',
    '10',
    '-1',
    '0.0',
    '-0.5',
    '0e0',
    '0E+0',
    '1e5',
    '1E-5',
    '1.25e+05',
    '1e00',
    '123456789012345678901234567890',
    '9007199254740993',
    '2.2250738585072014e-308',
    '5e-324',
    '1e-400',
    '0.000000000000000000000000000000000000000001',
  ])('take %s', (number) => {
    for (const line of [
      number,
      `[${number}]`,
      `[${number} ,${number}]`,
      `{"a":${number}}`,
      `{"a":${number}\t}`,
    ]) {
      expect([line, accepts(line)]).toEqual([line, true])
      const record = only(line)
      expect(valueOf(record, record.root)).toEqual(JSON.parse(line))
      expect(record.flags & RecordFlag.HugeNumber).toBe(0)
    }
  })

  test.each([
    '-',
    '+1',
    '+',
    '.5',
    '-.5',
    '5.',
    '-5.',
    '00',
    '01',
    '-01',
    '1.e5',
    '1e',
    '1e+',
    '1e-',
    '1E',
    '1.5e',
    '1e5.5',
    '1.2.3',
    '--1',
    '-+1',
    '1-',
    '1+1',
    '0x10',
    '1_000',
    '1,5',
    '1 5',
    '١',
    '1a',
    '0b1',
    'e5',
    '1e5e5',
  ])('refuse %s', (number) => {
    for (const line of [number, `{"a":${number}}`, `{"a":${number},"b":1}`]) {
      expect([line, accepts(line)]).toEqual([line, false])
    }
    // As an item of a list, one of them is two.
    expect(accepts(`[${number}]`)).toBe(number === '1,5')
  })

  test.each([
    { number: '1e308', huge: true },
    { number: '1e309', huge: true },
    { number: '-1E+400', huge: true },
    { number: '1e000000000000000000000000000400', huge: true },
    { number: '1e99999999999999999999999999', huge: true },
    { number: '9'.repeat(309), huge: true },
    { number: `-${'9'.repeat(400)}`, huge: true },
    { number: `${'1'.repeat(200)}e200`, huge: true },
    { number: '1e-99999999999999', huge: false },
    { number: '9'.repeat(300), huge: false },
    { number: `0.${'0'.repeat(1000)}1`, huge: false },
    { number: '1e300', huge: true },
    { number: '1e299', huge: false },
  ])('that may lie outside the double range are marked: $number', ({ number, huge }) => {
    expect(Number.isFinite(Number(number)) || huge).toBe(true)
    for (const line of [number, `[${number}]`, `{"a":${number}}`]) {
      const record = only(`${line}\n`)
      expect(record.root).not.toBe(0)
      expect([line, (record.flags & RecordFlag.HugeNumber) !== 0]).toEqual([line, huge])
    }
    // The neighbours are not.
    const flags = records(`1\n[${number}]\n2\n`).map((seen) => (seen.flags & RecordFlag.HugeNumber) !== 0)
    expect(flags).toEqual([false, huge, false])
  })

  test('a huge number on a damaged line does not mark the next one', () => {
    expect(records('[1e999\n[1]\n').map(({ flags }) => flags)).toEqual([
      RecordFlag.Unparsed | RecordFlag.HugeNumber,
      0,
    ])
  })
})

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

  test('gives its records to another scanner of the same memory', () => {
    const one = new Scanner()
    const other = new Scanner({ memory: one.memory })
    one.scanBytes(Buffer.from(`{"a":"${'x'.repeat(200_000)}"}\n\n[1]`))
    other.adopt(one.facts())
    expect(recordsOf(other)).toEqual(recordsOf(one))
    expect([other.lineCount, other.blankCount]).toEqual([3, 1])
  })
})
