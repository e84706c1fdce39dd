import { describe, expect, test } from 'vitest'
import { piJson } from '../../src/dialect/pi-json.ts'
import { piSession } from '../../src/dialect/pi-session.ts'
import { evidenceOf, runIdOf } from './detecting.ts'
import { binNames, translate } from './recording-sink.ts'
import { shorts } from './short.ts'

const timestamp = 1_777_971_600_000
const at = '2026-05-05T09:00:00.000Z'
const opening = { type: 'session', version: 3, id: 's-1', timestamp: at, cwd: '/x' }

function end(role: string, content: unknown, more: object = {}): object {
  return { type: 'message_end', message: { role, content, timestamp, ...more } }
}
function stop(stopReason: string | undefined): object {
  return end('assistant', 'x', { stopReason })
}
function execution(type: 'end' | 'start', toolCallId: unknown, more: object = {}): object {
  return { type: `tool_execution_${type}`, toolCallId, toolName: 'Read', ...more }
}

describe('a message counts once, when it ends', () => {
  const usage = { input: 5, output: 1, cacheRead: 7, cacheWrite: 2, cost: { total: 0.25 } }
  const message = { role: 'assistant', content: 'Hi', model: 'm', usage, stopReason: 'stop', timestamp }

  test('whoever repeats it', () => {
    const { entries, events, bins } = translate(piJson, [
      opening,
      { type: 'message_start', message },
      { type: 'message_update', message, assistantMessageEvent: {} },
      { type: 'message_end', message },
      { type: 'turn_end', message, toolResults: [] },
      { type: 'agent_end', messages: [message] },
    ])
    expect(shorts(events)).toEqual(['session.started', 'text Hi', 'usage', 'session.ended stop'])
    expect(entries).toMatchObject([
      { key: null, session: 's-1', model: 'm', at, reportedPicoUsd: 250_000_000_000n },
    ])
    expect(entries[0]?.tokens).toMatchObject({ input: 5, cacheRead: 7, cacheWrite: 2, output: 1 })
    expect(binNames(bins)).toEqual([
      'Translated',
      'Folded',
      'Folded',
      'Translated',
      'Bookkeeping',
      'Translated',
    ])
  })

  test.each([
    { lines: [end('user', 'Go')], events: ['injection user Go'] },
    { lines: [end('custom', 'x')], events: ['injection synthetic x'] },
    { lines: [end('herald', 'x')], events: ['opaque message_end/herald'] },
    { lines: [{ type: 'message_end' }], events: ['opaque message_end/'] },
    { lines: [{ type: 'tides' }], events: ['opaque tides/'] },
    { lines: [{ type: 'turn_start' }], events: ['turn.started 1'] },
    {
      lines: [
        { type: 'turn_start' },
        { type: 'turn_end', message: { stopReason: 'length' } },
        { type: 'turn_end' },
      ],
      events: ['turn.started 1', 'turn.ended 1 length'],
    },
    { lines: [{ type: 'auto_retry_start', attempt: 1 }], events: ['warning auto_retry_start'] },
    { lines: [{ type: 'auto_retry_end', success: true }], events: [] },
    { lines: [{ type: 'auto_retry_end', success: false }], events: ['warning auto_retry_end'] },
    {
      lines: [{ type: 'compaction_end', result: { summary: 's' } }],
      events: ['warning compaction', 'injection synthetic s'],
    },
    { lines: [{ type: 'auto_compaction_end', aborted: true }], events: ['warning compaction'] },
    { lines: [{ type: 'agent_settled' }], events: [] },
  ])('$lines becomes $events', ({ lines, events }) => {
    expect(shorts(translate(piJson, [opening, ...lines]).events.slice(1))).toEqual(events)
  })
})

describe('calls', () => {
  const asked = end('assistant', [{ type: 'toolCall', id: 'c', name: 'read', arguments: {} }])
  const told = end('toolResult', 'x', { toolCallId: 'c' })

  test.each([
    { lines: [asked, execution('start', 'c')], events: ['tool.requested read c'] },
    { lines: [execution('start', 'c')], events: ['tool.requested Read c'] },
    { lines: [execution('start', null)], events: ['opaque tool_execution_start/'] },
    { lines: [execution('end', 'c'), told], events: ['tool.result c'] },
    { lines: [told, execution('end', 'c')], events: ['tool.result c'] },
    { lines: [execution('end', 'z')], events: ['tool.result z'] },
    { lines: [execution('end', 3)], events: ['opaque tool_execution_end/'] },
  ])('$lines becomes $events', ({ lines, events }) => {
    expect(shorts(translate(piJson, [opening, ...lines]).events.slice(1))).toEqual(events)
  })

  test('the result of an execution is its content', () => {
    const result = { content: [{ type: 'text', text: 'ä' }], details: { n: 1 } }
    const { events } = translate(piJson, [opening, execution('end', 'c', { result, isError: true })])
    expect(events[1]).toMatchObject({
      isError: true,
      content: result.content,
      toolUseResult: { n: 1 },
      bytes: 29,
    })
  })
})

describe('the end', () => {
  const over = { type: 'agent_end', messages: [] }

  test.each([
    { lines: [stop('stop'), over], reason: 'completed', terminal: true },
    { lines: [stop('error'), over], reason: 'error', terminal: true },
    { lines: [stop('aborted'), over], reason: 'killed', terminal: true },
    { lines: [stop('length'), over], reason: 'budget', terminal: true },
    { lines: [stop(undefined), over], reason: 'error', terminal: true },
    { lines: [stop('stop')], reason: 'error', terminal: false },
    { lines: [stop('stop'), over, { type: 'agent_start' }], reason: 'error', terminal: false },
  ])('$lines is $reason $terminal', ({ lines, reason, terminal }) => {
    expect(translate(piJson, [opening, ...lines]).ending).toEqual({ reason, terminal, promised: true })
  })
})

test.each([
  { value: opening, weight: 'weak' },
  { value: end('user', 'x'), weight: 'proof' },
  { value: { type: 'message_end' }, weight: undefined },
  { value: execution('start', 'c'), weight: 'proof' },
  { value: { type: 'agent_start' }, weight: 'weak' },
  { value: { type: 'turn_end', toolResults: [] }, weight: 'proof' },
  { value: { type: 'turn_end' }, weight: undefined },
])('evidence of $value is $weight', ({ value, weight }) => {
  expect(evidenceOf(piJson, value)?.weight).toBe(weight)
})

test('the opening record is that of session files too', () => {
  expect(evidenceOf(piSession, opening)?.weight).toBe('weak')
  expect(runIdOf(piJson, opening)).toBe('s-1')
})
