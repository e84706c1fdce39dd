import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { codexExec } from '../../src/dialect/codex-exec.ts'
import { projectDir } from '../shared.ts'
import { evidenceOf, runIdOf } from './detecting.ts'
import { binNames, type Recorded, translate } from './recording-sink.ts'

type Line = string | object

const thread = (id: unknown): object => ({ type: 'thread.started', thread_id: id })
const begin = { type: 'turn.started' }
const usage = (input: unknown, cached: unknown, output: unknown, more: object = {}): object => ({
  type: 'turn.completed',
  usage: { input_tokens: input, cached_input_tokens: cached, output_tokens: output, ...more },
})
const failed = { type: 'turn.failed', error: { message: 'm' } }
const item = (when: string, id: unknown, type: string, fields: object = {}): object => ({
  type: `item.${when}`,
  item: { id, type, ...fields },
})
const says = item('completed', 'i0', 'agent_message', { text: 'a' })

function story(lines: readonly Line[]): string[] {
  return translate(codexExec, lines).events.map((one) => {
    const said =
      one['text'] ?? one['code'] ?? one['callId'] ?? one['turn'] ?? one['vendorSubtype'] ?? one['vendorType']
    return said === undefined || said === null ? one.event : `${one.event} ${String(said)}`
  })
}

describe('detection', () => {
  test.each([
    { name: 'a thread', value: thread('t'), weight: 'proof', run: 't' },
    { name: 'a thread without an id', value: thread(1), weight: null, run: null },
    { name: 'a turn', value: begin, weight: 'proof', run: null },
    { name: 'an item', value: says, weight: 'proof', run: null },
    {
      name: 'a session of a preview',
      value: { type: 'session.created', session_id: 's' },
      weight: 'weak',
      run: 's',
    },
    { name: 'an error', value: { type: 'error', message: 'm' }, weight: null, run: null },
    { name: 'an envelope of others', value: { ...begin, payload: {} }, weight: null, run: null },
  ])('$name', ({ value, weight, run }) => {
    expect(evidenceOf(codexExec, value)?.weight ?? null).toBe(weight)
    expect(runIdOf(codexExec, value)).toBe(run)
  })
})

/** Without the usage that nobody told. */
function itemStory(lines: readonly Line[]): string[] {
  return story(lines).filter((one) => one !== 'usage')
}

function itemEvents(...lines: Line[]): readonly Recorded[] {
  return translate(codexExec, lines).events.filter((one) => one.event !== 'usage')
}

describe('items', () => {
  const command = { command: 'ls', aggregated_output: 'a\n' }

  test('a command is asked for once and answered', () => {
    const { bins, events: all } = translate(codexExec, [
      item('started', 'i1', 'command_execution', { ...command, status: 'in_progress', exit_code: null }),
      item('updated', 'i1', 'command_execution', command),
      item('completed', 'i1', 'command_execution', { ...command, status: 'failed', exit_code: 2 }),
    ])
    const events = all.filter((one) => one.event !== 'usage')
    expect(events.slice(1)).toMatchObject([
      {
        event: 'tool.requested',
        callId: 'i1',
        name: 'command_execution',
        input: 'ls',
        operations: ['shell'],
      },
      { event: 'tool.result', callId: 'i1', content: 'a\n', bytes: 2, isError: true, exitCode: 2 },
    ])
    expect(binNames(bins)).toEqual(['Translated', 'Folded', 'Translated'])
  })

  test.each([
    {
      name: 'completed with 0',
      fields: { status: 'completed', exit_code: 0 },
      isError: false,
      exitCode: 0,
      code: undefined,
    },
    { name: 'a code alone', fields: { exit_code: 1 }, isError: true, exitCode: 1, code: undefined },
    { name: 'failed alone', fields: { status: 'failed' }, isError: true, exitCode: null, code: undefined },
    {
      name: 'completed with 3',
      fields: { status: 'completed', exit_code: 3 },
      isError: null,
      exitCode: null,
      code: 'TOOL_OUTCOME_UNVERIFIED',
    },
    {
      name: 'declined',
      fields: { status: 'declined', exit_code: null },
      isError: true,
      exitCode: null,
      code: 'approval-denied',
    },
  ])('a command that ends $name', ({ fields, isError, exitCode, code }) => {
    const { events } = translate(codexExec, [item('completed', 'i', 'command_execution', fields)])
    expect(events.find((one) => one.event === 'tool.result')).toMatchObject({ isError, exitCode })
    expect(events.find((one) => one.event === 'warning')?.['code']).toBe(code)
  })

  test('files that were changed are subjects', () => {
    const changes = [{ path: 'a.py', kind: 'add' }, { kind: 'add' }, { path: 'b.py', kind: 'update' }]
    const events = itemEvents(item('completed', 'i', 'file_change', { changes, status: 'completed' }))
    expect(events.slice(1)).toMatchObject([
      { name: 'file_change', operations: ['file.write', 'file.edit'], subjects: ['file:a.py', 'file:b.py'] },
      { isError: false, content: null, bytes: null, toolUseResult: { changes } },
    ])
  })

  test.each([
    {
      name: 'a result',
      fields: { result: { content: [] }, error: null, status: 'completed' },
      isError: false,
      content: { content: [] },
    },
    {
      name: 'an error',
      fields: { result: null, error: { message: 'm' }, status: 'failed' },
      isError: true,
      content: 'm',
    },
  ])('a tool of MCP with $name', ({ fields, isError, content }) => {
    const made = item('completed', 'i', 'mcp_tool_call', {
      server: 's',
      tool: 't',
      arguments: { q: 1 },
      ...fields,
    })
    expect(itemEvents(made).slice(1)).toMatchObject([
      { name: 'mcp__s__t', input: { q: 1 }, operations: ['mcp.call'] },
      { isError, content },
    ])
  })

  test('an agent that is spawned', () => {
    const made = item('completed', 'i', 'collab_tool_call', {
      tool: 'spawn_agent',
      prompt: 'p',
      status: 'completed',
    })
    expect(translate(codexExec, [made]).events[1]).toMatchObject({
      name: 'spawn_agent',
      operations: ['subagent.spawn'],
    })
  })

  test('a list of tasks is a call each time it changes', () => {
    const lines = ['started', 'updated', 'updated', 'completed'].map((when) =>
      item(when, 'i', 'todo_list', { items: [] }),
    )
    expect(itemStory(lines).slice(1)).toEqual([
      'tool.requested i',
      'tool.requested i',
      'tool.requested i',
      'tool.result i',
    ])
  })

  test('ids hold within a run', () => {
    const started = item('started', 'i', 'command_execution', command)
    const completed = item('completed', 'i', 'command_execution', command)
    expect(
      itemStory([thread('a'), started, thread('b'), completed]).filter((one) => one.startsWith('tool')),
    ).toEqual(['tool.requested i', 'tool.requested i', 'tool.result i'])
  })

  test.each([
    { name: 'words', line: says, event: 'text a' },
    { name: 'a plan', line: item('completed', 'i', 'plan', { text: 'p' }), event: 'text p' },
    { name: 'thoughts', line: item('completed', 'i', 'reasoning', { text: 't' }), event: 'thinking t' },
    { name: 'an error', line: item('completed', 'i', 'error', { message: 'm' }), event: 'warning error' },
    {
      name: 'a preview',
      line: { type: 'item.completed', item: { id: 'i', item_type: 'assistant_message', text: 'x' } },
      event: 'text x',
    },
    { name: 'a type nobody knows', line: item('completed', 'i', 'hologram'), event: 'opaque hologram' },
    {
      name: 'no words',
      line: item('completed', 'i', 'agent_message', { text: 7 }),
      event: 'opaque agent_message',
    },
    { name: 'no item', line: { type: 'item.completed', item: [] }, event: 'opaque item.completed' },
    { name: 'a line nobody knows', line: { type: 'thread.paused' }, event: 'opaque thread.paused' },
    { name: 'no object', line: 'null', event: 'opaque' },
  ])('$name', ({ line, event }) => expect(itemStory([thread('t'), line])[1]).toBe(event))

  test('a call without an id is known by its line', () => {
    expect(itemStory([item('completed', null, 'command_execution', command)]).slice(1)).toEqual([
      'tool.requested command_execution@1',
      'tool.result command_execution@1',
    ])
  })
})

const bills = (...lines: Line[]) =>
  translate(codexExec, lines).entries.map(({ session, tokens }) => [
    session,
    tokens.input,
    tokens.cacheRead,
    tokens.output,
  ])

describe('usage', () => {
  test.each([
    {
      name: 'is the running total of its thread',
      lines: [thread('t'), usage(100, 40, 10), usage(160, 90, 15)],
      bills: [
        ['t', 60, 40, 10],
        ['t', 10, 50, 5],
      ],
    },
    {
      name: 'goes on when the thread is resumed',
      lines: [thread('t'), usage(100, 40, 10), thread('t'), usage(160, 90, 15)],
      bills: [
        ['t', 60, 40, 10],
        ['t', 10, 50, 5],
      ],
    },
    {
      name: 'begins anew with another thread',
      lines: [thread('t'), usage(100, 40, 10), thread('u'), usage(160, 90, 15)],
      bills: [
        ['t', 60, 40, 10],
        ['u', 70, 90, 15],
      ],
    },
    {
      name: 'counts once',
      lines: [thread('t'), usage(100, 40, 10), usage(100, 40, 10)],
      bills: [['t', 60, 40, 10]],
    },
    { name: 'of a run without a name', lines: [says, usage(100, 40, 10)], bills: [[null, 60, 40, 10]] },
    {
      name: 'is unknown when a run fails after work',
      lines: [thread('t'), begin, says, failed],
      bills: [['t', null, null, null]],
    },
    { name: 'is nothing when a run fails at once', lines: [thread('t'), begin, failed], bills: [] },
    {
      name: 'of a failed turn is in the next total',
      lines: [thread('t'), begin, says, failed, begin, usage(9, 0, 1)],
      bills: [['t', 9, 0, 1]],
    },
  ])('$name', ({ lines, bills: expected }) => expect(bills(...lines)).toEqual(expected))

  test('that goes back is told', () => {
    const { notices } = translate(codexExec, [thread('t'), usage(100, 0, 10), usage(50, 0, 5)])
    expect(notices.map(({ code }) => code)).toEqual(['counter-went-back'])
  })

  test('is written with the whole input and a request id, for there is no model', () => {
    const { events, entries } = translate(codexExec, [
      thread('t'),
      usage(100, 40, 10, { cache_write_input_tokens: 5, reasoning_output_tokens: 3 }),
    ])
    expect(events.find((one) => one.event === 'usage')).toMatchObject({
      model: null,
      requestId: 'turn@2',
      usage: { inputTokens: 100, cacheReadInputTokens: 40, cacheCreationInputTokens: 5, thinkingTokens: 3 },
    })
    expect(entries).toMatchObject([
      { tokens: { input: 55, cacheWrite: 5, reasoning: 3 }, place: { thread: 't', kind: 'total' } },
    ])
  })
})

describe('runs', () => {
  test.each([
    {
      name: 'completed',
      lines: [thread('t'), begin, usage(1, 0, 1)],
      reason: 'completed',
      terminal: true,
      isError: false,
    },
    { name: 'failed', lines: [thread('t'), begin, failed], reason: 'error', terminal: true, isError: true },
    {
      name: 'completed, with errors on the way',
      lines: [thread('t'), begin, { type: 'error', message: 'Reconnecting... 1/5' }, usage(1, 0, 1)],
      reason: 'completed',
      terminal: true,
      isError: false,
    },
    {
      name: 'broken off',
      lines: [thread('t'), begin, says],
      reason: 'error',
      terminal: false,
      isError: undefined,
    },
    {
      name: 'broken off in a second turn',
      lines: [thread('t'), begin, usage(1, 0, 1), begin],
      reason: 'error',
      terminal: false,
      isError: undefined,
    },
  ])('that $name', ({ lines, reason, terminal, isError }) => {
    const { events, ending } = translate(codexExec, lines)
    expect(ending).toEqual({ reason, terminal, promised: true })
    expect(events.find((one) => one.event === 'session.ended')?.['isError']).toBe(isError)
  })

  test('in a row each have a session, and the last one says how it ended', () => {
    const lines = [says, thread('a'), begin, usage(1, 0, 1), thread('b'), begin, failed]
    expect(story(lines)).toEqual([
      'session.started',
      'text a',
      'usage',
      'session.started',
      'turn.started 1',
      'turn.ended 1',
      'usage',
      'session.ended',
      'session.started',
      'turn.started 1',
      'warning turn.failed',
      'turn.ended 1',
      'session.ended',
    ])
    expect(translate(codexExec, lines).ending.reason).toBe('error')
  })
})

describe('corpora', () => {
  const folder = join(projectDir, 'corpora/codex-exec')

  test.each(readdirSync(folder).filter((name) => /^[^.]+\.jsonl$/.test(name)))(
    '%s: each result has its call',
    (name) => {
      const { events } = translate(codexExec, readFileSync(join(folder, name)))
      const requested = new Set(
        events.filter((one) => one.event === 'tool.requested').map((one) => one['callId']),
      )
      expect(events.filter((one) => one.event === 'tool.result' && !requested.has(one['callId']))).toEqual([])
    },
  )
})
