import { describe, expect, test } from 'vitest'
import { copilot } from '../../src/dialect/copilot.ts'
import { evidenceOf, runIdOf } from './detecting.ts'
import { binNames, translate } from './recording-sink.ts'
import { shorts } from './short.ts'

const timestamp = '2026-05-04T10:00:00.000Z'

function event(type: string, data: unknown, more: object = {}): object {
  return { type, data, id: 'e1', timestamp, parentId: null, ...more }
}
function metrics(
  inputTokens: unknown,
  outputTokens: unknown,
  cacheReadTokens = 0,
  cacheWriteTokens = 0,
): object {
  return {
    requests: { count: 1, cost: 1 },
    usage: { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens },
  }
}

function shutdownOf(input: number): object {
  return event('session.shutdown', { shutdownType: 'routine', modelMetrics: { m: metrics(input, 1) } })
}

const start = event('session.start', {
  sessionId: 's-1',
  copilotVersion: '1.0.77',
  selectedModel: 'm',
  context: { cwd: '/home/dev/pier' },
})
const said = event('assistant.message', { messageId: 'a-1', content: 'Yes', outputTokens: 4 })
const resume = event('session.resume', { eventCount: 3 })

describe('usage', () => {
  test('of a message is its output, a lower bound that the shutdown replaces', () => {
    const { entries, totals } = translate(copilot, [
      start,
      said,
      event('session.shutdown', {
        shutdownType: 'routine',
        modelMetrics: { m: metrics(3000, 47, 2000, 300) },
      }),
    ])
    expect(entries).toMatchObject([
      {
        key: 'copilot:s-1:e1',
        process: 's-1#1',
        model: 'm',
        final: false,
        tokens: { input: null, output: 4 },
      },
    ])
    expect(totals).toMatchObject([{ process: 's-1#1', session: 's-1', at: timestamp, reportedPicoUsd: null }])
    expect(totals[0]?.models).toEqual([
      {
        model: 'm',
        tokens: {
          input: 700,
          cacheRead: 2000,
          cacheWrite5m: 0,
          cacheWrite1h: 0,
          cacheWrite: 300,
          output: 47,
          reasoning: null,
        },
        webSearches: null,
        reportedPicoUsd: null,
      },
    ])
  })

  test('of each segment is a process of its own: they add up', () => {
    const { totals, events, notices } = translate(copilot, [
      start,
      said,
      shutdownOf(10),
      resume,
      said,
      shutdownOf(20),
    ])
    expect(totals.map(({ process }) => process)).toEqual(['s-1#1', 's-1#2'])
    expect(totals.map(({ models }) => models?.[0]?.tokens.input)).toEqual([10, 20])
    expect(events.filter(({ event: name }) => name === 'session.started')).toHaveLength(2)
    expect(notices.map(({ code }) => code)).toEqual(['resumed'])
  })

  test.each([
    { modelMetrics: { m: { requests: 2 } }, models: null },
    { modelMetrics: null, models: null },
    { modelMetrics: { m: metrics('x', 1), n: 3 }, models: ['m'] },
  ])('$modelMetrics states the models $models', ({ modelMetrics, models }) => {
    const { totals, events } = translate(copilot, [start, event('session.shutdown', { modelMetrics })])
    expect(totals[0]?.models?.map(({ model }) => model) ?? null).toEqual(models)
    expect(events.at(-1)).toMatchObject({ event: 'session.ended' })
  })

  test('more cached than read at all leaves no input outside the cache, with a notice', () => {
    const shutdown = event('session.shutdown', { modelMetrics: { m: metrics(10, 1, 40) } })
    const { totals, notices } = translate(copilot, [start, shutdown])
    expect(totals[0]?.models?.[0]?.tokens.input).toBe(0)
    expect(notices.map(({ code }) => code)).toEqual(['cache-exceeds-input'])
  })
})

describe('how a session ends', () => {
  const down = (shutdownType: string): object => event('session.shutdown', { shutdownType })
  const abort = event('abort', { reason: 'user' })
  const user = event('user.message', { content: 'Go' })

  test.each([
    { lines: [start], reason: 'error', terminal: false },
    { lines: [start, down('routine')], reason: 'completed', terminal: true },
    { lines: [start, down('error')], reason: 'error', terminal: true },
    { lines: [start, user, abort, down('routine')], reason: 'killed', terminal: true },
    { lines: [start, user, abort, user, down('routine')], reason: 'completed', terminal: true },
    { lines: [start, down('routine'), resume], reason: 'error', terminal: false },
  ])('$reason $terminal', ({ lines, reason, terminal }) => {
    expect(translate(copilot, lines).ending).toEqual({ reason, terminal, promised: true })
  })
})

describe('events', () => {
  test.each([
    { line: event('user.message', { content: 'Go' }), events: ['injection user Go'] },
    {
      line: event('user.message', { content: 'Go', source: 'autopilot' }),
      events: ['injection synthetic Go'],
    },
    {
      line: event('user.message', { content: 'Go', parentAgentTaskId: 't' }),
      events: ['injection synthetic Go'],
    },
    { line: event('user.message', { content: 'Go' }, { agentId: 'a' }), events: ['injection synthetic Go'] },
    { line: event('user.message', { content: null }), events: ['opaque user.message/'] },
    { line: event('system.message', { content: 'Be good' }), events: ['injection synthetic Be good'] },
    { line: event('skill.invoked', { name: 's' }), events: [], bin: 'Bookkeeping' },
    { line: said, events: ['text Yes', 'usage'] },
    { line: event('assistant.message', { content: '', toolRequests: null }), events: [], bin: 'Bookkeeping' },
    { line: event('assistant.message', null), events: ['opaque assistant.message/'] },
    {
      line: event('assistant.message', { toolRequests: [{ name: 'view', toolCallId: 'c' }, 7] }),
      events: ['tool.requested view c', 'opaque assistant.message/toolRequests'],
      bin: 'Translated',
    },
    { line: event('assistant.turn_start', { turnId: '4' }), events: ['turn.started 1'] },
    {
      line: event('assistant.turn_start', { turnId: '4' }, { agentId: 'a' }),
      events: [],
      bin: 'Bookkeeping',
    },
    { line: event('assistant.turn_end', {}), events: [], bin: 'Bookkeeping' },
    { line: event('session.error', { errorType: 'query', message: 'x' }), events: ['warning query'] },
    { line: event('session.error', null), events: ['warning session.error'] },
    { line: event('session.warning', { message: 'x' }), events: ['warning session.warning'] },
    { line: event('session.truncation', {}), events: ['warning session.truncation'] },
    {
      line: event('session.compaction_complete', { summaryContent: 's' }),
      events: ['warning compaction', 'injection synthetic s'],
    },
    { line: event('session.compaction_complete', { success: false }), events: ['warning compaction'] },
    { line: event('hook.end', { success: true }), events: [], bin: 'Bookkeeping' },
    { line: event('hook.end', { success: false, error: 'x' }), events: ['warning hook-failed'] },
    { line: event('subagent.failed', { error: 'x' }), events: ['warning subagent.failed'] },
    { line: event('session.info', {}), events: [], bin: 'Bookkeeping' },
    { line: event('session.tides', {}), events: ['opaque session.tides/'] },
    { line: { type: 3 }, events: ['opaque /'] },
  ])('$line becomes $events', ({ line, events, bin }) => {
    const translation = translate(copilot, [start, line])
    expect(shorts(translation.events.slice(1))).toEqual(events)
    const isOpaque = events[0]?.startsWith('opaque') === true && bin === undefined
    expect(binNames(translation.bins)[1]).toBe(isOpaque ? 'Opaque' : (bin ?? 'Translated'))
  })

  test('a call that was asked for is written once, one that was not when it runs', () => {
    const { events, bins } = translate(copilot, [
      start,
      event('assistant.message', {
        toolRequests: [{ toolCallId: 'c', name: 'view', arguments: '{ "path": "a" , "n": 1.50 }' }],
      }),
      event('tool.execution_start', { toolCallId: 'c', toolName: 'view', arguments: {} }),
      event('tool.execution_start', { toolCallId: 'd', toolName: 'bash', arguments: { command: 'ls' } }),
      event('tool.execution_complete', { toolCallId: 'c', success: true, result: { content: 'ä' } }),
      event('tool.execution_complete', {
        toolCallId: 'd',
        success: false,
        error: { message: 'no', code: 'x' },
      }),
    ])
    expect(events.slice(1)).toMatchObject([
      { event: 'tool.requested', callId: 'c', input: { path: 'a', n: 1.5 }, subjects: ['file:a'] },
      { event: 'tool.requested', callId: 'd', operations: ['shell'] },
      { event: 'tool.result', callId: 'c', isError: false, content: 'ä', bytes: 2, toolUseResult: null },
      { event: 'tool.result', callId: 'd', isError: true, content: 'no', toolUseResult: { code: 'x' } },
    ])
    expect(binNames(bins).slice(2, 4)).toEqual(['Folded', 'Translated'])
  })

  test('a denial is told once, by the permission or by the error', () => {
    const denied = event('tool.execution_complete', {
      toolCallId: 'c',
      success: false,
      error: { code: 'denied' },
    })
    const { events } = translate(copilot, [
      start,
      event('permission.requested', { requestId: 'p', permissionRequest: { toolCallId: 'c' } }),
      event('permission.completed', { requestId: 'p', result: { kind: 'denied-by-rules' } }),
      denied,
      { ...denied, data: { toolCallId: 'd', success: false, error: { code: 'rejected' } } },
      event('permission.completed', { requestId: 'q', result: { kind: 'approved' } }),
    ])
    const warnings = events.filter(({ event: name }) => name === 'warning')
    expect(warnings.map(({ code, deniedCall }) => [code, deniedCall])).toEqual([
      ['approval-denied', 'c'],
      ['approval-denied', 'd'],
    ])
  })

  test('reasoning told twice is written once', () => {
    const { events, bins } = translate(copilot, [
      start,
      event('assistant.reasoning', { content: 'Hm' }),
      event('assistant.message', { reasoningText: 'Hm', content: 'Ho' }),
      event('assistant.message', { reasoningText: 'Ah', content: '' }),
      event('assistant.reasoning', { content: 'Ah' }),
    ])
    expect(shorts(events.slice(1))).toEqual(['thinking Hm', 'text Ho', 'thinking Ah'])
    expect(binNames(bins).at(-1)).toBe('Folded')
  })
})

describe('evidence', () => {
  test.each([
    { value: start, weight: 'proof' },
    { value: event('session.start', {}, { parentId: undefined }), weight: 'weak' },
    { value: event('turn.started', {}), weight: undefined },
    { value: event('session.start', null), weight: undefined },
    { value: { type: 'session.start', time: 1 }, weight: undefined },
    { value: [], weight: undefined },
  ])('of $value is $weight', ({ value, weight }) => {
    expect(evidenceOf(copilot, value)?.weight).toBe(weight)
  })

  test('the run is the session', () => {
    expect(runIdOf(copilot, start)).toBe('s-1')
    expect(runIdOf(copilot, resume)).toBe(null)
  })
})
