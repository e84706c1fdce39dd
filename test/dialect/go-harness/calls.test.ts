import { describe, expect, test } from 'vitest'
import { brief, call, completed, done, type Line, OPEN, read, stepDone } from './runs.ts'

const persist = (value: unknown): Line => ['context.reset', { persist: value }]

describe('calls', () => {
  test('have their arguments as JSON, with what they do', () => {
    const { events: made } = read([...OPEN, call('c', 'read', '{ "path": "a.go",\n "limit": 1 }'), done('c')])
    expect(made[3]).toMatchObject({
      callId: 'c',
      name: 'read',
      input: { path: 'a.go', limit: 1 },
      operations: ['file.read'],
      subjects: ['file:a.go'],
    })
  })

  test.each([
    { args: 'not json', input: 'not json' },
    { args: '', input: '' },
    { args: { a: 1 }, input: { a: 1 } },
    { args: null, input: null },
  ])('keep arguments that are no JSON: $args', ({ args, input }) => {
    expect(read([...OPEN, call('c', 'bash', args)]).events[3]).toMatchObject({ input })
  })

  test.each([
    { tool: 'agent_swarm', operations: ['subagent.spawn'] },
    { tool: 'apply_patch', operations: ['file.write', 'file.edit'] },
    { tool: 'mcp_tickets_list', operations: ['mcp.call'] },
    { tool: 'AskUserQuestion', operations: [] },
  ])('do what their tool does: $tool', ({ tool, operations }) => {
    expect(read([...OPEN, call('c', tool)]).events[3]).toMatchObject({ operations })
  })

  test.each([
    { name: 'a plain text', more: { output: 'ok' }, isError: false, exitCode: null },
    { name: 'nothing', more: { output: '' }, isError: false, exitCode: null },
    { name: 'an exit code', more: { output: '{"exit_code":2,"output":"x"}' }, isError: false, exitCode: 2 },
    { name: 'a call that was never run', more: { output: '{"exit_code":-1}' }, isError: false, exitCode: -1 },
    { name: 'an error beside it', more: { output: '', error: 'x' }, isError: true, exitCode: null },
    {
      name: 'an error in it',
      more: { output: '{"error":{"code":"stale_write"}}' },
      isError: true,
      exitCode: null,
    },
    {
      name: 'the word error in it',
      more: { output: '{"text":"\\"error\\""}' },
      isError: false,
      exitCode: null,
    },
    { name: 'JSON that is cut', more: { output: '{"error"' }, isError: false, exitCode: null },
  ])('end with $name', ({ more, isError, exitCode }) => {
    const result = read([...OPEN, call('c'), done('c', more)]).events[4]
    expect(result).toMatchObject({
      event: 'tool.result',
      callId: 'c',
      isError,
      exitCode,
      content: more.output,
    })
    expect(result?.['bytes']).toBe(Buffer.byteLength(more.output))
  })

  test('of other tools have no exit code', () => {
    const lines = [...OPEN, call('c', 'grep'), done('c', { tool: 'grep', output: '{"exit_code":1}' })]
    expect(read(lines).events[4]).toMatchObject({ exitCode: null })
  })

  test.each([
    {
      name: 'a warning that a call cannot be undone is no completion',
      lines: [call('c'), done('c', { rewind_warning: 'no root' }), done('c')],
      made: ['tool.requested c', 'warning rewind_warning', 'tool.result c'],
      notices: [],
    },
    {
      name: 'of two completions the first counts',
      lines: [call('c'), done('c'), done('c')],
      made: ['tool.requested c', 'tool.result c', 'opaque tool.call.completed'],
      notices: ['second-completion'],
    },
    {
      name: 'a completion without a call is one all the same',
      lines: [done('c')],
      made: ['tool.result c'],
      notices: [],
    },
    {
      name: 'a call may be blocked that never started',
      lines: [
        ['tool.call.blocked', { call_id: 'c', tool: 'task_complete', reason: 'task_complete_sole_call' }],
      ],
      made: ['warning call-blocked'],
      notices: [],
    },
    {
      name: 'outputs that came in pieces are in their result',
      lines: [call('c'), ['tool.output.delta', { call_id: 'c', content: 'x' }], done('c'), completed()],
      made: ['tool.requested c', 'tool.result c', 'turn.ended 1', 'session.ended'],
      notices: [],
    },
    {
      name: 'outputs whose result never came leave a trace',
      lines: [call('c'), ['tool.output.delta', { call_id: 'c', content: 'x' }], ['run.cancelled', {}]],
      made: ['tool.requested c', 'opaque tool.output.delta', 'turn.ended 1', 'session.ended'],
      notices: [],
    },
    {
      name: 'arguments that came in pieces are in their call, also without an id',
      lines: [
        ['tool.call.delta', { index: 0, call_id: 'a', tool: 'bash', arguments: '{' }],
        ['tool.call.delta', { index: 1, call_id: '', tool: '', arguments: '{' }],
        ['tool.call.delta', { index: 0, call_id: '', tool: '', arguments: '}' }],
        call('b'),
        call('a'),
        stepDone(1),
      ],
      made: ['tool.requested b', 'tool.requested a', 'turn.ended 1'],
      notices: [],
    },
    {
      name: 'arguments whose call never came leave a trace',
      lines: [['tool.call.delta', { index: 0, call_id: 'a', arguments: '{' }], stepDone(1)],
      made: ['opaque tool.call.delta', 'turn.ended 1'],
      notices: [],
    },
    {
      name: 'a call of a completed run has its completion',
      lines: [call('c'), call('d'), done('c'), completed()],
      made: ['tool.requested c', 'tool.requested d', 'tool.result c', 'turn.ended 1', 'session.ended'],
      notices: ['call-without-completion'],
    },
    {
      name: 'unless it was denied',
      lines: [
        call('c'),
        [
          'tool_hook.completed',
          { call_id: 'c', tool: 'bash', stage: 'pre_tool_use', decision: 'deny', hook: 'h' },
        ],
        completed(),
      ],
      made: ['tool.requested c', 'warning hook-denied', 'turn.ended 1', 'session.ended'],
      notices: [],
    },
  ] as const)('$name', ({ lines, made, notices }) => {
    const { events: written, notices: said } = read([...OPEN, ...lines])
    expect(written.slice(3).map(brief)).toEqual(made)
    expect(said.map(({ code }) => code)).toEqual(notices)
  })

  test.each([
    { type: 'tool.approval_denied', payload: { reason: 'timed out' }, code: 'approval-denied', denied: 'c' },
    { type: 'tool.call.blocked', payload: { reason: 'rule' }, code: 'call-blocked', denied: 'c' },
    {
      type: 'tool_hook.completed',
      payload: { stage: 'pre_tool_use', decision: 'deny' },
      code: 'hook-denied',
      denied: 'c',
    },
    {
      type: 'tool_hook.failed',
      payload: { stage: 'pre_tool_use', ignored: false },
      code: 'hook-failed',
      denied: 'c',
    },
    {
      type: 'tool_hook.failed',
      payload: { stage: 'pre_tool_use', ignored: true },
      code: 'hook-failed',
      denied: undefined,
    },
    {
      type: 'tool_hook.failed',
      payload: { stage: 'post_tool_use', ignored: false },
      code: 'hook-failed',
      denied: undefined,
    },
    {
      type: 'hook.completed',
      payload: { action: 'block', reason: 'no' },
      code: 'hook-refused',
      denied: undefined,
    },
  ] as const)('are denied by $type: $payload', ({ type, payload, code, denied }) => {
    const warning = read([...OPEN, call('c'), [type, { call_id: 'c', tool: 'bash', hook: 'h', ...payload }]])
      .events[4]
    expect(warning).toMatchObject({ event: 'warning', code })
    expect(warning?.['deniedCall']).toBe(denied)
  })

  test('that are denied keep what the model was told', () => {
    const told = { output: '{"error":{"code":"permission_denied"}}', duration_ms: 0 }
    const lines = [...OPEN, call('c'), ['tool.approval_denied', { call_id: 'c' }] as const, done('c', told)]
    expect(read(lines).events[5]).toMatchObject({ event: 'tool.result', isError: true })
  })

  test('text put before the model is a warning where it is not known, and an injection where it is', () => {
    const { events: made } = read([...OPEN, persist('keep'), persist({ a: [1] }), persist(null)])
    expect(made.slice(3)).toMatchObject([
      { event: 'injection', text: 'keep', origin: 'synthetic' },
      { event: 'injection', text: '{"a":[1]}', origin: 'synthetic' },
      { event: 'warning', code: 'context.reset' },
    ])
  })
})
