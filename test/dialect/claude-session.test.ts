import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { claudeSession } from '../../src/dialect/claude-session.ts'
import type { Billed } from '../../src/event/billing.ts'
import { describeWithShared, sharedDir } from '../shared.ts'
import { evidenceOf, runIdOf } from './detecting.ts'
import { binNames, type Recorded, translate } from './recording-sink.ts'

const envelope = { sessionId: 's1', isSidechain: false, timestamp: 't1', cwd: '/w', version: '2.1.0' }
const user = (content: unknown, more: object = {}): object => ({
  type: 'user',
  ...envelope,
  message: { role: 'user', content },
  ...more,
})
const tokens = (output: unknown, more: object = {}): object => ({
  input_tokens: 3,
  output_tokens: output,
  cache_read_input_tokens: 5,
  cache_creation_input_tokens: 7,
  ...more,
})
interface Line {
  readonly id?: string | null
  readonly request?: unknown
  readonly stop?: string | null
  readonly usage?: unknown
  readonly model?: string
  readonly content?: unknown
  readonly more?: object
}
const line = (fields: Line = {}): object => ({
  type: 'assistant',
  ...envelope,
  requestId: fields.request === undefined ? 'r1' : fields.request,
  uuid: 'u1',
  message: {
    id: fields.id === undefined ? 'm1' : fields.id,
    model: fields.model ?? 'opus',
    content: fields.content ?? [{ type: 'text', text: 'hi' }],
    stop_reason: fields.stop ?? null,
    ...(fields.usage === null ? {} : { usage: fields.usage ?? tokens(1) }),
  },
  ...fields.more,
})
const usagesIn = (events: readonly string[]): number =>
  events.filter((event) => event.startsWith('usage')).length
const answer = (id: string, content: unknown, more: object = {}): object => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...more,
})
const system = (subtype: string, more: object = {}): object => ({
  type: 'system',
  ...envelope,
  subtype,
  ...more,
})
const attachment = (type: string, more: object = {}): object => ({
  type: 'attachment',
  ...envelope,
  attachment: { type, ...more },
})

const queued = (prompt: unknown, more = {}): object => attachment('queued_command', { prompt, ...more })
const withInput = (input: number, stop: string | null): object =>
  line({ usage: tokens(4, { input_tokens: input }), stop })
const spelled = (id: string): string => JSON.stringify(line({ id: 'ID' })).replace('"ID"', `"${id}"`)
const usageOnly = (output: number, stop: string | null): object =>
  line({ content: [], usage: tokens(output), stop })
const blockedBy = (hookEvent: string): object =>
  attachment('hook_blocking_error', {
    hookName: `${hookEvent}:Bash`,
    hookEvent,
    toolUseID: 'c1',
    blockingError: { blockingError: 'not here' },
  })

/** Each event in a few words, the opening left out. */
function story(lines: readonly (string | object)[]): string[] {
  return translate(claudeSession, lines).events.flatMap((event) =>
    event.event === 'session.started' ? [] : [brief(event)],
  )
}

function brief(event: Recorded): string {
  const { origin, code, text, callId, usage, vendorType, vendorSubtype } = event
  const words = [origin, code, text, callId, usage && outputOf(usage), vendorType, vendorSubtype]
  return [event.event, ...words.filter((word) => word !== undefined && word !== null)].join(' ')
}

function outputOf(usage: unknown): unknown {
  return typeof usage === 'object' && usage !== null && 'outputTokens' in usage ? usage.outputTokens : null
}

const bins = (lines: readonly (string | object)[]): string[] => binNames(translate(claudeSession, lines).bins)
const billed = (lines: readonly (string | object)[]): readonly Billed[] =>
  translate(claudeSession, lines).entries
const named = (lines: readonly (string | object)[], event: string): Recorded[] =>
  translate(claudeSession, lines).events.filter((other) => other.event === event)

describe('the opening', () => {
  test('says what the first record of the conversation says, and the permission mode told before', () => {
    const lines = [
      { type: 'permission-mode', permissionMode: 'plan', sessionId: 's1' },
      { type: 'summary', summary: 'x', leafUuid: 'l' },
      user('go'),
    ]
    expect(bins(lines)).toEqual(['Bookkeeping', 'Bookkeeping', 'Translated'])
    expect(named(lines, 'session.started')).toMatchObject([
      {
        at: 't1',
        adapter: 'claude',
        adapterClass: 'harness',
        harnessVersion: '2.1.0',
        sessionId: 's1',
        permissionMode: 'plan',
        cwd: '/w',
        model: null,
        offeredTools: null,
        subagent: false,
      },
    ])
  })

  test.each([
    { name: 'a record that is bookkeeping', record: system('session_start'), bin: 'Translated' },
    { name: 'a copy of progress', record: { type: 'progress', ...envelope, data: {} }, bin: 'Translated' },
    { name: 'a record that cannot be read', record: system('from_the_future'), bin: 'Opaque' },
  ])('is made by $name', ({ record, bin }) => {
    expect(bins([record])).toEqual([bin])
    expect(named([record], 'session.started')).toHaveLength(1)
  })

  test('comes before the first event even if no record names a session', () => {
    const lines = [{ type: 'user', timestamp: 't', message: { content: 'a' } }]
    expect(translate(claudeSession, lines).events).toMatchObject([
      { event: 'session.started', sessionId: null, at: 't' },
      { event: 'injection' },
    ])
  })

  test('is made at the end when only metadata names the session', () => {
    const events = translate(claudeSession, [{ type: 'mode', mode: 'normal', sessionId: 's9' }]).events
    expect(events).toMatchObject([{ event: 'session.started', sessionId: 's9', at: null, line: 1 }])
  })

  test('is made again for another session, once, with a notice', () => {
    const other = { sessionId: 's2' }
    const { events, notices } = translate(claudeSession, [
      user('a'),
      user('b', other),
      user('c'),
      user('d', other),
    ])
    expect(
      events.flatMap(({ event, sessionId }) => (event === 'session.started' ? [sessionId] : [])),
    ).toEqual(['s1', 's2'])
    expect(notices).toMatchObject([{ code: 'second-session', line: 2 }])
  })

  test('tells a file of a subagent, and the session when that comes as well', () => {
    const side = { isSidechain: true, agentId: 'a7' }
    const started = named([user('task', side), user('x')], 'session.started')
    expect(started.map(({ subagent }) => subagent)).toEqual([true, false])
    expect(story([user('task', side)])).toEqual(['injection synthetic task'])
  })

  test('there is no terminal record, and none is promised', () => {
    expect(translate(claudeSession, [user('a')]).ending).toEqual({
      reason: 'error',
      terminal: false,
      promised: false,
    })
  })
})

describe('who said it', () => {
  test.each([
    { content: 'mend it', origin: 'user' },
    { content: 'why does <system-reminder> appear?', origin: 'user' },
    { content: '<div> is wrong', origin: 'user' },
    { content: '<system-reminder>x</system-reminder>', origin: 'synthetic' },
    { content: '\n\t <system-reminder>x', origin: 'synthetic' },
    { content: '<command-name>/clear</command-name>', origin: 'synthetic' },
    { content: '<local-command-stdout></local-command-stdout>', origin: 'synthetic' },
    { content: '<task-notification>\n', origin: 'synthetic' },
    { content: '<ide_opened_file>a', origin: 'synthetic' },
    { content: '[Request interrupted by user for tool use]', origin: 'synthetic' },
    { content: 'Caveat: The messages below were generated by x', origin: 'synthetic' },
    { content: 'Caveat: mind the gap', origin: 'user' },
    { content: '', origin: 'user' },
    { content: '   ', origin: 'user' },
    { content: 'a', more: { isMeta: true }, origin: 'synthetic' },
    { content: 'a', more: { isMeta: false }, origin: 'user' },
    { content: 'a', more: { isCompactSummary: true }, origin: 'synthetic' },
    { content: 'a', more: { isSidechain: true }, origin: 'synthetic' },
    { content: 'a', more: { origin: { kind: 'human' } }, origin: 'user' },
    { content: 'a', more: { origin: { kind: 'task-notification' } }, origin: 'synthetic' },
  ])('$content $more', ({ content, more, origin }) => {
    for (const said of [content, [{ type: 'text', text: content }]]) {
      expect(named([user(said, more)], 'injection')).toMatchObject([{ text: content, origin }])
    }
  })

  test('a queued prompt is of the user, unless it is wrapped or says otherwise', () => {
    const image = { type: 'image', source: {} }
    expect(
      story([
        queued('and this'),
        queued('<task-notification>x'),
        queued('done', { commandMode: 'task-notification' }),
        queued([{ type: 'text', text: 'look' }, image]),
      ]),
    ).toEqual([
      'injection user and this',
      'injection synthetic <task-notification>x',
      'injection synthetic done',
      'injection user look',
      'opaque attachment image',
    ])
  })
})

describe('the blocks of a message', () => {
  test('give one event each, in order', () => {
    const content = [
      { type: 'thinking', thinking: 'hm' },
      { type: 'thinking', signature: 'x' },
      { type: 'redacted_thinking', data: 'x' },
      { type: 'text', text: 'so' },
      { type: 'tool_use', id: 'c1', name: 'Read', input: { file_path: '/a' } },
      { type: 'server_tool_use', id: 'c2', name: 'web_search', input: {} },
      { type: 'web_search_tool_result', tool_use_id: 'c2', content: [] },
      { type: 'fallback', from: { model: 'a' }, to: { model: 'b' } },
      { type: 'hologram' },
      { type: 'text', text: 7 },
      'bare',
    ]
    expect(story([line({ content })])).toEqual([
      'thinking hm',
      'thinking ',
      'thinking ',
      'text so',
      'tool.requested c1',
      'tool.requested c2',
      'tool.result c2',
      'warning fallback',
      'opaque assistant hologram',
      'opaque assistant text',
      'opaque assistant',
      'usage 1',
    ])
  })

  test('a call names what it does, and is not decided by us', () => {
    const content = [{ type: 'tool_use', id: 'c1', name: 'Read', input: { file_path: '/a' } }]
    expect(named([line({ content })], 'tool.requested')).toMatchObject([
      {
        at: 't1',
        callId: 'c1',
        name: 'Read',
        operations: ['file.read'],
        subjects: ['file:/a'],
        seam: 'none',
        decisionRequired: false,
        deadlineMs: null,
      },
    ])
  })

  test('content that is a string is text', () => {
    expect(story([line({ content: 'plain', usage: null })])).toEqual(['text plain'])
  })

  test.each([
    { name: 'no content', message: {} },
    { name: 'empty content', message: { content: [] } },
    { name: 'a drifted shape', message: { 0: '{', content: [] } },
    { name: 'content that is an object', message: { content: { text: 'a' } } },
    { name: 'no message', message: null },
  ])('$name makes the record opaque', ({ message }) => {
    for (const type of ['assistant', 'user']) {
      const record = { type, ...envelope, message }
      expect(bins([record])).toEqual(['Opaque'])
      expect(story([record])).toEqual([`opaque ${type}`])
    }
  })
})

describe('results of calls', () => {
  test.each([
    { content: 'naïve', bytes: 6 },
    { content: 'a\n\u0000', bytes: 3 },
    { content: [{ type: 'text', text: 'x' }], bytes: '[{"type":"text","text":"x"}]'.length },
    { content: [], bytes: 2 },
  ])('$content has $bytes bytes', ({ content, bytes }) => {
    const result = { stdout: 'x' }
    const lines = [user([answer('c1', content, { is_error: false })], { toolUseResult: result })]
    expect(named(lines, 'tool.result')).toMatchObject([
      { callId: 'c1', isError: false, content, bytes, toolUseResult: result, exitCode: null },
    ])
  })

  test('what is missing stays null, and the call may be named beside the message', () => {
    const lines = [
      user([{ type: 'tool_result' }], { sourceToolUseID: 'c9', toolUseResult: null }),
      user([{ type: 'tool_result' }]),
    ]
    const nothing = { content: null, bytes: null, isError: null, toolUseResult: null }
    expect(named(lines, 'tool.result')).toMatchObject([
      { callId: 'c9', ...nothing },
      { callId: '', ...nothing },
    ])
  })

  test('an image among the results is opaque, and the record stays read', () => {
    const lines = [user([answer('c1', 'x'), { type: 'image', source: {} }])]
    expect(story(lines)).toEqual(['tool.result c1', 'opaque user image'])
    expect(bins(lines)).toEqual(['Translated'])
  })

  test.each([
    { content: 'anything', more: { toolDenialKind: 'user-rejected' }, how: 'field' },
    { content: "The user doesn't want to proceed with this tool use. The tool", how: 'text' },
    { content: [{ type: 'text', text: 'Permission prompt was aborted.' }], how: 'text' },
    { content: "Claude requested permissions to write to /a, but you haven't granted it yet.", how: 'text' },
    { content: 'Error: Permission to use Bash with command x has been denied.', how: 'text' },
    { content: 'no such file: Permission prompt was aborted', how: null },
    { content: 'stopped', more: { toolDenialKind: 'interrupted' }, how: null },
    { content: 'Permission prompt was aborted.', isError: false, how: null },
  ])('$content is a denial by $how', ({ content, more, isError = true, how }) => {
    const lines = [user([answer('c1', content, { is_error: isError })], more)]
    const message = expect.stringContaining(how ?? '') as unknown
    expect(named(lines, 'warning')).toMatchObject(
      how === null ? [] : [{ code: 'approval-denied', deniedCall: 'c1', message }],
    )
  })

  test('a call denied twice over is one warning', () => {
    const denied = user([answer('c1', 'x', { is_error: true })], { toolDenialKind: 'hook' })
    expect(named([denied, denied], 'warning')).toHaveLength(1)
  })
})

describe('usage of a message', () => {
  test('is written once, at the time and line of its last line, when another message begins', () => {
    const lines = [
      line({ usage: tokens(1), more: { timestamp: 't1' } }),
      user([answer('c', 'x')]),
      line({ usage: tokens(40), more: { timestamp: 't3' } }),
      line({ id: 'm2', request: 'r2', usage: tokens(2), stop: 'end_turn', more: { timestamp: 't4' } }),
    ]
    expect(story(lines)).toEqual(['text hi', 'tool.result c', 'text hi', 'usage 40', 'text hi', 'usage 2'])
    expect(named(lines, 'usage')).toMatchObject([
      { at: 't3', line: 3, requestId: 'r1', model: 'opus', usage: { inputTokens: 3 } },
      { at: 't4', line: 4, requestId: 'r2' },
    ])
  })

  test('is written at the end when nothing follows', () => {
    expect(story([line(), user('more')])).toEqual(['text hi', 'injection user more', 'usage 1'])
  })

  test.each([
    { name: 'grows', outputs: [1, 1, 273], kept: 273 },
    { name: 'shrinks', outputs: [9, 4], kept: 9 },
    { name: 'is unknown at first', outputs: [null, 0], kept: 0 },
  ])('that $name keeps the line with the largest output', ({ outputs, kept }) => {
    const lines = outputs.map((output, i) =>
      line({ usage: tokens(output, { input_tokens: i }), model: `model-${i}` }),
    )
    const best = outputs.indexOf(kept)
    expect(billed(lines)).toMatchObject([
      { model: `model-${best}`, tokens: { input: best, output: kept }, final: false },
    ])
  })

  test('of equal lines the one with a stop reason counts, then the later one', () => {
    expect(billed([withInput(1, null), withInput(2, null)])).toMatchObject([
      { tokens: { input: 2 }, final: false },
    ])
    const entries = billed([withInput(1, 'end_turn'), withInput(2, null)])
    expect(entries).toMatchObject([{ tokens: { input: 1 }, final: true }])
  })

  test('keys leave the session out and know three spellings of no request', () => {
    const key = (request: unknown, id: string | null = 'm1'): unknown =>
      billed([line({ request, id, stop: 'end_turn' })])[0]?.key
    expect([key('r1'), key(''), key(null), key('r1', null)]).toEqual([
      'claude:m1:r1',
      'claude:m1:',
      'claude:m1:',
      'claude-line:u1',
    ])
    expect(billed([line({ request: null }), line({ request: '' }), line()])).toHaveLength(1)
  })

  test('an id in another spelling is the same id', () => {
    expect(billed([spelled('mé'), spelled(String.raw`m\u00e9`), spelled('mé')])).toMatchObject([
      { key: 'claude:mé:r1' },
    ])
  })

  test('a record of nothing but usage is folded into the event', () => {
    const lines = [user('a'), usageOnly(1, null), usageOnly(480, 'end_turn')]
    expect(bins(lines)).toEqual(['Translated', 'Folded', 'Translated'])
    expect(named(lines, 'usage')).toMatchObject([{ line: 3, foldedLines: [2], usage: { outputTokens: 480 } }])
  })

  test('a repeat of a written message is dropped, a larger one is written with a notice', () => {
    const last = line({ id: 'm2', stop: 'end_turn' })
    const { events, entries, notices } = translate(claudeSession, [
      line({ usage: tokens(5), stop: 'end_turn' }),
      last,
      line({ usage: tokens(5), stop: 'end_turn' }),
      line({ usage: tokens(8), stop: 'end_turn' }),
    ])
    const outputs = events.flatMap(({ event, usage }) => (event === 'usage' ? [outputOf(usage)] : []))
    expect(outputs).toEqual([5, 1, 8])
    expect(entries.map(({ key }) => key)).toEqual(['claude:m1:r1', 'claude:m2:r1', 'claude:m1:r1'])
    expect(notices).toMatchObject([{ code: 'usage-late', line: 4 }])
  })

  test('that turns out final later is news for the bill only', () => {
    const lines = [line(), line({ id: 'm2', stop: 'x' }), line({ stop: 'end_turn' })]
    expect(story(lines).filter((event) => event.startsWith('usage'))).toHaveLength(2)
    expect(billed(lines).map(({ key, final }) => [key, final])).toEqual([
      ['claude:m1:r1', false],
      ['claude:m2:r1', true],
      ['claude:m1:r1', true],
    ])
  })

  test('chains run side by side: a subagent does not end the message of another', () => {
    const side = { isSidechain: true, agentId: 'a' }
    const entries = billed([
      line({ usage: tokens(1) }),
      line({ id: 'm2', usage: tokens(1), more: side }),
      line({ usage: tokens(9) }),
      line({ id: 'm2', usage: tokens(7), more: side }),
    ])
    expect(entries.map(({ key, tokens: { output }, sidechain }) => [key, output, sidechain])).toEqual([
      ['claude:m1:r1', 9, false],
      ['claude:m2:r1', 7, true],
    ])
  })

  test('that a side chain repeats under another request id is written once, and left to the bill', () => {
    const aside = (id: string, request: string) =>
      line({ id, request, stop: 'end_turn', more: { isSidechain: true, agentId: 'aside' } })
    const main = [line({ stop: 'end_turn' }), line({ id: 'm2' })]
    const lines = [...main, aside('m1', 'r8'), aside('m2', 'r9'), aside('m3', 'r3'), aside('m3', 'r4')]
    expect(usagesIn(story(lines))).toBe(4)
    expect(billed(lines).map(({ key, sidechain }) => [key, sidechain])).toEqual([
      ['claude:m1:r1', false],
      ['claude:m1:r8', true],
      ['claude:m2:r9', true],
      ['claude:m3:r3', true],
      ['claude:m3:r4', true],
      ['claude:m2:r1', false],
    ])
    const many = Array.from({ length: 300 }, (_, i) => line({ id: `n${i}`, stop: 'end_turn' }))
    expect(usagesIn(story([...many, aside('n299', 'r8'), aside('n180', 'r8')]))).toBe(300)
  })

  test.each([
    { split: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 }, writes: [3, 4, 0] },
    { split: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 7 }, writes: [0, 7, 0] },
    { split: undefined, writes: [0, 0, 7] },
    { split: { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: 2 }, writes: [1, 2, 4], odd: true },
    { split: { ephemeral_5m_input_tokens: 9, ephemeral_1h_input_tokens: 2 }, writes: [0, 0, 7], odd: true },
  ])('cache writes of $split are $writes by lifetime', ({ split, writes, odd }) => {
    const lines = [line({ usage: tokens(1, { cache_creation: split }) })]
    const [entry] = billed(lines)
    const { cacheWrite5m, cacheWrite1h, cacheWrite } = entry?.tokens ?? {}
    expect([cacheWrite5m, cacheWrite1h, cacheWrite]).toEqual(writes)
    const codes = translate(claudeSession, lines).notices.map(({ code }) => code)
    expect(codes).toEqual(odd === true ? ['cache-split'] : [])
  })

  test('everything the message says is on the wire and on the bill', () => {
    const usage = tokens(9, {
      output_tokens_details: { thinking_tokens: 4 },
      server_tool_use: { web_search_requests: 2 },
      service_tier: 'standard',
      speed: 'fast',
      inference_geo: 'us',
      iterations: [{ type: 'message' }, { type: 'message' }],
    })
    const lines = [line({ usage, more: { costUSD: 0.25 } })]
    expect(named(lines, 'usage')).toMatchObject([
      {
        usage: {
          inputTokens: 3,
          outputTokens: 9,
          cacheReadInputTokens: 5,
          cacheCreationInputTokens: 7,
          thinkingTokens: 4,
          serviceTier: 'standard',
          speed: 'fast',
          iterations: 2,
          costUsd: '0.25',
        },
      },
    ])
    expect(billed(lines)).toMatchObject([
      {
        session: 's1',
        process: null,
        at: 't1',
        tokens: { input: 3, cacheRead: 5, output: 9, reasoning: 4 },
        webSearches: 2,
        serviceTier: 'standard',
        speed: 'fast',
        geo: 'us',
        reportedPicoUsd: 250_000_000_000n,
      },
    ])
  })

  test('an advisor inside a message is usage of its own model', () => {
    const iterations = [
      { type: 'message', input_tokens: 3, output_tokens: 9 },
      { type: 'advisor_message', model: 'sage', input_tokens: 100, output_tokens: 20 },
    ]
    const lines = [line({ usage: tokens(9, { iterations }) })]
    expect(named(lines, 'usage')).toMatchObject([
      { model: 'opus', usage: { outputTokens: 9 } },
      { model: 'sage', requestId: null, usage: { inputTokens: 100, outputTokens: 20 } },
    ])
    expect(billed(lines).map(({ key, model }) => [key, model])).toEqual([
      ['claude:m1:r1', 'opus'],
      ['claude:m1:r1:advisor:1', 'sage'],
    ])
  })

  test('odd figures are unknown and never negative, numbers in strings are read', () => {
    const usage = tokens('12', { input_tokens: -5, cache_read_input_tokens: 1.5 })
    const { entries, notices } = translate(claudeSession, [line({ usage })])
    expect(entries).toMatchObject([{ tokens: { input: null, cacheRead: null, output: 12 } }])
    expect(notices.map(({ code }) => code).toSorted()).toEqual(['bad-count', 'bad-count', 'numeric-string'])
  })

  test('what the harness words itself is no model and costs nothing', () => {
    const lines = [
      line({ model: '<synthetic>', content: [{ type: 'text', text: 'No response requested.' }] }),
      line({
        model: '<synthetic>',
        content: [{ type: 'text', text: 'You have hit your limit' }],
        more: { isApiErrorMessage: true, error: 'rate_limit', apiErrorStatus: 429 },
      }),
    ]
    expect(story(lines)).toEqual(['text No response requested.', 'warning api-error'])
    expect(named(lines, 'warning')).toMatchObject([
      { message: 'rate_limit: status 429: You have hit your limit', severity: 'error' },
    ])
    expect(billed(lines)).toEqual([])
  })

  test('copies of what subagents used are not counted', () => {
    const copy = { type: 'agent_progress', message: line() }
    const result = { agentId: 'a', usage: tokens(1000), totalTokens: 9 }
    const lines = [
      { type: 'progress', ...envelope, data: copy },
      user([answer('c', 'x')], { toolUseResult: result }),
    ]
    expect(billed(lines)).toEqual([])
  })
})

describe('records beside the talk', () => {
  test.each([
    { record: system('turn_duration'), bin: 'Bookkeeping', events: [] },
    { record: system('api_refusal'), bin: 'Bookkeeping', events: [] },
    { record: system('error'), bin: 'Opaque', events: ['opaque system error'] },
    { record: system('compact_boundary'), bin: 'Translated', events: ['warning conversation-compacted'] },
    { record: system('api_error'), bin: 'Translated', events: ['warning VENDOR_API_RETRY'] },
    {
      record: system('model_refusal_fallback'),
      bin: 'Translated',
      events: ['warning model_refusal_fallback'],
    },
    { record: attachment('plan_mode'), bin: 'Bookkeeping', events: [] },
    { record: attachment('goal_status', { met: true }), bin: 'Bookkeeping', events: [] },
    { record: attachment('brand_new'), bin: 'Opaque', events: ['opaque attachment brand_new'] },
    { record: attachment('skill_listing', { content: '' }), bin: 'Bookkeeping', events: [] },
    {
      record: attachment('skill_listing', { content: 'a' }),
      bin: 'Translated',
      events: ['injection synthetic a'],
    },
    {
      record: attachment('hook_additional_context', { content: ['a', 'b'] }),
      bin: 'Translated',
      events: ['injection synthetic a\nb'],
    },
    {
      record: attachment('nested_memory', { content: { content: 'm' } }),
      bin: 'Translated',
      events: ['injection synthetic m'],
    },
    {
      record: attachment('file', { content: { file: { content: 'f' } } }),
      bin: 'Translated',
      events: ['injection synthetic f'],
    },
    {
      record: attachment('invoked_skills', { skills: [{ content: 'x' }, { content: 'y' }] }),
      bin: 'Translated',
      events: ['injection synthetic x', 'injection synthetic y'],
    },
    {
      record: attachment('hook_success', { hookEvent: 'SessionStart', content: 'c' }),
      bin: 'Translated',
      events: ['injection synthetic c'],
    },
    {
      record: attachment('hook_success', { hookEvent: 'PostToolUse', content: 'c' }),
      bin: 'Bookkeeping',
      events: [],
    },
    {
      record: attachment('hook_non_blocking_error', { hookName: 'h', exitCode: 1, stderr: 'e' }),
      bin: 'Translated',
      events: ['warning hook-failed'],
    },
    { record: { type: 'queue-operation', operation: 'enqueue' }, bin: 'Bookkeeping', events: [] },
    { record: { type: 'file-history-snapshot', snapshot: {} }, bin: 'Bookkeeping', events: [] },
    { record: { type: 'pr-link', sessionId: 's1' }, bin: 'Bookkeeping', events: [] },
    { record: { type: 'started', key: 'k', agentId: 'a' }, bin: 'Bookkeeping', events: [] },
    { record: { type: 'result', key: 'k', agentId: 'a', result: {} }, bin: 'Bookkeeping', events: [] },
    { record: { type: 'result', total_cost_usd: 1 }, bin: 'Opaque', events: ['opaque result'] },
    { record: { type: 'tool_use', name: 'x' }, bin: 'Opaque', events: ['opaque tool_use'] },
    { record: { type: 7 }, bin: 'Opaque', events: ['opaque'] },
    { record: '[1,2]', bin: 'Opaque', events: ['opaque'] },
    { record: 'null', bin: 'Opaque', events: ['opaque'] },
  ])('$record.type $record.subtype is $bin', ({ record, bin, events }) => {
    expect(bins([user('a'), record])[1]).toBe(bin)
    expect(story([user('a'), record]).slice(1)).toEqual(events)
  })

  test('a hook that blocks a call before it runs denies it', () => {
    expect(named([blockedBy('PreToolUse')], 'warning')).toMatchObject([
      { code: 'hook-refused', message: 'the hook PreToolUse:Bash blocked: not here', deniedCall: 'c1' },
    ])
    expect(named([blockedBy('Stop')], 'warning')[0]).not.toHaveProperty('deniedCall')
  })

  test.each([
    { error: 'overloaded', said: 'overloaded' },
    { error: { message: 'overloaded', status: 529 }, said: 'status 529: overloaded' },
    { error: { error: { error: { message: 'deep' } } }, said: ': deep' },
    { error: { formatted: 'F' }, said: ': F' },
    { error: undefined, said: 'a request was repeated, attempt 1 of 10, after 500 ms' },
  ])('the reason of a repeated request is told: $error', ({ error, said }) => {
    const record = system('api_error', { error, retryAttempt: 1, maxRetries: 10, retryInMs: 500 })
    expect(named([record], 'warning')[0]?.['message']).toContain(said)
  })

  test('an expired login is told only by the harness itself', () => {
    const phrase = 'Your session has expired. Please run /login'
    const content = [{ type: 'text', text: phrase }]
    const flagged = { isApiErrorMessage: true }
    expect(story([user([answer('c', phrase)]), line({ content, usage: null })])).toEqual([
      'tool.result c',
      `text ${phrase}`,
    ])
    expect(named([line({ content, more: flagged })], 'auth.expired')).toMatchObject([{ detail: phrase }])
  })
})

describe('times', () => {
  test.each([
    { timestamp: '2026-01-02T03:04:05.000Z', at: '2026-01-02T03:04:05.000Z' },
    { timestamp: 'whenever', at: 'whenever' },
    { timestamp: 1_767_225_600_000, at: '2026-01-01T00:00:00.000Z' },
    { timestamp: 1_767_225_600, at: '2026-01-01T00:00:00.000Z' },
    { timestamp: null, at: null },
    { timestamp: undefined, at: null },
    { timestamp: {}, at: null },
  ])('$timestamp is $at', ({ timestamp, at }) => {
    expect(named([line({ more: { timestamp } })], 'usage')).toMatchObject([{ at }])
    expect(named([line({ more: { timestamp } })], 'text')).toMatchObject([{ at }])
  })
})

describe('detection', () => {
  test.each([
    { name: 'a user record', value: user('a'), weight: 'proof' },
    {
      name: 'a line without a session',
      value: { type: 'user', uuid: 'u', message: { content: '' } },
      weight: 'proof',
    },
    { name: 'an attachment', value: { ...attachment('file'), parentUuid: null }, weight: 'proof' },
    { name: 'a system record', value: { ...system('x'), parentUuid: null }, weight: 'proof' },
    { name: 'metadata', value: { type: 'mode', sessionId: 's' }, weight: 'weak' },
    { name: 'a summary', value: { type: 'summary', leafUuid: 'l' }, weight: 'weak' },
    { name: 'a stripped export', value: { type: 'user', message: { content: 'a' } }, weight: 'weak' },
    { name: 'a journal', value: { type: 'started', key: 'k', agentId: 'a' }, weight: 'weak' },
    { name: 'a Qwen chat', value: { ...user('a'), message: { parts: [] } }, weight: null },
    { name: 'a Qwen system record', value: { ...system('x'), systemPayload: {} }, weight: null },
    {
      name: 'a stream record',
      value: { type: 'user', session_id: 's', uuid: 'u', message: { content: 'a' } },
      weight: null,
    },
    { name: 'something else', value: { type: 'message', role: 'user' }, weight: null },
    { name: 'a list', value: [1], weight: null },
  ])('$name: $weight', ({ value, weight }) => {
    expect(evidenceOf(claudeSession, value)?.weight ?? null).toBe(weight)
  })

  test('a subagent has a run of its own', () => {
    expect(runIdOf(claudeSession, user('a'))).toBe('s1')
    expect(runIdOf(claudeSession, user('a', { isSidechain: true, agentId: 'a7' }))).toBe('s1/a7')
    expect(runIdOf(claudeSession, { type: 'summary' })).toBeNull()
  })
})

describeWithShared('sample sessions', () => {
  const fixtures = join(sharedDir, 'fixtures')
  const totals = (files: readonly string[]): object => {
    const byKey = new Map<unknown, Billed>()
    for (const file of files) {
      for (const entry of billedOf(file)) {
        const known = byKey.get(entry.key)
        if ((entry.tokens.output ?? -1) >= (known?.tokens.output ?? -1)) byKey.set(entry.key, entry)
      }
    }
    const sum = { messages: byKey.size, input_uncached: 0, cache_write: 0, cache_read: 0, output: 0 }
    for (const { tokens: t } of byKey.values()) {
      sum.input_uncached += t.input ?? 0
      sum.cache_write += (t.cacheWrite ?? 0) + (t.cacheWrite5m ?? 0) + (t.cacheWrite1h ?? 0)
      sum.cache_read += t.cacheRead ?? 0
      sum.output += t.output ?? 0
    }
    return sum
  }
  const billedOf = (file: string): readonly Billed[] =>
    translate(claudeSession, readFileSync(join(fixtures, file))).entries

  interface Golden {
    readonly entries: readonly {
      readonly file: string
      readonly files?: readonly string[]
      readonly what: string
      readonly wrong?: boolean
      readonly expected: object
    }[]
  }

  test('have the totals that were computed by hand', () => {
    const golden: Golden = JSON.parse(readFileSync(join(fixtures, 'golden.json'), 'utf8'))
    const wanted = golden.entries.filter(
      ({ file, what, wrong }) =>
        file.startsWith('vendors/claude-code-session/') &&
        wrong !== true &&
        (what.startsWith('usage of this file alone') || what.startsWith('both files together')),
    )
    expect(wanted.length).toBeGreaterThan(6)
    for (const { file, files, what, expected } of wanted) {
      const paths = files === undefined ? [file] : files.map((name) => file + name)
      expect({ file, what, ...totals(paths) }).toMatchObject({ file, what, ...expected })
    }
  })

  test('bring no surprise: every record is filed, opaque ones are those that nobody knows', () => {
    const folder = join(fixtures, 'vendors/claude-code-session')
    const opaque = new Set<string>()
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.jsonl')) continue
      const { events, bins: filed } = translate(claudeSession, readFileSync(join(folder, name)))
      expect(filed.length).toBeGreaterThan(0)
      for (const event of events) if (event.event === 'opaque') opaque.add(brief(event))
    }
    expect([...opaque].toSorted()).toEqual([
      'opaque',
      'opaque atis-latch',
      'opaque attachment image',
      'opaque system error',
      'opaque tool_result',
      'opaque tool_use',
      'opaque user image',
    ])
  })
})
