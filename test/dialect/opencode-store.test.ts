import { describe, expect, test } from 'vitest'
import { opencodeStore } from '../../src/dialect/opencode-store.ts'
import { evidenceOf, runIdOf } from './detecting.ts'
import { binNames, translate } from './recording-sink.ts'

const session = {
  id: 's1',
  projectID: 'p',
  directory: '/home/dev',
  version: '1.0',
  time: { created: 1_793_800_000_000 },
}
const message = (id: string, role: string, more: object = {}): object => ({
  id,
  sessionID: 's1',
  role,
  time: { created: 1_793_800_001_000 },
  ...more,
})
const part = (type: string, more: object = {}, messageID = 'm1'): object => ({
  id: 'p1',
  sessionID: 's1',
  messageID,
  type,
  ...more,
})
const tokens = (input: number, output: number): object => ({
  input,
  output,
  reasoning: 0,
  cache: { read: 0, write: 0 },
})
const spent = (input: number, more: object = {}): object => ({
  modelID: 'x',
  cost: 0.5,
  tokens: tokens(input, 1),
  finish: 'stop',
  ...more,
})

test('parts are the events, with the ids and times of their messages', () => {
  const { events, bins, ending } = translate(opencodeStore, [
    session,
    message('m1', 'user'),
    part('text', { text: 'brew' }),
    message('m2', 'assistant', spent(60)),
    part('step-start', {}, 'm2'),
    part('reasoning', { text: 'water', time: { start: 1_793_800_002_000 } }, 'm2'),
    part(
      'tool',
      {
        tool: 'bash',
        callID: 'c',
        state: { status: 'completed', input: {}, output: 'hot', metadata: { exit: 1 } },
      },
      'm2',
    ),
    part('text', { text: 'done' }, 'm2'),
    part('step-finish', { reason: 'stop', cost: 0.5, tokens: tokens(60, 1) }, 'm2'),
  ])
  expect(events).toMatchObject([
    {
      event: 'session.started',
      adapter: 'opencode',
      sessionId: 's1',
      cwd: '/home/dev',
      harnessVersion: '1.0',
    },
    { event: 'injection', text: 'brew', origin: 'user', at: '2026-11-04T13:46:41.000Z' },
    { event: 'turn.started', turn: 1 },
    { event: 'thinking', text: 'water', requestId: 'm2', at: '2026-11-04T13:46:42.000Z' },
    { event: 'tool.requested', callId: 'c' },
    { event: 'tool.result', exitCode: 1, isError: true },
    { event: 'text', text: 'done', requestId: 'm2' },
    { event: 'turn.ended', stopReason: 'stop' },
    { event: 'usage', requestId: 'm2', model: 'x', line: 4, usage: { inputTokens: 60, costUsd: '0.5' } },
  ])
  expect(binNames(bins).slice(1, 4)).toEqual(['Folded', 'Translated', 'Translated'])
  expect(ending).toEqual({ reason: 'error', terminal: false, promised: false })
})

describe('usage', () => {
  const step = (input: number): object => part('step-finish', { tokens: tokens(input, 1), cost: 0.25 }, 'm2')
  test.each([
    {
      name: 'is the message’s, once',
      lines: [message('m2', 'assistant', spent(9)), step(9)],
      want: [['opencode:m2', 9, true]],
    },
    {
      name: 'is that of its only step, when it has none',
      lines: [message('m2', 'assistant'), step(9)],
      want: [['opencode:m2', 9, false]],
    },
    {
      name: 'is that of its steps, when there are several',
      lines: [message('m2', 'assistant', spent(5)), step(4), step(5)],
      want: [
        ['opencode:m2', 4, true],
        ['opencode:m2:2', 5, true],
      ],
    },
    {
      name: 'is that of all its steps, however many there are',
      lines: [message('m2', 'assistant', spent(5)), ...Array.from({ length: 202 }, (_, i) => step(i))],
      want: Array.from({ length: 202 }, (_, i) => [
        i === 0 ? 'opencode:m2' : `opencode:m2:${i + 1}`,
        i,
        true,
      ]),
    },
    {
      name: 'of a message that never ended is not final',
      lines: [message('m2', 'assistant', { tokens: tokens(9, 1) })],
      want: [['opencode:m2', 9, false]],
    },
    {
      name: 'is unknown while all counts are zero',
      lines: [message('m2', 'assistant', { cost: 0, tokens: tokens(0, -0) })],
      want: [['opencode:m2', null, false]],
    },
    {
      name: 'is zero when a message ended with it',
      lines: [message('m2', 'assistant', { tokens: { input: 0, output: 0 }, finish: 'stop' })],
      want: [['opencode:m2', 0, true]],
    },
    {
      name: 'needs no id',
      lines: [{ sessionID: 's1', role: 'assistant', ...spent(7) }],
      want: [[null, 7, true]],
    },
    { name: 'that cannot be read is none', lines: [message('m2', 'assistant', { tokens: 'few' })], want: [] },
    { name: 'of a user is none', lines: [message('m2', 'user')], want: [] },
  ])('$name', ({ lines, want }) => {
    const { entries } = translate(opencodeStore, [session, ...lines])
    expect(entries.map(({ key, tokens: t, final }) => [key, t.input, final])).toEqual(want)
  })

  test('of a subagent is beside the main conversation', () => {
    const { entries, events } = translate(opencodeStore, [
      { ...session, parentID: 's0' },
      message('m2', 'assistant', spent(1)),
    ])
    expect(entries).toMatchObject([{ sidechain: true }])
    expect(events).toMatchObject([{ subagent: true }, {}])
  })
})

describe('whose words', () => {
  test.each([
    { role: 'user', more: {}, want: { event: 'injection', origin: 'user' } },
    { role: 'user', more: { synthetic: true }, want: { event: 'injection', origin: 'synthetic' } },
    { role: 'assistant', more: {}, want: { event: 'text' } },
    { role: 'assistant', more: { synthetic: true }, want: { event: 'injection', origin: 'synthetic' } },
  ])('$role $more', ({ role, more, want }) => {
    const { events } = translate(opencodeStore, [
      session,
      message('m1', role),
      part('text', { text: 'x', ...more }),
    ])
    expect(events[1]).toMatchObject({ text: 'x', ...want })
  })

  test('without their message nobody knows', () => {
    const { bins } = translate(opencodeStore, [
      session,
      message('m1', 'user'),
      part('text', { text: 'x' }, 'm9'),
    ])
    expect(binNames(bins)).toEqual(['Translated', 'Folded', 'Opaque'])
  })
})

test.each([
  { part: part('compaction', { auto: true, overflow: true }), want: { code: 'compaction' } },
  {
    part: part('retry', { error: { name: 'APIError', data: { message: 'busy' } } }),
    want: { code: 'APIError', message: 'busy' },
  },
  {
    part: part('subtask', { prompt: 'look', agent: 'a' }),
    want: { event: 'injection', text: 'look', origin: 'synthetic' },
  },
])('a part of type $part.type says $want', ({ part: one, want }) => {
  expect(translate(opencodeStore, [session, message('m1', 'user'), one]).events[1]).toMatchObject(want)
})

test.each([
  { part: part('file', { url: 'x' }), bin: 'Bookkeeping' },
  { part: part('patch'), bin: 'Bookkeeping' },
  { part: part('snapshot'), bin: 'Bookkeeping' },
  { part: part('agent'), bin: 'Bookkeeping' },
  { part: part('reasoning'), bin: 'Bookkeeping' },
  { part: part('step-finish'), bin: 'Bookkeeping' },
  { part: part('step-finish', { tokens: { input: 1 } }), bin: 'Folded' },
  { part: part('tool', { tool: 5 }), bin: 'Opaque' },
  { part: part('text', { text: {} }), bin: 'Opaque' },
  { part: part('retry'), bin: 'Opaque' },
  { part: part('subtask', { prompt: null }), bin: 'Opaque' },
  { part: part('hologram'), bin: 'Opaque' },
  { part: { odd: 1 }, bin: 'Opaque' },
  { part: [1], bin: 'Opaque' },
])('$part is $bin', ({ part: one, bin }) => {
  expect(binNames(translate(opencodeStore, [session, message('m1', 'assistant'), one]).bins)[2]).toBe(bin)
})

test('an error of a message is a warning', () => {
  const error = { name: 'MessageAbortedError', data: { message: 'stopped' } }
  const { events } = translate(opencodeStore, [session, message('m1', 'assistant', { error })])
  expect(events[1]).toMatchObject({ code: 'MessageAbortedError', message: 'stopped', severity: 'warning' })
})

test('an export on one line is read in one step', () => {
  const messages = [
    { info: message('m1', 'user'), parts: [part('text', { text: 'how' }), part('hologram')] },
    { info: message('m2', 'assistant', spent(5)), parts: [part('text', { text: 'so' }, 'm2')] },
    { odd: 1 },
  ]
  const { events, entries, bins } = translate(opencodeStore, [{ info: session, messages }])
  expect(events.map(({ event }) => event)).toEqual([
    'session.started',
    'injection',
    'opaque',
    'text',
    'opaque',
    'usage',
  ])
  expect(entries).toHaveLength(1)
  expect(binNames(bins)).toEqual(['Translated'])
})

test('messages without their session still open one', () => {
  const { events } = translate(opencodeStore, [message('m1', 'user'), session])
  expect(events.map(({ event, sessionId }) => [event, sessionId])).toEqual([['session.started', 's1']])
})

describe('evidence', () => {
  test.each([
    { value: session, weight: 'proof' },
    { value: message('m', 'user'), weight: 'proof' },
    { value: part('text'), weight: 'proof' },
    { value: { info: session, messages: [] }, weight: 'proof' },
    { value: { id: 's', directory: '/', time: { created: 1 } }, weight: 'weak' },
  ])('of $value is $weight', ({ value, weight }) => {
    expect(evidenceOf(opencodeStore, value)?.weight).toBe(weight)
  })
  test.each([
    { id: 's', title: 't' },
    { info: {}, messages: [] },
    { type: 'text', sessionID: 's', part: {} },
    [],
    7,
  ])('%j says nothing', (value) => {
    expect(evidenceOf(opencodeStore, value)).toBeNull()
  })
  test('the run is the session', () => {
    const values = [session, message('m', 'user'), { info: session, messages: [] }, { id: 'x' }]
    expect(values.map((value) => runIdOf(opencodeStore, value))).toEqual(['s1', 's1', 's1', null])
  })
})
