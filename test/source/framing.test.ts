import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Frame } from '../../src/kernel/frame.ts'
import { type Framing, framingOf, Unframer } from '../../src/source/framing.ts'
import { sha256 } from '../digest.ts'

interface Unframed {
  /** Byte for byte as long as the input. */
  readonly text: string
  /** Lines with anything on them: 1-based number and content. */
  readonly records: readonly (readonly [line: number, content: string])[]
  readonly lines: number
  readonly comments: number
  readonly empty: number
  readonly frames: readonly Frame[]
}

const LIMIT = 1 << 20

/** Take the framing away the way a reader does, which has the input in pieces that end at `cuts`. */
function unframe(framing: Framing, input: string | Uint8Array, cuts: readonly number[] = []): Unframed {
  const bytes = Buffer.from(input)
  const unframer = new Unframer(framing)
  let from = 0
  for (const to of [...cuts, bytes.length]) {
    // What is not read yet may hold anything.
    const seen = Buffer.concat([bytes.subarray(0, to), Buffer.from('\ndata: stale\n\n')])
    from = unframer.unframe({ bytes: seen, from, to, ended: false, limit: LIMIT }, 0)
    seen.copy(bytes, 0, 0, to)
  }
  from = unframer.unframe({ bytes, from, to: bytes.length, ended: true, limit: LIMIT }, 0)
  expect(from).toBe(bytes.length)
  const text = bytes.toString('utf8')
  const records = text
    .split('\n')
    .flatMap((line, i) => (line.trim() === '' ? [] : [[i + 1, line.trim()] as const]))
  const frames: Frame[] = []
  for (let at = 0; at < bytes.length; at++) {
    const frame = unframer.take(at)
    if (frame !== null) frames.push(frame)
  }
  return { text, records, lines: unframer.lines, comments: unframer.comments, empty: unframer.empty, frames }
}

const out = (line: string): string => JSON.stringify({ stream: 'stdout', line })
const none = { comments: 0, empty: 0, frames: [] }

describe('telling a framing by the first line', () => {
  test.each([
    { head: 'id: r:0\nretry: 3000\nevent: run.started\ndata: {}\n\n', framing: 'sse' },
    { head: ': ping\r\n\r\ndata: {}\r\n\r\n', framing: 'sse' },
    { head: ':\n\ndata:{}\r\r', framing: 'sse' },
    { head: '\ufeffdata: {}\n\n', framing: 'sse' },
    { head: '\n\n  \nevent: a\ndata: {}\n\n', framing: 'sse' },
    { head: 'id: 7\nname: no event stream\n', framing: null },
    { head: 'data\ndata: {}\n', framing: 'sse' },
    { head: 'database: {}\n', framing: null },
    { head: 'run_id=run_1\nrun.started {"id":"run_1:0"}\n', framing: 'cli' },
    { head: 'run_id=run_1\r\nrun.started {"id":"run_1:0"}\r\n', framing: 'cli' },
    { head: 'tool.call.started {"id":"run_1:8"}\n', framing: 'cli' },
    { head: 'run_id=a=b\n', framing: null },
    { head: 'tool.call.started {"at":1}\n', framing: null },
    { head: '{"stream":"stdout","line":"{}"}\n', framing: 'capture' },
    { head: '{ "line": "x", "stream": "stderr" }\n{"a":1}\n', framing: 'capture' },
    { head: '{"stream":"stdin","line":"x"}\n', framing: null },
    { head: '{"stream":"stdout","line":7}\n', framing: null },
    { head: '{"stream":"stdout","line":"cut', framing: null },
    { head: '{"type":"data:"}\n', framing: null },
    { head: '"data: {}"\n', framing: null },
    { head: '', framing: null },
    { head: ': only a ping\n\n', framing: null },
  ] as const)('$head', ({ head, framing }) => {
    expect(framingOf(Buffer.from(head))).toBe(framing)
  })

  test('looks no further than a megabyte, and no nearer', () => {
    const pings = ': ping\n\n'.repeat(100_000)
    expect(framingOf(Buffer.from(`${pings}data: {}\n\n`))).toBe('sse')
    expect(framingOf(Buffer.from(`${pings}${pings}data: {}\n\n`))).toBe(null)
  })
})

/** Processor time in ms, the least of three, to take the framing from so many events, whose lines end with CR. */
function time(count: number): number {
  const input = 'data: {"type":1}\r\r'.repeat(count)
  const samples = Array.from({ length: 3 }, () => {
    const start = process.cpuUsage()
    expect(unframe('sse', input).records.length).toBe(count)
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000
  })
  return Math.min(...samples)
}

describe('an event stream', () => {
  test.each([
    {
      name: 'keeps the data and its line',
      input: 'id: r:0\nretry: 3000\nevent: e\ndata: {"type":1}\n\nid: r:1\ndata: {"type":2}\n\n',
      records: [
        [4, '{"type":1}'],
        [7, '{"type":2}'],
      ],
      lines: 4,
    },
    { name: 'with CRLF', input: 'id: a\r\ndata: {"type":1}\r\n\r\n', records: [[2, '{"type":1}']], lines: 1 },
    { name: 'with CR alone', input: 'id: a\rdata:{"type":1}\r\r', records: [[2, '{"type":1}']], lines: 1 },
    {
      name: 'without spaces behind colons',
      input: 'id:a\ndata:{"type":1}\n\n',
      records: [[2, '{"type":1}']],
      lines: 1,
    },
    {
      name: 'that begins with a byte order mark',
      input: '\ufeffdata: {"type":1}\n\n',
      records: [[1, '{"type":1}']],
      lines: 0,
    },
    {
      name: 'whose last event has no blank line behind it',
      input: 'id: a\ndata: {"type":1}',
      records: [[2, '{"type":1}']],
      lines: 1,
    },
    {
      name: 'cut in the middle of a value',
      input: 'data: {"type":1}\n\ndata: {"ty',
      records: [
        [1, '{"type":1}'],
        [3, '{"ty'],
      ],
      lines: 0,
    },
    {
      name: 'with lines that are none of its own',
      input: 'data: {"type":1}\nhello: you\n{"type":2}\n\n',
      records: [
        [1, '{"type":1}'],
        [2, 'hello: you'],
        [3, '{"type":2}'],
      ],
      lines: 0,
    },
  ])('$name', ({ input, records, lines }) => {
    const made = unframe('sse', input)
    expect(made).toMatchObject({ ...none, records, lines })
    expect(Buffer.byteLength(made.text)).toBe(Buffer.byteLength(input))
  })

  test('joins data over several lines behind the first, and keeps the lines of what follows', () => {
    const input = 'id: 1\ndata: {"a":1,\n: ping\ndata: "b":2}\n\ndata: {"type":3}\n\n'
    const made = unframe('sse', input)
    expect(made.records).toEqual([
      [2, '{"a":1,\t"b":2}'],
      [6, '{"type":3}'],
    ])
    expect(made).toMatchObject({ lines: 3, comments: 1, empty: 0 })
    expect(made.frames).toEqual([{ event: null, id: '1', digest: sha256('{"a":1,\n"b":2}') }])
  })

  test('does not make valid what a line feed in a string made invalid', () => {
    const [[, content] = [0, '']] = unframe('sse', 'data: {"a":"x\ndata: y"}\n\n').records
    expect(() => JSON.parse(content)).toThrow(/control character/)
  })

  test('keeps the name and id of an event whose data has no type', () => {
    const made = unframe('sse', 'id: é1\nevent: note\ndata: {"a":1}\n\nevent: x\ndata: {"type":"y"}\n\n')
    expect(made.frames).toEqual([{ event: 'note', id: 'é1', digest: null }])
  })

  test('counts comments and events without data', () => {
    const made = unframe(
      'sse',
      ': ping\n\n:\n\nid: 1\ndata: {"type":1,\ndata: "b":2}\n\ndata:\n\ndata: \t\ndata\n\n',
    )
    expect(made).toMatchObject({ comments: 2, empty: 2, records: [[6, '{"type":1,\t"b":2}']] })
    // Two comments, an id, half of an event, three lines of data that hold nothing.
    expect(made.lines).toBe(7)
  })

  test('leaves lines over the limit as they are, and joins no event over it', () => {
    const long = `data: "${'x'.repeat(LIMIT)}"`
    const half = `data: "${'x'.repeat(LIMIT / 2)}",`
    const made = unframe('sse', `id: 1\n${long}\n\ndata: [\n${half}\n${half}\ndata: 1]\n\ndata: 2\n\n`)
    const contents = made.records.map(([line, content]) => [line, content.slice(0, 8)])
    expect(contents).toEqual([
      [2, 'data: "x'],
      [4, '['],
      [5, '"xxxxxxx'],
      [6, '"xxxxxxx'],
      [7, '1]'],
      [9, '2'],
    ])
    expect(made.lines).toBe(1)
  })

  test('is the same wherever the input is cut', () => {
    const piece = fc.constantFrom(
      'id: r:1',
      'data: {"type":"é",',
      'data: "b":2}',
      'data:',
      'data',
      ': ping',
      'event: x',
      'odd line',
      '',
      '',
    )
    const lineEnd = fc.constantFrom('\n', '\r\n', '\r')
    const streams = fc
      .array(fc.tuple(piece, lineEnd), { maxLength: 14 })
      .map((lines) => lines.flat().join(''))
    fc.assert(
      fc.property(streams, fc.array(fc.nat(), { maxLength: 6 }), (stream, places) => {
        const whole = unframe('sse', stream)
        const length = Buffer.byteLength(stream)
        const cuts = places.map((place) => (length === 0 ? 0 : place % length)).toSorted((a, b) => a - b)
        expect(unframe('sse', stream, cuts)).toEqual(whole)
        expect(Buffer.byteLength(whole.text)).toBe(length)
        const ends = stream.match(/\r\n|\r|\n/g)?.length ?? 0
        expect(whole.text.match(/\n/g)?.length ?? 0).toBe(ends)
      }),
      { numRuns: 300 },
    )
  })

  test('takes time in proportion to its length, whatever ends its lines', () => {
    time(2000)
    expect(time(40_000)).toBeLessThan(60 * Math.max(1, time(2000)))
  })
})

describe('lines of the command line', () => {
  test('give up their type, and say the rest as JSON', () => {
    const made = unframe(
      'cli',
      'run_id=run_1\nrun.started {"type":"run.started"}\nrun.cut {"a":1}\nrun run_1 cancelled\nterminal_event=run.failed\r\n',
    )
    expect(made.records).toEqual([
      [1, '"run_1"'],
      [2, '{"type":"run.started"}'],
      [3, '{"a":1}'],
      [4, '{"killed":"run_1"}'],
      [5, '{"terminal":"run.failed"}'],
    ])
    expect(made.frames).toEqual([
      { event: null, id: null, digest: sha256('run_id=run_1') },
      { event: 'run.cut', id: null, digest: null },
      { event: null, id: null, digest: sha256('run run_1 cancelled') },
      { event: null, id: null, digest: sha256('terminal_event=run.failed') },
    ])
  })

  test.each([
    'run_id="x"',
    'run_id=',
    'INFO {"a":1}',
    'panic: x',
    'a.b  {"c":1}',
    '{"id":"r:0"}',
    `run_id=${'x'.repeat(200)}`,
  ])('of other words stay: %s', (line) => {
    expect(unframe('cli', `${line}\n`).text).toBe(`${line}\n`)
  })
})

describe('lines of a capture', () => {
  test.each([
    { name: 'JSON of a harness takes its place', line: '{"type":"a"}', inner: '{"type":"a"}' },
    {
      name: 'with all escapes',
      line: '{"t":"\\"\\\\/\\b\\f\\n\\r\\t\\u00e9"}',
      inner: '{"t":"\\"\\\\/\\b\\f\\n\\r\\t\\u00e9"}',
    },
    { name: 'with characters beyond ASCII', line: '{"t":"é€😀"}', inner: '{"t":"é€😀"}' },
    { name: 'with a line feed between tokens', line: '{"a":\n1}', inner: '{"a":\t1}' },
    { name: 'that is a scalar', line: '42', inner: '42' },
    { name: 'that is a list', line: ' [1]', inner: '[1]' },
    { name: 'cut in its middle', line: '{"a":', inner: '{"a":' },
  ])('$name', ({ line, inner }) => {
    const framed = out(line)
    const made = unframe('capture', `${framed}\n`)
    expect(made.records).toEqual([[1, inner]])
    expect(Buffer.byteLength(made.text)).toBe(Buffer.byteLength(framed) + 1)
  })

  test.each([
    { name: 'text', framed: out('Planning …') },
    { name: 'text that begins like a list', framed: out('[INFO] hello') },
    { name: 'nothing', framed: out('   ') },
    { name: 'what went to stderr', framed: '{"stream":"stderr","line":"{\\"type\\":1}"}' },
    { name: 'stderr in another order', framed: '{"line":"{}","stream":"stderr"}' },
    { name: 'a bad escape', framed: '{"stream":"stdout","line":"{\\x"}' },
    { name: 'a control character', framed: '{"stream":"stdout","line":"{\t"}' },
    { name: 'a line that was cut', framed: '{"stream":"stdout","line":"{\\"a\\":1' },
    { name: 'other records', framed: '{"type":"x"}' },
  ])('$name stays as it is', ({ framed }) => {
    expect(unframe('capture', `${framed}\n`).text).toBe(`${framed}\n`)
  })

  test.each([
    { name: 'spaces between', framed: '{ "stream" : "stdout" , "line" : "{\\"a\\":1}" }' },
    { name: 'another order', framed: '{"line":"{\\"a\\":1}","stream":"stdout"}' },
    { name: 'a field more', framed: '{"stream":"stdout","line":"{\\"a\\":1}","at":7}' },
    { name: 'escapes where none are needed', framed: '{"stream":"stdout","line":"{\\u0022a\\u0022:1}"}' },
    { name: 'CRLF', framed: '{"stream":"stdout","line":"{\\"a\\":1}"}\r' },
  ])('may have $name', ({ framed }) => {
    expect(unframe('capture', `${framed}\n`).records).toEqual([[1, '{"a":1}']])
  })

  test('keeps half a surrogate pair as the escape it was', () => {
    expect(unframe('capture', '{"stream":"stdout","line":"{\\"a\\":\\"\\ud83d\\"}"}\n').records).toEqual([
      [1, '{"a":"\\ud83d"}'],
    ])
  })

  test('gives back what was captured, wherever it is cut', () => {
    const lines = fc.array(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' })), {
      maxLength: 5,
    })
    fc.assert(
      fc.property(lines, fc.nat(), (values, place) => {
        const inner = values.map((value) => JSON.stringify(value))
        const framed = inner.map((line) => `${out(line)}\n`).join('')
        const cut = framed.length === 0 ? 0 : place % Buffer.byteLength(framed)
        const { records } = unframe('capture', framed, [cut])
        expect(records.map(([, content]) => content)).toEqual(inner)
      }),
      { numRuns: 200 },
    )
  })
})
