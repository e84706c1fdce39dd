import { describe, expect, test } from 'vitest'
import { gooseStream } from '../../src/dialect/goose-stream.ts'
import { evidenceOf } from './detecting.ts'
import { binNames, translate } from './recording-sink.ts'
import { shorts } from './short.ts'

function message(role: string, id: unknown, ...content: unknown[]): object {
  return { type: 'message', id, message: { role, content } }
}
function text(words: string): object {
  return { type: 'text', text: words }
}
function thought(words: string): object {
  return { type: 'thinking', thinking: words }
}
function agent(id: unknown, ...content: unknown[]): object {
  return message('assistant', id, ...content)
}
function call(name: string, args: object): object {
  return { type: 'toolRequest', id: 'c', toolCall: { status: 'success', value: { name, arguments: args } } }
}
function complete(input: unknown, output: unknown): object {
  return { type: 'complete', total_tokens: 1, input_tokens: input, output_tokens: output }
}

describe('fragments', () => {
  test.each([
    { what: 'that go on', lines: [agent('m', text('A ')), agent('m', text('b'))], events: ['text A b'] },
    {
      what: 'that say it all again',
      lines: [agent('m', text('A')), agent('m', text('A b'))],
      events: ['text A b'],
    },
    {
      what: 'of another message',
      lines: [agent('m', text('A')), agent('n', text('b'))],
      events: ['text A', 'text b'],
    },
    {
      what: 'of another kind',
      lines: [agent('m', thought('A'), text('b')), agent('m', text('c'))],
      events: ['thinking A', 'text bc'],
    },
    {
      what: 'around a notification',
      lines: [agent('m', text('A')), { type: 'notification' }, agent('m', text('b'))],
      events: ['text Ab'],
    },
    {
      what: 'around sealed thinking',
      lines: [agent('m', text('A'), { type: 'redactedThinking' }), agent('m', text('b'))],
      events: ['text Ab'],
    },
    {
      what: 'around an error',
      lines: [agent('m', text('A')), { type: 'error', error: 'x' }, agent('m', text('b'))],
      events: ['text A', 'warning error', 'text b'],
    },
    {
      what: 'around a block that is not known',
      lines: [agent('m', text('A'), { type: 'hologram' }, text('b'))],
      events: ['text A', 'opaque assistant/hologram', 'text b'],
    },
    { what: 'cut off', lines: [agent(7, text('A'))], events: ['text A'] },
    { what: 'that are empty', lines: [agent('m', text(''))], events: [] },
  ])('$what', ({ lines, events }) => {
    expect(shorts(translate(gooseStream, lines).events.slice(1))).toEqual(events)
  })

  test('are folded into what they make up', () => {
    const { events, bins } = translate(gooseStream, [
      message('user', 'u', text('Go')),
      agent('m', text('A')),
      agent('m', text('b')),
    ])
    expect(binNames(bins)).toEqual(['Translated', 'Folded', 'Folded'])
    expect(events.at(-1)).toMatchObject({ text: 'Ab', requestId: 'm', line: 2, foldedLines: [2, 3] })
  })
})

describe('calls', () => {
  test.each([
    { name: 'developer__shell', args: { command: 'x' }, operations: ['shell'] },
    { name: 'developer__text_editor', args: { command: 'view' }, operations: ['file.read'] },
    { name: 'developer__text_editor', args: { command: 'str_replace' }, operations: ['file.edit'] },
    { name: 'developer__text_editor', args: { command: 'dance' }, operations: [] },
    { name: 'todo__write', args: {}, operations: ['task.todo'] },
    { name: 'Tree', args: {}, operations: ['dir.list'] },
    { name: 'fetcher__get', args: {}, operations: [] },
  ])('$name $args does $operations', ({ name, args, operations }) => {
    const { events } = translate(gooseStream, [agent('m', call(name, args))])
    expect(events[1]).toMatchObject({ event: 'tool.requested', callId: 'c', name, input: args, operations })
  })

  test.each([
    {
      toolResult: { status: 'success', value: { content: 'x', isError: false } },
      isError: false,
      content: 'x',
    },
    {
      toolResult: { status: 'success', value: { content: 'x', isError: true } },
      isError: true,
      content: 'x',
    },
    { toolResult: { status: 'success', value: ['x'] }, isError: false, content: ['x'] },
    { toolResult: { status: 'error', error: 'gone' }, isError: true, content: 'gone' },
    { toolResult: 'x', isError: null, content: null },
  ])('$toolResult', ({ toolResult, isError, content }) => {
    const { events } = translate(gooseStream, [
      message('user', 'u', { type: 'toolResponse', id: 'c', toolResult }),
    ])
    expect(events[1]).toMatchObject({ event: 'tool.result', callId: 'c', isError, content })
  })

  test.each([
    {
      block: { type: 'toolRequest', toolCall: { status: 'error', error: 'x' } },
      events: ['warning toolRequest'],
    },
    { block: { type: 'toolRequest', toolCall: null }, events: ['opaque assistant/toolRequest'] },
    { block: { type: 'toolResponse', toolResult: {} }, events: ['opaque assistant/toolResponse'] },
    { block: { type: 'systemNotification', notificationType: 'n', msg: 'x' }, events: ['warning n'] },
    { block: 7, events: ['opaque assistant/'] },
  ])('$block', ({ block, events }) => {
    expect(shorts(translate(gooseStream, [agent('m', block)]).events.slice(1))).toEqual(events)
  })
})

describe('complete', () => {
  test('counts what was used since the last one', () => {
    const lines = [complete(1000, 100), complete(1130, 120), complete(1130, 120), complete(50, 5)]
    const { entries, ending } = translate(gooseStream, lines)
    expect(entries.map(({ tokens }) => [tokens.input, tokens.output, tokens.cacheRead])).toEqual([
      [1000, 100, null],
      [130, 20, null],
      [0, 0, null],
      [50, 5, null],
    ])
    expect(ending).toEqual({ reason: 'completed', terminal: true, promised: true })
  })

  test.each([
    { line: complete(undefined, null), entries: 0, notices: 0 },
    { line: complete('12', -1), entries: 1, notices: 2 },
  ])('$line', ({ line, entries, notices }) => {
    const translation = translate(gooseStream, [line])
    expect(translation.entries).toHaveLength(entries)
    expect(translation.notices).toHaveLength(notices)
  })
})

test.each([
  { value: message('user', 'u', text('x')), weight: 'weak' },
  { value: agent('m', { type: 'toolRequest' }), weight: 'proof' },
  { value: { type: 'message', message: { role: 'user', content: 'x' } }, weight: undefined },
  { value: complete(1, 1), weight: 'proof' },
  { value: { type: 'complete' }, weight: undefined },
  { value: { type: 'notification', extension_id: 'd' }, weight: 'weak' },
])('evidence of $value is $weight', ({ value, weight }) => {
  expect(evidenceOf(gooseStream, value)?.weight).toBe(weight)
})
