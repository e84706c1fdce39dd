import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { geminiStream } from '../../src/dialect/gemini-stream.ts'
import { describeWithShared, sharedDir } from '../shared.ts'
import { evidenceOf, runIdOf } from './detecting.ts'
import { binNames, translate } from './recording-sink.ts'

const init = { type: 'init', timestamp: '2026-11-06T10:00:00Z', session_id: 's1', model: 'm' }
const delta = (content: unknown): object => ({ type: 'message', role: 'assistant', content, delta: true })
const result = (stats: unknown, more: object = {}): object => ({
  type: 'result',
  timestamp: '2026-11-06T10:00:09Z',
  status: 'success',
  stats,
  ...more,
})

describe('deltas', () => {
  const lines = [
    init,
    delta('a "'),
    delta('b" \\'),
    delta('\u00e9'),
    { type: 'tool_use', tool_name: 'glob', tool_id: 't' },
  ]

  test('are one text, in front of what comes next', () => {
    const { events, bins } = translate(geminiStream, lines)
    expect(events.slice(1)).toMatchObject([
      { event: 'text', text: 'a "b" \\\u00e9', line: 2, foldedLines: [2, 3, 4] },
      { event: 'tool.requested', callId: 't', operations: ['dir.list'] },
    ])
    expect(binNames(bins)).toEqual(['Translated', 'Folded', 'Folded', 'Folded', 'Translated'])
  })

  test('are texts of their own when they are asked for', () => {
    const { events } = translate(geminiStream, lines, { deltas: true })
    expect(events.map(({ event }) => event).slice(1, 4)).toEqual(['text', 'text', 'text'])
  })

  test('at the end of a cut stream are not lost', () => {
    expect(translate(geminiStream, [init, delta('half')]).events[1]).toMatchObject({ text: 'half' })
  })
})

describe('totals', () => {
  test.each([
    {
      name: 'short form, one model',
      stats: { input_tokens: 100, output_tokens: 9, cached: 40, input: 60, total_tokens: 109 },
      want: [['m', 60, 40, 9, 0]],
    },
    {
      name: 'without a split the cache is unknown',
      stats: { input_tokens: 100, output_tokens: 9 },
      want: [['m', 100, null, 9, null]],
    },
    {
      name: 'what the total has beyond both is output',
      stats: { input_tokens: 100, output_tokens: 9, cached: 0, input: 100, total_tokens: 120 },
      want: [['m', 100, 0, 20, null]],
    },
    {
      name: 'a total that is too small',
      stats: { input_tokens: 100, output_tokens: 9, cached: 0, total_tokens: 1 },
      want: [['m', 100, 0, 9, null]],
    },
    {
      name: 'by model',
      stats: {
        input_tokens: 5,
        output_tokens: 3,
        models: {
          a: { input_tokens: 2, output_tokens: 1, cached: 0 },
          b: { input_tokens: 3, output_tokens: 2, cached: 1 },
        },
      },
      want: [
        ['a', 2, 0, 1, null],
        ['b', 2, 1, 2, null],
      ],
    },
  ])('$name', ({ stats, want }) => {
    const { totals, entries, events } = translate(geminiStream, [init, result(stats)])
    const models = totals[0]?.models ?? []
    expect(
      models.map(({ model, tokens: t }) => [model, t.input, t.cacheRead, t.output, t.reasoning]),
    ).toEqual(want)
    expect(entries).toMatchObject([
      { key: 'gemini-run:s1:2026-11-06T10:00:09Z', process: 's1#1', model: null },
    ])
    const ended = events.at(-1)
    expect(ended).toMatchObject({ event: 'session.ended', isError: false, subtype: 'success' })
    expect(events.filter(({ event }) => event === 'usage')).toHaveLength(1)
  })

  test('of a stream that never named its model are one request', () => {
    const { totals, entries } = translate(geminiStream, [result({ input_tokens: 5, output_tokens: 1 })])
    expect(totals).toEqual([])
    expect(entries).toMatchObject([{ key: null, tokens: { input: 5, output: 1 } }])
  })

  test.each([{ stats: undefined }, { stats: null }, { stats: 'none' }, { stats: {} }])(
    '$stats is no usage',
    ({ stats }) => {
      const { entries, totals, events } = translate(geminiStream, [init, result(stats)])
      expect([entries, totals]).toEqual([[], []])
      expect(events.at(-1)).toMatchObject({ event: 'session.ended', usage: null, modelUsage: null })
    },
  )
})

describe('--output-format json', () => {
  const tokens = { prompt: 300, candidates: 40, cached: 50, thoughts: 7, tool: 0, total: 347 }
  const output = {
    session_id: 's2',
    response: 'It is 12.',
    stats: {
      models: { m: { tokens } },
      tools: { byName: { write_file: { decisions: { reject: 2 } }, glob: {} } },
    },
  }

  test('tells the answer, the refusals and the counts of the API', () => {
    const { events, totals, ending } = translate(geminiStream, [output])
    expect(events).toMatchObject([
      { event: 'session.started', sessionId: 's2' },
      { event: 'text', text: 'It is 12.' },
      { event: 'warning', code: 'approval-denied', message: '2 calls of write_file refused' },
      {
        event: 'usage',
        usage: { inputTokens: 250, cacheReadInputTokens: 50, outputTokens: 47, thinkingTokens: 7 },
      },
      { event: 'session.ended', finalAnswer: { text: 'It is 12.' }, isError: false },
    ])
    expect(totals).toMatchObject([
      { models: [{ model: 'm', tokens: { input: 250, output: 47, reasoning: 7 } }] },
    ])
    expect(ending.reason).toBe('completed')
  })

  test('that tells an error has failed', () => {
    const { events, ending } = translate(geminiStream, [
      { session_id: 's', stats: {}, error: { type: 'ApiError', message: 'no' } },
    ])
    expect(events.slice(1)).toMatchObject([
      { code: 'ApiError', message: 'no', severity: 'error' },
      { isError: true, terminalReason: 'ApiError' },
    ])
    expect(ending).toEqual({ reason: 'error', terminal: true, promised: true })
  })
})

const back = (more: object): object => ({ type: 'tool_result', tool_id: 't', ...more })

describe('results of calls', () => {
  test.each([
    { more: { status: 'success', output: 'x' }, isError: false, content: 'x', bytes: 1 },
    {
      more: { status: 'error', error: { type: 'x', message: 'no' } },
      isError: true,
      content: 'no',
      bytes: 2,
    },
    { more: { status: 'odd' }, isError: null, content: null, bytes: null },
  ])('$more', ({ more, ...want }) => {
    expect(translate(geminiStream, [init, back(more)]).events[1]).toMatchObject({
      event: 'tool.result',
      callId: 't',
      ...want,
    })
  })

  test.each([
    { type: 'execution_denied', code: 'approval-denied' },
    { type: 'policy_violation', code: 'call-blocked' },
  ])('$type was never allowed', ({ type, code }) => {
    const { events } = translate(geminiStream, [
      init,
      back({ status: 'error', error: { type, message: 'no' } }),
    ])
    expect(events[2]).toMatchObject({ event: 'warning', code, message: 'no', deniedCall: 't' })
  })
})

describe('the end', () => {
  test.each([
    { error: undefined, status: 'success', reason: 'completed' },
    { error: { type: 'ApiError', message: 'x' }, status: 'error', reason: 'error' },
    { error: { type: 'FatalTurnLimitedError', message: 'x' }, status: 'error', reason: 'budget' },
    { error: { type: 'FatalCancellationError', message: 'x' }, status: 'error', reason: 'killed' },
    { error: undefined, status: undefined, reason: 'error' },
  ])('$status $error.type', ({ error, status, reason }) => {
    const { ending } = translate(geminiStream, [init, result({}, { error, status })])
    expect(ending).toEqual({ reason, terminal: true, promised: true })
  })

  test.each([{ lines: [init] }, { lines: [init, result({}), { ...init, session_id: 's9' }] }])(
    'is missing',
    ({ lines }) => {
      expect(translate(geminiStream, lines).ending).toEqual({
        reason: 'error',
        terminal: false,
        promised: true,
      })
    },
  )
})

test('an error in the middle is a warning of its severity', () => {
  const { events } = translate(geminiStream, [
    { type: 'error', message: 'a' },
    { type: 'error', message: 'b', severity: 'warning' },
  ])
  expect(events.slice(1)).toMatchObject([
    { code: 'error', message: 'a', severity: 'error' },
    { code: 'error', message: 'b', severity: 'warning' },
  ])
})

test.each([
  { type: 'hologram' },
  { type: 'tool_use', tool_id: 't' },
  { type: 'message', role: 'assistant', content: ['x'] },
  { type: 'message', role: 'narrator', content: 'x' },
  { type: 'error' },
  { type: 'tool_result' },
  { no: 'type' },
  [1],
])('%j is opaque', (line) => {
  expect(binNames(translate(geminiStream, [line]).bins)).toEqual(['Opaque'])
})

test('another session is told, the same one again is not', () => {
  const { events, bins, notices } = translate(geminiStream, [init, init, { ...init, session_id: 's2' }])
  expect(events.map(({ sessionId }) => sessionId)).toEqual(['s1', 's2'])
  expect(binNames(bins)[1]).toBe('Bookkeeping')
  expect(notices).toMatchObject([{ code: 'second-session', line: 3 }])
})

describe('evidence', () => {
  test.each([
    { value: init, weight: 'proof' },
    { value: { type: 'tool_use', tool_name: 'x', tool_id: 'y' }, weight: 'proof' },
    { value: { type: 'tool_result', tool_id: 'y', status: 'success' }, weight: 'proof' },
    { value: result({ input_tokens: 1 }), weight: 'proof' },
    { value: { session_id: 's', response: 'x', stats: {} }, weight: 'proof' },
    { value: { stats: { models: {}, tools: {} } }, weight: 'proof' },
    { value: { type: 'message', role: 'user', content: 'x' }, weight: 'weak' },
  ])('of $value is $weight', ({ value, weight }) => {
    expect(evidenceOf(geminiStream, value)?.weight).toBe(weight)
  })
  test.each([
    { type: 'system', subtype: 'init', session_id: 's' },
    { type: 'init' },
    { type: 'message', role: 'assistant', content: [] },
    { type: 'tool_use', id: 'x', name: 'y' },
    { response: 'x' },
    'x',
  ])('%j says nothing', (value) => {
    expect(evidenceOf(geminiStream, value)).toBeNull()
  })
  test('the run is the session', () => expect(runIdOf(geminiStream, init)).toBe('s1'))
})

describeWithShared('shared streams', () => {
  test.each([
    {
      name: 'success.jsonl',
      names: 'session.started tool.requested tool.result tool.requested tool.result text usage session.ended',
    },
    { name: 'error.jsonl', names: 'session.started warning' },
  ])('$name', ({ name, names }) => {
    const bytes = readFileSync(join(sharedDir, 'fixtures/vendors/gemini-stream-json', name))
    expect(translate(geminiStream, bytes).events.map(({ event }) => event)).toEqual(names.split(' '))
  })
})
