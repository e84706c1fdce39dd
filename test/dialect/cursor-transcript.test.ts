import { expect, test } from 'vitest'
import { cursorTranscript } from '../../src/dialect/cursor-transcript.ts'
import { evidenceOf } from './detecting.ts'
import { translate } from './recording-sink.ts'
import { shorts } from './short.ts'

function user(content: unknown): object {
  return { role: 'user', message: { content } }
}
function agent(...content: unknown[]): object {
  return { role: 'assistant', message: { content } }
}
function use(name: string, id?: string): object {
  return { type: 'tool_use', id, name, input: {} }
}

test.each([
  { lines: [user('Go')], events: ['turn.started 1', 'injection user Go'] },
  {
    lines: [user('Go'), { type: 'turn_ended', status: 'success' }, { type: 'turn_ended' }],
    events: ['turn.started 1', 'injection user Go', 'turn.ended 1 success'],
  },
  { lines: [{ type: 'turn_ended', error: 'x' }], events: ['warning turn_ended'] },
  {
    lines: [agent(use('Shell'), use('Read')), user([{ type: 'tool_result' }, { type: 'tool_result' }])],
    events: ['tool.requested Shell 1.1', 'tool.requested Read 1.2', 'tool.result 1.1', 'tool.result 1.2'],
  },
  {
    lines: [agent(use('Shell'), use('Read')), user([{ type: 'tool-result', name: 'Read' }])],
    events: ['tool.requested Shell 1.1', 'tool.requested Read 1.2', 'tool.result 1.2'],
  },
  {
    lines: [agent(use('Shell'), use('Read', 'r')), user([{ type: 'tool_result', tool_use_id: 'r' }])],
    events: ['tool.requested Shell 1.1', 'tool.requested Read r', 'tool.result r'],
  },
  { lines: [user([{ type: 'tool_result', tool_use_id: 'z' }])], events: ['tool.result z'] },
  { lines: [agent({ type: 'hologram' }, 7)], events: ['opaque assistant/hologram', 'opaque assistant/'] },
  { lines: [{ role: 'herald', message: { content: 'x' } }], events: ['opaque herald/'] },
  { lines: [{ role: 'user', message: null }], events: ['opaque user/'] },
  { lines: [user([])], events: [] },
])('$lines becomes $events', ({ lines, events }) => {
  const translation = translate(cursorTranscript, lines)
  expect(shorts(translation.events).filter((event) => event !== 'session.started')).toEqual(events)
  expect(translation.ending).toEqual({ reason: 'error', terminal: false, promised: false })
  expect(translation.entries).toEqual([])
})

test.each([
  { value: user('x'), weight: 'proof' },
  { value: { ...user('x'), timestamp: 1 }, weight: undefined },
  { value: { ...user('x'), type: 'user' }, weight: undefined },
  { value: user(3), weight: undefined },
  { value: { type: 'turn_ended' }, weight: 'weak' },
])('evidence of $value is $weight', ({ value, weight }) => {
  expect(evidenceOf(cursorTranscript, value)?.weight).toBe(weight)
})
