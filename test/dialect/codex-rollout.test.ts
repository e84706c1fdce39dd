import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { codexRollout } from '../../src/dialect/codex-rollout.ts'
import { projectDir } from '../shared.ts'
import { evidenceOf, runIdOf } from './detecting.ts'
import { binNames, translate, type Translation } from './recording-sink.ts'

type Line = string | object

const line = (type: string, payload: object, more: object = {}): object => ({
  timestamp: 'T',
  type,
  payload,
  ...more,
})
const item = (type: string, fields: object = {}): object => line('response_item', { type, ...fields })
const event = (type: string, fields: object = {}): object => line('event_msg', { type, ...fields })
const meta = (id: string, fields: object = {}): object => line('session_meta', { id, ...fields })
const context = (model: unknown, fields: object = {}): object => line('turn_context', { model, ...fields })
const says = (text: unknown): object =>
  item('message', { role: 'assistant', content: [{ type: 'output_text', text }] })
const asks = (...texts: string[]): object =>
  item('message', { role: 'user', content: texts.map((text) => ({ type: 'input_text', text })) })
const call = (id: unknown, name: unknown = 'exec_command', args: unknown = '{}'): object =>
  item('function_call', { call_id: id, name, arguments: args })
const output = (id: unknown, content: unknown = 'out'): object =>
  item('function_call_output', { call_id: id, output: content })
const ended = (id: string, fields: object): object => event('exec_command_end', { call_id: id, ...fields })

const used = (input: unknown, cached: unknown, out: unknown, more: object = {}): object => ({
  input_tokens: input,
  cached_input_tokens: cached,
  output_tokens: out,
  ...more,
})
const counted = (total: unknown, last: unknown, limits: unknown = null): object =>
  event('token_count', { info: { total_token_usage: total, last_token_usage: last }, rate_limits: limits })
const ledger = (id: unknown, usage: object, thread: unknown = 's'): object =>
  line('token_usage_record', { thread_id: thread, response_id: id, usage })

/** Each event in a short word or two. */
function story({ events }: Translation): string[] {
  return events.map((one) => {
    const said =
      one['text'] ?? one['code'] ?? one['callId'] ?? one['turn'] ?? one['vendorSubtype'] ?? one['vendorType']
    return said === undefined || said === null ? one.event : `${one.event} ${String(said)}`
  })
}

/** What is told after the session began. */
function told(...lines: Line[]): string[] {
  const [first, ...rest] = story(translate(codexRollout, [meta('s'), ...lines]))
  expect(first).toBe('session.started')
  return rest
}

describe('detection', () => {
  test.each([
    { name: 'session_meta', value: meta('s'), weight: 'proof' },
    {
      name: 'session_meta without a time',
      value: { type: 'session_meta', payload: { id: 's' } },
      weight: 'proof',
    },
    { name: 'a line', value: event('token_count'), weight: 'proof' },
    { name: 'a line of the ledger', value: ledger('r', {}), weight: 'proof' },
    { name: 'a line without time', value: { type: 'compacted', payload: {} }, weight: 'weak' },
    { name: 'a line without payload', value: { type: 'event_msg', ordinal: 1 }, weight: 'weak' },
    { name: 'a type alone', value: { type: 'event_msg' }, weight: null },
    { name: 'another type', value: line('horoscope', {}), weight: null },
    { name: 'a bare head', value: { id: 'x', timestamp: 'T', instructions: null }, weight: 'proof' },
    { name: 'an id and a time', value: { id: 'x', timestamp: 'T' }, weight: null },
    { name: 'a marker', value: { record_type: 'state' }, weight: 'proof' },
    {
      name: 'a bare message',
      value: { type: 'message', role: 'user', content: [{ type: 'input_text', text: '' }] },
      weight: 'proof',
    },
    {
      name: 'a bare answer',
      value: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: '' }] },
      weight: 'weak',
    },
    {
      name: 'a message of others',
      value: { type: 'message', role: 'user', content: [{ text: '' }] },
      weight: null,
    },
    { name: 'a bare call', value: { type: 'function_call', call_id: 'c' }, weight: 'weak' },
    { name: 'a list', value: [1], weight: null },
  ])('$name: $weight', ({ value, weight }) => {
    expect(evidenceOf(codexRollout, value)?.weight ?? null).toBe(weight)
  })

  test.each([
    { name: 'the thread', value: meta('s'), run: 's' },
    { name: 'a thread of another session', value: meta('s', { session_id: 'x' }), run: 's' },
    {
      name: 'a subagent below its session',
      value: meta('c', { session_id: 'x', source: { subagent: 'review' } }),
      run: 'x/c',
    },
    {
      name: 'a subagent below its parent',
      value: meta('c', { source: { subagent: { thread_spawn: { parent_thread_id: 'p' } } } }),
      run: 'p/c',
    },
    { name: 'a bare head', value: { id: 'b', timestamp: 'T' }, run: 'b' },
    { name: 'no id', value: meta('', {}), run: null },
    { name: 'another line', value: event('error', { id: 'e' }), run: null },
  ])('the run is $name', ({ value, run }) => expect(runIdOf(codexRollout, value)).toBe(run))
})

describe('what is said', () => {
  test.each([
    {
      name: 'once, the event first',
      lines: [event('agent_message', { message: 'a' }), says('a')],
      events: ['text a'],
      bins: ['Translated', 'Folded'],
    },
    {
      name: 'once, the item first',
      lines: [says('a'), event('agent_message', { message: 'a' })],
      events: ['text a'],
      bins: ['Translated', 'Folded'],
    },
    {
      name: 'twice when it was said twice',
      lines: [
        says('a'),
        event('agent_message', { message: 'a' }),
        event('agent_message', { message: 'a' }),
        says('a'),
      ],
      events: ['text a', 'text a'],
      bins: ['Translated', 'Folded', 'Translated', 'Folded'],
    },
    {
      name: 'twice when nothing repeats it',
      lines: [says('a'), says('a')],
      events: ['text a', 'text a'],
      bins: ['Translated', 'Translated'],
    },
    {
      name: 'by an event alone',
      lines: [event('agent_message', { message: 'a' }), says('b')],
      events: ['text a', 'text b'],
      bins: ['Translated', 'Translated'],
    },
    {
      name: 'and thought',
      lines: [
        event('agent_reasoning', { text: 'a' }),
        item('reasoning', { summary: [{ text: 'a' }, { text: 'b' }], content: null }),
        event('agent_reasoning', { text: 'b' }),
        event('agent_reasoning_raw_content', { text: 'c' }),
      ],
      events: ['thinking a', 'thinking b', 'thinking c'],
      bins: ['Translated', 'Translated', 'Folded', 'Translated'],
    },
    {
      name: 'by a user in several parts and one event',
      lines: [asks('a', 'b'), event('user_message', { message: 'ab' })],
      events: ['injection a', 'injection b'],
      bins: ['Translated', 'Folded'],
    },
    {
      name: 'by a user in one event and several parts',
      lines: [event('user_message', { message: 'ab' }), asks('a', 'b')],
      events: ['injection ab'],
      bins: ['Translated', 'Folded'],
    },
    {
      name: 'in items that were completed',
      lines: [
        says('a'),
        event('item_completed', { item: { type: 'AgentMessage', content: [{ type: 'Text', text: 'a' }] } }),
        event('item_completed', { item: { type: 'Plan', text: 'p' } }),
        event('item_completed', { item: { type: 'Reasoning', summary_text: ['r'], raw_content: [] } }),
        event('item_completed', { item: { type: 'UserMessage', content: [{ type: 'text', text: 'u' }] } }),
      ],
      events: ['text a', 'text p', 'thinking r', 'injection u'],
      bins: ['Translated', 'Folded', 'Translated', 'Translated', 'Translated'],
    },
    {
      name: 'in secret',
      lines: [item('reasoning', { summary: [], encrypted_content: 'x' })],
      events: [],
      bins: ['Bookkeeping'],
    },
  ])('$name', ({ lines, events, bins }) => {
    const translation = translate(codexRollout, [meta('s'), ...lines])
    expect(story(translation).slice(1)).toEqual(events)
    expect(binNames(translation.bins).slice(1)).toEqual(bins)
  })

  test.each([
    { name: 'words of the user', lines: [asks('hello')], origin: 'user' },
    { name: 'markup of the user', lines: [asks('<div>hello</div>')], origin: 'user' },
    {
      name: 'an environment',
      lines: [asks('<environment_context>\n</environment_context>')],
      origin: 'synthetic',
    },
    { name: 'instructions', lines: [asks('# AGENTS.md instructions for /home/dev')], origin: 'synthetic' },
    {
      name: 'a goal',
      lines: [asks('<codex_internal_context source="goal">x</codex_internal_context>')],
      origin: 'synthetic',
    },
    {
      name: 'the developer',
      lines: [item('message', { role: 'developer', content: [{ text: 'x' }] })],
      origin: 'synthetic',
    },
    {
      name: 'another agent',
      lines: [item('agent_message', { author: 'a', content: [{ type: 'input_text', text: 'x' }] })],
      origin: 'synthetic',
    },
  ])('$name: $origin', ({ lines, origin }) => {
    expect(translate(codexRollout, [meta('s'), ...lines]).events.at(1)).toMatchObject({
      event: 'injection',
      origin,
    })
  })

  test('to a subagent, by its parent', () => {
    const lines = [meta('c', { source: { subagent: 'review' } }), asks('look')]
    const { events } = translate(codexRollout, lines)
    expect(events).toMatchObject([{ subagent: true }, { event: 'injection', origin: 'synthetic' }])
  })

  test('in parts nobody knows is opaque part by part, images are passed over', () => {
    const content = [
      { type: 'hologram' },
      { type: 'input_image', image_url: 'data:' },
      { type: 'output_text', text: 'a' },
    ]
    expect(told(item('message', { role: 'assistant', content }))).toEqual(['opaque hologram', 'text a'])
  })
})

describe('calls', () => {
  test('arguments are the JSON inside the string, numbers as they are spelled', () => {
    const args = '{"n": 9007199254740993,\n "path": "a b"}'
    const { events } = translate(codexRollout, [call('c', 'read_file', args)])
    expect(events[1]).toMatchObject({ name: 'read_file', operations: ['file.read'], subjects: ['file:a b'] })
    expect(events[1]).toMatchObject({ input: { path: 'a b' } })
  })

  test.each([
    { name: 'no JSON', line: call('c', 'x', '{not'), input: '{not' },
    { name: 'null', line: call('c', 'x', null), input: null },
    {
      name: 'the text of a custom call',
      line: item('custom_tool_call', { call_id: 'c', name: 'apply_patch', input: '*** Begin Patch' }),
      input: '*** Begin Patch',
    },
    {
      name: 'an action',
      line: item('local_shell_call', { id: 'c', action: { type: 'exec' } }),
      input: { type: 'exec' },
    },
    {
      name: 'a query',
      line: item('tool_search_call', { call_id: 'c', arguments: { q: 1 } }),
      input: { q: 1 },
    },
  ])('input of $name', ({ line: made, input }) => {
    expect(translate(codexRollout, [meta('s'), made]).events[1]).toMatchObject({
      event: 'tool.requested',
      input,
    })
  })

  test('a namespace of MCP is part of the name', () => {
    const made = item('function_call', {
      call_id: 'c',
      name: 'find',
      namespace: 'mcp__tides__',
      arguments: '{}',
    })
    expect(translate(codexRollout, [meta('s'), made]).events[1]).toMatchObject({
      name: 'mcp__tides__find',
      operations: ['mcp.call'],
    })
  })

  test('evidence that comes first is part of the result', () => {
    const { events, bins } = translate(codexRollout, [
      meta('s'),
      call('c'),
      ended('c', { status: 'completed', exit_code: 0 }),
      output('c', 'füll'),
    ])
    expect(events[2]).toMatchObject({
      event: 'tool.result',
      isError: false,
      exitCode: 0,
      outcomeSource: 'retained_tool_completion',
      content: 'füll',
      bytes: 5,
      foldedLines: [3],
      toolUseResult: { status: 'completed' },
    })
    expect(binNames(bins)).toEqual(['Translated', 'Translated', 'Folded', 'Translated'])
  })

  test('evidence that comes after is a result of its own', () => {
    expect(told(call('c'), output('c'), ended('c', { status: 'completed', exit_code: 0 }))).toEqual([
      'tool.requested c',
      'tool.result c',
      'tool.result c',
    ])
  })

  test('evidence without an output is a result when the turn ends', () => {
    const { events } = translate(codexRollout, [
      meta('s'),
      call('c'),
      ended('c', { exit_code: 1 }),
      event('task_complete'),
      output('d'),
    ])
    expect(events.slice(2)).toMatchObject([
      { event: 'tool.result', callId: 'c', line: 3, at: 'T', isError: true, exitCode: 1 },
      { event: 'turn.ended' },
      { event: 'tool.result', callId: 'd' },
      { event: 'session.ended' },
    ])
  })

  test('calls from inside another tool have no item', () => {
    const invocation = { server: 'tides', tool: 'table', arguments: { day: 2 } }
    const { events } = translate(codexRollout, [
      meta('s'),
      event('mcp_tool_call_end', { call_id: 'n', invocation, result: { Ok: { isError: false } } }),
    ])
    expect(events.slice(1)).toMatchObject([
      { event: 'tool.requested', callId: 'n', name: 'mcp__tides__table', input: { day: 2 } },
      { event: 'tool.result', callId: 'n', isError: false, toolUseResult: { invocation } },
    ])
  })

  test.each([
    {
      name: 'a search without an id and its end',
      lines: [
        item('web_search_call', { status: 'completed', action: { query: 'q' } }),
        event('web_search_end', { call_id: 'ws', query: 'q', results: [] }),
      ],
      events: ['tool.requested web_search@2', 'tool.result web_search@2'],
    },
    {
      name: 'the end of a search and its item',
      lines: [
        event('web_search_end', { call_id: 'ws', query: 'q' }),
        item('web_search_call', { status: 'completed', action: { query: 'q' } }),
      ],
      events: ['tool.requested ws', 'tool.result ws'],
    },
    {
      name: 'an image and its end',
      lines: [
        item('image_generation_call', { id: 'ig', status: 'completed', result: 'x' }),
        event('image_generation_end', { call_id: 'ig', status: 'completed', result: 'x' }),
      ],
      events: ['tool.requested ig', 'tool.result ig'],
    },
    {
      name: 'an agent and its start',
      lines: [
        call('c', 'spawn_agent'),
        event('collab_agent_spawn_end', { call_id: 'c', new_thread_id: 't' }),
      ],
      events: ['tool.requested c'],
    },
    {
      name: 'a request of the host and its answer',
      lines: [
        event('dynamic_tool_call_request', { callId: 'c', tool: 'open', arguments: {} }),
        event('dynamic_tool_call_response', { call_id: 'c', tool: 'open', success: false }),
      ],
      events: ['tool.requested c', 'tool.result c'],
    },
  ])('told twice are written once: $name', ({ lines, events }) => expect(told(...lines)).toEqual(events))
})

const wrapped = (code: unknown, more = ',"duration_seconds":0.1'): string =>
  `{"output":"x","metadata":{"exit_code":${String(code)}${more}}}`

describe('outcomes', () => {
  test.each([
    { name: 'completed with 0', fields: { status: 'completed', exit_code: 0 }, isError: false, exitCode: 0 },
    { name: 'failed with 2', fields: { status: 'failed', exit_code: 2 }, isError: true, exitCode: 2 },
    {
      name: 'failed without a code',
      fields: { status: 'failed', exit_code: null },
      isError: true,
      exitCode: null,
    },
    {
      name: 'failed with no code at all',
      fields: { status: 'failed', exit_code: 2 ** 32 },
      isError: true,
      exitCode: null,
    },
    { name: 'a code alone', fields: { exit_code: -1 }, isError: true, exitCode: -1 },
    { name: 'no word', fields: {}, isError: null, exitCode: null },
    { name: 'another word', fields: { status: 'paused', exit_code: 0 }, isError: null, exitCode: null },
  ])('a command, $name', ({ fields, isError, exitCode }) => {
    const { events } = translate(codexRollout, [meta('s'), call('c'), ended('c', fields), output('c')])
    expect(events).toHaveLength(3)
    expect(events[2]).toMatchObject({ isError, exitCode })
  })

  test.each([
    { name: 'completed with 7', lines: [call('c'), ended('c', { status: 'completed', exit_code: 7 })] },
    { name: 'failed with 0', lines: [call('c'), ended('c', { status: 'failed', exit_code: 0 })] },
    {
      name: 'completed with 2^32',
      lines: [call('c'), ended('c', { status: 'completed', exit_code: 2 ** 32 })],
    },
    {
      name: 'another kind of tool',
      lines: [call('c'), event('patch_apply_end', { call_id: 'c', success: true })],
    },
    {
      name: 'another turn',
      lines: [event('task_started', { turn_id: 'a' }), call('c'), ended('c', { turn_id: 'b', exit_code: 0 })],
    },
    { name: 'an id used twice', lines: [call('c'), call('c'), ended('c', { exit_code: 0 })] },
    {
      name: 'two that disagree',
      lines: [call('c'), ended('c', { exit_code: 0 }), ended('c', { exit_code: 1 })],
    },
    {
      name: 'a patch that says two things',
      lines: [
        item('custom_tool_call', { call_id: 'c', name: 'apply_patch', input: '' }),
        event('patch_apply_end', { call_id: 'c', success: true, status: 'failed' }),
      ],
    },
  ])('are unknown for good: $name', ({ lines }) => {
    const { events } = translate(codexRollout, [meta('s'), ...lines, output('c')])
    expect(events.filter((one) => one['code'] === 'TOOL_OUTCOME_UNVERIFIED')).toHaveLength(1)
    expect(events.at(-1)).toMatchObject({
      event: 'tool.result',
      isError: null,
      exitCode: null,
      outcomeSource: null,
    })
  })

  test.each([
    { name: 'around the output of a command', tool: 'shell', text: wrapped(2), isError: true, exitCode: 2 },
    { name: 'around that of a patch', tool: 'apply_patch', text: wrapped(0), isError: false, exitCode: null },
    {
      name: 'around that of something else',
      tool: 'read_file',
      text: wrapped(2),
      isError: null,
      exitCode: null,
    },
    { name: 'in another form', tool: 'shell', text: wrapped(2, ''), isError: null, exitCode: null },
    { name: 'beyond 32 bits', tool: 'shell', text: wrapped(4294967296), isError: null, exitCode: null },
    {
      name: 'at the end of what was printed',
      tool: 'shell',
      text: `Output:\n${wrapped(0)}`,
      isError: null,
      exitCode: null,
    },
    {
      name: 'in a sentence',
      tool: 'exec_command',
      text: 'Process exited with code 0',
      isError: null,
      exitCode: null,
    },
  ])('a code $name', ({ tool, text, isError, exitCode }) => {
    const { events } = translate(codexRollout, [meta('s'), call('c', tool), output('c', text)])
    expect(events[2]).toMatchObject({
      isError,
      exitCode,
      outcomeSource: isError === null ? null : 'tool_output',
    })
  })

  test.each([
    { name: 'an error', result: { Err: 'gone' }, isError: true },
    { name: 'an error inside', result: { Ok: { isError: true } }, isError: true },
    { name: 'success', result: { Ok: { content: [] } }, isError: false },
    { name: 'nothing', result: null, isError: null },
  ])('of MCP: $name', ({ result, isError }) => {
    const lines = [
      meta('s'),
      call('c', 'x'),
      event('mcp_tool_call_end', { call_id: 'c', result }),
      output('c'),
    ]
    expect(translate(codexRollout, lines).events[2]).toMatchObject({ isError })
  })

  test.each([
    {
      name: 'by status',
      lines: [ended('c', { status: 'declined', exit_code: null }), output('c')],
      code: 'approval-denied',
    },
    { name: 'by words', lines: [output('c', 'exec command rejected by user')], code: 'approval-denied' },
    {
      name: 'by both, once',
      lines: [ended('c', { status: 'declined' }), output('c', 'exec command rejected by user')],
      code: 'approval-denied',
    },
    {
      name: 'by the sandbox',
      lines: [output('c', 'failed in sandbox X with execution error: sandbox denied exec error')],
      code: 'call-blocked',
    },
    {
      name: 'by the reviewer',
      lines: [event('guardian_assessment', { id: 'g', target_item_id: 'c', status: 'denied' })],
      code: 'approval-denied',
    },
  ])('refused $name', ({ lines, code }) => {
    const { events } = translate(codexRollout, [meta('s'), call('c'), ...lines])
    expect(events.filter((one) => one.event === 'warning')).toMatchObject([{ code, deniedCall: 'c' }])
  })

  test('words in the middle of an output refuse nothing', () => {
    expect(told(call('c'), output('c', 'grep: exec command rejected by user'))).toHaveLength(2)
  })
})

const bills = (...lines: Line[]): [number | null, number | null, number | null][] =>
  translate(codexRollout, [meta('s'), ...lines])
    .entries.filter(({ place }) => place?.kind !== 'echo')
    .map(({ tokens }) => [tokens.input, tokens.cacheRead, tokens.output])

describe('running totals', () => {
  test.each([
    {
      name: 'count once however often they are sent',
      lines: [counted(used(50, 10, 5), used(50, 10, 5)), counted(used(50, 10, 5), used(50, 10, 5))],
      bills: [[40, 10, 5]],
    },
    {
      name: 'count by what they grew',
      lines: [counted(used(50, 10, 5), used(50, 10, 5)), counted(used(90, 40, 9), used(40, 30, 4))],
      bills: [
        [40, 10, 5],
        [10, 30, 4],
      ],
    },
    {
      name: 'begin with their last request',
      lines: [counted(used(900, 0, 90), used(50, 0, 5)), counted(used(950, 0, 95), used(50, 0, 5))],
      bills: [
        [50, 0, 5],
        [50, 0, 5],
      ],
    },
    {
      name: 'begin anew',
      lines: [
        counted(used(100, 0, 0), used(100, 0, 0)),
        counted(used(40, 0, 0), used(40, 0, 0)),
        counted(used(70, 0, 0), used(30, 0, 0)),
      ],
      bills: [
        [100, 0, 0],
        [40, 0, 0],
        [30, 0, 0],
      ],
    },
    {
      name: 'do without a total of totals',
      lines: [
        counted(used(50, 0, 5, { total_tokens: 55 }), used(50, 0, 5, { total_tokens: 55 })),
        counted(used(70, 0, 6), used(20, 0, 1)),
      ],
      bills: [
        [50, 0, 5],
        [20, 0, 1],
      ],
    },
    {
      name: 'are no request when the context overflows',
      lines: [
        counted(used(50, 0, 5, { total_tokens: 55 }), used(50, 0, 5, { total_tokens: 55 })),
        counted(used(0, 0, 0, { total_tokens: 900 }), used(0, 0, 0, { total_tokens: 845 })),
        counted(used(7, 0, 1, { total_tokens: 908 }), used(7, 0, 1, { total_tokens: 8 })),
      ],
      bills: [
        [50, 0, 5],
        [7, 0, 1],
      ],
    },
    {
      name: 'know what they cached only when it is said',
      lines: [
        counted({ input_tokens: 9, output_tokens: 1 }, null),
        counted({ input_tokens: 11, output_tokens: 2 }, null),
      ],
      bills: [
        [9, null, 1],
        [2, null, 1],
      ],
    },
    {
      name: 'may be strings',
      lines: [counted(used('50', '10', '5'), used('50', '10', '5'))],
      bills: [[40, 10, 5]],
    },
    {
      name: 'may be missing beside a last request',
      lines: [counted(null, used(5, 0, 1)), counted(null, used(6, 0, 2))],
      bills: [
        [5, 0, 1],
        [6, 0, 2],
      ],
    },
    {
      name: 'of turns, in few builds',
      lines: [
        event('turn.completed', { usage: used(14, 4, 9) }),
        event('turn.completed', { usage: used(28, 14, 15) }),
      ],
      bills: [
        [10, 4, 9],
        [4, 10, 6],
      ],
    },
  ])('$name', ({ lines, bills: expected }) => expect(bills(...lines)).toEqual(expected))

  test('that go back, or grow by something else, are told', () => {
    const { notices } = translate(codexRollout, [
      counted(used(100, 0, 0), used(100, 0, 0)),
      counted(used(40, 0, 0), used(40, 0, 0)),
      counted(used(90, 0, 0), used(30, 0, 0)),
    ])
    expect(notices.map(({ code, line: at }) => [code, at])).toEqual([
      ['counter-went-back', 2],
      ['counter-mismatch', 3],
    ])
  })

  test('with limits are events even when nothing was used', () => {
    const limits = {
      limit_id: 'codex',
      primary: { used_percent: 12.5, resets_at: 7 },
      secondary: { used_percent: 3, resets_at: 9 },
    }
    const { events } = translate(codexRollout, [
      meta('s'),
      event('token_count', { info: null, rate_limits: limits }),
    ])
    expect(events.slice(1)).toMatchObject([
      { event: 'rate_limit', window: 'codex', utilization: '12.5', resetsAt: 7, status: null },
      { event: 'rate_limit', window: 'codex/secondary', utilization: '3', resetsAt: 9 },
    ])
  })

  test('limits of the oldest builds are flat', () => {
    const limits = { primary_used_percent: 35.0, secondary_used_percent: 10 }
    const { events } = translate(codexRollout, [event('token_count', { info: null, rate_limits: limits })])
    expect(events.slice(1)).toMatchObject([
      { window: 'primary', utilization: '35' },
      { window: 'secondary', utilization: '10' },
    ])
  })

  test.each([
    { name: 'nothing at all', payload: { info: null, rate_limits: null }, bin: 'Bookkeeping' },
    { name: 'something else', payload: { info: 'x' }, bin: 'Opaque' },
    { name: 'a list', payload: { info: { total_token_usage: [] } }, bin: 'Opaque' },
  ])('a count of $name: $bin', ({ payload, bin }) => {
    const { bins } = translate(codexRollout, [meta('s'), event('token_count', payload)])
    expect(binNames(bins)[1]).toBe(bin)
  })

  test('are written with the model of their turn and with the whole input', () => {
    const { events } = translate(codexRollout, [
      meta('s'),
      context('gpt-5.5'),
      event('thread_settings_applied', { thread_settings: { service_tier: 'fast' } }),
      counted(used(50, 10, 5, { cache_write_input_tokens: 8, reasoning_output_tokens: 2 }), null),
    ])
    expect(events[1]).toMatchObject({
      event: 'usage',
      model: 'gpt-5.5',
      requestId: null,
      usage: {
        inputTokens: 50,
        cacheReadInputTokens: 10,
        cacheCreationInputTokens: 8,
        outputTokens: 5,
        thinkingTokens: 2,
        serviceTier: 'priority',
      },
    })
  })

  test('of an unknown model are told apart from running totals by a request id', () => {
    const { events } = translate(codexRollout, [meta('s'), counted(used(50, 10, 5), null)])
    expect(events[1]).toMatchObject({ model: null, requestId: 'token_count@2' })
  })

  test('however they are split between repeats, sum up to the last total', () => {
    const step = fc.tuple(
      fc.nat({ max: 1000 }),
      fc.nat({ max: 1000 }),
      fc.nat({ max: 1000 }),
      fc.nat({ max: 2 }),
    )
    const property = fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let [input, cached, out] = [0, 0, 0]
      const lines = steps.flatMap(([fresh, read, made, repeats]) => {
        const last = used(fresh + read, read, made)
        ;[input, cached, out] = [input + fresh + read, cached + read, out + made]
        const one = counted(used(input, cached, out), last)
        return Array.from({ length: repeats + 1 }, () => one)
      })
      const billed = bills(...lines)
      const sums = [0, 1, 2].map((i) => billed.reduce((sum, tokens) => sum + (tokens[i] ?? 0), 0))
      expect(sums).toEqual([input - cached, cached, out])
    })
    fc.assert(property, { numRuns: 60 })
  })
})

const usage = (n: number, more: object = {}): object =>
  used(n, 0, 1, { cache_write_input_tokens: 0, ...more })

describe('the ledger', () => {
  test('counts by response, its echoes do not', () => {
    const { entries, events } = translate(codexRollout, [
      meta('s'),
      context('m'),
      counted(usage(5), usage(5)),
      ledger('r1', usage(7)),
      counted(usage(12, { output_tokens: 2 }), usage(7)),
      ledger('r2', usage(9)),
      ledger('r3', usage(3)),
      counted(usage(15, { output_tokens: 3 }), usage(3)),
    ])
    expect(entries.map(({ key, tokens, place }) => [key, tokens.input, place?.kind, place?.step])).toEqual([
      [null, 5, 'request', 0],
      ['codex:r1', 7, 'request', null],
      [null, 0, 'echo', 1],
      ['codex:r2', 9, 'request', null],
      ['codex:r3', 3, 'request', null],
      [null, 0, 'echo', 2],
    ])
    expect(events.filter((one) => one.event === 'usage').map((one) => one['requestId'])).toEqual([
      null,
      'r1',
      'r2',
      'r3',
    ])
  })

  test.each([
    { name: 'a response that was billed', line: ledger('r1', usage(7)), bin: 'Folded', entries: 1 },
    { name: 'another thread', line: ledger('r2', usage(7), 'parent'), bin: 'Folded', entries: 1 },
    { name: 'no thread', line: ledger('r2', usage(7), null), bin: 'Translated', entries: 2 },
    { name: 'no response id', line: ledger(null, usage(7)), bin: 'Translated', entries: 2 },
    { name: 'no usage', line: line('token_usage_record', { response_id: 'r2' }), bin: 'Opaque', entries: 1 },
  ])('a record of $name: $bin', ({ line: made, bin, entries }) => {
    const translation = translate(codexRollout, [meta('s'), ledger('r1', usage(7)), made])
    expect(binNames(translation.bins)[2]).toBe(bin)
    expect(translation.entries).toHaveLength(entries)
  })

  test('inside a compaction is neither told nor billed', () => {
    const payload = {
      message: 'so far',
      latest_token_usage_record: { response_id: 'r', usage: usage(9) },
      replacement_history: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
    }
    const { events, entries } = translate(codexRollout, [
      line('compacted', payload),
      event('context_compacted'),
      event('context_compacted'),
    ])
    expect(entries).toEqual([])
    expect(events.map((one) => [one.event, one['code'], one['message']]).slice(1)).toEqual([
      ['warning', 'compacted', 'so far'],
      ['warning', 'context_compacted', 'the conversation was compacted'],
    ])
  })
})

const places = (...lines: Line[]) =>
  translate(codexRollout, [...lines, counted(used(1, 0, 1), used(1, 0, 1))]).entries[0]?.place

describe('sessions', () => {
  test.each([
    { name: 'forked_from_id', fields: { forked_from_id: 'p' }, parent: 'p' },
    { name: 'parent_thread_id', fields: { parent_thread_id: 'p' }, parent: 'p' },
    {
      name: 'thread_spawn',
      fields: { source: { subagent: { thread_spawn: { parent_thread_id: 'p' } } } },
      parent: 'p',
    },
    { name: 'itself', fields: { forked_from_id: 'c' }, parent: null },
    { name: 'nothing', fields: {}, parent: null },
  ])('a parent by $name', ({ fields, parent }) => {
    expect(places(meta('c', fields))).toMatchObject({ thread: 'c', parent })
  })

  test('a later session_meta at once is the parent, and the first stays the owner', () => {
    expect(places(meta('c'), meta('p'), context('m'))).toMatchObject({ thread: 'c', parent: 'p' })
  })

  test.each([
    {
      name: 'a declared parent',
      lines: [meta('c', { forked_from_id: 'p' }), says('a'), meta('p')],
      sessions: 1,
      notice: 'copied-history',
    },
    {
      name: 'the parent of a copied parent',
      lines: [meta('c', { forked_from_id: 'p' }), meta('p', { forked_from_id: 'g' }), says('a'), meta('g')],
      sessions: 1,
      notice: 'copied-history',
    },
    { name: 'the owner again', lines: [meta('c'), says('a'), meta('c')], sessions: 1, notice: undefined },
    { name: 'a stranger', lines: [meta('c'), says('a'), meta('x')], sessions: 2, notice: 'second-session' },
  ])('a later session_meta of $name', ({ lines, sessions, notice }) => {
    const { events, notices } = translate(codexRollout, lines)
    expect(events.filter((one) => one.event === 'session.started')).toHaveLength(sessions)
    expect(notices[0]?.code).toBe(notice)
  })

  test('a second session begins with totals, turns and calls of its own', () => {
    const { events, entries } = translate(codexRollout, [
      meta('a'),
      event('task_started', { turn_id: 't' }),
      counted(used(50, 0, 1), used(50, 0, 1)),
      event('task_complete', { last_agent_message: 'done' }),
      meta('b'),
      event('task_started', { turn_id: 't' }),
      counted(used(50, 0, 1), used(50, 0, 1)),
    ])
    expect(events.map((one) => one.event)).toEqual([
      'session.started',
      'turn.started',
      'usage',
      'turn.ended',
      'session.ended',
      'session.started',
      'turn.started',
      'usage',
    ])
    expect(entries.map(({ session, tokens }) => [session, tokens.input])).toEqual([
      ['a', 50],
      ['b', 50],
    ])
  })

  test('a file that begins in the middle opens a session of which nothing is known', () => {
    const { events, bins } = translate(codexRollout, [event('turn_aborted', { reason: 'interrupted' })])
    expect(events.map((one) => one.event)).toEqual(['session.started', 'warning'])
    expect(binNames(bins)).toEqual(['Translated'])
  })

  test('ordinals are told about and never obeyed', () => {
    const { notices, bins } = translate(
      codexRollout,
      [1, 2, 2, 3, 1].map((ordinal) => line('world_state', {}, { ordinal })),
    )
    expect(notices.map(({ code }) => code)).toEqual(['duplicate-ordinal', 'ordinal-went-back'])
    expect(bins).toHaveLength(5)
  })

  test('the oldest builds wrote bare items and no usage, which is unknown', () => {
    const bare = readFileSync(join(projectDir, 'corpora/codex-rollout/bare.jsonl'))
    const translation = translate(codexRollout, bare)
    expect(story(translation)).toEqual([
      'session.started',
      'injection List the ports.',
      'thinking A list is asked for.',
      'tool.requested call_b1',
      'tool.result call_b1',
      'text Vigo and Faro.',
      'usage',
    ])
    expect(translation.entries).toMatchObject([{ tokens: { input: null, output: null }, final: false }])
    expect(translation.notices.map(({ code }) => code)).toEqual(['usage-not-recorded'])
  })
})

const howEnded = (...lines: Line[]) => {
  const { events, ending } = translate(codexRollout, [meta('s'), ...lines])
  return { ended: events.find((one) => one.event === 'session.ended'), ending }
}

describe('how it ended', () => {
  const start = event('task_started', { turn_id: 't' })
  const done = (fields: object): object => event('task_complete', { turn_id: 't', ...fields })
  test.each([
    {
      name: 'an answer',
      fields: { last_agent_message: 'a' },
      isError: false,
      reason: 'completed',
      answer: 'a',
    },
    { name: 'no error, by name', fields: { error: null }, isError: false, reason: 'completed', answer: null },
    {
      name: 'an error',
      fields: { last_agent_message: 'a', error: { message: 'm' } },
      isError: true,
      reason: 'error',
      answer: null,
    },
    { name: 'nothing', fields: { last_agent_message: ' ' }, isError: null, reason: 'error', answer: null },
  ])('with $name', ({ fields, isError, reason, answer }) => {
    const { ended: event_, ending } = howEnded(start, done(fields))
    expect(event_).toMatchObject({ isError, numTurns: 1, line: 3, at: 'T' })
    expect(event_?.['finalAnswer']).toEqual(answer === null ? null : { text: answer, turnId: 't' })
    expect(ending).toMatchObject({ reason, terminal: true })
  })

  test.each([
    {
      name: 'a new task cancels a success',
      lines: [start, done({ last_agent_message: 'a' }), start],
      reason: 'error',
      terminal: false,
    },
    {
      name: 'a new task leaves a failure',
      lines: [start, done({ error: {} }), start],
      reason: 'error',
      terminal: true,
    },
    {
      name: 'interrupted',
      lines: [start, event('turn_aborted', { reason: 'interrupted' })],
      reason: 'killed',
      terminal: true,
    },
    {
      name: 'out of budget',
      lines: [start, event('turn_aborted', { reason: 'budget_limited' })],
      reason: 'budget',
      terminal: true,
    },
    { name: 'still going on', lines: [start], reason: 'error', terminal: false },
  ])('$name', ({ lines, reason, terminal }) => {
    expect(howEnded(...lines).ending).toEqual({ reason, terminal, promised: true })
  })

  test('builds without tasks promise no end', () => {
    expect(howEnded(says('a')).ending).toEqual({ reason: 'error', terminal: false, promised: false })
  })

  test('with what was used, how long it took, and the model of each turn', () => {
    const { ended: event_ } = howEnded(
      start,
      context('m1', { turn_id: 't' }),
      context('m1', { turn_id: 't' }),
      context('m2', { turn_id: 't' }),
      counted(used(50, 10, 5), used(50, 10, 5)),
      done({ last_agent_message: 'a' }),
      event('task_started', { turn_id: 'u' }),
      counted(used(40, 0, 1), used(40, 0, 1)),
      event('task_complete', { last_agent_message: 'b', duration_ms: 7, time_to_first_token_ms: 3 }),
    )
    expect(event_).toMatchObject({
      numTurns: 2,
      durationMs: 7,
      ttftMs: 3,
      finalAnswer: { text: 'b', turnId: 'u' },
      usage: { inputTokens: 90, cacheReadInputTokens: 10, outputTokens: 6 },
    })
    expect(event_?.['observedModels']).toEqual([
      { turn: 1, turn_id: 't', model: 'm1', scope: 'turn_selection' },
      { turn: 1, turn_id: 't', model: 'm2', scope: 'turn_selection' },
      { turn: 2, turn_id: 'u', model: null, scope: 'turn_selection' },
    ])
  })
})

const hook = (status: string): object => event('hook_completed', { run: { status } })

describe('diagnoses', () => {
  test.each([
    {
      name: 'an error',
      payload: { message: 'm', codex_error_info: 'usage_limit_exceeded' },
      code: 'usage_limit_exceeded',
    },
    {
      name: 'an error with a cause',
      payload: { message: 'm', codex_error_info: { http_failed: { status: 502 } } },
      code: 'http_failed',
    },
    {
      name: 'an error of another build',
      payload: { error: { kind: 'rate_limit', message: 'm' } },
      code: 'rate_limit',
    },
    { name: 'an error without words', payload: {}, code: 'error' },
    { name: 'an empty cause', payload: { codex_error_info: {} }, code: 'error' },
  ])('$name', ({ payload, code }) => {
    const { events } = translate(codexRollout, [event('error', payload)])
    expect(events[1]).toMatchObject({ event: 'warning', code, severity: 'error' })
  })

  test.each([
    'warning',
    'stream_error',
    'guardian_warning',
    'deprecation_notice',
    'model_reroute',
    'undo_completed',
  ])('%s', (type) => expect(told(event(type, { message: 'm' }))).toEqual([`warning ${type}`]))

  test('of hooks', () => {
    expect(told(hook('blocked'), hook('failed'), hook('completed'))).toEqual([
      'warning hook-refused',
      'warning hook-failed',
    ])
  })
})

const timeOf = (timestamp: unknown): unknown =>
  translate(codexRollout, [{ ...event('warning', { message: 'm' }), timestamp }]).events[1]?.['at']

describe('what nobody knows', () => {
  test.each([
    { name: 'a line', line: line('horoscope', {}), event: 'opaque horoscope' },
    { name: 'an item', line: item('teleport'), event: 'opaque teleport' },
    { name: 'an event', line: event('teleported'), event: 'opaque teleported' },
    {
      name: 'a completed item',
      line: event('item_completed', { item: { type: 'Teleport' } }),
      event: 'opaque item_completed/Teleport',
    },
    {
      name: 'a payload that is none',
      line: { timestamp: 'T', type: 'event_msg', payload: 'x' },
      event: 'opaque event_msg',
    },
    { name: 'a call without an id', line: call(null), event: 'opaque function_call' },
    { name: 'a call without a name', line: call('c', 7), event: 'opaque function_call' },
    { name: 'an output without a call', line: output(7), event: 'opaque function_call_output' },
    { name: 'a role', line: item('message', { role: 'narrator', content: [] }), event: 'opaque message' },
    { name: 'a content', line: item('message', { role: 'user', content: {} }), event: 'opaque message' },
    {
      name: 'words that are none',
      line: event('agent_message', { message: null }),
      event: 'opaque agent_message',
    },
    {
      name: 'a session without an id',
      line: line('session_meta', { id: null }),
      event: 'opaque session_meta',
    },
    { name: 'an object', line: { unrelated: true }, event: 'opaque' },
    { name: 'no object', line: '[1]', event: 'opaque' },
  ])('$name is opaque', ({ line: made, event: expected }) => expect(told(made)).toEqual([expected]))

  test('a context whose model is none leaves the model as it was', () => {
    const { entries } = translate(codexRollout, [context('m'), context(5), counted(used(1, 0, 1), null)])
    expect(entries).toMatchObject([{ model: 'm' }])
  })

  test('times are strings untouched, epochs as ISO', () => {
    expect(['yesterday', 1791288060, 1791288060123, null].map(timeOf)).toEqual([
      'yesterday',
      '2026-10-06T12:01:00.000Z',
      '2026-10-06T12:01:00.123Z',
      null,
    ])
  })
})

describe('corpora', () => {
  const folder = join(projectDir, 'corpora/codex-rollout')
  const files = readdirSync(folder).filter((name) => /^[^.]+\.jsonl$/.test(name))

  test.each(files)('%s: calls and results pair, and every record has its bin', (name) => {
    const { events, bins } = translate(codexRollout, readFileSync(join(folder, name)))
    const requested = new Set(
      events.filter((one) => one.event === 'tool.requested').map((one) => one['callId']),
    )
    const results = events.filter((one) => one.event === 'tool.result' && one['callId'] !== 'd9')
    expect(results.filter((one) => !requested.has(one['callId']))).toEqual([])
    expect(bins.length).toBeGreaterThan(0)
  })

  test('whatever is cut out of a transcript, the rest is read', () => {
    const lines = readFileSync(join(folder, 'outcomes.jsonl'), 'utf8').split('\n')
    const property = fc.property(fc.subarray(lines), (some) => {
      const { bins } = translate(codexRollout, some.join('\n'))
      if (bins.length > some.length) throw new Error('a record was filed twice')
    })
    fc.assert(property, { numRuns: 40 })
  })
})
