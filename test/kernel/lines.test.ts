import { describe, expect, test } from 'vitest'
import { RecordFlag } from '../../src/kernel/layout.ts'
import { recordsOf, records, scanned, spans } from './scanning.ts'

const { NoLineEnd, Padded, SameLine, Unparsed, LoneSurrogate } = RecordFlag

/** Line, raw text and flags of every record, then lines and blank lines. */
function all(input: string | Uint8Array): unknown[] {
  const from = scanned(input)
  const seen = recordsOf(from).map(({ line, raw, flags }) => [line, raw, flags])
  return [...seen, `${from.lineCount} lines, ${from.blankCount} blank`]
}

const BOM = '\ufeff'
/** As `latin1` shows it. */
const bom = '\u00ef\u00bb\u00bf'

describe('line ends', () => {
  test.each([
    { input: '1\n2\n', seen: [[1, '1', 0], [2, '2', 0], '2 lines, 0 blank'] },
    { input: '1\n2', seen: [[1, '1', 0], [2, '2', NoLineEnd], '2 lines, 0 blank'] },
    { input: '1\r\n2\r\n', seen: [[1, '1', 0], [2, '2', 0], '2 lines, 0 blank'] },
    { input: '1\r\n2\r', seen: [[1, '1', 0], [2, '2', NoLineEnd], '2 lines, 0 blank'] },
    { input: '1\r\r\n', seen: [[1, '1\r', 0], '1 lines, 0 blank'] },
    { input: '1\r2\n', seen: [[1, '1\r2', Unparsed], '1 lines, 0 blank'] },
    { input: '{"a":\r1}\n', seen: [[1, '{"a":\r1}', 0], '1 lines, 0 blank'] },
    { input: '\r\n1\r\n', seen: [[2, '1', 0], '2 lines, 1 blank'] },
    { input: '\n\n1\n \t\n2\n\n', seen: [[3, '1', 0], [5, '2', 0], '6 lines, 4 blank'] },
    { input: ' 1 \n\t{} \n', seen: [[1, ' 1 ', 0], [2, '\t{} ', 0], '2 lines, 0 blank'] },
    { input: 'x\r\ny\n', seen: [[1, 'x', Unparsed], [2, 'y', Unparsed], '2 lines, 0 blank'] },
    { input: '\n', seen: ['1 lines, 1 blank'] },
    { input: ' ', seen: ['1 lines, 1 blank'] },
    { input: '\r', seen: ['1 lines, 1 blank'] },
    // The record before the cut line is whole.
    { input: '1\n  ', seen: [[1, '1', 0], '2 lines, 1 blank'] },
    { input: '1\n\0', seen: [[1, '1', 0], '2 lines, 1 blank'] },
    { input: '{"a":1', seen: [[1, '{"a":1', Unparsed | NoLineEnd], '1 lines, 0 blank'] },
    { input: '{"a":"b', seen: [[1, '{"a":"b', Unparsed | NoLineEnd], '1 lines, 0 blank'] },
    { input: '{"a":"\\', seen: [[1, '{"a":"\\', Unparsed | NoLineEnd], '1 lines, 0 blank'] },
    { input: '{"a":"\\u00', seen: [[1, '{"a":"\\u00', Unparsed | NoLineEnd], '1 lines, 0 blank'] },
    { input: '{"a":tr', seen: [[1, '{"a":tr', Unparsed | NoLineEnd], '1 lines, 0 blank'] },
  ])('$input', ({ input, seen }) => {
    expect(all(input)).toEqual(seen)
  })
})

describe('NUL bytes and byte order marks', () => {
  test.each([
    { input: '\0\0\n{}\n', seen: [[2, '{}', 0], '2 lines, 1 blank'] },
    { input: '\0\0{}\n', seen: [[1, '\0\0{}', Padded], '1 lines, 0 blank'] },
    { input: '\0 \0{}\n', seen: [[1, '\0 \0{}', Padded], '1 lines, 0 blank'] },
    { input: '{}\0\0\n', seen: [[1, '{}\0\0', Padded], '1 lines, 0 blank'] },
    { input: '{} \0 \n', seen: [[1, '{} \0 ', Padded], '1 lines, 0 blank'] },
    { input: '{}\n\0\0\0', seen: [[1, '{}', 0], '2 lines, 1 blank'] },
    { input: '\0\0"a"\0\n', seen: [[1, '\0\0"a"\0', Padded], '1 lines, 0 blank'] },
    { input: '\0true\0\n', seen: [[1, '\0true\0', Padded], '1 lines, 0 blank'] },
    { input: '\0-1.5e3\0\0\n', seen: [[1, '\0-1.5e3\0\0', Padded], '1 lines, 0 blank'] },
    { input: '[1\0]\n', seen: [[1, '[1\0]', Unparsed], '1 lines, 0 blank'] },
    { input: '[1]\0x\n', seen: [[1, '[1]\0x', Unparsed], '1 lines, 0 blank'] },
    { input: '1\0x\n', seen: [[1, '1\0x', Unparsed], '1 lines, 0 blank'] },
    { input: '1\0"\n[2]\n', seen: [[1, '1\0"', Unparsed], [2, '[2]', 0], '2 lines, 0 blank'] },
    { input: '\0x\n', seen: [[1, '\0x', Unparsed | Padded], '1 lines, 0 blank'] },
    // Other control characters are no padding, wherever they stand.
    { input: '\0\u0001{}\n', seen: [[1, '\0\u0001{}', Unparsed | Padded], '1 lines, 0 blank'] },
    { input: '\u0001\n', seen: [[1, '\u0001', Unparsed], '1 lines, 0 blank'] },
    { input: '\0\u001f\n', seen: [[1, '\0\u001f', Unparsed | Padded], '1 lines, 0 blank'] },
    { input: '\0\u007f{}\n', seen: [[1, '\0\u007f{}', Unparsed | Padded], '1 lines, 0 blank'] },
    { input: '["a\0b"]\n', seen: [[1, '["a\0b"]', Unparsed], '1 lines, 0 blank'] },
    { input: '{"a":\0{"b":1}\n', seen: [[1, '{"a":\0{"b":1}', Unparsed], '1 lines, 0 blank'] },
    { input: '{}\0{}\n', seen: [[1, '{}\0', Padded], [1, '{}', SameLine], '1 lines, 0 blank'] },
    { input: '{}\0\0:\n', seen: [[1, '{}\0\0:', Unparsed | Padded], '1 lines, 0 blank'] },
    { input: `${BOM}{}\n[]\n`, seen: [[1, `${bom}{}`, Padded], [2, '[]', 0], '2 lines, 0 blank'] },
    { input: `{}\n${BOM}[1]\n`, seen: [[1, '{}', 0], [2, `${bom}[1]`, Padded], '2 lines, 0 blank'] },
    { input: `${BOM}\n{}\n`, seen: [[2, '{}', 0], '2 lines, 1 blank'] },
    {
      input: `${BOM}${BOM}\0${BOM}"a"\n`,
      seen: [[1, `${bom}${bom}\0${bom}"a"`, Padded], '1 lines, 0 blank'],
    },
    { input: `${BOM}12\n`, seen: [[1, `${bom}12`, Padded], '1 lines, 0 blank'] },
    { input: `{}${BOM}{}\n`, seen: [[1, `{}${bom}`, Padded], [1, '{}', SameLine], '1 lines, 0 blank'] },
    { input: `{}${BOM}\n`, seen: [[1, `{}${bom}`, Padded], '1 lines, 0 blank'] },
    { input: `[${BOM}1]\n`, seen: [[1, `[${bom}1]`, Unparsed], '1 lines, 0 blank'] },
  ])('$input', ({ input, seen }) => {
    expect(all(input)).toEqual(seen)
  })

  test('half a mark is none', () => {
    for (const bytes of [[0xef], [0xef, 0xbb], [0xef, 0xbb, 0xbe]]) {
      const input = Buffer.concat([
        Buffer.from(bytes),
        Buffer.from('{}\n{}'),
        Buffer.from(bytes),
        Buffer.from('\n1\n'),
      ])
      expect(records(input).map(({ isJson }) => isJson)).toEqual([false, false, true])
    }
  })

  test('in runs of any length, over every edge', () => {
    for (const run of [1, 15, 16, 63, 64, 65, 1000, 32_767, 32_768, 32_769, 100_000]) {
      const nul = '\0'.repeat(run)
      const input = `${nul}{"a":1}${nul}\n${nul}\n{"b":2}\n`
      expect(all(input)).toEqual([[1, `${nul}{"a":1}${nul}`, Padded], [3, '{"b":2}', 0], '3 lines, 1 blank'])
    }
  })
})

describe('two records on one line', () => {
  test.each([
    { input: '{}{}\n', seen: [[1, '{}', 0], [1, '{}', SameLine], '1 lines, 0 blank'] },
    {
      input: '{} [] {}\n',
      seen: [[1, '{} ', 0], [1, '[] ', SameLine], [1, '{}', SameLine], '1 lines, 0 blank'],
    },
    { input: '[][]\r\n{}\n', seen: [[1, '[]', 0], [1, '[]', SameLine], [2, '{}', 0], '2 lines, 0 blank'] },
    {
      input: '{"a":1}{"b":\n[1]\n',
      seen: [[1, '{"a":1}', 0], [1, '{"b":', SameLine | Unparsed], [2, '[1]', 0], '2 lines, 0 blank'],
    },
    { input: '{}{}x\n', seen: [[1, '{}', 0], [1, '{}x', SameLine | Unparsed], '1 lines, 0 blank'] },
    { input: '{}x{}\n', seen: [[1, '{}x{}', Unparsed], '1 lines, 0 blank'] },
    { input: '{"a":}{}\n', seen: [[1, '{"a":}{}', Unparsed], '1 lines, 0 blank'] },
    { input: '{}1\n', seen: [[1, '{}1', Unparsed], '1 lines, 0 blank'] },
    { input: '1{}\n', seen: [[1, '1{}', Unparsed], '1 lines, 0 blank'] },
    { input: '"a"{}\n', seen: [[1, '"a"{}', Unparsed], '1 lines, 0 blank'] },
    {
      input: '["\\ud800"]{}\n',
      seen: [[1, '["\\ud800"]', LoneSurrogate], [1, '{}', SameLine], '1 lines, 0 blank'],
    },
    {
      input: '{}["\\ud800"]\n',
      seen: [[1, '{}', 0], [1, '["\\ud800"]', SameLine | LoneSurrogate], '1 lines, 0 blank'],
    },
    { input: '["\\q"]{}\n', seen: [[1, '["\\q"]', Unparsed], [1, '{}', SameLine], '1 lines, 0 blank'] },
    { input: '{}["\\q"]\n', seen: [[1, '{}', 0], [1, '["\\q"]', SameLine | Unparsed], '1 lines, 0 blank'] },
    { input: '{}{}', seen: [[1, '{}', 0], [1, '{}', SameLine | NoLineEnd], '1 lines, 0 blank'] },
  ])('$input', ({ input, seen }) => {
    expect(all(input)).toEqual(seen)
  })

  test('and thousands', () => {
    const seen = records(`${'{"a":[]}'.repeat(50_000)}\n[1]\n`)
    expect(seen).toHaveLength(50_001)
    expect(seen.every(({ isJson }) => isJson)).toBe(true)
    expect(seen.map(({ line }) => line).at(-1)).toBe(2)
  })
})

describe('a damaged line', () => {
  const damages = [
    '{"a":"b',
    '"',
    '"\\',
    '"\\"',
    '["a\\\\',
    '{"a":"\\u12',
    '\\',
    '\\"',
    '{"a',
    '[[[{"',
    'x"y"z"',
    '"a\tb',
    '',
  ]
  test('does not spoil its neighbours, wherever it ends', () => {
    const good = '{"k":[1,"x\\n",null]}'
    for (const damage of damages) {
      for (let before = 0; before < 130; before++) {
        const line = `${' '.repeat(before)}${damage}`
        const seen = records(`${good}\n${line}\n${good}\n${line}\r\n${good}\n`)
        const fine = seen.filter(({ isJson }) => isJson)
        const wanted = damage === '' ? 0 : 2
        if (fine.length !== 3 || seen.length !== 3 + wanted || fine.some(({ raw }) => raw !== good)) {
          throw new Error(`${damage} after ${before}: ${JSON.stringify(seen)}`)
        }
      }
    }
  })

  test('does not, however many there are', () => {
    // Two tokens in two bytes, and a fault: the most a batch can hold, at every place where it may begin.
    for (let before = 0; before < 70; before++) {
      for (const tail of ['', '['.repeat(62), '['.repeat(63), '['.repeat(64), '{}'.repeat(40)]) {
        const half = `${'"\n'.repeat(16_383)}${tail}\n`
        const input = `${'7'.repeat(before)}\n${half}${half}"\n`
        const seen = recordsOf(scanned(input))
        const taken = seen.filter(({ isJson }) => isJson).length
        const wanted = (before > 0 ? 1 : 0) + (tail.startsWith('{') ? 80 : 0)
        if (taken !== wanted)
          throw new Error(`${before} before ${tail.length}: ${taken} instead of ${wanted}`)
      }
    }
  })

  test('costs what another costs', () => {
    const lines = 200_000
    const input = Buffer.from('"\n'.repeat(lines))
    scanned(input)
    const started = performance.now()
    const { recordCount } = scanned(input)
    expect(recordCount).toBe(lines)
    // 15 ms here; with a search through all marks for each record 100.
    expect(performance.now() - started).toBeLessThan(1000)
  })
})

describe('spans', () => {
  test('and what lies between them give back the input', () => {
    const lines = ['{"a":1}', '', 'x', '[1] {}', '\0{}', '  ', '"\ud83d\ude00"', '{}\0[', '"open', `${BOM}1`]
    for (const end of ['\n', '\r\n']) {
      const input = Buffer.from(lines.join(end) + end)
      const from = scanned(input)
      let at = 0
      for (const [start, stop] of spans(from)) {
        const between = input.subarray(at, start).toString('latin1')
        if (!/^[\s\0]*$/.test(between)) throw new Error(`lost: ${JSON.stringify(between)}`)
        if (stop < start) throw new Error(`span [${start}, ${stop})`)
        at = stop
      }
      expect(input.subarray(at).toString('latin1')).toBe(end)
      expect(from.lineCount).toBe(lines.length)
      expect(from.blankCount).toBe(2)
    }
  })
})
