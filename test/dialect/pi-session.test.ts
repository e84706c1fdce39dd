import { describe, expect, test } from 'vitest'
import { piSession } from '../../src/dialect/pi-session.ts'
import { evidenceOf, runIdOf } from './detecting.ts'
import { binNames, translate } from './recording-sink.ts'
import { shorts } from './short.ts'

const at = '2026-05-04T09:00:01.000Z'
const opening = { type: 'session', version: 3, id: 's-1', timestamp: at, cwd: '/home/dev/lamp' }

function entry(message: object, more: object = {}): object {
  return { type: 'message', id: 'e1', parentId: null, timestamp: at, message, ...more }
}

function usage(
  input: unknown,
  output: unknown,
  cacheRead: unknown,
  cacheWrite: unknown,
  total?: unknown,
): object {
  const cost = total === undefined ? {} : { cost: { input: 0, total } }
  return { input, output, cacheRead, cacheWrite, totalTokens: 0, ...cost }
}

describe('usage', () => {
  test.each([
    {
      what: 'disjoint classes and USD exactly',
      usage: usage(3, 191, 7, 1684, 0.009189),
      tokens: { input: 3, cacheRead: 7, cacheWrite5m: 0, cacheWrite1h: 0, cacheWrite: 1684, output: 191 },
      pico: 9_189_000_000n,
    },
    {
      what: 'exponents and more digits than a double needs',
      usage: '{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"cost":{"total":2.1000000000000002e-05}}',
      tokens: { input: 1, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheWrite: 0, output: 2 },
      pico: 21_000_000n,
    },
    {
      what: 'odd numbers cost only themselves',
      usage: usage('12', -1, null, 2.5, 'free'),
      tokens: {
        input: 12,
        cacheRead: null,
        cacheWrite5m: null,
        cacheWrite1h: null,
        cacheWrite: null,
        output: null,
      },
      pico: null,
    },
  ])('$what', ({ usage: figures, tokens, pico }) => {
    const line = JSON.stringify(entry({ role: 'assistant', content: [], model: 'm', usage: '@' })).replace(
      '"@"',
      typeof figures === 'string' ? figures : JSON.stringify(figures),
    )
    const { entries } = translate(piSession, [opening, line])
    expect(entries).toMatchObject([
      { key: `pi:e1:${at}`, session: 's-1', model: 'm', at, final: true, reportedPicoUsd: pico },
    ])
    expect(entries[0]?.tokens).toEqual({ ...tokens, reasoning: null })
  })

  test.each([
    { id: 'e1', timestamp: at, key: `pi:e1:${at}` },
    { id: undefined, timestamp: at, key: null },
    { id: 'e1', timestamp: undefined, key: null },
    { id: 7, timestamp: at, key: null },
  ])('is known by id $id and time $timestamp', ({ id, timestamp, key }) => {
    const line = entry({ role: 'assistant', content: 'x', usage: usage(1, 1, 0, 0) }, { id, timestamp })
    expect(translate(piSession, [line]).entries.map((entered) => entered.key)).toEqual([key])
  })

  test.each([
    { stopReason: 'stop', final: true, warnings: [] },
    { stopReason: 'toolUse', final: true, warnings: [] },
    { stopReason: undefined, final: true, warnings: [] },
    { stopReason: 'length', final: true, warnings: ['length'] },
    { stopReason: 'aborted', final: false, warnings: ['aborted'] },
    { stopReason: 'error', final: false, warnings: ['error'] },
  ])('of a request that ended $stopReason is final: $final', ({ stopReason, final, warnings }) => {
    const message = { role: 'assistant', content: [], usage: usage(1, 1, 0, 0), stopReason }
    const { entries, events } = translate(piSession, [opening, entry(message)])
    expect(entries.map((entered) => entered.final)).toEqual([final])
    expect(events.filter(({ event }) => event === 'warning').map(({ code }) => code)).toEqual(warnings)
  })
})

describe('entries', () => {
  test.each([
    { line: entry({ role: 'user', content: 'Hi' }), events: ['injection user Hi'] },
    {
      line: entry({
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'image', data: '' },
        ],
      }),
      events: ['injection user a', 'opaque user/image'],
    },
    {
      line: entry({
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm' },
          { type: 'text', text: 'Ho' },
        ],
      }),
      events: ['thinking Hm', 'text Ho'],
    },
    {
      line: entry({ role: 'assistant', content: [{ type: 'text', text: '' }] }),
      events: [],
      bin: 'Bookkeeping',
    },
    {
      line: entry({ role: 'bashExecution', command: 'ls', output: 'a' }),
      events: ['injection user ls', 'injection synthetic a'],
    },
    { line: entry({ role: 'custom', content: 'c' }), events: ['injection synthetic c'] },
    { line: entry({ role: 'branchSummary', summary: 's' }), events: ['injection synthetic s'] },
    { line: entry({ role: 'herald', content: 'x' }), events: ['opaque message/herald'], bin: 'Opaque' },
    { line: entry({ role: 'user', content: null }), events: ['opaque message/user'], bin: 'Opaque' },
    { line: entry({ role: 'assistant' }), events: ['opaque message/assistant'], bin: 'Opaque' },
    {
      line: entry({ role: 'toolResult', content: 'x' }),
      events: ['opaque message/toolResult'],
      bin: 'Opaque',
    },
    { line: { type: 'message', message: 'x' }, events: ['opaque message/'], bin: 'Opaque' },
    {
      line: { type: 'compaction', summary: 's', tokensBefore: 9 },
      events: ['warning compaction', 'injection synthetic s'],
    },
    { line: { type: 'branch_summary', summary: 's' }, events: ['injection synthetic s'] },
    {
      line: { type: 'custom_message', content: [{ type: 'text', text: 't' }] },
      events: ['injection synthetic t'],
    },
    { line: { type: 'custom', data: {} }, events: [], bin: 'Bookkeeping' },
    { line: { type: 'model_change', modelId: 'm' }, events: [], bin: 'Bookkeeping' },
    { line: { type: 'tides' }, events: ['opaque tides/'], bin: 'Opaque' },
    { line: [1], events: ['opaque /'], bin: 'Opaque' },
  ])('$line becomes $events', ({ line, events, bin }) => {
    const translation = translate(piSession, [opening, line])
    const [, ...rest] = translation.events
    expect(shorts(rest)).toEqual(events)
    expect(binNames(translation.bins)).toEqual(['Translated', bin ?? 'Translated'])
  })

  test('a call and its result', () => {
    const { events } = translate(piSession, [
      opening,
      entry({
        role: 'assistant',
        content: [
          { type: 'toolCall', id: 'c', name: 'Read', arguments: { path: 'a' } },
          { type: 'toolCall', name: 'grep' },
        ],
      }),
      entry({ role: 'toolResult', toolCallId: 'c', content: 'ä', isError: true, details: { n: 1 } }),
    ])
    expect(events.slice(1)).toMatchObject([
      { event: 'tool.requested', callId: 'c', name: 'Read', operations: ['file.read'], subjects: ['file:a'] },
      { event: 'tool.requested', callId: '', name: 'grep', input: null, operations: ['search'] },
      { event: 'tool.result', callId: 'c', isError: true, content: 'ä', bytes: 2, toolUseResult: { n: 1 } },
    ])
  })
})

describe('sessions', () => {
  test.each([
    { lines: [opening], sessions: ['s-1'], notices: [] },
    { lines: [opening, opening], sessions: ['s-1'], notices: [] },
    { lines: [opening, { ...opening, id: 's-2' }], sessions: ['s-1', 's-2'], notices: ['second-session'] },
    { lines: [entry({ role: 'user', content: 'x' })], sessions: [null], notices: [] },
  ])('that are told: $sessions', ({ lines, sessions, notices }) => {
    const translation = translate(piSession, lines)
    const started = translation.events.filter(({ event }) => event === 'session.started')
    expect(started.map(({ sessionId }) => sessionId)).toEqual(sessions)
    expect(translation.notices.map(({ code }) => code)).toEqual(notices)
    expect(translation.ending).toEqual({ reason: 'error', terminal: false, promised: false })
  })
})

describe('evidence', () => {
  test.each([
    { value: opening, weight: 'weak' },
    { value: { type: 'session', id: 's' }, weight: undefined },
    { value: entry({ role: 'user', content: '', timestamp: 1 }), weight: 'proof' },
    { value: entry({ role: 'user', content: '' }), weight: undefined },
    { value: { type: 'message', message: { role: 'user', timestamp: 1 } }, weight: undefined },
    { value: { type: 'model_change', provider: 'p', modelId: 'm' }, weight: 'proof' },
    { value: { type: 'compaction', firstKeptEntryId: 'e' }, weight: 'proof' },
    { value: { type: 'compaction' }, weight: undefined },
    { value: 'session', weight: undefined },
  ])('of $value is $weight', ({ value, weight }) => {
    expect(evidenceOf(piSession, value)?.weight).toBe(weight)
  })

  test('the run is the session', () => {
    expect(runIdOf(piSession, opening)).toBe('s-1')
    expect(runIdOf(piSession, entry({ role: 'user' }))).toBe(null)
  })
})
