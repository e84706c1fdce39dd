import { describe, expect, test } from 'vitest'
import { b10xSession } from '../../src/dialect/b10x-session.ts'
import { evidenceOf, runIdOf } from './detecting.ts'
import { translate } from './recording-sink.ts'
import { shorts } from './short.ts'

const header = {
  version: 1,
  id: 'i-1',
  wire: 'openai-responses',
  model: 'm',
  base_url: 'https://api.example.com',
  workspace: '/home/dev/kiln',
  created_unix: 1_777_971_600,
  updated_unix: 1_777_975_200,
  turns: 2,
}

function session(items: unknown, more: object = {}): object {
  return { ...header, items, usage: [], cost_micro_usd: null, ...more }
}

test('its header opens the session and its end has what all runs came to', () => {
  const { events, totals, ending } = translate(b10xSession, [
    session([], { cost_micro_usd: 3125, structured: { b: 1.5, a: 'x  y' } }),
  ])
  expect(events[0]).toMatchObject({
    event: 'session.started',
    at: '2026-05-05T09:00:00.000Z',
    adapter: 'b10x',
    adapterClass: 'direct_provider',
    model: 'm',
    cwd: '/home/dev/kiln',
  })
  expect(events[1]).toMatchObject({
    event: 'session.ended',
    at: '2026-05-05T10:00:00.000Z',
    numTurns: 2,
    totalCostUsd: '0.003125',
    finalAnswer: { text: '{"b":1.5,"a":"x  y"}', turnId: null },
  })
  expect(totals).toMatchObject([{ process: 'i-1', models: null, reportedPicoUsd: 3_125_000_000n }])
  expect(ending).toEqual({ reason: 'error', terminal: false, promised: false })
})

describe('usage', () => {
  test('stays whole on the wire and lies outside the cache in the bill', () => {
    const usage = [
      {
        model: 'm',
        input_tokens: 1700,
        output_tokens: 40,
        cached_input_tokens: 900,
        cache_creation_input_tokens: 100,
      },
      { model: 'n', input_tokens: '10', output_tokens: null, cached_input_tokens: 40 },
      null,
    ]
    const { events, entries, notices } = translate(b10xSession, [session([], { usage })])
    expect(events[1]).toMatchObject({
      event: 'usage',
      usage: { inputTokens: 1700, cacheReadInputTokens: 900 },
    })
    expect(entries.map(({ key, model }) => [key, model])).toEqual([
      ['b10x-session:i-1:0', 'm'],
      ['b10x-session:i-1:1', 'n'],
    ])
    expect(entries.map(({ tokens }) => tokens)).toMatchObject([
      { input: 700, cacheRead: 900, cacheWrite: 100, output: 40 },
      { input: 0, cacheRead: 40, cacheWrite: null, output: null },
    ])
    expect(notices.map(({ code }) => code)).toEqual(['numeric-string', 'cache-exceeds-input'])
  })
})

describe('items', () => {
  test.each([
    { item: { kind: 'user-text', text: 'Go' }, events: ['injection user Go'] },
    { item: { kind: 'assistant-text', text: 'Yes' }, events: ['text Yes'] },
    {
      item: { kind: 'tool-call', call_id: 'c', name: 'run', arguments: {} },
      events: ['tool.requested run c'],
    },
    { item: { kind: 'tool-result', call_id: 'c', output: 'x', failed: true }, events: ['tool.result c'] },
    { item: { kind: 'opaque', wire: 'w', payload: {} }, events: ['opaque opaque/w'] },
    { item: { kind: 'user-text' }, events: ['opaque user-text/'] },
    { item: { kind: 'tool-call', call_id: 4, name: 'run' }, events: ['opaque tool-call/'] },
    { item: { kind: 'tool-result' }, events: ['opaque tool-result/'] },
    { item: 'loose', events: ['opaque /'] },
  ])('$item', ({ item, events }) => {
    const { events: written } = translate(b10xSession, [session([item])])
    expect(shorts(written.slice(1, -1))).toEqual(events)
  })

  test('a call through a verb is what it invokes', () => {
    const call = {
      kind: 'tool-call',
      call_id: 'c',
      name: 'tool_invoke',
      arguments: { name: 'file_read', arguments: { path: 'a' } },
    }
    const { events } = translate(b10xSession, [session([call])])
    expect(events[1]).toMatchObject({ name: 'tool_invoke', operations: ['file.read'], subjects: ['file:a'] })
  })
})

test.each([
  { value: session([]), weight: 'proof' },
  { value: { ...header, items: null }, weight: undefined },
  { value: { ...session([]), wire: undefined }, weight: undefined },
  { value: { kind: 'started' }, weight: undefined },
])('evidence of $value is $weight', ({ value, weight }) => {
  expect(evidenceOf(b10xSession, value)?.weight).toBe(weight)
  expect(runIdOf(b10xSession, value)).toBe(weight === undefined ? null : 'i-1')
})
