import { describe, expect, test } from 'vitest'
import { ampStream } from '../../src/dialect/amp-stream.ts'
import { evidenceOf, runIdOf } from './detecting.ts'
import { binNames, translate } from './recording-sink.ts'
import { shorts } from './short.ts'

function record(type: string, more: object = {}): object {
  return { type, session_id: 'T-1', ...more }
}
function assistant(content: unknown, usage?: unknown, more: object = {}): object {
  return record('assistant', { message: { role: 'assistant', content, usage }, ...more })
}

const init = record('system', {
  subtype: 'init',
  cwd: '/x',
  tools: ['Bash'],
  mcp_servers: [{ name: 'a' }, 3],
})
const usage = {
  input_tokens: 10,
  output_tokens: 5,
  cache_read_input_tokens: 3,
  cache_creation_input_tokens: 2,
}

test('every message is a request of its own, those of subagents side chains', () => {
  const { entries, events } = translate(ampStream, [
    init,
    record('assistant', { message: { id: 'msg-1', model: 'm', content: [], usage } }),
    assistant([], usage, { parent_tool_use_id: 'u1' }),
    assistant([], { input_tokens: '7', output_tokens: {} }),
  ])
  expect(entries).toMatchObject([
    { key: 'amp:msg-1', model: 'm', session: 'T-1', sidechain: false },
    { key: null, model: null, sidechain: true },
    { key: null, tokens: { input: 7, cacheRead: null, cacheWrite: null, output: null } },
  ])
  expect(entries[0]?.tokens).toMatchObject({
    input: 10,
    cacheRead: 3,
    cacheWrite: 2,
    output: 5,
    reasoning: null,
  })
  expect(shorts(events)).toEqual(['session.started', 'usage', 'usage', 'usage'])
})

describe('records', () => {
  const user = (content: unknown, parent: string | null = null): object =>
    record('user', { message: { role: 'user', content }, parent_tool_use_id: parent })

  test.each([
    { line: assistant('Yes'), events: ['text Yes'] },
    {
      line: assistant([{ type: 'tool_use', id: 'c', name: 'Bash', input: {} }]),
      events: ['tool.requested Bash c'],
    },
    { line: assistant([{ type: 'hologram' }]), events: ['opaque assistant/hologram'] },
    { line: assistant([]), events: [], bin: 'Bookkeeping' },
    { line: assistant(null), events: ['opaque assistant/'], bin: 'Opaque' },
    { line: user('Go'), events: ['injection user Go'] },
    { line: user('Go', 'u1'), events: ['injection synthetic Go'] },
    { line: user([{ type: 'tool_result', tool_use_id: 'c', content: 'x' }]), events: ['tool.result c'] },
    { line: user([{ type: 'image' }]), events: ['opaque user/image'] },
    { line: user(7), events: ['opaque user/'], bin: 'Opaque' },
    { line: record('weather'), events: ['opaque weather/'], bin: 'Opaque' },
    { line: init, events: [], bin: 'Bookkeeping' },
    { line: { ...init, session_id: 'T-2' }, events: ['session.started'] },
  ])('$line becomes $events', ({ line, events, bin }) => {
    const translation = translate(ampStream, [init, line])
    expect(shorts(translation.events.slice(1))).toEqual(events)
    expect(binNames(translation.bins)[1]).toBe(bin ?? 'Translated')
  })

  test.each([
    {
      more: { subtype: 'success', is_error: false, result: 'Hi' },
      reason: 'completed',
      answer: 'Hi',
      warnings: [],
    },
    { more: { subtype: 'success' }, reason: 'completed', answer: undefined, warnings: [] },
    {
      more: { subtype: 'error', is_error: true, error: 'x' },
      reason: 'error',
      answer: undefined,
      warnings: ['error'],
    },
    {
      more: { subtype: 'error_max_turns', is_error: true, error: { message: 'x' }, result: 'Hi' },
      reason: 'budget',
      answer: undefined,
      warnings: ['error_max_turns'],
    },
    { more: {}, reason: 'error', answer: undefined, warnings: [] },
  ])('a result $more ends $reason', ({ more, reason, answer, warnings }) => {
    const { events, ending } = translate(ampStream, [init, record('result', more)])
    expect(ending).toEqual({ reason, terminal: true, promised: true })
    expect(events.filter(({ event }) => event === 'warning').map(({ code }) => code)).toEqual(warnings)
    const finalAnswer = answer === undefined ? null : { text: answer, turnId: null }
    expect(events.at(-1)).toMatchObject({ event: 'session.ended', finalAnswer })
  })

  test('without a result it is cut', () => {
    expect(translate(ampStream, [init]).ending).toEqual({ reason: 'error', terminal: false, promised: true })
  })
})

test.each([
  { value: init, weight: 'proof' },
  { value: record('result'), weight: 'proof' },
  { value: record('weather'), weight: undefined },
  { value: { ...init, session_id: 'x' }, weight: undefined },
  { value: 3, weight: undefined },
])('evidence of $value is $weight', ({ value, weight }) => {
  expect(evidenceOf(ampStream, value)?.weight).toBe(weight)
})

test('the run is the thread', () => {
  expect(runIdOf(ampStream, init)).toBe('T-1')
  expect(runIdOf(ampStream, { ...init, session_id: 'x' })).toBe(null)
})
