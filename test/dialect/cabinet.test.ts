import { describe, expect, test } from 'vitest'
import { cabinet } from '../../src/dialect/cabinet.ts'
import { evidenceOf, runIdOf } from './detecting.ts'
import { binNames, translate } from './recording-sink.ts'

const at = '2026-10-12T08:30:00Z'
const event = (type: string, more: object = {}): object => ({ timestamp: at, sessionId: 's', type, ...more })

/** What becomes of one event, behind the session it opens. */
function one(type: string, more: object = {}) {
  const { events, bins, ...rest } = translate(cabinet, [event(type, more)])
  return {
    events: events.filter(({ event: name }) => name !== 'session.started'),
    bin: binNames(bins)[0],
    ...rest,
  }
}

describe('an event', () => {
  test.each([
    { type: 'agent', more: { message: 'hello' }, made: [{ event: 'text', text: 'hello', at }] },
    { type: 'reasoning', more: { message: 'hm' }, made: [{ event: 'thinking', text: 'hm' }] },
    {
      type: 'warning',
      more: { message: 'w' },
      made: [{ event: 'warning', code: 'warning', message: 'w', severity: 'warning' }],
    },
    {
      type: 'error',
      more: { message: 'e', code: 'E7' },
      made: [{ event: 'warning', code: 'E7', severity: 'error' }],
    },
    {
      type: 'command',
      more: { command: 'ls | wc', workingDirectory: '/w', exitCode: 1, isSuccess: false },
      made: [
        {
          event: 'tool.requested',
          callId: 'line-1',
          name: 'command',
          input: { command: 'ls | wc', workingDirectory: '/w' },
          operations: ['shell'],
          subjects: [],
        },
        { event: 'tool.result', callId: 'line-1', exitCode: 1, isError: true, content: null, bytes: null },
      ],
    },
    {
      type: 'read',
      more: { path: '/w/a', startLine: 3, endLine: 9, isSuccess: true },
      made: [
        {
          name: 'read',
          input: { path: '/w/a', startLine: 3, endLine: 9 },
          operations: ['file.read'],
          subjects: ['file:/w/a'],
        },
        { event: 'tool.result', isError: false, exitCode: null },
      ],
    },
    { type: 'write', more: { path: 'a' }, made: [{ operations: ['file.write'], subjects: ['file:a'] }] },
    {
      type: 'search',
      more: { query: 'x', path: 'src' },
      made: [{ input: { query: 'x', path: 'src' }, operations: ['search'] }],
    },
    { type: 'list', more: {}, made: [{ input: {}, operations: ['dir.list'] }] },
    {
      type: 'skill',
      more: { path: 'p', skillName: 'n' },
      made: [{ input: { path: 'p', skillName: 'n' }, operations: ['skill.load'] }],
    },
    {
      type: 'unknown',
      more: { raw: { type: 'odd', a: 1 } },
      made: [{ event: 'opaque', vendorType: 'odd', block: { type: 'odd', a: 1 } }],
    },
    {
      type: 'unknown',
      more: { raw: 'text' },
      made: [{ event: 'opaque', vendorType: 'unknown', block: 'text' }],
    },
    { type: 'gg', more: { event: { type: 'tick' } }, made: [{ event: 'opaque', vendorType: 'tick' }] },
    { type: 'novel', more: { a: 1 }, made: [{ event: 'opaque', vendorType: 'novel' }] },
  ])('$type $more', ({ type, more, made }) => {
    const { events } = one(type, more)
    expect(events).toHaveLength(made.length)
    expect(events).toMatchObject(made)
  })

  test.each([
    { type: 'agent', more: { message: 7 } },
    { type: 'error', more: {} },
    { type: 'command', more: { command: ['ls'] } },
    { type: 'read', more: {} },
    { type: 'orchestration', more: { action: 'subagent_paused' } },
    { type: 'system', more: { status: 'started' } },
    { type: 'usage', more: { tokens: null } },
  ])('without what its type must have is opaque: $type $more', ({ type, more }) => {
    const { events, bin } = one(type, more)
    expect(bin).toBe('Opaque')
    expect(events).toMatchObject([{ event: 'opaque', vendorType: type }])
  })

  test('has no result where it does not tell of one, and none of its odd fields', () => {
    const { events } = one('command', {
      command: 'ls',
      isSuccess: 'yes',
      exitCode: '1',
      workingDirectory: { a: 1 },
    })
    expect(events).toMatchObject([{ event: 'tool.requested', input: { command: 'ls' } }])
    expect(events).toHaveLength(1)
  })
})

const agent = (action: string, more: object = {}): object => event('orchestration', { action, ...more })

describe('subagents', () => {
  test.each([
    {
      name: 'begun and ended are one call',
      lines: [
        agent('subagent_started', { subagentId: 'a' }),
        agent('subagent_completed', { subagentId: 'a' }),
      ],
      made: ['tool.requested a', 'tool.result a false'],
    },
    {
      name: 'that only end are a call and its result',
      lines: [agent('subagent_failed', { subagentId: 'a', subagentName: 'n' })],
      made: ['tool.requested a', 'tool.result a true'],
    },
    {
      name: 'without an id are called after their lines',
      lines: [agent('subagent_started'), agent('subagent_completed', { isSuccess: false })],
      made: ['tool.requested line-1', 'tool.requested line-2', 'tool.result line-2 true'],
    },
  ])('$name', ({ lines, made }) => {
    const { events } = translate(cabinet, lines)
    const calls = events
      .slice(1)
      .map(({ event: name, callId, isError }) =>
        [name, callId, isError].filter((word) => word !== undefined).join(' '),
      )
    expect(calls).toEqual(made)
    expect(events[1]).toMatchObject({ operations: ['subagent.spawn'] })
  })
})

describe('usage', () => {
  test.each([
    {
      tokens: { uncachedInput: 10, cachedInput: 4, output: 5, reasoning: 2 },
      cost: 0.25,
      entry: {
        tokens: { input: 10, cacheRead: 4, cacheWrite: 0, output: 7, reasoning: 2 },
        reportedPicoUsd: 250_000_000_000n,
      },
    },
    {
      tokens: { uncachedInput: 10, cachedInput: null, output: 5, reasoning: null },
      cost: undefined,
      entry: { tokens: { input: 10, cacheRead: null, output: 5, reasoning: null }, reportedPicoUsd: null },
    },
    {
      tokens: { uncachedInput: null, cachedInput: null, output: null, reasoning: null },
      cost: 'free',
      entry: { tokens: { input: null, cacheRead: null, output: null }, reportedPicoUsd: null },
    },
  ])('has output with reasoning in it: $tokens', ({ tokens, cost, entry }) => {
    const { entries, events } = one('usage', { tokens, ...(cost === undefined ? {} : { cost }) })
    expect(entries).toMatchObject([{ ...entry, session: 's', model: null, key: null }])
    expect(events.map(({ event: name }) => name)).toEqual(['usage'])
  })
})

const stage = (status: string): object => ({
  timestamp: at,
  type: 'system',
  stage: 'pull_image',
  status,
  message: 'm',
})

describe('the session', () => {
  test('is that of its events, and may be told late', () => {
    const late = translate(cabinet, [
      { timestamp: at, type: 'agent', message: 'a' },
      event('agent', { message: 'b' }),
      { timestamp: at, type: 'agent', message: 'c' },
    ])
    expect(late.events.map(({ event: name }) => name)).toEqual(['session.started', 'text', 'text', 'text'])
    expect(late.events[0]).toMatchObject({
      adapter: 'test-cabinet',
      adapterClass: 'harness',
      sessionId: null,
    })
    expect(late.notices.map(({ code }) => code)).toEqual(['late-session'])
  })

  test('may be followed by another one', () => {
    const two = translate(cabinet, [
      event('agent', { message: 'a' }),
      { ...event('agent', { message: 'b' }), sessionId: 't' },
    ])
    expect(two.events.map(({ event: name }) => name)).toEqual([
      'session.started',
      'text',
      'session.started',
      'text',
    ])
    expect(two.notices.map(({ code }) => code)).toEqual(['second-session'])
  })

  test('is not begun by stages of the orchestrator, and ended by one that failed', () => {
    const fine = translate(cabinet, [stage('started'), stage('completed')])
    expect(fine.events).toMatchObject([
      { event: 'system', stage: 'pull_image', status: 'started', message: 'm' },
      { event: 'system', status: 'completed' },
    ])
    expect(binNames(fine.bins)).toEqual(['Bookkeeping', 'Bookkeeping'])
    expect(fine.ending).toEqual({ reason: 'error', terminal: false, promised: false })
    const broken = translate(cabinet, [stage('started'), stage('failed')])
    expect(broken.events).toMatchObject([
      { event: 'system' },
      { event: 'system', status: 'failed' },
      { event: 'session.started' },
      { event: 'warning', code: 'pull_image', message: 'm', severity: 'error' },
    ])
    expect(broken.ending).toEqual({ reason: 'error', terminal: true, promised: false })
  })
})

describe('evidence', () => {
  test.each([
    { value: event('agent', { message: 'x' }), weight: 'proof' },
    { value: event('unknown', { raw: null }), weight: 'proof' },
    { value: event('usage', { tokens: {} }), weight: 'proof' },
    { value: { type: 'agent', message: 'x' }, weight: 'weak' },
    { value: event('error', { message: 'x' }), weight: 'weak' },
    { value: { type: 'list' }, weight: 'weak' },
    { value: event('agent', { message: 'x', uuid: 'u' }), weight: null },
    { value: event('agent', { message: { content: 'x' } }), weight: null },
    { value: event('system', { subtype: 'init' }), weight: null },
    { value: event('error', { message: 'x', severity: 'error' }), weight: null },
    { value: event('unknown'), weight: null },
    { value: { timestamp: at, type: 'event_msg', payload: {} }, weight: null },
    { value: [], weight: null },
  ])('of $value: $weight', ({ value, weight }) => {
    expect(evidenceOf(cabinet, value)?.weight ?? null).toBe(weight)
  })

  test('names the session', () => {
    expect(runIdOf(cabinet, event('agent'))).toBe('s')
    expect(runIdOf(cabinet, { type: 'agent' })).toBe(null)
  })
})
