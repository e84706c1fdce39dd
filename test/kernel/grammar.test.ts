import { describe, expect, test } from 'vitest'
import { RecordFlag } from '../../src/kernel/layout.ts'
import { accepts, only, records, valueOf } from './scanning.ts'

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
