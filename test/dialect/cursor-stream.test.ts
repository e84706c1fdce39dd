import { describe, expect, test } from 'vitest'
import { cursorStream } from '../../src/dialect/cursor-stream.ts'
import { evidenceOf } from './detecting.ts'
import { binNames, translate } from './recording-sink.ts'
import { shorts } from './short.ts'

function record(type: string, more: object = {}): object {
  return { type, session_id: 's-1', ...more }
}
function said(text: string, more: object = {}): object {
  return record('assistant', { message: { role: 'assistant', content: [{ type: 'text', text }] }, ...more })
}
function piece(text: string): object {
  return said(text, { timestamp_ms: 1_777_978_800_000 })
}
function call(subtype: string, tool: object, callId: unknown = 'c'): object {
  return record('tool_call', { subtype, call_id: callId, tool_call: tool })
}

const init = record('system', {
  subtype: 'init',
  apiKeySource: 'env',
  cwd: '/x',
  model: 'm',
  permissionMode: 'default',
})
const usage = { inputTokens: 900, outputTokens: 60, cacheReadTokens: 5000, cacheWriteTokens: 100 }

describe('text in pieces', () => {
  test.each([
    {
      what: 'and as a whole',
      lines: [piece('It '), piece('is.'), said('It is.')],
      events: ['text It is.'],
      bins: 'FFT',
    },
    { what: 'without a whole', lines: [piece('It '), piece('is.')], events: ['text It is.'], bins: 'FF' },
    {
      what: 'and a whole of all texts',
      lines: [piece('is.'), said('It is.')],
      events: ['text It is.'],
      bins: 'FT',
    },
    { what: 'and another text', lines: [piece('A'), said('B')], events: ['text A', 'text B'], bins: 'FT' },
    { what: 'none', lines: [said('A'), said('B')], events: ['text A', 'text B'], bins: 'TT' },
    {
      what: 'of thinking',
      lines: [
        record('thinking', { subtype: 'delta', text: 'H' }),
        record('thinking', { subtype: 'delta', text: 'm' }),
        record('thinking', { subtype: 'completed' }),
        piece('A'),
      ],
      events: ['thinking Hm', 'text A'],
      bins: 'FFFF',
    },
    { what: 'nothing', lines: [piece(''), said('')], events: ['text '], bins: 'FT' },
    {
      what: 'not readable',
      lines: [record('assistant', { message: 3 })],
      events: ['opaque assistant/'],
      bins: 'O',
    },
    {
      what: 'odd thinking',
      lines: [record('thinking', { subtype: 'x' })],
      events: ['opaque thinking/x'],
      bins: 'O',
    },
  ])('$what', ({ lines, events, bins }) => {
    const translation = translate(cursorStream, [init, ...lines])
    expect(shorts(translation.events.slice(1))).toEqual(events)
    expect(
      binNames(translation.bins)
        .slice(1)
        .map((name) => name[0])
        .join(''),
    ).toBe(bins)
  })

  test('each is an event of its own when deltas are wanted', () => {
    const { events } = translate(cursorStream, [init, piece('A'), piece('B'), said('AB')], { deltas: true })
    expect(shorts(events.slice(1))).toEqual(['text A', 'text B'])
  })
})

describe('calls', () => {
  const args = { command: 'ls' }

  test.each([
    { result: { success: { exitCode: 0 } }, isError: false, exitCode: 0, denied: [] },
    { result: { failure: { exitCode: 3 } }, isError: true, exitCode: 3, denied: [] },
    { result: { error: { errorMessage: 'x' } }, isError: true, exitCode: null, denied: [] },
    { result: { rejected: { reason: 'no' } }, isError: true, exitCode: null, denied: ['c'] },
    { result: { hologram: {} }, isError: null, exitCode: null, denied: [] },
    { result: 'done', isError: null, exitCode: null, denied: [] },
    { result: undefined, isError: null, exitCode: null, denied: [] },
  ])('$result', ({ result, isError, exitCode, denied }) => {
    const { events } = translate(cursorStream, [
      init,
      call('started', { shellToolCall: { args } }),
      call('completed', { shellToolCall: { args, result } }),
    ])
    expect(events[1]).toMatchObject({
      event: 'tool.requested',
      name: 'shellToolCall',
      operations: ['shell'],
      input: args,
    })
    expect(events[2]).toMatchObject({ event: 'tool.result', callId: 'c', isError, exitCode })
    expect(events.slice(3).map(({ deniedCall }) => deniedCall)).toEqual(denied)
  })

  test.each([
    {
      lines: [call('completed', { readToolCall: { args: {} } })],
      events: ['tool.requested readToolCall c', 'tool.result c'],
    },
    {
      lines: [call('started', { function: { name: 'grep', arguments: '{"path":"a"}' } })],
      events: ['tool.requested grep c'],
    },
    { lines: [call('started', {})], events: ['opaque tool_call/started'] },
    { lines: [call('started', { readToolCall: {} }, null)], events: ['opaque tool_call/started'] },
  ])('$lines becomes $events', ({ lines, events }) => {
    expect(shorts(translate(cursorStream, [init, ...lines]).events.slice(1))).toEqual(events)
  })
})

describe('its end', () => {
  test.each([
    { more: { subtype: 'success', is_error: false, result: 'Hi' }, reason: 'completed' },
    { more: { subtype: 'success' }, reason: 'completed' },
    { more: { subtype: 'error', is_error: true, result: 'x' }, reason: 'error' },
    { more: {}, reason: 'error' },
  ])('$more is $reason', ({ more, reason }) => {
    const { ending, events } = translate(cursorStream, [init, record('result', more)])
    expect(ending).toEqual({ reason, terminal: true, promised: true })
    expect(events.at(-1)?.event).toBe('session.ended')
  })

  test('has the usage of the request', () => {
    const { entries } = translate(cursorStream, [init, record('result', { request_id: 'r', usage })])
    expect(entries).toMatchObject([{ key: 'cursor:s-1:r', model: 'm', session: 's-1' }])
    expect(entries[0]?.tokens).toMatchObject({ input: 900, cacheRead: 5000, cacheWrite: 100, output: 60 })
  })

  test('that is missing is no terminal record', () => {
    expect(translate(cursorStream, [init]).ending.terminal).toBe(false)
  })
})

test.each([
  { value: init, weight: 'proof' },
  { value: { ...init, mcp_servers: [] }, weight: undefined },
  { value: call('started', {}), weight: 'proof' },
  { value: call('moved', {}), weight: undefined },
  { value: record('thinking', { subtype: 'delta' }), weight: 'proof' },
  { value: record('result', { request_id: 'r' }), weight: 'proof' },
  { value: record('result', { request_id: 'r', total_cost_usd: 1 }), weight: undefined },
])('evidence of $value is $weight', ({ value, weight }) => {
  expect(evidenceOf(cursorStream, value)?.weight).toBe(weight)
})
