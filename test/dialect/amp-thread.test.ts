import { describe, expect, test } from 'vitest'
import { ampThread } from '../../src/dialect/amp-thread.ts'
import { Scanner } from '../../src/kernel/scanner.ts'
import { evidenceOf, runIdOf } from './detecting.ts'
import { translate } from './recording-sink.ts'
import { shorts } from './short.ts'

function thread(messages: unknown, more: object = {}): object {
  return { v: 1, id: 'T-1', created: 1_777_971_600_000, messages, ...more }
}
function result(run: unknown, toolUseID: unknown = 'c'): object {
  return { role: 'user', content: [{ type: 'tool_result', toolUseID, run }] }
}
function answer(messageId: unknown, usage?: unknown, content: unknown = []): object {
  return { role: 'assistant', messageId, content, usage }
}
function ledger(...events: object[]): object {
  return { usageLedger: { events } }
}
function called(id: string, toMessageId: unknown, input: unknown, output: unknown): object {
  return {
    id,
    timestamp: '2026-05-05T09:00:03.000Z',
    model: 'm',
    credits: 9,
    tokens: { input, output },
    toMessageId,
  }
}

const usage = {
  model: 'u',
  inputTokens: 12,
  outputTokens: 80,
  cacheCreationInputTokens: 4000,
  cacheReadInputTokens: 900,
}

describe('usage', () => {
  test.each([
    {
      what: 'the ledger lists the calls, the message has the classes',
      document: thread([answer(1, usage)], ledger(called('l1', 1, 4912, 80))),
      keys: ['amp:l1'],
      tokens: [{ input: 12, cacheRead: 900, cacheWrite: 4000, output: 80 }],
    },
    {
      what: 'a call that no message answers',
      document: thread([answer(1)], ledger(called('l1', 7, 700, 20), called('l2', undefined, 1, 2))),
      keys: ['amp:l1', 'amp:l2'],
      tokens: [
        { input: 700, cacheRead: null, cacheWrite: null, output: 20 },
        { input: 1, cacheRead: null, cacheWrite: null, output: 2 },
      ],
    },
    {
      what: 'several calls behind one message: only the last is what it tells',
      document: thread([answer(1, usage)], ledger(called('l1', 1, 500, 5), called('l2', 1, 4912, 80))),
      keys: ['amp:l1', 'amp:l2'],
      tokens: [
        { input: 500, cacheRead: null, output: 5 },
        { input: 12, cacheRead: 900, output: 80 },
      ],
    },
    {
      what: 'a message without a call is no request, when there is a ledger',
      document: thread([answer(1, usage), answer(2, usage)], ledger(called('l1', 1, 4912, 80))),
      keys: ['amp:l1'],
      tokens: [{ input: 12 }],
    },
    {
      what: 'without a ledger each message is one',
      document: thread([answer(1, usage), answer('m2', { inputTokens: '7', outputTokens: {} })]),
      keys: ['amp:T-1:1', 'amp:T-1:m2'],
      tokens: [{ input: 12 }, { input: 7, cacheRead: null, output: null }],
    },
    {
      what: 'an empty ledger is none',
      document: thread([answer(1, usage)], ledger()),
      keys: ['amp:T-1:1'],
      tokens: [{}],
    },
  ])('$what', ({ document, keys, tokens }) => {
    const { entries, events } = translate(ampThread, [document])
    expect(entries.map(({ key }) => key)).toEqual(keys)
    expect(entries.map((entry) => entry.tokens)).toMatchObject(tokens)
    expect(
      entries.every(({ reportedPicoUsd, session }) => reportedPicoUsd === null && session === 'T-1'),
    ).toBe(true)
    expect(events.filter(({ event }) => event === 'usage')).toHaveLength(keys.length)
  })
})

describe('messages', () => {
  test.each([
    { message: { role: 'user', content: 'Go' }, events: ['injection user Go'] },
    { message: { role: 'user', content: [{ type: 'text', text: 'Go' }] }, events: ['injection user Go'] },
    { message: answer(1, undefined, 'Yes'), events: ['text Yes'] },
    {
      message: answer(1, undefined, [{ type: 'tool_use', id: 'c', name: 'Bash' }]),
      events: ['tool.requested Bash c'],
    },
    { message: answer(1, undefined, [{ type: 'hologram' }]), events: ['opaque assistant/hologram'] },
    { message: { ...answer(1), state: { type: 'cancelled' } }, events: ['warning cancelled'] },
    { message: result({ status: 'done', result: 'x' }), events: ['tool.result c'] },
    { message: result({ status: 'rejected-by-user' }), events: ['tool.result c', 'warning approval-denied'] },
    { message: result(null), events: ['opaque user/tool_result'] },
    { message: result({ status: 'done' }, 7), events: ['opaque user/tool_result'] },
    { message: { role: 'info', content: [] }, events: ['opaque info/'] },
    { message: null, events: ['opaque message/'] },
  ])('$message', ({ message, events }) => {
    expect(shorts(translate(ampThread, [thread([message])]).events.slice(1))).toEqual(events)
  })

  test.each([
    { status: 'done', isError: false },
    { status: 'error', isError: true },
    { status: 'cancelled', isError: true },
    { status: 'in-progress', isError: null },
  ])('a run that is $status failed: $isError', ({ status, isError }) => {
    const { events } = translate(ampThread, [thread([result({ status, error: { message: 'x' } })])])
    expect(events[1]).toMatchObject({ callId: 'c', isError, content: 'x' })
  })
})

test('the messages of a document are records', () => {
  const scanner = new Scanner()
  scanner.scanBytes(Buffer.from(JSON.stringify(thread([1, 2, 3]))))
  const record = scanner.select(0, 1)
  expect(record.size(ampThread.items?.(record, record.root) ?? record.root)).toBe(3)
})

test.each([
  { value: thread([]), weight: 'proof' },
  { value: { id: 'T-1', messages: [], usageLedger: {} }, weight: 'proof' },
  { value: { id: 'T-1', messages: [] }, weight: 'weak' },
  { value: thread('x'), weight: undefined },
  { value: thread([], { id: 'x' }), weight: undefined },
])('evidence of $value is $weight', ({ value, weight }) => {
  expect(evidenceOf(ampThread, value)?.weight).toBe(weight)
  expect(runIdOf(ampThread, value)).toBe(weight === undefined ? null : 'T-1')
})
