import { describe, expect, test } from 'vitest'
import { kimiWire } from '../../src/dialect/kimi-wire.ts'
import { evidenceOf } from './detecting.ts'
import { binNames, translate } from './recording-sink.ts'
import { shorts } from './short.ts'

const epochMs = 1_777_885_200_000
const iso = '2026-05-04T09:00:00.000Z'
const metadata = { type: 'metadata', protocol_version: '1.4', created_at: epochMs }

function operation(type: string, more: object = {}): object {
  return { type, time: epochMs, ...more }
}
function loop(type: string, more: object = {}): object {
  return operation('context.append_loop_event', { event: { type, ...more } })
}
function figures(inputOther: unknown, output: unknown): object {
  return { inputOther, output, inputCacheRead: 5, inputCacheCreation: 7 }
}
function recorded(usage: unknown, usageScope = 'turn'): object {
  return operation('usage.record', { model: 'm', usage, usageScope })
}
function message(type: string, payload: object): object {
  return { timestamp: epochMs / 1000, message: { type, payload } }
}

const begin = loop('step.begin', { uuid: 'step-1' })
const end = loop('step.end', { uuid: 'step-1', usage: figures(10, 2), finishReason: 'tool_use' })

describe('usage of Kimi Code', () => {
  test.each([
    {
      what: 'record after end',
      lines: [begin, end, recorded(figures(10, 2))],
      requests: ['step-1'],
      input: 10,
    },
    {
      what: 'record before end',
      lines: [begin, recorded(figures(10, 2)), end],
      requests: ['step-1'],
      input: 10,
    },
    { what: 'no record', lines: [begin, end], requests: ['step-1'], input: 10, notices: ['usage-from-step'] },
    {
      what: 'no record, and another step',
      lines: [begin, end, loop('step.begin', { uuid: 'step-2' }), recorded(figures(4, 1))],
      requests: ['step-1', 'step-2'],
      input: 14,
      notices: ['usage-from-step'],
    },
    {
      what: 'a compaction has no step',
      lines: [begin, end, recorded(figures(10, 2)), recorded(figures(3, 3), 'session')],
      requests: ['step-1', null],
      input: 13,
    },
    {
      what: 'two requests in one step are not one',
      lines: [begin, recorded(figures(10, 2)), recorded(figures(11, 2))],
      requests: ['step-1', null],
      input: 21,
    },
    {
      what: 'a compaction between the end and its record',
      lines: [begin, end, recorded(figures(3, 3), 'session'), recorded(figures(10, 2))],
      requests: [null, 'step-1'],
      input: 13,
    },
  ])('$what', ({ lines, requests, input, notices }) => {
    const translation = translate(kimiWire, [metadata, ...lines])
    const written = translation.events.filter(({ event }) => event === 'usage')
    expect(written.map(({ requestId }) => requestId)).toEqual(requests)
    expect(translation.entries.reduce((sum, { tokens }) => sum + (tokens.input ?? 0), 0)).toBe(input)
    expect(translation.entries.every(({ key }) => key === null)).toBe(true)
    expect(translation.notices.map(({ code }) => code)).toEqual(notices ?? [])
  })

  test('has disjoint classes', () => {
    const { entries } = translate(kimiWire, [recorded(figures('31', null))])
    expect(entries[0]).toMatchObject({ model: 'm', at: iso, session: null })
    expect(entries[0]?.tokens).toEqual({
      input: 31,
      cacheRead: 5,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      cacheWrite: 7,
      output: null,
      reasoning: null,
    })
  })
})

describe('operations', () => {
  const user = { role: 'user', content: [{ type: 'text', text: 'Go' }], origin: { kind: 'user' } }
  const prompt = operation('turn.prompt', { input: user.content, origin: user.origin })
  const append = operation('context.append_message', { message: user })
  const reminder = operation('context.append_message', {
    message: { ...user, origin: { kind: 'injection', variant: 'plan' } },
  })

  test.each([
    { lines: [prompt, append], events: ['turn.started 1', 'injection user Go'], bins: 'Translated Folded' },
    {
      lines: [prompt, append, append],
      events: ['turn.started 1', 'injection user Go', 'injection user Go'],
      bins: 'Translated Folded Translated',
    },
    { lines: [reminder], events: ['injection synthetic Go'], bins: 'Translated' },
    {
      lines: [prompt, operation('turn.ended', { turnId: 0, reason: 'completed' })],
      events: ['turn.started 1', 'injection user Go', 'turn.ended 1 completed'],
      bins: 'Translated Translated',
    },
    {
      lines: [prompt, operation('turn.ended', { reason: 'failed', error: { message: 'gone' } })],
      events: ['turn.started 1', 'injection user Go', 'warning failed', 'turn.ended 1 failed'],
      bins: 'Translated Translated',
    },
    { lines: [operation('turn.cancel')], events: [], bins: 'Bookkeeping' },
    {
      lines: [loop('content.part', { stepUuid: 's', part: { type: 'think', think: 'Hm' } })],
      events: ['thinking Hm'],
      bins: 'Translated',
    },
    {
      lines: [loop('content.part', { part: 'x' })],
      events: ['opaque context.append_loop_event/content.part'],
      bins: 'Opaque',
    },
    {
      lines: [loop('subagent.gone')],
      events: ['opaque context.append_loop_event/subagent.gone'],
      bins: 'Opaque',
    },
    {
      lines: [loop('step.end', { finishReason: 'filtered' })],
      events: ['warning filtered'],
      bins: 'Translated',
    },
    {
      lines: [operation('context.apply_compaction', { summary: { role: 'user', content: 'So far' } })],
      events: ['warning compaction', 'injection synthetic So far'],
      bins: 'Translated',
    },
    {
      lines: [
        operation('full_compaction.complete', { summary: 'Old' }),
        operation('full_compaction.complete'),
      ],
      events: ['warning compaction', 'injection synthetic Old'],
      bins: 'Translated Bookkeeping',
    },
    { lines: [operation('llm.request', { model: 'm' })], events: [], bins: 'Bookkeeping' },
    {
      lines: [operation('llm.request', { attempt: '2/3' })],
      events: ['warning llm.request'],
      bins: 'Translated',
    },
    {
      lines: [
        operation('turn.step.retrying', { errorMessage: 'slow' }),
        operation('llm.request', { attempt: '2/3' }),
      ],
      events: ['warning turn.step.retrying'],
      bins: 'Translated Bookkeeping',
    },
    { lines: [operation('tide.turned')], events: ['opaque tide.turned/'], bins: 'Opaque' },
    { lines: [operation('usage.record', { usage: 3 })], events: ['opaque usage.record/'], bins: 'Opaque' },
    { lines: [operation('token_counting.measured')], events: [], bins: 'Bookkeeping' },
  ])('$lines becomes $events', ({ lines, events, bins }) => {
    const translation = translate(kimiWire, [metadata, ...lines])
    expect(shorts(translation.events).filter((event) => event !== 'session.started')).toEqual(events)
    expect(binNames(translation.bins).slice(1).join(' ')).toBe(bins)
  })

  test('a call comes before its denial, which was recorded first', () => {
    const { events, bins } = translate(kimiWire, [
      operation('permission.record_approval_result', {
        toolCallId: 'c',
        toolName: 'Bash',
        result: { decision: 'denied' },
      }),
      loop('tool.call', { toolCallId: 'c', name: 'Bash', args: '{"path": "a"}' }),
      loop('tool.result', { toolCallId: 'c', result: { output: 'no', isError: true } }),
      operation('permission.record_approval_result', { toolCallId: 'd', result: { decision: 'blocked' } }),
    ])
    expect(events.slice(1)).toMatchObject([
      {
        event: 'tool.requested',
        callId: 'c',
        input: { path: 'a' },
        operations: ['shell'],
        subjects: ['file:a'],
      },
      { event: 'warning', code: 'approval-denied', deniedCall: 'c', line: 1 },
      { event: 'tool.result', callId: 'c', isError: true, content: 'no', bytes: 2 },
      { event: 'warning', code: 'call-blocked', deniedCall: 'd', line: 4 },
    ])
    expect(binNames(bins)).toEqual(['Folded', 'Translated', 'Translated', 'Folded'])
  })

  test('the set-up is in session.started', () => {
    const { events, bins } = translate(kimiWire, [
      metadata,
      operation('config.update', { cwd: '/home/dev/x', modelAlias: 'a/m' }),
      operation('tools.set_active_tools', { names: ['Read', 'Bash'] }),
      operation('turn.prompt', { input: 'Hi', origin: { kind: 'system_trigger', name: 'subagent' } }),
      operation('config.update', { modelAlias: 'a/n' }),
    ])
    expect(events[0]).toMatchObject({
      event: 'session.started',
      at: iso,
      adapter: 'kimi',
      model: 'a/m',
      cwd: '/home/dev/x',
      offeredTools: ['Read', 'Bash'],
      subagent: true,
    })
    expect(events[2]).toMatchObject({ event: 'injection', origin: 'synthetic' })
    expect(binNames(bins)).toEqual(['Folded', 'Folded', 'Folded', 'Translated', 'Bookkeeping'])
  })
})

describe('kimi-cli', () => {
  const usage = { input_other: 10, output: 2, input_cache_read: 5, input_cache_creation: 7 }

  test.each([
    { lines: [message('TurnBegin', { user_input: 'Go' })], events: ['turn.started 1', 'injection user Go'] },
    {
      lines: [message('TurnBegin', { user_input: 'Go' }), message('TurnEnd', {})],
      events: ['turn.started 1', 'injection user Go', 'turn.ended 1'],
    },
    {
      lines: [message('SteerInput', { user_input: [{ type: 'text', text: 'No' }] })],
      events: ['injection user No'],
    },
    { lines: [message('ContentPart', { type: 'text', text: 'Hi' })], events: ['text Hi'] },
    { lines: [message('ContentPart', { type: 'video_url' })], events: ['opaque content.part/video_url'] },
    { lines: [message('StepBegin', { n: 1 })], events: [] },
    { lines: [message('StepInterrupted', {})], events: ['warning StepInterrupted'] },
    { lines: [message('HookResolved', { action: 'allow' })], events: [] },
    { lines: [message('HookResolved', { action: 'block', reason: 'r' })], events: ['warning hook-denied'] },
    { lines: [message('Notification', { severity: 'info' })], events: [] },
    {
      lines: [message('Notification', { severity: 'error', type: 'task.failed' })],
      events: ['warning task.failed'],
    },
    { lines: [message('Semaphore', {})], events: ['opaque Semaphore/'] },
    { lines: [message('ToolCall', { id: 'c' })], events: ['opaque ToolCall/'] },
    { lines: [{ timestamp: 1, message: null }], events: ['opaque /'] },
  ])('$lines becomes $events', ({ lines, events }) => {
    const translation = translate(kimiWire, lines)
    expect(shorts(translation.events).filter((event) => event !== 'session.started')).toEqual(events)
  })

  test('a subagent inside: its calls have ids of their own, its usage is a side chain, its prompt nobody typed', () => {
    const inside = (type: string, payload: object): object =>
      message('SubagentEvent', { task_tool_call_id: 't', event: { type, payload } })
    const { events, entries } = translate(kimiWire, [
      inside('TurnBegin', { user_input: 'Look' }),
      inside('ToolCall', { id: 'c', function: { name: 'Shell', arguments: '{}' } }),
      inside('ToolResult', { tool_call_id: 'c', return_value: { is_error: false, output: 'ok' } }),
      inside('StatusUpdate', { token_usage: usage, message_id: 'm-1' }),
      message('StatusUpdate', { token_usage: usage, message_id: 'm-2' }),
      message('StatusUpdate', { token_usage: null }),
    ])
    expect(shorts(events)).toEqual([
      'session.started',
      'injection synthetic Look',
      'tool.requested Shell t/c',
      'tool.result t/c',
      'usage',
      'usage',
    ])
    expect(entries).toMatchObject([
      { key: 'kimi:m-1', sidechain: true, tokens: { input: 10, cacheRead: 5, cacheWrite: 7, output: 2 } },
      { key: 'kimi:m-2', sidechain: false },
    ])
  })

  test('a rejected approval denies its call', () => {
    const { events } = translate(kimiWire, [
      message('ApprovalRequest', { id: 'a', tool_call_id: 'c' }),
      message('ApprovalResponse', { request_id: 'a', response: 'reject', feedback: 'no' }),
      message('ApprovalRequest', { id: 'b', tool_call_id: 'd' }),
      message('ApprovalRequestResolved', { request_id: 'b', response: 'approve' }),
    ])
    expect(events.slice(1)).toMatchObject([
      { event: 'warning', code: 'approval-denied', message: 'the user rejected c: no', deniedCall: 'c' },
    ])
  })
})

describe('evidence', () => {
  test.each([
    { value: metadata, weight: 'proof' },
    { value: { type: 'metadata' }, weight: undefined },
    { value: operation('turn.prompt'), weight: 'proof' },
    { value: { type: 'turn.started' }, weight: undefined },
    { value: { type: 'session.start', data: {}, time: 1 }, weight: undefined },
    { value: { type: 'turn.prompt', time: '2026' }, weight: undefined },
    { value: message('StatusUpdate', {}), weight: 'proof' },
    { value: { timestamp: '2026', message: { type: 'x', payload: {} } }, weight: undefined },
    { value: 3, weight: undefined },
  ])('of $value is $weight', ({ value, weight }) => {
    expect(evidenceOf(kimiWire, value)?.weight).toBe(weight)
  })
})

describe('the session is in the path', () => {
  const uuid = '0f000003-aaaa-4bbb-8ccc-ddddeeee0001'

  test.each([
    { path: `sessions/abc/${uuid}/wire.jsonl`, run: uuid },
    { path: 'wd_x/session_1/agents/main/wire.jsonl', run: 'session_1' },
    { path: 'wd_x/session_1/agents/agent-0/wire.jsonl.zst', run: 'session_1/agent-0' },
    { path: 'C:\\s\\session_1\\agents\\main\\wire.jsonl', run: 'session_1' },
    { path: 'agents/main/wire.jsonl', run: null },
    { path: 'notes/wire.jsonl', run: null },
    { path: 'session_1/agents/main/other.jsonl', run: null },
    { path: 'wire.jsonl', run: null },
  ])('$path', ({ path, run }) => {
    expect(kimiWire.runOfPath?.(path)).toBe(run)
  })

  test.each([
    { run: 'session_1', session: 'session_1', subagent: false },
    { run: 'session_1/agent-0', session: 'session_1', subagent: true },
    { run: uuid, session: uuid, subagent: false },
    { run: 'wire', session: null, subagent: false },
  ])('of run $run is $session', ({ run, session, subagent }) => {
    const { events, entries } = translate(kimiWire, [metadata, recorded(figures(1, 1))], { run })
    expect(events[0]).toMatchObject({ event: 'session.started', sessionId: session, subagent })
    expect(entries).toMatchObject([{ session }])
  })
})
