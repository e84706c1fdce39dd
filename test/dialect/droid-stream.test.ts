import { expect, test } from 'vitest'
import { droidStream } from '../../src/dialect/droid-stream.ts'
import { evidenceOf, runIdOf } from './detecting.ts'
import { translate } from './recording-sink.ts'
import { shorts } from './short.ts'

const timestamp = '2026-05-05T11:00:01.000Z'

function record(type: string, more: object = {}): object {
  return { type, session_id: 's-1', timestamp, ...more }
}

const init = record('system', {
  subtype: 'init',
  model: 'm',
  cwd: '/x',
  tools: ['Read'],
  reasoning_effort: 'low',
})
const usage = {
  input_tokens: 10,
  output_tokens: 5,
  cache_read_input_tokens: 3,
  cache_creation_input_tokens: 2,
}
const completion = record('completion', { finalText: 'Done', numTurns: 2, usage })
const error = record('error', { source: 'cli', message: 'gone' })

test.each([
  { line: record('message', { role: 'user', text: 'Go' }), events: ['injection user Go'] },
  { line: record('message', { role: 'assistant', text: 'Yes' }), events: ['text Yes'] },
  { line: record('message', { role: 'user', text: ['x'] }), events: ['opaque message/'] },
  { line: record('reasoning', { text: 'Hm' }), events: ['thinking Hm'] },
  {
    line: record('tool_call', { id: 'c', toolName: 'Read', parameters: {} }),
    events: ['tool.requested Read c'],
  },
  { line: record('tool_call', { id: 'c' }), events: ['opaque tool_call/'] },
  { line: record('tool_result', { id: 'c', value: 'x' }), events: ['tool.result c'] },
  { line: record('tool_result', { value: 'x' }), events: ['opaque tool_result/'] },
  { line: completion, events: ['usage', 'session.ended'] },
  { line: record('completion', { usage: 'x' }), events: ['session.ended'] },
  { line: error, events: ['warning error'] },
  { line: record('system', { subtype: 'moon' }), events: ['opaque system/moon'] },
  { line: record('rain'), events: ['opaque rain/'] },
  { line: init, events: [] },
  { line: { ...init, session_id: 's-2' }, events: ['session.started'] },
])('$line becomes $events', ({ line, events }) => {
  expect(shorts(translate(droidStream, [init, line]).events.slice(1))).toEqual(events)
})

test.each([
  { lines: [init], reason: 'error', terminal: false },
  { lines: [init, completion], reason: 'completed', terminal: true },
  { lines: [init, error], reason: 'error', terminal: true },
  { lines: [init, completion, error], reason: 'error', terminal: true },
])('a stream ends $reason, by a terminal record: $terminal', ({ lines, reason, terminal }) => {
  expect(translate(droidStream, lines).ending).toEqual({ reason, terminal, promised: true })
})

test('its usage is that of the session, under the key of the session store', () => {
  const { entries, events } = translate(droidStream, [init, completion])
  expect(entries).toMatchObject([
    { key: 'droid:s-1', model: 'm', tokens: { input: 10, cacheRead: 3, cacheWrite: 2, output: 5 } },
  ])
  expect(events.at(-1)).toMatchObject({
    finalAnswer: { text: 'Done', turnId: null },
    numTurns: 2,
    isError: false,
  })
})

test.each([
  { value: init, weight: 'proof' },
  { value: { type: 'system', subtype: 'init', sessionId: 's', timestamp: 1 }, weight: 'proof' },
  { value: { type: 'system', subtype: 'init', session_id: 's' }, weight: undefined },
  { value: completion, weight: 'proof' },
  { value: record('tool_call', { toolName: 'x' }), weight: 'proof' },
  { value: record('message', { role: 'user' }), weight: 'weak' },
  { value: { type: 'completion', finalText: 'x' }, weight: undefined },
])('evidence of $value is $weight', ({ value, weight }) => {
  expect(evidenceOf(droidStream, value)?.weight).toBe(weight)
})

test('the run is the session under either name', () => {
  expect(runIdOf(droidStream, init)).toBe('s-1')
  expect(runIdOf(droidStream, { type: 'message', sessionId: 's-3' })).toBe('s-3')
})
