import { describe, expect, test } from 'vitest'
import { b10x } from '../../src/dialect/b10x.ts'
import { claudeStream } from '../../src/dialect/claude-stream.ts'
import { opencodeRun } from '../../src/dialect/opencode-run.ts'
import type { UsageFigures } from '../../src/event/events.ts'
import type { Sink } from '../../src/event/sink.ts'
import { bare, cabinetFrom, cabinetOf, json } from './cabinet-writing.ts'
import { sessionEnded, sessionStarted, toolDecided, toolRequested, toolResult } from './events.ts'

const read = (id: string, path: string) => ({
  ...toolRequested(id, 'Read', ['file.read']),
  input: json({ file_path: path }),
})
const reads = (...paths: readonly [path: string, success?: boolean][]) =>
  paths.map(([path, isSuccess]) => ({
    type: 'read',
    path,
    ...(isSuccess === undefined ? {} : { isSuccess }),
  }))

const readAndMake = (adapter: string) => (sink: Sink) => {
  sink.sessionStarted(sessionStarted({ adapter, sessionId: null }))
  sink.toolRequested(read('c', 'a'))
  sink.toolResult(toolResult('c'))
  sink.toolRequested({ ...toolRequested('d', 'Bash', ['shell']), input: json({ command: 'make' }) })
  sink.toolResult({ ...toolResult('d'), exitCode: 2 })
}
const long = (id: number): string => `${id}-${'x'.repeat(100_000)}`
const sayAndAnswer = (answer: string) => (sink: Sink) => {
  sink.text({ at: null, text: 'Done.', requestId: null })
  sink.sessionEnded(sessionEnded({ finalAnswer: { text: answer, turnId: null }, isError: false }))
}
/** What is said in runs of texts and an answer each. */
const messagesOf = (...runs: readonly (readonly [said: string[], answer: string])[]) =>
  bare(
    cabinetOf((sink) => {
      for (const [line, [texts, answer]] of runs.entries()) {
        texts.forEach((text, i) => sink.text({ at: null, line: line * 9 + i, text, requestId: null }))
        sink.sessionEnded(sessionEnded({ finalAnswer: { text: answer, turnId: null }, isError: false }))
      }
    }).events,
  ).map((event) => ('message' in event ? event.message : null))
const spawn = (id: string, input: object) => ({
  ...toolRequested(id, 'Task', ['subagent.spawn']),
  input: json(input),
})
const told = (action: string, subagentId: string, subagentName: string, isSuccess?: boolean) => ({
  type: 'orchestration',
  action: `subagent_${action}`,
  subagentId,
  subagentName,
  ...(isSuccess === undefined ? {} : { isSuccess }),
})
const said = (at: string | null) => (sink: Sink) => sink.text({ at, text: 'x', requestId: null })
const times = (ats: readonly (string | null)[], observedAt: string | null = null) =>
  cabinetOf((sink) => ats.forEach((at, i) => sink.warning({ at, line: i, code: 'w', message: 'x' })), {
    observedAt,
  })

describe('a call and its result', () => {
  test('are one event, written when the result arrives', () => {
    const { events } = cabinetOf((sink) => {
      sink.toolRequested(read('c1', 'a'))
      sink.toolRequested(read('c2', 'b'))
      sink.toolResult(toolResult('c2', false))
      sink.toolResult(toolResult('c1', true))
      sink.streamClosed({ reason: 'completed' })
    })
    expect(bare(events)).toEqual(reads(['b', true], ['a', false]))
  })

  test('with the same id as another pair them in their order', () => {
    const { events } = cabinetOf((sink) => {
      sink.toolRequested(read('c', 'first'))
      sink.toolRequested(read('c', 'second'))
      sink.toolResult(toolResult('c', true))
      sink.toolResult(toolResult('c', false))
      sink.streamClosed({ reason: 'completed' })
    })
    expect(bare(events)).toEqual(reads(['first', false], ['second', true]))
  })

  test('without a result are written at the end, in the order of the calls', () => {
    const { events } = cabinetOf((sink) => {
      for (const id of ['c1', 'c2', 'c3', 'c2']) sink.toolRequested(read(id, id))
      sink.toolResult(toolResult('c2', false))
      sink.streamClosed({ reason: 'error' })
    })
    expect(bare(events)).toEqual(reads(['c2', true], ['c1'], ['c3'], ['c2']))
  })

  test('leave success unset when nothing says how it came out, but for a harness that names only failures', () => {
    const made = { type: 'command', command: 'make', exitCode: 2, isSuccess: false }
    expect(bare(cabinetOf(readAndMake('goose')).events)).toEqual([...reads(['a']), made])
    expect(bare(cabinetOf(readAndMake('claude')).events)).toEqual([...reads(['a', true]), made])
  })

  test('that has a result already gets no second event: the other result is kept as it is', () => {
    const { events } = cabinetFrom(claudeStream, [
      call('t1', 'Read', { file_path: '/w/a.ts' }),
      result({ tool_use_id: 't1', content: 'one' }),
      result({ tool_use_id: 't1', content: 'two' }),
    ])
    expect(bare(events).slice(0, 2)).toEqual([
      { type: 'read', path: '/w/a.ts', isSuccess: true },
      { type: 'unknown', raw: { type: 'tool_result', tool_use_id: 't1', content: 'two' } },
    ])
  })

  test('that is not known is one unknown with the smallest piece that says what it is', () => {
    const { events } = cabinetFrom(claudeStream, [
      call('t1', 'mcp__harbour__tide', { port: 'north' }),
      result({ tool_use_id: 't1', content: 'high' }),
      call('t2', 'WebFetch', { url: 'https://example.com' }),
      result({ tool_use_id: 't2', content: 'x', is_error: true }),
    ])
    expect(bare(events).slice(0, -1)).toEqual([
      {
        type: 'unknown',
        raw: { type: 'tool_use', id: 't1', name: 'mcp__harbour__tide', input: { port: 'north' } },
      },
      {
        type: 'unknown',
        raw: { type: 'tool_use', id: 't2', name: 'WebFetch', input: { url: 'https://example.com' } },
      },
    ])
  })

  test('whose arguments say nothing are unknown', () => {
    const { events } = cabinetOf((sink) => {
      sink.toolRequested({ ...toolRequested('c', 'Read', ['file.read']), input: json({ file_path: '' }) })
      sink.toolRequested({ ...toolRequested('d', 'Bash', ['shell']), input: json({ command: 7 }) })
      sink.toolResult(toolResult('c', false))
      sink.streamClosed({ reason: 'completed' })
    })
    expect(bare(events)).toEqual([
      { type: 'unknown', raw: { call_id: 'c', name: 'Read', input: { file_path: '' } } },
      { type: 'unknown', raw: { call_id: 'd', name: 'Bash', input: { command: 7 } } },
    ])
  })

  test('of which only the result is known are a read when it names its file, else unknown', () => {
    const file = { filePath: '/w/a.ts', startLine: 7, numLines: 3 }
    const { events } = cabinetFrom(claudeStream, [
      { ...result({ tool_use_id: 'gone', content: 'x' }), tool_use_result: { type: 'text', file } },
      result({ tool_use_id: 'gone', content: 'y' }),
    ])
    expect(bare(events).slice(0, 2)).toEqual([
      { type: 'read', path: '/w/a.ts', startLine: 7, endLine: 9, isSuccess: true },
      { type: 'unknown', raw: { type: 'tool_result', tool_use_id: 'gone', content: 'y' } },
    ])
  })

  test('that was broken off has failed, wherever that is said', () => {
    const { events } = cabinetFrom(claudeStream, [
      call('t1', 'Bash', { command: 'make' }),
      { ...result({ tool_use_id: 't1', content: '' }), tool_use_result: { stdout: '', interrupted: true } },
      call('t2', 'Bash', { command: 'make' }),
      result({ tool_use_id: 't2', content: '', is_interrupted: true }),
    ])
    expect(bare(events).slice(0, 2)).toEqual([
      { type: 'command', command: 'make', isSuccess: false },
      { type: 'command', command: 'make', isSuccess: false },
    ])
  })

  test('are held up to a bound: then the oldest are written without their outcome', () => {
    const { events, notices } = cabinetOf((sink) => {
      for (let i = 0; i < 50; i++) sink.toolRequested(read(`c${i}`, long(i)))
      for (let i = 0; i < 50; i++) sink.toolResult(toolResult(`c${i}`, false))
      sink.streamClosed({ reason: 'completed' })
    })
    const opened = events.filter((event) => event.type === 'read' && event.isSuccess === undefined)
    expect(opened.length).toBeGreaterThan(5)
    expect(events.filter((event) => event.type === 'read')).toHaveLength(50)
    expect(opened.map((event) => event.type === 'read' && event.path)).toEqual(opened.map((_, i) => long(i)))
    // Their results have no call any more, and are not lost either.
    expect(events.filter((event) => event.type === 'unknown')).toHaveLength(opened.length)
    expect(notices.list().map(({ code, count }) => [code, count])).toContainEqual([
      'open-calls-written',
      opened.length,
    ])
  })
})

describe('what is said', () => {
  test('in one record is one event, thoughts first', () => {
    const { events } = cabinetFrom(claudeStream, [
      message([
        { type: 'text', text: 'First, ' },
        { type: 'thinking', thinking: 'Plan ' },
        { type: 'thinking', thinking: 'it.' },
        { type: 'redacted_thinking', data: 'AAAA' },
        { type: 'text', text: 'the \u{1f6a2} "tides".' },
        { type: 'text', text: '' },
      ]),
      message([{ type: 'text', text: 'Then the rest.' }]),
    ])
    expect(bare(events).slice(0, 3)).toEqual([
      { type: 'reasoning', message: 'Plan it.' },
      { type: 'agent', message: 'First, the \u{1f6a2} "tides".' },
      { type: 'agent', message: 'Then the rest.' },
    ])
  })

  test('before something else happens in its record is written before it', () => {
    const { events } = cabinetFrom(claudeStream, [
      message([
        { type: 'text', text: 'Looking.' },
        { type: 'hologram', beam: 1 },
        { type: 'text', text: 'Seen.' },
      ]),
    ])
    expect(bare(events).slice(0, 3)).toEqual([
      { type: 'agent', message: 'Looking.' },
      { type: 'unknown', raw: { type: 'hologram', beam: 1 } },
      { type: 'agent', message: 'Seen.' },
    ])
  })

  test('as a final answer is said once', () => {
    expect(bare(cabinetOf(sayAndAnswer('Done.')).events)).toEqual([{ type: 'agent', message: 'Done.' }])
    expect(bare(cabinetOf(sayAndAnswer('{"n":1}')).events)).toEqual([
      { type: 'agent', message: 'Done.' },
      { type: 'agent', message: '{"n":1}' },
    ])
  })

  test('is not said again by a final answer of all that was said', () => {
    const begun = `Looking. ${'x'.repeat(300)}`
    expect(messagesOf([[begun, 'Done.'], `${begun}Done.`])).toEqual([begun, 'Done.'])
    expect(messagesOf([['One.', 'Two.'], 'One.Two.'], [['Six.', 'Ten.'], 'Six.Ten.'])).toEqual([
      'One.',
      'Two.',
      'Six.',
      'Ten.',
    ])
    expect(messagesOf([['One.', 'Two.'], 'One.Six.'])).toEqual(['One.', 'Two.', 'One.Six.'])
    expect(messagesOf([['One.', 'Two.'], 'Two.'], [[], 'Two.'])).toEqual(['One.', 'Two.'])
    expect(messagesOf([['One.'], ''])).toEqual(['One.'])
  })

  test('with half a surrogate pair is written as strict readers take it, and counted', () => {
    const { events, notices } = cabinetFrom(claudeStream, [
      `{"type":"assistant","session_id":"s","message":{"content":[{"type":"text","text":"a\\ud83d"},{"type":"text","text":"b"}]}}`,
    ])
    expect(bare(events)[0]).toEqual({ type: 'agent', message: 'a\ufffdb' })
    expect(notices.list().map(({ code }) => code)).toContain('repaired-surrogates')
  })
})

describe('subagents', () => {
  test('that are waited for begin and end', () => {
    const { events } = cabinetOf((sink) => {
      sink.toolRequested(spawn('c1', { subagent_type: 'reviewer', prompt: 'look' }))
      sink.toolRequested(spawn('c2', { description: 'ports', agent_id: 'a7' }))
      sink.toolRequested(spawn('c3', { name: 'scout', run_in_background: true }))
      sink.toolRequested(spawn('c4', { name: 'never' }))
      sink.toolResult(toolResult('c2', true))
      sink.toolResult(toolResult('c1', null))
      sink.toolResult(toolResult('c3', false))
      sink.streamClosed({ reason: 'completed' })
    })
    expect(bare(events)).toEqual([
      told('started', 'c1', 'reviewer'),
      told('started', 'a7', 'ports'),
      told('started', 'c4', 'never'),
      told('failed', 'a7', 'ports', false),
      told('completed', 'c1', 'reviewer'),
      told('started', 'c3', 'scout', true),
    ])
  })

  test('that one record tells whole are told of once', () => {
    const { events } = cabinetFrom(opencodeRun, [
      {
        type: 'tool_use',
        sessionID: 'ses_1',
        part: { callID: 'c1', tool: 'task', state: { status: 'completed', input: { description: 'ports' } } },
      },
    ])
    expect(bare(events)[0]).toEqual({
      type: 'orchestration',
      action: 'subagent_completed',
      subagentId: 'c1',
      subagentName: 'ports',
      isSuccess: true,
    })
  })

  test('that only began by the time of the result did not end', () => {
    const { events } = cabinetFrom(claudeStream, [
      call('t1', 'Task', { subagent_type: 'reviewer', prompt: 'look' }),
      {
        ...result({ tool_use_id: 't1', content: 'started' }),
        tool_use_result: { status: 'async_launched', agentId: 'a1' },
      },
    ])
    expect(bare(events).slice(0, -1)).toEqual([
      { type: 'orchestration', action: 'subagent_started', subagentId: 't1', subagentName: 'reviewer' },
    ])
  })

  test('of b10x are those of its delegate tool', () => {
    const { events } = cabinetFrom(b10x, [
      { kind: 'started', model: 'm' },
      { kind: 'tool-requested', call_id: 'c1', name: 'delegate', arguments: { task: 'north' } },
      { kind: 'tool-completed', call_id: 'c1', failed: false },
      { kind: 'finished', stop: { kind: 'completed' }, turns: 1 },
    ])
    expect(bare(events)).toEqual([
      { type: 'orchestration', action: 'subagent_started', subagentId: 'c1' },
      { type: 'orchestration', action: 'subagent_completed', subagentId: 'c1', isSuccess: true },
    ])
  })
})

describe('what is odd', () => {
  test('is a warning, or an error when the harness calls it one', () => {
    const { events } = cabinetOf((sink) => {
      sink.warning({ at: null, code: 'retry', message: 'again' })
      sink.warning({ at: null, code: 'api-error', message: '529', severity: 'error' })
      sink.warning({ at: null, code: 'error', message: 'broken', severity: 'error' })
      sink.authExpired({ at: null, credentialSource: null, detail: 'log in again' })
      sink.rateLimit(limit('allowed', null))
      sink.rateLimit(limit('allowed_warning', 'five_hour'))
      sink.toolDecided({ ...toolDecided('c1', 'deny'), reason: 'no' })
      sink.toolDecided(toolDecided('c2', 'allow'))
      sink.sessionEnded(sessionEnded({ isError: true, subtype: 'error_max_turns', apiErrorStatus: '429' }))
      sink.sessionEnded(sessionEnded({ isError: null, subtype: 'success' }))
    })
    expect(bare(events)).toEqual([
      { type: 'warning', message: 'again', code: 'retry' },
      { type: 'error', message: '529', code: 'api-error' },
      { type: 'error', message: 'broken' },
      { type: 'error', message: 'log in again', code: 'auth-expired' },
      { type: 'warning', message: 'rate limit status: allowed_warning (five_hour)', code: 'rate-limit' },
      { type: 'warning', message: 'the call c1 was denied: no', code: 'call-denied' },
      {
        type: 'error',
        message: 'the harness reported a terminal error: subtype=error_max_turns, api_error_status=429',
        code: 'error_max_turns',
      },
    ])
  })

  test('is a stage of the orchestrator, which belongs to no session', () => {
    const { events } = cabinetOf((sink) => {
      sink.sessionStarted(sessionStarted({ sessionId: 's1' }))
      sink.system({
        at: '2026-02-01T00:00:00Z',
        stage: 'pull_image',
        status: 'failed',
        message: 'no such image',
      })
    })
    expect(events).toEqual([
      {
        timestamp: '2026-02-01T00:00:00Z',
        type: 'system',
        stage: 'pull_image',
        status: 'failed',
        message: 'no such image',
      },
    ])
  })

  test('is kept as it is: lines that are no JSON, records that are not known, and all others on demand', () => {
    const lines = ['{"type":"hologram","n":1e400}', 'warning: \u00e9 "quoted" \t', { type: 'keep_alive' }]
    const kept = cabinetFrom(claudeStream, lines)
    expect(bare(kept.events).slice(0, -1)).toEqual([
      { type: 'unknown', raw: { type: 'hologram', n: '1e400' } },
      { type: 'unknown', raw: 'warning: \u00e9 "quoted" \t' },
    ])
    const all = cabinetFrom(claudeStream, lines, { opaqueAll: true })
    expect(bare(all.events)[2]).toEqual({ type: 'unknown', raw: { type: 'keep_alive' } })
  })

  test('is a long line that is no JSON, cut in blocks where it is decoded', () => {
    const line = `\u{1f6a2}é`.repeat(30_001)
    expect(bare(cabinetFrom(claudeStream, [line]).events)[0]).toEqual({ type: 'unknown', raw: line })
  })
})

describe('the head of a line', () => {
  test('has the time of the record, else the last one, else what the caller says', () => {
    const { events, notices } = times(
      [null, '2026-02-01T10:00:00.5Z', null, 'yesterday'],
      '2026-01-31T00:00:00Z',
    )
    expect(events.map(({ timestamp }) => timestamp)).toEqual([
      '2026-01-31T00:00:00Z',
      '2026-02-01T10:00:00.5Z',
      '2026-02-01T10:00:00.5Z',
      '2026-02-01T10:00:00.5Z',
    ])
    expect(notices.list().map(({ code, count }) => [code, count])).toEqual([['odd-timestamp', 1]])
  })

  test('has the epoch and a notice when nobody says anything', () => {
    const { events, notices } = cabinetOf(said(null), {})
    expect(events).toEqual([])
    const { events: two, notices: noted } = times([null, null])
    expect(two.map(({ timestamp }) => timestamp)).toEqual(['1970-01-01T00:00:00Z', '1970-01-01T00:00:00Z'])
    expect(noted.list().map(({ code, count }) => [code, count])).toEqual([['no-timestamp', 2]])
    expect(notices.list()).toEqual([])
  })

  test.each([
    ['2026-02-28T23:59:59Z', '2026-02-28T23:59:59Z'],
    ['2026-03-31T23:59:59.123456789Z', '2026-03-31T23:59:59.123456789Z'],
    ['2026-03-01T01:30:00.250+02:00', '2026-02-28T23:30:00.250Z'],
    ['2026-02-28 23:30:00-0130', '2026-03-01T01:00:00Z'],
    ['2026-06-30t23:59:60z', '2026-06-30T23:59:60Z'],
    ['2026-02-30T00:00:00Z', null],
    ['2026-02-28T24:00:00Z', null],
    ['2026-02-28T23:59:59', null],
    ['2026-02-28', null],
    ['', null],
  ])('has %j as %j', (at, written) => {
    const kept = times([at]).events
    const spelled = cabinetFrom(claudeStream, [
      { ...message([{ type: 'text', text: 'x' }]), timestamp: at },
    ]).events
    for (const [event] of [kept, spelled]) expect(event?.timestamp).toBe(written ?? '1970-01-01T00:00:00Z')
  })

  test('has the session from when it is known, and another one from when that begins', () => {
    const { events } = cabinetOf((sink) => {
      sink.warning({ at: null, code: 'w', message: '1' })
      for (const sessionId of ['s1', '', 'a "second" one', 's1']) {
        sink.sessionStarted(sessionStarted({ sessionId }))
        sink.warning({ at: null, code: 'w', message: 'x' })
      }
    })
    expect(events.map((event) => ('sessionId' in event ? event.sessionId : null))).toEqual([
      null,
      's1',
      's1',
      'a "second" one',
      's1',
    ])
  })
})

describe('usage', () => {
  const figures: UsageFigures = {
    inputTokens: 100,
    outputTokens: 30,
    cacheReadInputTokens: 60,
    cacheCreationInputTokens: 7,
    serviceTier: null,
    thinkingTokens: 10,
    iterations: null,
    speed: null,
    costUsd: '0.05',
  }
  const tell =
    (adapter: string, usage = figures) =>
    (sink: Sink) => {
      sink.sessionStarted(sessionStarted({ adapter, sessionId: null }))
      sink.usage({ at: null, requestId: null, model: null, usage })
    }

  test('is written when it is asked for, cache writes among the input, reasoning apart', () => {
    expect(cabinetOf(tell('claude')).events).toEqual([])
    expect(bare(cabinetOf(tell('claude'), { usage: true }).events)).toEqual([
      {
        type: 'usage',
        tokens: { uncachedInput: 107, cachedInput: 60, output: 20, reasoning: 10 },
        cost: 0.05,
      },
    ])
    expect(bare(cabinetOf(tell('codex'), { usage: true }).events)).toEqual([
      {
        type: 'usage',
        tokens: { uncachedInput: 40, cachedInput: 60, output: 20, reasoning: 10 },
        cost: 0.05,
      },
    ])
  })

  test('keeps what is unknown as null, and says nothing when all is', () => {
    const some = { ...figures, inputTokens: null, thinkingTokens: null, costUsd: null }
    expect(bare(cabinetOf(tell('goose', some), { usage: true }).events)).toEqual([
      { type: 'usage', tokens: { uncachedInput: null, cachedInput: 60, output: 30, reasoning: null } },
    ])
    const none = { ...some, outputTokens: null, cacheReadInputTokens: null }
    expect(cabinetOf(tell('goose', none), { usage: true }).events).toEqual([])
  })
})

function message(content: readonly object[]): object {
  return { type: 'assistant', session_id: 's', message: { role: 'assistant', content } }
}

function call(id: string, name: string, input: object): object {
  return message([{ type: 'tool_use', id, name, input }])
}

function result(block: object): object {
  return {
    type: 'user',
    session_id: 's',
    message: { role: 'user', content: [{ type: 'tool_result', ...block }] },
  }
}

function limit(status: string, window: string | null) {
  return { at: null, status, window, resetsAt: null, utilization: null, usingOverage: null }
}
