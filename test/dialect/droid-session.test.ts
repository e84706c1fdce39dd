import { describe, expect, test } from 'vitest'
import { droidSession } from '../../src/dialect/droid-session.ts'
import { evidenceOf, runIdOf } from './detecting.ts'
import { binNames, translate } from './recording-sink.ts'
import { shorts } from './short.ts'

const timestamp = '2026-05-05T11:00:01.000Z'
const start = { type: 'session_start', id: 's-1', cwd: '/home/dev/orchard', version: '2' }

function message(role: string, content: unknown): object {
  return { type: 'message', id: 'm-1', parentId: 's-1', timestamp, message: { role, content } }
}
function settings(text: unknown): { parts: { path: string; text: string }[] } {
  return {
    parts: [{ path: 's-1.settings.json', text: typeof text === 'string' ? text : JSON.stringify(text) }],
  }
}

describe('the settings file', () => {
  const usage = {
    inputTokens: 120,
    outputTokens: 90,
    cacheCreationTokens: 20,
    cacheReadTokens: 15,
    thinkingTokens: 30,
  }

  test('is looked for beside the session', () => {
    expect(droidSession.sidecars?.('abc.jsonl')).toEqual(['abc.settings.json'])
    expect(droidSession.sidecars?.('abc.jsonl.gz')).toEqual(['abc.settings.json'])
  })

  test('has the usage of the session, as of its last message', () => {
    const context = settings({ model: 'm', tokenUsage: usage })
    const { events, entries } = translate(droidSession, [start, message('assistant', 'Hi')], context)
    expect(events[0]).toMatchObject({
      event: 'session.started',
      sessionId: 's-1',
      model: 'm',
      harnessVersion: '2',
    })
    expect(events.at(-1)).toMatchObject({
      event: 'usage',
      at: timestamp,
      line: 2,
      requestId: 's-1',
      model: 'm',
    })
    expect(entries).toMatchObject([{ key: 'droid:s-1', session: 's-1', at: timestamp, final: true }])
    expect(entries[0]?.tokens).toEqual({
      input: 120,
      cacheRead: 15,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      cacheWrite: 20,
      output: 90,
      reasoning: 30,
    })
  })

  test.each([
    { text: '{', entries: 0, notices: ['bad-settings'] },
    { text: '[1]', entries: 0, notices: ['bad-settings'] },
    { text: '{"model":7}', entries: 0, notices: ['usage-missing'] },
    { text: '{"tokenUsage":{"inputTokens":"12","outputTokens":-1}}', entries: 1, notices: [] },
  ])('$text costs only what is wrong with it', ({ text, entries, notices }) => {
    const translation = translate(droidSession, [start], settings(text))
    expect(translation.entries).toHaveLength(entries)
    expect(translation.notices.map(({ code }) => code)).toEqual(notices)
  })

  test('that says more thinking than output has no known part of it', () => {
    const { entries } = translate(
      droidSession,
      [start],
      settings({ tokenUsage: { ...usage, thinkingTokens: 91 } }),
    )
    expect(entries[0]?.tokens).toMatchObject({ output: 90, reasoning: null })
  })

  test('that is not there leaves the usage unknown, with a notice', () => {
    expect(translate(droidSession, [start]).notices.map(({ code }) => code)).toEqual(['usage-missing'])
  })
})

describe('records', () => {
  const reminder = '<system-reminder>\nDry.\n</system-reminder>'

  test.each([
    { line: message('user', 'Go'), events: ['injection user Go'] },
    { line: message('user', reminder), events: [`injection synthetic ${reminder}`] },
    { line: message('user', `${reminder}\n\nGo`), events: [`injection user ${reminder}\n\nGo`] },
    { line: message('user', [{ type: 'tool_result', content: 'x' }]), events: ['opaque user/tool_result'] },
    { line: message('user', []), events: [], bin: 'Bookkeeping' },
    {
      line: message('assistant', [
        { type: 'thinking', thinking: 'Hm' },
        { type: 'tool_use', id: 'c', name: 'Execute', input: {} },
        { type: 'hologram' },
      ]),
      events: ['thinking Hm', 'tool.requested Execute c', 'opaque assistant/hologram'],
    },
    { line: message('herald', 'x'), events: ['opaque message/herald'], bin: 'Opaque' },
    { line: message('user', null), events: ['opaque message/user'], bin: 'Opaque' },
    { line: { type: 'todo_state' }, events: [], bin: 'Bookkeeping' },
    {
      line: { type: 'compaction_state', summaryText: 's' },
      events: ['warning compaction', 'injection synthetic s'],
    },
    { line: { type: 'rain' }, events: ['opaque rain/'], bin: 'Opaque' },
    { line: start, events: [], bin: 'Bookkeeping' },
    { line: { ...start, id: 's-2' }, events: ['session.started'] },
  ])('$line becomes $events', ({ line, events, bin }) => {
    const translation = translate(droidSession, [start, line])
    expect(shorts(translation.events.slice(1))).toEqual(events)
    expect(binNames(translation.bins)[1]).toBe(bin ?? 'Translated')
    expect(translation.ending).toEqual({ reason: 'error', terminal: false, promised: false })
  })

  test.each([
    { value: start, weight: 'proof' },
    { value: message('user', 'x'), weight: 'weak' },
    { value: { ...message('user', 'x'), parentId: undefined }, weight: undefined },
    {
      value: { type: 'message', id: 'm', parentId: null, timestamp, message: { role: 'user', timestamp: 1 } },
      weight: undefined,
    },
  ])('evidence of $value is $weight', ({ value, weight }) => {
    expect(evidenceOf(droidSession, value)?.weight).toBe(weight)
  })
})

test('the run is the session', () => {
  expect(runIdOf(droidSession, start)).toBe('s-1')
})
