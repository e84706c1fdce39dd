import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { qwen } from '../../src/dialect/qwen.ts'
import { describeWithShared, sharedDir } from '../shared.ts'
import { evidenceOf, runIdOf } from './detecting.ts'
import { binNames, translate } from './recording-sink.ts'

const chat = (type: string, more: object = {}): object => ({
  uuid: 'q1',
  parentUuid: null,
  sessionId: 's1',
  timestamp: '2026-11-07T07:00:00Z',
  cwd: '/home/dev',
  version: '0.22.1',
  type,
  ...more,
})
const parts = (...list: unknown[]): object => ({ message: { parts: list } })
const system = (subtype: string, systemPayload: object = {}): object =>
  chat('system', { subtype, systemPayload })
const stream = (type: string, more: object = {}): object => ({
  type,
  session_id: 's2',
  parent_tool_use_id: null,
  ...more,
})
const init = stream('system', {
  subtype: 'init',
  model: 'm',
  qwen_code_version: '0.22.1',
  tools: ['glob'],
  permission_mode: 'yolo',
})
const assistant = (id: string, content: unknown, usage?: object): object =>
  stream('assistant', { message: { id, model: 'm', content, usage } })
const result = (more: object = {}): object =>
  stream('result', { subtype: 'success', is_error: false, num_turns: 1, ...more })

describe('chats', () => {
  test('open with what their first record says', () => {
    const { events } = translate(qwen, [chat('user', parts({ text: 'hi' }))])
    expect(events).toMatchObject([
      { adapter: 'qwen', sessionId: 's1', cwd: '/home/dev', harnessVersion: '0.22.1', subagent: false },
      { event: 'injection', text: 'hi', origin: 'user' },
    ])
  })

  test.each([
    { more: {}, origin: 'user' },
    { more: { subtype: 'mid_turn_user_message' }, origin: 'user' },
    { more: { provenance: 'real_user' }, origin: 'user' },
    { more: { provenance: 'goal_runtime' }, origin: 'synthetic' },
    { more: { subtype: 'notification' }, origin: 'synthetic' },
    { more: { subtype: 'of_tomorrow' }, origin: 'synthetic' },
    { more: { isSidechain: true }, origin: 'synthetic' },
  ])('$more is $origin', ({ more, origin }) => {
    expect(translate(qwen, [chat('user', { ...parts({ text: 'hi' }), ...more })]).events[1]).toMatchObject({
      origin,
    })
  })

  test('what hooks add to a prompt is not the user’s', () => {
    const added = { text: '<qwen:user-prompt-submit-context>\nx\n</qwen:user-prompt-submit-context>' }
    expect(translate(qwen, [chat('user', parts({ text: 'hi' }, added))]).events.slice(1)).toMatchObject([
      { origin: 'user' },
      { origin: 'synthetic' },
    ])
  })

  test('thoughts, words and calls stand in order', () => {
    const call = { functionCall: { id: 'c', name: 'edit', args: { file_path: '/a' } } }
    const { events } = translate(qwen, [
      chat('assistant', parts({ text: 't', thought: true }, { text: 'w' }, call)),
    ])
    expect(events.slice(1)).toMatchObject([
      { event: 'thinking', text: 't' },
      { event: 'text', text: 'w', requestId: 'q1' },
      { event: 'tool.requested', callId: 'c', operations: ['file.edit'], subjects: ['file:/a'] },
    ])
  })

  test.each([
    {
      usage: {
        promptTokenCount: 100,
        candidatesTokenCount: 20,
        thoughtsTokenCount: 5,
        totalTokenCount: 120,
        cachedContentTokenCount: 30,
      },
      want: [70, 30, 20, 5],
    },
    {
      usage: {
        promptTokenCount: 100,
        candidatesTokenCount: 20,
        thoughtsTokenCount: 5,
        totalTokenCount: 125,
        cachedContentTokenCount: 30,
      },
      want: [70, 30, 25, 5],
    },
    {
      usage: { promptTokenCount: 100, candidatesTokenCount: 20, thoughtsTokenCount: 5 },
      want: [100, null, 20, 5],
    },
    { usage: { promptTokenCount: '9', candidatesTokenCount: 1.0 }, want: [9, null, 1, null] },
  ])('$usage', ({ usage, want }) => {
    const { entries } = translate(qwen, [chat('assistant', { model: 'm', ...parts(), usageMetadata: usage })])
    expect(entries).toMatchObject([{ key: 'qwen:q1', session: 's1', model: 'm' }])
    expect(entries.map(({ tokens: t }) => [t.input, t.cacheRead, t.output, t.reasoning])).toEqual([want])
  })

  test.each([{ usageMetadata: 'x' }, { usageMetadata: null }, { usageMetadata: {} }])(
    '$usageMetadata is no usage',
    (more) => {
      expect(translate(qwen, [chat('assistant', { ...parts({ text: 'w' }), ...more })]).entries).toEqual([])
    },
  )

  test('telemetry tells the same counts again and is folded', () => {
    const { bins, entries } = translate(qwen, [
      chat('user', parts({ text: 'hi' })),
      system('ui_telemetry', { uiEvent: { 'event.name': 'qwen-code.api_response', input_token_count: 5 } }),
      system('ui_telemetry', { uiEvent: { 'event.name': 'qwen-code.tool_call' } }),
      system('ui_telemetry', {}),
    ])
    expect(binNames(bins)).toEqual(['Translated', 'Folded', 'Folded', 'Bookkeeping'])
    expect(entries).toEqual([])
  })

  test.each([
    { status: 'success', response: { output: 'x' }, isError: false, content: 'x' },
    { status: 'error', response: { error: 'no' }, isError: true, content: 'no' },
    { status: undefined, response: { output: 'x' }, isError: null, content: 'x' },
    { status: undefined, response: { error: 'no' }, isError: true, content: 'no' },
  ])('a result: $status $response', ({ status, response, isError, content }) => {
    const record = chat('tool_result', {
      ...parts({ functionResponse: { id: 'c', name: 'glob', response } }),
      toolCallResult: { callId: 'c', status, resultDisplay: 'shown' },
    })
    expect(translate(qwen, [record]).events[1]).toMatchObject({
      callId: 'c',
      isError,
      content,
      toolUseResult: 'shown',
    })
  })

  test('a call that was not allowed is a denial beside its result', () => {
    const toolCallResult = {
      callId: 'c',
      status: 'error',
      errorType: 'execution_denied',
      resultDisplay: 'no',
    }
    expect(translate(qwen, [chat('tool_result', { toolCallResult })]).events.slice(1)).toMatchObject([
      { event: 'tool.result', callId: 'c', content: 'no', isError: true },
      { event: 'warning', code: 'approval-denied', deniedCall: 'c' },
    ])
  })

  test.each([
    {
      subtype: 'chat_compression',
      payload: { info: { originalTokenCount: 9, newTokenCount: 2 } },
      message: /from 9 to 2 tokens/,
    },
    { subtype: 'chat_compression', payload: {}, message: /compressed$/ },
    { subtype: 'rewind', payload: { truncatedCount: 3 }, message: /by 3 items/ },
    { subtype: 'agent_retry', payload: { attempt: 2 }, message: /attempt 2/ },
  ])('$subtype is a warning', ({ subtype, payload, message }) => {
    const warning = translate(qwen, [system(subtype, payload)]).events[1]
    expect(warning).toMatchObject({ event: 'warning', code: subtype })
    expect(warning?.['message']).toMatch(message)
  })

  test.each([
    { state: 'completed', ending: { reason: 'completed', terminal: true, promised: false } },
    { state: 'cancelled', ending: { reason: 'killed', terminal: true, promised: false } },
    { state: 'error', ending: { reason: 'error', terminal: true, promised: false } },
  ])('a turn that was $state', ({ state, ending }) => {
    const settled = system('turn_result', { state, error: { message: 'why', code: 'E1' } })
    expect(translate(qwen, [settled]).ending).toEqual(ending)
    const more = translate(qwen, [settled, chat('user', parts({ text: 'go on' }))])
    expect(more.ending).toEqual({ reason: 'error', terminal: false, promised: false })
  })

  test.each([chat('hologram'), system('of_tomorrow'), chat('user'), chat('assistant', { message: 'x' })])(
    '%j is opaque',
    (line) => {
      expect(binNames(translate(qwen, [chat('user', parts({ text: 'hi' })), line]).bins)[1]).toBe('Opaque')
    },
  )
})

describe('streams', () => {
  test('open once, with what their first record says', () => {
    const { events, bins } = translate(qwen, [init, init])
    expect(events).toMatchObject([
      {
        adapter: 'qwen',
        sessionId: 's2',
        model: 'm',
        offeredTools: ['glob'],
        permissionMode: 'yolo',
        mcpServers: null,
      },
    ])
    expect(binNames(bins)).toEqual(['Translated', 'Bookkeeping'])
  })

  test('give an event for each block, an unknown one is opaque', () => {
    const { events } = translate(qwen, [
      init,
      assistant('a', [
        { type: 'thinking', thinking: 't' },
        { type: 'text', text: 'w' },
        { type: 'tool_use', id: 'c', name: 'glob', input: { path: 'x' } },
        { type: 'hologram' },
      ]),
      stream('user', {
        message: { content: [{ type: 'tool_result', tool_use_id: 'c', content: 'y', is_error: true }] },
      }),
      stream('user', { message: { content: 'task' }, parent_tool_use_id: 'c' }),
    ])
    expect(events.slice(1)).toMatchObject([
      { event: 'thinking', text: 't' },
      { event: 'text', text: 'w' },
      { event: 'tool.requested', operations: ['dir.list'], subjects: ['file:x'] },
      { event: 'opaque', vendorSubtype: 'hologram' },
      { event: 'tool.result', callId: 'c', isError: true, content: 'y' },
      { event: 'injection', origin: 'synthetic' },
    ])
  })

  const usage = { input_tokens: 100, output_tokens: 10, cache_read_input_tokens: 40 }
  const model = { inputTokens: 100, outputTokens: 10, cacheReadInputTokens: 40 }

  test('messages that are all zero are no requests', () => {
    const { entries } = translate(qwen, [
      init,
      assistant('a', [], { input_tokens: 0, output_tokens: 0 }),
      assistant('b', [], usage),
    ])
    expect(entries).toMatchObject([
      { key: 'qwen:s2:b', process: 's2#1', tokens: { input: 60, cacheRead: 40, output: 10 } },
    ])
  })

  test.each([
    { name: 'say no more than the messages', modelUsage: { m: model }, want: [] },
    {
      name: 'hold a side call',
      modelUsage: { m: model, n: { inputTokens: 5, outputTokens: 1, cacheReadInputTokens: 0 } },
      want: [
        ['m', 60, 40, 10],
        ['n', 5, 0, 1],
      ],
    },
    { name: 'are larger', modelUsage: { m: { ...model, outputTokens: 11 } }, want: [['m', 60, 40, 11]] },
    { name: 'are missing', modelUsage: undefined, want: [] },
    { name: 'cannot be read', modelUsage: { m: 'x' }, want: [] },
  ])('totals that $name', ({ modelUsage, want }) => {
    const { totals } = translate(qwen, [init, assistant('b', [], usage), result({ modelUsage })])
    const models = totals.flatMap((total) => total.models ?? [])
    expect(models.map(({ model: name, tokens: t }) => [name, t.input, t.cacheRead, t.output])).toEqual(want)
  })

  test('a total alone is all there is', () => {
    const { totals } = translate(qwen, [init, result({ usage })])
    expect(totals).toMatchObject([
      { process: 's2#1', models: [{ model: 'm', tokens: { input: 60, output: 10 } }] },
    ])
  })

  test('denials are listed and warned of once', () => {
    const permission_denials = [{ tool_name: 'edit', tool_use_id: 'c', tool_input: { a: 1 } }]
    const { events } = translate(qwen, [init, result({ permission_denials }), result({ permission_denials })])
    expect(events.filter(({ code }) => code === 'approval-denied')).toMatchObject([{ deniedCall: 'c' }])
    expect(events.at(-1)).toMatchObject({
      permissionDenials: [{ toolName: 'edit', toolUseId: 'c', toolInput: { a: 1 } }],
    })
  })

  test.each([
    { more: {}, reason: 'completed', answer: { text: 'x', turnId: null } },
    { more: { subtype: 'error_max_turns', is_error: true }, reason: 'budget', answer: null },
    {
      more: { subtype: 'error_during_execution', is_error: true, error: { message: 'no' } },
      reason: 'error',
      answer: null,
    },
    { more: { subtype: 'success', is_error: true }, reason: 'error', answer: null },
  ])('a result $more ends $reason', ({ more, reason, answer }) => {
    const { events, ending } = translate(qwen, [init, result({ result: 'x', ...more })])
    expect(ending).toEqual({ reason, terminal: true, promised: true })
    expect(events.at(-1)?.['finalAnswer']).toEqual(answer)
  })

  test('one without a result is cut', () => {
    expect(translate(qwen, [init]).ending).toEqual({ reason: 'error', terminal: false, promised: true })
  })
})

describe('evidence', () => {
  test.each([
    { value: chat('user', parts({ text: 'x' })), weight: 'proof' },
    { value: chat('tool_result'), weight: 'proof' },
    { value: chat('assistant', { usageMetadata: {} }), weight: 'proof' },
    { value: system('ui_telemetry'), weight: 'proof' },
    { value: system('of_tomorrow'), weight: 'weak' },
    { value: init, weight: 'proof' },
  ])('of $value is $weight', ({ value, weight }) => {
    expect(evidenceOf(qwen, value)?.weight).toBe(weight)
  })
  test.each([
    { type: 'user', sessionId: 's', uuid: 'u', parentUuid: null, message: { content: 'x' } },
    { type: 'system', subtype: 'init', session_id: 's', claude_code_version: '2' },
    { type: 'user', message: { parts: [] } },
    {},
  ])('%j says nothing', (value) => {
    expect(evidenceOf(qwen, value)).toBeNull()
  })
  test('the run is the session, with the agent for a subagent', () => {
    expect(
      [chat('user'), chat('user', { agentId: 'a', isSidechain: true }), init, {}].map((value) =>
        runIdOf(qwen, value),
      ),
    ).toEqual(['s1', 's1/a', 's2', null])
  })
})

test('whatever a record holds, it is read or opaque', () => {
  const fields =
    'message usageMetadata toolCallResult systemPayload subtype uuid sessionId session_id content usage'.split(
      ' ',
    )
  const types = fc.constantFrom('user', 'assistant', 'tool_result', 'system', 'result', 'odd')
  const record = fc.tuple(types, fc.dictionary(fc.constantFrom(...fields), fc.jsonValue({ maxDepth: 3 })))
  fc.assert(
    fc.property(fc.array(record, { maxLength: 10 }), (records) => {
      const { bins } = translate(
        qwen,
        records.map(([type, more]) => ({ ...more, type })),
      )
      if (bins.length !== records.length) throw new Error('a record without a bin')
    }),
    { numRuns: 100 },
  )
})

describeWithShared('shared chats', () => {
  test.each([
    { name: 'tool-error-0.18.jsonl', want: [1050, 50, 25], calls: 1, requests: 2 },
    { name: 'thought-and-tool-0.21.jsonl', want: [0, 0, 0], calls: 1, requests: 0 },
  ])('$name', ({ name, want, calls, requests }) => {
    const { entries, events } = translate(
      qwen,
      readFileSync(join(sharedDir, 'fixtures/vendors/qwen-chat', name)),
    )
    const sum = (pick: (t: (typeof entries)[number]['tokens']) => number | null): number =>
      entries.reduce((total, { tokens }) => total + (pick(tokens) ?? 0), 0)
    expect([sum((t) => t.input), sum((t) => t.cacheRead), sum((t) => t.output)]).toEqual(want)
    const count = (event: string): number => events.filter((one) => one.event === event).length
    expect([count('tool.requested'), count('tool.result'), count('opaque'), count('usage')]).toEqual([
      calls,
      calls,
      0,
      requests,
    ])
  })
})
