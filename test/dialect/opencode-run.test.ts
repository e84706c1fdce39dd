import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { kilo } from '../../src/dialect/kilo.ts'
import { opencodeRun } from '../../src/dialect/opencode-run.ts'
import { describeWithShared, sharedDir } from '../shared.ts'
import { evidenceOf, runIdOf } from './detecting.ts'
import { binNames, translate } from './recording-sink.ts'

const line = (type: string, more: object = {}): object => ({
  type,
  timestamp: 1_793_700_000_000,
  sessionID: 's1',
  ...more,
})
const start = (message = 'm1'): object => line('step_start', { part: { messageID: message } })
const finish = (reason: unknown, tokens?: unknown, more: object = {}): object =>
  line('step_finish', { part: { id: 'p', messageID: 'm1', reason, tokens, ...more } })
const tool = (name: string, state: unknown, more: object = {}): object =>
  line('tool_use', { part: { tool: name, callID: 'c', state, ...more } })
const tokens = (more: object = {}): object => ({
  input: 10,
  output: 5,
  reasoning: 2,
  cache: { read: 3, write: 1 },
  ...more,
})

describe('steps', () => {
  test('are turns, each with its usage', () => {
    const { events, entries } = translate(opencodeRun, [
      start(),
      finish('tool-calls', tokens(), { cost: 0.25 }),
      start(),
    ])
    expect(events).toMatchObject([
      { event: 'session.started', adapter: 'opencode', sessionId: 's1', at: '2026-11-03T10:00:00.000Z' },
      { event: 'turn.started', turn: 1 },
      {
        event: 'usage',
        requestId: 'm1',
        usage: { inputTokens: 10, outputTokens: 7, thinkingTokens: 2, costUsd: '0.25' },
      },
      { event: 'turn.ended', turn: 1, stopReason: 'tool-calls' },
      { event: 'turn.started', turn: 2 },
    ])
    expect(entries).toMatchObject([
      { key: 'opencode:m1', session: 's1', model: null, reportedPicoUsd: 250_000_000_000n },
    ])
  })

  test.each([
    { name: 'reasoning is billed beside the output', more: { total: 21 }, want: [10, 3, 1, 7, 2] },
    { name: 'a total that proves it to be inside', more: { total: 19 }, want: [10, 3, 1, 5, 2] },
    { name: 'no total', more: {}, want: [10, 3, 1, 7, 2] },
    { name: 'no cache is an unknown cache', more: { cache: null }, want: [10, null, null, 7, 2] },
    {
      name: 'strings and floats',
      more: { input: '10', output: 5.0, reasoning: null },
      want: [10, 3, 1, 5, null],
    },
  ])('$name', ({ more, want }) => {
    const { entries } = translate(opencodeRun, [finish('stop', tokens(more))])
    expect(
      entries.map(({ tokens: t }) => [t.input, t.cacheRead, t.cacheWrite, t.output, t.reasoning]),
    ).toEqual([want])
  })

  test.each([
    { cost: 0, pico: 0n },
    { cost: 0.1, pico: 100_000_000_000n },
    { cost: 'cheap', pico: null },
    { cost: undefined, pico: null },
    { cost: { usd: 1 }, pico: null },
  ])('a cost of $cost', ({ cost, pico }) => {
    expect(translate(opencodeRun, [finish('stop', tokens(), { cost })]).entries[0]?.reportedPicoUsd).toBe(
      pico,
    )
  })

  test('further steps of one message are requests of their own', () => {
    const { entries } = translate(opencodeRun, [finish('tool-calls', tokens()), finish('stop', tokens())])
    expect(entries.map(({ key }) => key)).toEqual(['opencode:m1', 'opencode:m1:2'])
  })

  test.each([{ tokens: null }, { tokens: undefined }, { tokens: 'few' }, { tokens: {} }])(
    '$tokens is no usage',
    (more) => {
      const { entries, bins } = translate(opencodeRun, [
        start(),
        finish('stop', more.tokens),
        finish('stop', more.tokens),
      ])
      expect(entries).toEqual([])
      expect(binNames(bins)).toEqual(['Translated', 'Translated', 'Bookkeeping'])
    },
  )
})

const completed = (more: object = {}): object => ({
  status: 'completed',
  input: { command: 'ls' },
  output: 'x',
  ...more,
})

describe('calls', () => {
  test('a command that failed is told by its exit code', () => {
    const state = completed({
      metadata: { exit: 2 },
      time: { start: 1_793_700_001_000, end: 1_793_700_002_000 },
    })
    expect(translate(opencodeRun, [tool('bash', state)]).events.slice(1)).toMatchObject([
      { event: 'tool.requested', at: '2026-11-03T10:00:01.000Z', operations: ['shell'] },
      {
        event: 'tool.result',
        at: '2026-11-03T10:00:02.000Z',
        isError: true,
        exitCode: 2,
        toolUseResult: { exit: 2 },
      },
    ])
  })

  test.each([
    { state: completed(), isError: false, exitCode: null, content: 'x' },
    { state: completed({ metadata: { exit: 0 } }), isError: false, exitCode: 0, content: 'x' },
    { state: completed({ metadata: { exit: 2 ** 40 } }), isError: false, exitCode: null, content: 'x' },
    { state: completed({ metadata: { exit: '1' } }), isError: false, exitCode: null, content: 'x' },
    { state: { status: 'error', error: 'no' }, isError: true, exitCode: null, content: 'no' },
    { state: { status: 'cancelled' }, isError: true, exitCode: null, content: null },
  ])('$state', ({ state, ...want }) => {
    expect(translate(opencodeRun, [tool('read', state)]).events[2]).toMatchObject({
      event: 'tool.result',
      ...want,
    })
  })

  test.each([{ status: 'running' }, { status: 'pending' }, { status: 'odd' }, {}, null, 'x'])(
    '%j has no result',
    (state) => {
      expect(translate(opencodeRun, [tool('bash', state)]).events.map(({ event }) => event)).toEqual([
        'session.started',
        'tool.requested',
      ])
    },
  )

  test('one that could not be read failed', () => {
    expect(translate(opencodeRun, [tool('invalid', completed())]).events[2]).toMatchObject({ isError: true })
  })

  test.each([
    { error: 'The user rejected permission to use this specific tool call.', code: 'approval-denied' },
    {
      error: 'The user has specified a rule which prevents you from using this specific tool call. x',
      code: 'call-blocked',
    },
  ])('a call that was not let through is a warning $code', ({ error, code }) => {
    const { events } = translate(opencodeRun, [tool('edit', { status: 'error', error })])
    expect(events[3]).toMatchObject({ event: 'warning', code, message: error, deniedCall: 'c' })
  })

  test.each([
    { name: 'Read', input: { filePath: 'a' }, operations: ['file.read'], subjects: ['file:a'] },
    { name: 'apply_patch', input: {}, operations: ['file.write', 'file.edit'], subjects: [] },
    { name: 'my_server_tool', input: null, operations: [], subjects: [] },
  ])('$name', ({ name, input, ...want }) => {
    expect(translate(opencodeRun, [tool(name, { status: 'pending', input })]).events[1]).toMatchObject({
      name,
      ...want,
    })
  })
})

describe('the end', () => {
  const error = (name: string): object => line('error', { error: { name, data: { message: 'why' } } })
  const done = line('done', { reason: 'idle', rejected: ['edit'] })
  test.each([
    { name: 'a last step', lines: [start(), finish('stop')], reason: 'completed', terminal: true },
    {
      name: 'a step that asked for tools',
      lines: [start(), finish('tool-calls')],
      reason: 'error',
      terminal: false,
    },
    { name: 'a step without a reason', lines: [start(), finish(null)], reason: 'error', terminal: false },
    { name: 'a step that was too long', lines: [start(), finish('length')], reason: 'error', terminal: true },
    {
      name: 'a step that goes on',
      lines: [start(), finish('stop'), start()],
      reason: 'error',
      terminal: false,
    },
    {
      name: 'a late error',
      lines: [start(), finish('stop'), error('APIError')],
      reason: 'error',
      terminal: true,
    },
    { name: 'an abort', lines: [start(), error('MessageAbortedError')], reason: 'killed', terminal: true },
    { name: 'done', lines: [start(), done], reason: 'completed', terminal: true },
    { name: 'done after an error', lines: [error('APIError'), done], reason: 'error', terminal: true },
  ])('$name', ({ lines, reason, terminal }) => {
    expect(translate(opencodeRun, lines).ending).toEqual({ reason, terminal, promised: true })
  })

  test('done names what was refused', () => {
    expect(translate(opencodeRun, [done]).events.slice(1)).toMatchObject([
      { event: 'warning', code: 'approval-denied', message: 'the permission edit was refused' },
      { event: 'session.ended', isError: false, terminalReason: 'idle' },
    ])
  })

  test('a refused login is an expired one, told before its warning', () => {
    expect(translate(opencodeRun, [error('ProviderAuthError')]).events.slice(1)).toMatchObject([
      { event: 'auth.expired', detail: 'why' },
      { event: 'warning', code: 'ProviderAuthError', severity: 'error' },
    ])
  })
})

const said = (type: string, part: object): object => line(type, { part })

test('words and reasoning are events, reasoning that a provider withholds is bookkeeping', () => {
  const { events, bins } = translate(opencodeRun, [
    said('text', { text: 'w', messageID: 'm1' }),
    said('reasoning', { text: 'r' }),
    said('reasoning', {}),
    said('text', { text: '' }),
    said('text', { text: 5 }),
  ])
  expect(events.slice(1)).toMatchObject([
    { event: 'text', text: 'w', requestId: 'm1' },
    { event: 'thinking', text: 'r' },
    { event: 'opaque', vendorType: 'text' },
  ])
  expect(binNames(bins)).toEqual(['Translated', 'Translated', 'Bookkeeping', 'Bookkeeping', 'Opaque'])
})

test.each([
  { type: 'hologram', sessionID: 's' },
  line('tool_use', { part: {} }),
  line('error'),
  line('text'),
  [1],
  '"x"',
])('%j is opaque', (record) => {
  expect(binNames(translate(opencodeRun, [record]).bins)).toEqual(['Opaque'])
})

test('another session is told apart, also in the older spelling of its id', () => {
  const { events, notices } = translate(opencodeRun, [
    start(),
    { ...start(), sessionID: undefined, session_id: 's2' },
  ])
  expect(events.map(({ sessionId }) => sessionId).filter((id) => id !== undefined)).toEqual(['s1', 's2'])
  expect(notices).toMatchObject([{ code: 'second-session', line: 2 }])
})

describe('evidence', () => {
  test.each([
    { value: start(), run: 'weak', own: undefined },
    { value: line('error', { error: {} }), run: 'weak', own: undefined },
    { value: tool('codesearch', {}), run: 'weak', own: 'proof' },
    { value: tool('agent_manager', {}), run: 'weak', own: 'proof' },
    {
      value: line('error', { error: { data: { metadata: { provider: 'kilo' } } } }),
      run: 'weak',
      own: 'proof',
    },
    { value: line('error', { error: { data: { providerID: 'kilocode' } } }), run: 'weak', own: 'proof' },
    { value: line('step_start', { part: { modelID: 'kilo/x' } }), run: 'weak', own: 'proof' },
    { value: line('hologram', { part: {} }), run: undefined, own: undefined },
    { value: { type: 'text', part: {} }, run: undefined, own: undefined },
    {
      value: { type: 'text', sessionID: 's', messageID: 'm', text: 'a part of a store' },
      run: undefined,
      own: undefined,
    },
    { value: { type: 'error', message: 'x', sessionId: 's' }, run: undefined, own: undefined },
  ])('of $value is $run for OpenCode, $own for Kilo', ({ value, run, own }) => {
    expect([evidenceOf(opencodeRun, value)?.weight, evidenceOf(kilo, value)?.weight]).toEqual([run, own])
  })
  test('the run is the session', () => expect(runIdOf(kilo, start())).toBe('s1'))
})

test('kilo is the same under its own name', () => {
  expect(translate(kilo, [start()]).events[0]).toMatchObject({ adapter: 'kilo' })
})

test('whatever a record holds, it is read or opaque', () => {
  const types = fc.constantFrom(
    'step_start',
    'step_finish',
    'text',
    'reasoning',
    'tool_use',
    'error',
    'done',
    'odd',
  )
  const inner = fc.constantFrom(
    'id',
    'messageID',
    'text',
    'reason',
    'tokens',
    'cost',
    'tool',
    'callID',
    'state',
  )
  const record = fc.record({
    type: types,
    part: fc.oneof(fc.dictionary(inner, fc.jsonValue({ maxDepth: 3 })), fc.jsonValue({ maxDepth: 1 })),
    error: fc.jsonValue({ maxDepth: 2 }),
    sessionID: fc.jsonValue({ maxDepth: 0 }),
  })
  fc.assert(
    fc.property(fc.array(record, { maxLength: 10 }), (records) => {
      if (translate(opencodeRun, records).bins.length !== records.length)
        throw new Error('a record without a bin')
    }),
    { numRuns: 100 },
  )
})

describeWithShared('shared streams', () => {
  const fixtures = join(sharedDir, 'fixtures')
  test.each([
    {
      name: 'vendors/opencode-run-json/success-tools.jsonl',
      adapter: opencodeRun,
      want: [22443, 21415, 0, 118],
      events: { 'tool.requested': 1, 'tool.result': 1, 'turn.started': 2, opaque: 0 },
    },
    {
      name: 'vendors/opencode-run-json/run-with-late-error.jsonl',
      adapter: opencodeRun,
      want: [534, 0, 0, 192],
      events: { 'tool.requested': 1, 'tool.result': 1, warning: 1, opaque: 0 },
    },
    {
      name: 'vendors/opencode-run-json/error-429.jsonl',
      adapter: opencodeRun,
      want: [0, 0, 0, 0],
      events: { warning: 1, opaque: 0 },
    },
    {
      name: 'test-cabinet/opencode/stream.jsonl',
      adapter: opencodeRun,
      want: [200, 3700, 20, 160],
      events: { 'tool.requested': 10, 'tool.result': 9, opaque: 2 },
    },
    {
      name: 'test-cabinet/opencode/newer-docs.jsonl',
      adapter: opencodeRun,
      want: [10, 100, 4, 8],
      events: { 'tool.requested': 3, 'tool.result': 3, opaque: 0 },
    },
    {
      name: 'test-cabinet/kilo/stream.jsonl',
      adapter: kilo,
      want: [300, 8000, 100, 70],
      events: { 'tool.requested': 14, 'tool.result': 13, opaque: 0 },
    },
  ])('$name', ({ name, adapter, want, events }) => {
    const read = translate(adapter, readFileSync(join(fixtures, name)))
    const sum = (pick: (t: (typeof read.entries)[number]['tokens']) => number | null): number =>
      read.entries.reduce((total, { tokens: t }) => total + (pick(t) ?? 0), 0)
    expect([
      sum((t) => t.input),
      sum((t) => t.cacheRead),
      sum((t) => t.cacheWrite),
      sum((t) => t.output),
    ]).toEqual(want)
    for (const [event, count] of Object.entries(events)) {
      expect([event, read.events.filter((one) => one.event === event).length]).toEqual([event, count])
    }
  })
})
