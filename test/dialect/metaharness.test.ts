import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { metaharness } from '../../src/dialect/metaharness.ts'
import { completenessOf } from '../../src/dialect/verdict.ts'
import { describeWithShared, sharedDir } from '../shared.ts'
import { binNames, translate } from './recording-sink.ts'

const SHA = '0123456789abcdef'.repeat(4)

/** One line of a stream; `seq` is that of a first line unless it is given. */
function line(event: string, fields: object = {}): Record<string, unknown> {
  return { format: 'metaharness.event/1', seq: 1, run: 'r', event, ...fields }
}

/** A whole stream: numbered, and closed when `reason` is given. */
function stream(events: readonly Record<string, unknown>[], reason?: string): Record<string, unknown>[] {
  const lines = [...events]
  if (reason !== undefined) lines.push(closed(events.length, reason))
  return lines.map((made, i) => ({ ...made, seq: i + 1 }))
}

const closed = (events: number, reason = 'completed'): Record<string, unknown> =>
  line('stream.closed', { events, reason, run_id: 'r' })

const hermetic = {
  mode: 'strict',
  decisions: 'frame',
  imposed: [{ row: 'h1a', how: 'x' }],
  unavailable: [],
  ambient_inputs: [],
  installed_plugins: [],
}
const census = {
  allowed: 1,
  denied: 0,
  replaced: 0,
  abstained: 0,
  by_seam: { hook: 1 },
  by_decider: { frame: 1 },
}
const started = (adapter: string, more: object = {}): Record<string, unknown> =>
  line('session.started', {
    adapter,
    adapter_class: 'harness',
    session_id: 's',
    transcript: { path: 'p', digest: SHA, bytes: 3 },
    hermetic,
    ...more,
  })
const ended = (more: object = {}): Record<string, unknown> => line('session.ended', { census, ...more })
const usage = (tokens: readonly (number | null)[], more: object = {}): Record<string, unknown> =>
  line('usage', { usage: wire(tokens), ...more })
/** Input, output, cache read, cache creation. */
function wire([input, output, read, created]: readonly (number | null | undefined)[]): object {
  return {
    input_tokens: input ?? null,
    output_tokens: output ?? null,
    cache_read_input_tokens: read ?? null,
    cache_creation_input_tokens: created ?? null,
  }
}

const runningTotal = (input: number, output: number): object => usage([input, output, 0], { model: null })

const step = { workflow: 'w', state: 's', index: 0, attempt: 1 }
const placed = { workflow: 'w', state: 's', index: 0, attempt: 1 }

/** One line of every event, and what of it must reach the sink. */
const EVENTS: readonly { fields: Record<string, unknown>; out: object }[] = [
  {
    fields: started('claude', { skills: [], withheld: [{ tool: 't', reason: 'y' }], inputs_digest: SHA }),
    out: {
      adapter: 'claude',
      adapterClass: 'harness',
      sessionId: 's',
      skills: [],
      agents: null,
      withheld: [{ tool: 't', reason: 'y' }],
      inputsDigest: SHA,
      transcript: { path: 'p', digest: SHA, bytes: 3 },
      hermetic,
    },
  },
  {
    fields: ended({
      is_error: false,
      subtype: 'ok',
      num_turns: 2,
      total_cost_usd: 0.1,
      final_answer: { text: 'a', turn_id: null },
      permission_denials: [{ tool_name: 'T', tool_use_id: 'c', tool_input: { a: 1 } }],
      model_usage: { m: wire([1, 2]) },
    }),
    out: {
      isError: false,
      subtype: 'ok',
      stopReason: null,
      numTurns: 2,
      totalCostUsd: '0.1',
      finalAnswer: { text: 'a', turnId: null },
      permissionDenials: [{ toolName: 'T', toolUseId: 'c', toolInput: { a: 1 } }],
      usage: null,
      modelUsage: [{ model: 'm', usage: { inputTokens: 1, outputTokens: 2, costUsd: null } }],
      census: { allowed: 1, bySeam: { hook: 1 }, byDecider: { frame: 1 } },
    },
  },
  {
    fields: line('step.entered', { step, frame_digest: SHA }),
    out: { step: placed, frameDigest: SHA },
  },
  {
    fields: line('step.left', { step, outcome: { outcome: 'failed', reason: 'why' } }),
    out: { step: placed, outcome: 'failed', reason: 'why' },
  },
  { fields: line('turn.started', { turn: 1 }), out: { turn: 1, frameDigest: null } },
  { fields: line('turn.ended', { turn: 1, stop_reason: 'x' }), out: { turn: 1, stopReason: 'x' } },
  { fields: line('text', { text: 'a', at: 'then' }), out: { text: 'a', requestId: null, at: 'then' } },
  { fields: line('thinking', { text: 'a', request_id: 'q' }), out: { text: 'a', requestId: 'q', at: null } },
  { fields: line('thinking.estimate', { estimate: 5, delta: -2 }), out: { estimate: 5, delta: -2 } },
  { fields: line('injection', { text: 'a', origin: 'user' }), out: { text: 'a', origin: 'user' } },
  {
    fields: line('tool.requested', {
      call_id: 'c',
      name: 'T',
      input: null,
      operations: ['shell'],
      decision_required: true,
      deadline_ms: 5,
      seam: 'hook',
    }),
    out: {
      callId: 'c',
      name: 'T',
      operations: ['shell'],
      subjects: [],
      decisionRequired: true,
      deadlineMs: 5,
      seam: 'hook',
    },
  },
  {
    fields: line('tool.decided', {
      call_id: 'c',
      decision: { decision: 'replace', input: { b: 2 } },
      decided_by: 'frame',
      seam: 'hook',
      latency_ms: 9,
    }),
    out: {
      callId: 'c',
      decision: 'replace',
      input: { b: 2 },
      decidedBy: 'frame',
      seam: 'hook',
      latencyMs: 9,
    },
  },
  {
    fields: line('tool.result', { call_id: 'c', exit_code: -1, is_error: true, content: [1], bytes: 3 }),
    out: { callId: 'c', exitCode: -1, isError: true, content: [1], bytes: 3, toolUseResult: null },
  },
  {
    fields: usage([1, 2, 3, 4], { request_id: 'q', model: 'm' }),
    out: {
      requestId: 'q',
      model: 'm',
      usage: { inputTokens: 1, outputTokens: 2, cacheReadInputTokens: 3, cacheCreationInputTokens: 4 },
    },
  },
  {
    fields: line('rate_limit', {
      info: { status: 'ok', resets_at: 7, utilization: 0.5, using_overage: false },
    }),
    out: { status: 'ok', window: null, resetsAt: 7, utilization: '0.5', usingOverage: false },
  },
  {
    fields: line('command.result', {
      id: 'i',
      outcome: { result: 'refused', refused: { code: 'TOO_LATE', reason: 'r' } },
    }),
    out: { id: 'i', outcome: { result: 'refused', refused: { code: 'TOO_LATE', reason: 'r' } } },
  },
  {
    fields: line('warning', { code: 'approval-denied', message: 'the approver denied c' }),
    out: { code: 'approval-denied', message: 'the approver denied c', deniedCall: 'c' },
  },
  {
    fields: line('opaque', { vendor_type: 'v', digest: SHA, source_line: 4 }),
    out: { vendorType: 'v', vendorSubtype: null, digest: SHA, sourceLine: 4 },
  },
  {
    fields: line('auth.expired', { detail: 'd', source_line: 4 }),
    out: { credentialSource: null, detail: 'd', sourceLine: 4 },
  },
]

test.each(EVENTS)('$fields.event is written again as it is', ({ fields, out }) => {
  const { events, bins, notices } = translate(metaharness, [fields])
  expect(events).toMatchObject([{ event: fields['event'], ...out }])
  expect(binNames(bins)).toEqual(['Translated'])
  expect(notices).toEqual([])
})

describe('a strict reader refuses', () => {
  test.each([
    { name: 'what is no object', given: '[1]', refusal: 'NotAnObject', detail: 'no object' },
    {
      name: 'another version',
      given: { ...line('text'), format: 'metaharness.event/2' },
      refusal: 'UnknownFormat',
      detail: '"metaharness.event/2"',
    },
    { name: 'no format', given: { seq: 1 }, refusal: 'UnknownFormat', detail: 'no format' },
    { name: 'an unknown name', given: line('zz.new'), refusal: 'UnknownName', detail: '"zz.new"' },
    { name: 'no name', given: { format: 'metaharness.event/1' }, refusal: 'UnknownName', detail: '""' },
    { name: 'no text', given: line('text'), refusal: 'Malformed', detail: 'text: text: missing' },
    { name: 'a null text', given: line('text', { text: null }), refusal: 'Malformed', detail: 'null' },
    {
      name: 'a wrong type',
      given: line('turn.started', { turn: '1' }),
      refusal: 'Malformed',
      detail: 'turn',
    },
    {
      name: 'a float for an integer',
      given: '{"format":"metaharness.event/1","seq":1,"run":"r","event":"turn.started","turn":1.0}',
      refusal: 'Malformed',
      detail: 'turn',
    },
    { name: 'a negative count', given: usage([-1]), refusal: 'Malformed', detail: 'usage.input_tokens' },
    {
      name: 'no run',
      given: { ...line('text', { text: '' }), run: undefined },
      refusal: 'Malformed',
      detail: 'run',
    },
    { name: 'a numeric time', given: line('text', { text: '', at: 5 }), refusal: 'Malformed', detail: 'at' },
    { name: 'a foreign enum word', given: closed(0, 'done'), refusal: 'Malformed', detail: 'reason' },
    {
      name: 'a deny without a reason',
      given: line('tool.decided', {
        call_id: 'c',
        decision: { decision: 'deny', reason: ' ' },
        decided_by: 'frame',
        seam: 'hook',
      }),
      refusal: 'Malformed',
      detail: 'reason: blank',
    },
    {
      name: 'an exit code of more than 32 bits',
      given: line('tool.result', { call_id: 'c', exit_code: 2 ** 32 }),
      refusal: 'Malformed',
      detail: 'exit_code',
    },
    {
      name: 'a call without an input',
      given: line('tool.requested', { call_id: 'c', name: 'n', decision_required: false, seam: 'none' }),
      refusal: 'Malformed',
      detail: 'input: missing',
    },
    {
      name: 'a short digest',
      given: line('opaque', { digest: 'abc' }),
      refusal: 'Malformed',
      detail: 'digest',
    },
    {
      name: 'a session without a claim',
      given: started('b10x', { hermetic: null }),
      refusal: 'Malformed',
      detail: 'hermetic',
    },
    {
      name: 'an end without a census',
      given: ended({ census: null }),
      refusal: 'Malformed',
      detail: 'census',
    },
    {
      name: 'a census with a foreign seam',
      given: ended({ census: { ...census, by_seam: { elsewhere: 1 } } }),
      refusal: 'Malformed',
      detail: 'by_seam',
    },
    {
      name: 'a list with a hole',
      given: started('b10x', { skills: ['a', null] }),
      refusal: 'Malformed',
      detail: 'skills.[1]',
    },
  ])('$name', ({ given, refusal, detail }) => {
    const { state, events, bins, notices } = translate(metaharness, [given])
    expect(state.refusals).toMatchObject([{ line: 1, refusal }])
    expect(state.refusals[0]?.detail).toContain(detail)
    expect(events).toMatchObject([{ event: 'opaque', vendorType: null, vendorSubtype: null }])
    expect(binNames(bins)).toEqual(['Opaque'])
    expect(notices.at(-1)?.code).toBe('refused-line')
  })

  test('nothing for fields it does not know', () => {
    expect(
      translate(metaharness, [line('text', { text: 'a', source_line: 'x', more: {} })]).state.refused,
    ).toBe(0)
  })

  test('digests of anything but 64 lower-case hex digits', () => {
    for (const at of [0, 1, 2, 3, 30, 63]) {
      const bytes = Array.from({ length: 256 }, (_, byte) => byte).filter(
        (byte) => byte >= 0x20 && byte !== 0x22 && byte !== 0x5c,
      )
      const lines = bytes.map((byte) => {
        const made = Buffer.from(JSON.stringify(line('opaque', { digest: SHA })))
        made[made.indexOf(SHA) + at] = byte
        return made
      })
      const { bins } = translate(
        metaharness,
        Buffer.concat(lines.flatMap((made) => [made, Buffer.from('\n')])),
      )
      const taken = bytes.filter((_, i) => binNames(bins)[i] === 'Translated')
      expect(taken).toEqual(bytes.filter((byte) => /[0-9a-f]/.test(String.fromCharCode(byte))))
    }
  })

  test('keeps a thousand refusals and counts the rest', () => {
    const { state } = translate(
      metaharness,
      Array.from({ length: 1500 }, () => '{}'),
    )
    expect([state.refusals.length, state.refused]).toEqual([1000, 1500])
  })
})

test('whatever a line holds, it is an event or refused', () => {
  const change = fc.tuple(fc.constantFrom(...EVENTS), fc.nat(), fc.jsonValue({ maxDepth: 2 }))
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), fc.boolean(), (changes, tolerant) => {
      const lines = changes.map(([{ fields }, at, value]) => {
        const names = Object.keys(fields)
        return { ...fields, [names[at % names.length] ?? '']: value }
      })
      const { events, bins, state } = translate(metaharness, lines, { tolerant })
      const opaque = binNames(bins).filter((name) => name === 'Opaque').length
      if (opaque !== state.refused || events.length !== lines.length) throw new Error('a line was lost')
    }),
    { numRuns: 200 },
  )
})

describe('a tolerant reader', () => {
  test.each([
    {
      name: 'no run and no seam',
      given: {
        ...line('tool.requested', {
          call_id: 'c',
          name: 'n',
          input: {},
          decision_required: false,
          operations: [],
          subjects: [],
        }),
        run: undefined,
      },
      out: { seam: 'none', operations: [] },
    },
    {
      name: 'half a claim',
      given: started('b10x', { hermetic: { installed_plugins: [] } }),
      out: { hermetic: null },
    },
    { name: 'no census', given: ended({ census: undefined }), out: { census: null } },
    {
      name: 'an FNV digest',
      given: line('opaque', { digest: '6cb7b24f39f960b0', source_line: 9 }),
      out: { event: 'opaque' },
      notice: 'foreign-digest',
    },
  ])('accepts $name', ({ given, out, notice }) => {
    const { events, notices, state } = translate(metaharness, [given], { tolerant: true })
    expect(state.refused).toBe(0)
    expect(events).toMatchObject([out])
    expect(events[0]?.['digest']).toBeUndefined()
    expect(events[0]?.['sourceLine']).toBeUndefined()
    expect(notices.map(({ code }) => code)).toEqual(notice === undefined ? [] : [notice])
  })

  test('still refuses what could not be written again', () => {
    expect(translate(metaharness, [line('text', { text: null })], { tolerant: true }).state.refused).toBe(1)
  })
})

describe('the end of a stream', () => {
  const said = line('text', { text: 'a' })

  test.each([
    {
      name: 'closed',
      lines: stream([said, said], 'budget'),
      reason: 'budget',
      terminal: true,
      inconsistent: false,
    },
    { name: 'not closed', lines: stream([said]), reason: 'error', terminal: false, inconsistent: false },
    {
      name: 'closed twice',
      lines: [said, closed(1), closed(2)],
      reason: 'completed',
      terminal: true,
      inconsistent: true,
    },
    {
      name: 'closed before its end',
      lines: [closed(0), said],
      reason: 'completed',
      terminal: true,
      inconsistent: true,
    },
    { name: 'miscounted', lines: [said, closed(5)], reason: 'completed', terminal: true, inconsistent: true },
    {
      name: 'with a refused line',
      lines: [said, {}, closed(2)],
      reason: 'completed',
      terminal: true,
      inconsistent: false,
    },
    {
      name: 'with a line that is no JSON',
      lines: [said, '{', closed(2)],
      reason: 'completed',
      terminal: true,
      inconsistent: false,
    },
    {
      name: 'with a blank line',
      lines: [said, '', closed(1)],
      reason: 'completed',
      terminal: true,
      inconsistent: false,
    },
  ])('$name', ({ lines, reason, terminal, inconsistent }) => {
    const { ending } = translate(metaharness, lines)
    expect(ending).toMatchObject({ reason, terminal, promised: true })
    expect(ending.inconsistent !== undefined).toBe(inconsistent)
  })

  test.each([
    { told: { is_error: false }, reason: 'completed' },
    { told: { is_error: null }, reason: 'error' },
    { told: { is_error: true }, reason: 'error' },
    { told: { is_error: true, stop_reason: 'budget-exhausted' }, reason: 'budget' },
    { told: { is_error: true, subtype: 'max-turns', terminal_reason: 'max-turns' }, reason: 'budget' },
    { told: { is_error: false, stop_reason: 'max_tokens' }, reason: 'completed' },
    { told: { is_error: true, terminal_reason: 'cancelled' }, reason: 'killed' },
  ])('that nobody closed is told by $told', ({ told, reason }) => {
    const { ending } = translate(metaharness, [said, line('session.ended', told)], { tolerant: true })
    expect(ending).toMatchObject({ reason, terminal: true, unclosed: true })
    expect(completenessOf(ending, false)).toBe('truncated')
  })

  test('is not told by a session that another followed', () => {
    const { ending } = translate(metaharness, [said, ended({ is_error: false }), started('claude')])
    expect(ending).toMatchObject({ reason: 'error', terminal: false })
  })

  test.each([
    { process: { kind: 'exited', code: 0 }, told: { kind: 'exited', code: 0 } },
    { process: { kind: 'exited', code: -1 }, told: { kind: 'exited', code: -1 } },
    { process: { kind: 'signaled', signal: 9 }, told: { kind: 'signaled', signal: 9 } },
    { process: { kind: 'unknown' }, told: undefined },
    { process: undefined, told: undefined },
  ])('has the process of its marker: $process', ({ process, told }) => {
    const marker = line('stream.closed', { process, events: 1, reason: 'error', run_id: 'r' })
    expect(translate(metaharness, [said, marker]).ending.process).toEqual(told)
  })

  test('its marker is folded, ours comes last', () => {
    const { events, bins } = translate(metaharness, stream([said], 'completed'))
    expect(events.map(({ event }) => event)).toEqual(['text'])
    expect(binNames(bins)).toEqual(['Translated', 'Folded'])
  })
})

test('gaps in the numbers and changes of the run are noticed', () => {
  const { notices } = translate(metaharness, [
    line('text', { text: '' }),
    { ...line('text', { text: '' }), seq: 3 },
    { ...line('text', { text: '' }), seq: 4, run: 'other' },
  ])
  expect(notices.map(({ code, line: at }) => [code, at])).toEqual([
    ['seq-gap', 2],
    ['run-changed', 3],
  ])
})

describe('billing', () => {
  test.each([
    { adapter: 'claude', key: 'claude-req:q', input: 100 },
    { adapter: 'pi', key: 'mh:run:q', input: 100 },
    { adapter: 'codex', key: 'mh:run:q', input: 50 },
    { adapter: 'b10x', key: 'mh:run:q', input: 50 },
  ])('of $adapter knows what its input holds', ({ adapter, key, input }) => {
    const { entries } = translate(metaharness, [
      started(adapter),
      usage([100, 7, 40, 10], { request_id: 'q', model: 'm', at: '2026-01-01T00:00:00Z' }),
    ])
    expect(entries).toMatchObject([
      {
        key,
        process: 'run',
        session: 's',
        model: 'm',
        at: '2026-01-01T00:00:00Z',
        tokens: { input, cacheRead: 40, cacheWrite5m: 0, cacheWrite1h: 0, cacheWrite: 10, output: 7 },
      },
    ])
  })

  test('running totals of codex count by what they grew', () => {
    const { entries, totals, notices } = translate(metaharness, [
      started('codex'),
      runningTotal(100, 10),
      runningTotal(150, 12),
      runningTotal(150, 12),
      runningTotal(30, 3),
      ended({ usage: wire([30, 3, 0]) }),
    ])
    expect(entries.map(({ tokens }) => [tokens.input, tokens.output])).toEqual([
      [100, 10],
      [50, 2],
      [30, 3],
    ])
    expect(totals).toEqual([])
    expect(notices.filter(({ code }) => code === 'counter-went-back')).toHaveLength(1)
  })

  test('our own codex streams have a model and count as they are', () => {
    const { entries } = translate(metaharness, [
      started('codex'),
      usage([100, 10], { model: 'm' }),
      usage([150, 12], { model: 'm' }),
    ])
    expect(entries.map(({ tokens }) => tokens.input)).toEqual([100, 150])
  })

  test.each([
    {
      name: 'models of claude take the place of requests',
      lines: [
        started('claude'),
        usage([1, 2], { model: 'm' }),
        ended({ total_cost_usd: 0.5, model_usage: { m: { ...wire([1, 9, 0, 0]), cost_usd: 0.5 } } }),
      ],
      totals: [
        {
          process: 'run',
          reportedPicoUsd: 500_000_000_000n,
          models: [{ model: 'm', tokens: { input: 1, output: 9 }, reportedPicoUsd: 500_000_000_000n }],
        },
      ],
    },
    {
      name: 'models that are the sum of the requests only state the price',
      lines: [
        started('b10x'),
        usage([5, 2, 1], { model: 'm' }),
        usage([6, 2, 1], { model: 'm' }),
        ended({ total_cost_usd: 1, model_usage: { m: wire([11, 4, 2]) } }),
      ],
      totals: [
        {
          models: null,
          reportedPicoUsd: 1_000_000_000_000n,
          prices: [{ model: 'm', reportedPicoUsd: 1_000_000_000_000n }],
        },
      ],
    },
    {
      name: 'models that are the sum of the requests say what each of them cost',
      lines: [
        started('b10x'),
        usage([5, 2, 1], { model: 'm' }),
        usage([6, 2, 1], { model: 'n' }),
        ended({
          total_cost_usd: 3,
          model_usage: { m: { ...wire([5, 2, 1]), cost_usd: 1 }, n: { ...wire([6, 2, 1]), cost_usd: 2 } },
        }),
      ],
      totals: [
        {
          models: null,
          reportedPicoUsd: 3_000_000_000_000n,
          prices: [
            { model: 'm', reportedPicoUsd: 1_000_000_000_000n },
            { model: 'n', reportedPicoUsd: 2_000_000_000_000n },
          ],
        },
      ],
    },
    {
      name: 'models that hold more, as those of delegates do, take the place of requests',
      lines: [
        started('b10x'),
        usage([5, 2, 1], { model: 'm' }),
        ended({ model_usage: { m: wire([5, 2, 1]), n: wire([4, 1, 0]) } }),
      ],
      totals: [{ models: [{ model: 'm' }, { model: 'n', tokens: { input: 4 } }], reportedPicoUsd: null }],
    },
    {
      name: 'a total without models counts when there are no requests',
      lines: [started('claude', { model: 'm' }), ended({ total_cost_usd: 2, usage: wire([7, 8]) })],
      totals: [{ models: [{ model: 'm', tokens: { input: 7, output: 8 } }] }],
    },
    {
      name: 'a total without models only states the price when there are requests',
      lines: [started('claude'), usage([1, 2]), ended({ total_cost_usd: 2, usage: wire([7, 8]) })],
      totals: [{ models: null, reportedPicoUsd: 2_000_000_000_000n }],
    },
    {
      name: 'the same session announced again is the same process',
      lines: [
        started('claude'),
        ended({ total_cost_usd: 1 }),
        started('claude'),
        ended({ total_cost_usd: 2 }),
      ],
      totals: [{ process: 'run' }, { process: 'run' }],
    },
    {
      name: 'another session, or a price that went back, is another process',
      lines: [
        started('claude'),
        ended({ total_cost_usd: 2 }),
        ended({ total_cost_usd: 1 }),
        started('claude', { session_id: null }),
        ended({ total_cost_usd: 1 }),
      ],
      totals: [{ process: 'run' }, { process: 'run#2' }, { process: 'run#3' }],
    },
  ])('$name', ({ lines, totals }) => {
    expect(translate(metaharness, stream(lines)).totals).toMatchObject(totals)
  })
})

describeWithShared('shared streams', () => {
  const folder = join(sharedDir, 'fixtures/metaharness')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(expected|events)\.jsonl$/.test(name),
  )

  test.each(files)('%s is read by a strict reader', (file) => {
    const { state, events, bins } = translate(metaharness, readFileSync(join(folder, file)))
    expect(state.refusals).toEqual([])
    expect(events).toHaveLength(bins.length - state.markers)
  })

  test('a whole stream is complete', () => {
    const { ending } = translate(
      metaharness,
      readFileSync(join(folder, 'evals/plan-reviewer-clean.events.jsonl')),
    )
    expect(ending).toEqual({ reason: 'completed', terminal: true, promised: true, refusals: [], refused: 0 })
  })

  test('running totals of codex', () => {
    const { entries } = translate(
      metaharness,
      readFileSync(join(folder, 'codex-golden/rollout.expected.jsonl')),
    )
    const sum = entries.reduce(
      (total, { tokens }) => total + (tokens.input ?? 0) + (tokens.cacheRead ?? 0),
      0,
    )
    expect(sum).toBe(27570)
  })

  test('what the converter of b10x writes is refused by strict readers only', () => {
    const bytes = readFileSync(join(sharedDir, 'fixtures/b10x/derived/b10x-all-kinds.events-0.6.0.jsonl'))
    expect(translate(metaharness, bytes).state.refused).toBe(23)
    expect(translate(metaharness, bytes, { tolerant: true }).state.refused).toBe(0)
  })
})
