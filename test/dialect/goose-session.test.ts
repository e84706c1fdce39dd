import { describe, expect, test } from 'vitest'
import { gooseSession } from '../../src/dialect/goose-session.ts'
import { evidenceOf } from './detecting.ts'
import { translate } from './recording-sink.ts'
import { shorts } from './short.ts'

const metadata = { working_dir: '/x', description: 'd', message_count: 2, accumulated_input_tokens: 30 }

function message(role: string, content: unknown): object {
  return { role, created: 1_752_192_000, content }
}

describe('metadata', () => {
  test.each([
    { more: { accumulated_output_tokens: 4, input_tokens: 9, output_tokens: 1 }, input: 30, output: 4 },
    { more: { accumulated_input_tokens: null, input_tokens: 9, output_tokens: 1 }, input: 9, output: 1 },
    { more: { accumulated_output_tokens: 'x' }, input: 30, output: null },
  ])('$more has the usage of the session', ({ more, input, output }) => {
    const { entries } = translate(gooseSession, [{ ...metadata, ...more }], { run: '20250711_1' })
    expect(entries).toMatchObject([{ key: 'goose:20250711_1', session: '20250711_1', at: null }])
    expect(entries[0]?.tokens).toMatchObject({ input, output, cacheRead: null, cacheWrite: null })
  })

  test('without figures bills nothing', () => {
    const { entries, events } = translate(gooseSession, [{ ...metadata, accumulated_input_tokens: null }])
    expect(entries).toEqual([])
    expect(events).toMatchObject([{ event: 'session.started', cwd: '/x', sessionId: 'run' }])
  })

  test('that comes again is of another session', () => {
    const { entries, notices } = translate(gooseSession, [metadata, metadata])
    expect(entries.map(({ key }) => key)).toEqual(['goose:run', null])
    expect(notices.map(({ code }) => code)).toEqual(['second-session'])
  })
})

test.each([
  { line: message('user', [{ type: 'text', text: 'Go' }]), events: ['injection user Go'] },
  { line: message('assistant', [{ type: 'text', text: 'Yes' }]), events: ['text Yes'] },
  { line: message('assistant', [{ type: 'thinking', thinking: 'Hm' }]), events: ['thinking Hm'] },
  {
    line: message('assistant', [
      { type: 'toolRequest', id: 'c', toolCall: { value: { name: 'developer__shell' } } },
    ]),
    events: ['tool.requested developer__shell c'],
  },
  { line: message('user', [{ type: 'toolResponse', id: 'c', toolResult: {} }]), events: ['tool.result c'] },
  { line: message('user', [{ type: 'thinking', thinking: 'x' }]), events: ['opaque user/thinking'] },
  { line: message('user', []), events: [] },
  { line: message('user', 'x'), events: ['opaque user/'] },
  { line: message('herald', []), events: ['opaque herald/'] },
  { line: [1], events: ['opaque /'] },
])('$line becomes $events', ({ line, events }) => {
  const translation = translate(gooseSession, [{ ...metadata, accumulated_input_tokens: null }, line])
  expect(shorts(translation.events.slice(1))).toEqual(events)
  expect(translation.ending).toEqual({ reason: 'error', terminal: false, promised: false })
})

test.each([
  { value: metadata, weight: 'proof' },
  { value: { working_dir: '/x' }, weight: undefined },
  { value: message('user', []), weight: 'weak' },
  { value: { ...message('user', []), created: 'x' }, weight: undefined },
  { value: { ...message('user', []), type: 'message' }, weight: undefined },
])('evidence of $value is $weight', ({ value, weight }) => {
  expect(evidenceOf(gooseSession, value)?.weight).toBe(weight)
})
