import { describe, expect, test } from 'vitest'
import { EventCutter, type StreamEvent } from '../../src/source/event-cutter.ts'
import { RunEvents } from '../../src/source/run-events.ts'
import { eventOf, runOf } from '../pipeline/following.ts'

const text =
  '\ufeff: hello\n\nid: 1\nevent: a\ndata: {"x":"é—😀"}\n\n:\n\n\ndata:one\ndata\ndata:  two\nretry: 12\nother: z\n\nid: n\0l\nretry: x\ndata: y\n\n'

function cut(
  pieces: readonly Uint8Array[],
): (Omit<StreamEvent, 'data' | 'bytes'> & { data: string | null; text: string })[] {
  const cutter = new EventCutter()
  return pieces
    .flatMap((piece) => cutter.feed(piece))
    .map(({ data, bytes, ...names }) => ({
      ...names,
      data: data?.toString() ?? null,
      text: bytes.toString(),
    }))
    .filter(({ data }) => data !== null)
}

const want = [
  { id: '1', retryMs: null, data: '{"x":"é—😀"}', text: 'id: 1\nevent: a\ndata: {"x":"é—😀"}\n\n' },
  { id: null, retryMs: 12, data: 'one\n\n two', text: 'data:one\ndata\ndata:  two\nretry: 12\nother: z\n\n' },
  { id: null, retryMs: null, data: 'y', text: 'id: n\0l\nretry: x\ndata: y\n\n' },
]

describe.each(['\n', '\r\n', '\r'])('lines that end with %j', (lineEnd) => {
  const bytes = Buffer.from(text.replaceAll('\n', lineEnd))

  test('are the same events wherever they are cut', () => {
    expect(cut([bytes])).toEqual(want)
    for (let at = 1; at < bytes.length; at++) {
      expect(cut([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(want)
    }
    expect(cut(Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(want)
  })
})

test('an event that broke off is none', () => {
  expect(cut([Buffer.from('data: a\n\ndata: b\n')]).map(({ data }) => data)).toEqual(['a'])
})

describe('events of runs', () => {
  test('come once', () => {
    const events = runOf()
    expect(judged([...events, ...events])).toEqual([...events.map(() => 'take'), ...events.map(() => 'drop')])
  })

  test('are counted for each run', () => {
    const both = runOf().flatMap((event, i) => [event, runOf('run.completed', 'other')[i] ?? ''])
    expect(new Set(judged(both))).toEqual(new Set(['take']))
  })

  test('are missing when a number is, twice, and then they never were', () => {
    const holed = [
      eventOf(0, 'run.started'),
      eventOf(2, 'x.y'),
      eventOf(2, 'x.y'),
      eventOf(2, 'x.y'),
      eventOf(3, 'x.y'),
    ]
    expect(judged(holed)).toEqual(['take', 'gap', 'gap', 'take', 'take'])
  })

  test('of other streams are told by id and content', () => {
    const a = 'id: 1\ndata: A\n\n'
    expect(judged([a, a, 'id: 1\ndata: X\n\n', 'data: A\n\n', 'data: A\n\n'])).toEqual([
      'take',
      'drop',
      'take',
      'take',
      'take',
    ])
  })

  test('have an id in their data only where it is that of a place in a run', () => {
    const chunk = 'data: {"id":"chat-1","delta":"a"}\n\n'
    expect(judged([chunk, chunk])).toEqual(['take', 'take'])
  })
})

function judged(events: readonly string[]): string[] {
  const seen = new RunEvents(() => null)
  const cutter = new EventCutter()
  return cutter.feed(Buffer.from(events.join(''))).map((event) => seen.judge(event))
}
