import { describe, expect, test } from 'vitest'
import { cline } from '../../src/dialect/cline.ts'
import { evidenceOf, runIdOf } from './detecting.ts'
import { translate } from './recording-sink.ts'
import { shorts } from './short.ts'

function agent(type: string, more: object = {}): object {
  return { type: 'agent_event', event: { type, ...more } }
}
function used(
  inputTokens: unknown,
  cacheReadTokens: unknown,
  cacheWriteTokens: unknown,
  outputTokens: unknown,
): object {
  return { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens }
}
function result(usage: unknown, more: object = {}): object {
  return { type: 'run_result', sessionId: 's-1', text: 'Done', usage, ...more }
}

describe('usage', () => {
  test('of a request: the input includes what was read from the cache', () => {
    const { entries } = translate(cline, [agent('usage', { ...used(900, 400, 50, 30), cost: 0.0021 })])
    expect(entries).toMatchObject([{ key: null, final: true, reportedPicoUsd: 2_100_000_000n }])
    expect(entries[0]?.tokens).toEqual({
      input: 500,
      cacheRead: 400,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      cacheWrite: 50,
      output: 30,
      reasoning: null,
    })
  })

  test.each([
    { what: 'nothing more', requests: [used(900, 400, 50, 30)], total: used(900, 400, 50, 30), rest: [] },
    {
      what: 'more',
      requests: [used(900, 400, 50, 30), used(100, 0, 0, 10)],
      total: used(1100, 500, 50, 60),
      rest: [{ input: 0, cacheRead: 100, cacheWrite: 0, output: 20 }],
    },
    { what: 'all', requests: [], total: used(10, 0, 0, 1), rest: [{ input: 10, output: 1 }] },
    {
      what: 'less',
      requests: [used(900, 0, 0, 30)],
      total: used(10, 0, 0, 1),
      rest: [],
      notices: ['counter-went-back'],
    },
    { what: 'not a word', requests: [used(9, 0, 0, 3)], total: 'x', rest: [] },
  ])('of the run says $what', ({ requests, total, rest, notices }) => {
    const lines = [...requests.map((request) => agent('usage', request)), result(total)]
    const translation = translate(cline, lines)
    expect(translation.entries.slice(requests.length).map(({ tokens }) => tokens)).toMatchObject(rest)
    expect(translation.entries).toHaveLength(requests.length + rest.length)
    expect(translation.notices.map(({ code }) => code).filter((code) => code !== 'late-session')).toEqual(
      notices ?? [],
    )
  })
})

describe('agent events', () => {
  const tool = { contentType: 'tool', toolCallId: 'c' }

  test.each([
    {
      lines: [agent('iteration_start'), agent('iteration_end'), agent('iteration_end')],
      events: ['turn.started 1', 'turn.ended 1'],
    },
    { lines: [agent('content_end', { contentType: 'text', text: 'Hi' })], events: ['text Hi'] },
    { lines: [agent('content_end', { contentType: 'text', text: '' })], events: [] },
    { lines: [agent('content_end', { contentType: 'reasoning', content: 'Hm' })], events: ['thinking Hm'] },
    { lines: [agent('content_start', { contentType: 'text', text: 'H' })], events: [] },
    { lines: [agent('content_end', { contentType: 'image' })], events: ['opaque agent_event/content_end'] },
    {
      lines: [
        agent('content_start', { ...tool, toolName: 'editor' }),
        agent('content_end', { ...tool, toolName: 'editor' }),
      ],
      events: ['tool.requested editor c', 'tool.result c'],
    },
    {
      lines: [agent('content_end', { ...tool, toolName: 'editor' })],
      events: ['tool.requested editor c', 'tool.result c'],
    },
    { lines: [agent('content_end', tool)], events: ['tool.result c'] },
    { lines: [agent('content_start', tool)], events: ['opaque agent_event/content_start'] },
    { lines: [agent('error', { error: { message: 'x' } })], events: ['warning error'] },
    { lines: [agent('hologram')], events: ['opaque agent_event/hologram'] },
    { lines: [{ type: 'agent_event' }], events: ['opaque agent_event/'] },
    { lines: [{ type: 'hook_event', name: 'x' }], events: [] },
    { lines: [{ type: 'weather' }], events: ['opaque weather/'] },
  ])('$lines becomes $events', ({ lines, events }) => {
    const { events: written } = translate(cline, lines)
    expect(shorts(written).filter((event) => event !== 'session.started')).toEqual(events)
  })

  test.each([
    { output: { success: true }, isError: false },
    { output: { success: false }, isError: true },
    { output: [{ success: true }, { success: true }], isError: false },
    { output: { results: [{ success: true }, {}] }, isError: true },
    { output: [], isError: null },
    { output: 'plain', isError: null },
  ])('the output $output failed: $isError', ({ output, isError }) => {
    const { events } = translate(cline, [agent('content_end', { ...tool, output })])
    expect(events.at(-1)).toMatchObject({ event: 'tool.result', isError, content: output })
  })
})

describe('the end', () => {
  test.each([
    { lines: [result(null)], reason: 'completed', terminal: true, promised: true },
    {
      lines: [result(null, { finishReason: 'max_iterations' })],
      reason: 'budget',
      terminal: true,
      promised: true,
    },
    { lines: [result(null, { finishReason: 'aborted' })], reason: 'killed', terminal: true, promised: true },
    { lines: [result(null, { finishReason: 'error' })], reason: 'error', terminal: true, promised: true },
    { lines: [agent('done')], reason: 'error', terminal: false, promised: true },
    { lines: [{ type: 'say', say: 'text', text: 'x' }], reason: 'error', terminal: false, promised: false },
  ])('of $lines is $reason, by a terminal record: $terminal', ({ lines, ...ending }) => {
    expect(translate(cline, lines).ending).toEqual({
      reason: ending.reason,
      terminal: ending.terminal,
      promised: ending.promised,
    })
  })

  test('is where the session is named', () => {
    const { events, notices } = translate(cline, [agent('done'), result(null)])
    expect(events[0]).toMatchObject({ event: 'session.started', sessionId: null })
    expect(events.at(-1)).toMatchObject({
      event: 'session.ended',
      finalAnswer: { text: 'Done', turnId: null },
    })
    expect(notices.map(({ code }) => code)).toEqual(['late-session'])
  })
})

test.each([
  { line: { type: 'say', say: 'text', text: 'Hi' }, events: ['text Hi'] },
  { line: { type: 'say', say: 'text', text: 'H', partial: true }, events: [] },
  { line: { type: 'say', say: 'reasoning', text: 'Hm' }, events: ['thinking Hm'] },
  { line: { type: 'ask', ask: 'followup', text: 'Which?' }, events: ['text Which?'] },
  { line: { type: 'say', say: 'task', text: 'Go' }, events: ['injection user Go'] },
  { line: { type: 'say', say: 'error', text: 'x' }, events: ['warning error'] },
  {
    line: { type: 'say', say: 'tool', text: '{"tool":"readFile","path":"a"}' },
    events: ['tool.requested readFile 1.1'],
  },
  { line: { type: 'say', say: 'tool', text: 'not json' }, events: ['opaque say/tool'] },
  { line: { type: 'ask', ask: 'command', text: 'ls' }, events: ['tool.requested execute_command 1.1'] },
  { line: { type: 'say', say: 'api_req_started', text: '{}' }, events: [] },
  { line: { type: 'say', say: 'weather' }, events: ['opaque say/weather'] },
  { line: { type: 'say', say: 'text', text: 7 }, events: ['opaque say/text'] },
])('$line becomes $events', ({ line, events }) => {
  expect(shorts(translate(cline, [line]).events.slice(1))).toEqual(events)
})

test.each([
  { value: agent('done'), weight: 'proof' },
  { value: { type: 'hook_event', taskId: 't' }, weight: 'proof' },
  { value: { type: 'hook_event' }, weight: undefined },
  { value: { type: 'say', say: 'text' }, weight: 'proof' },
  { value: { type: 'say' }, weight: undefined },
])('evidence of $value is $weight', ({ value, weight }) => {
  expect(evidenceOf(cline, value)?.weight).toBe(weight)
})

test('the run is the session, never the task', () => {
  expect(runIdOf(cline, result(null))).toBe('s-1')
  expect(runIdOf(cline, { type: 'hook_event', taskId: 't' })).toBe(null)
})
