import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { b10x } from '../../src/dialect/b10x.ts'
import { describeWithShared, sharedDir } from '../shared.ts'
import { binNames, translate } from './recording-sink.ts'

const started = {
  kind: 'started',
  model: 'm',
  published_tools: ['run'],
  skills: [],
  credential_source: 'none',
}
const turn = (n: number): object => ({ kind: 'turn-started', turn: n })
const text = (words: string): object => ({ kind: 'text-delta', text: words })
const thought = (words: string): object => ({ kind: 'reasoning-delta', text: words })
const usage = (input: number, more: object = {}): object => ({
  kind: 'usage',
  model: 'm',
  input_tokens: input,
  output_tokens: 3,
  cached_input_tokens: 4,
  ...more,
})
const cost = (micro: unknown, model = 'm'): object => ({ kind: 'cost', model, micro_usd: micro })
const finished = (kind = 'completed'): object => ({ kind: 'finished', stop: { kind }, turns: 1 })
const call = (id: string, name = 'run', args: object = { argv: ['ls'] }): object => ({
  kind: 'tool-requested',
  call_id: id,
  name,
  arguments: args,
})
const delegated = (id: string, event: object): object => ({ kind: 'delegated', call_id: id, event })

const approval = (approved: unknown): object => ({ kind: 'approval-resolved', call_id: 'c', approved })
const answered = (value: string): string => `{"kind":"answered","call_id":"c","value":${value}}`
const step = (kind: string, more: object = {}): object => ({ kind: `step-${kind}`, path: 'a', ...more })
const place = (state: string, index: number, attempt: number): object => ({
  workflow: 'f',
  state,
  index,
  attempt,
})

/** Each event in one short word or two, which is what most rules are about. */
function story(lines: readonly (string | object)[], deltas = false): string[] {
  return translate(b10x, lines, { deltas }).events.map((event) => {
    const said = event['text'] ?? event['code'] ?? event['callId'] ?? event['turn'] ?? event['vendorSubtype']
    return said === undefined || said === null ? event.event : `${event.event} ${String(said)}`
  })
}

describe('the text of a turn', () => {
  test.each([
    {
      name: 'is joined, what began first is first',
      lines: [started, turn(1), thought('a'), text('b'), thought('c'), text('d'), usage(9), call('x')],
      events: ['session.started', 'turn.started 1', 'thinking ac', 'text bd', 'usage', 'tool.requested x'],
    },
    {
      name: 'comes before the call even without usage',
      lines: [
        started,
        turn(1),
        text('b'),
        { kind: 'tool-arguments-delta', call_id: 'x', delta: '' },
        call('x'),
      ],
      events: ['session.started', 'turn.started 1', 'text b', 'tool.requested x'],
    },
    {
      name: 'is void after a retry',
      lines: [
        started,
        turn(1),
        text('a'),
        thought('b'),
        { kind: 'turn-retried', turn: 1, attempt: 1 },
        text('c'),
      ],
      events: ['session.started', 'turn.started 1', 'warning turn-retried', 'text c'],
    },
    {
      name: 'that was written cannot be taken back',
      lines: [
        started,
        turn(1),
        text('a'),
        usage(9),
        { kind: 'turn-retried', turn: 1, attempt: 2 },
        text('c'),
      ],
      events: [
        'session.started',
        'turn.started 1',
        'text a',
        'usage',
        'warning turn-retried',
        'warning deltas-void',
        'text c',
      ],
    },
    {
      name: 'is not cut by a warning in its middle',
      lines: [
        started,
        turn(1),
        text('a'),
        { kind: 'warning', code: 'unknown-stream-event', message: '' },
        text('b'),
      ],
      events: ['session.started', 'turn.started 1', 'warning unknown-stream-event', 'text ab'],
    },
    {
      name: 'ends with the turn',
      lines: [
        started,
        turn(1),
        text('a'),
        { kind: 'warning', code: 'conversation-compacted', message: '' },
        turn(2),
        text('b'),
      ],
      events: [
        'session.started',
        'turn.started 1',
        'text a',
        'warning conversation-compacted',
        'turn.started 2',
        'text b',
      ],
    },
  ])('$name', ({ lines, events }) => {
    expect(story(lines)).toEqual(events)
  })

  test('stays in pieces with deltas, void ones left out', () => {
    const retried = { kind: 'turn-retried', turn: 1, attempt: 1 }
    const lines = [started, turn(1), text('x'), retried, text('a'), thought('b'), text('c'), usage(9)]
    expect(story(lines, true).slice(3, 6)).toEqual(['text a', 'thinking b', 'text c'])
    expect(translate(b10x, lines, { deltas: true }).events[3]).toMatchObject({ text: 'a', line: 5 })
  })

  test('keeps escapes as they are, and joins the halves of a surrogate pair', () => {
    const lines = [
      '{"kind":"text-delta","text":"\\u0041\\ud83d"}',
      '{"kind":"text-delta","text":"\\ude00\\n"}',
    ]
    expect(translate(b10x, lines).events[1]).toMatchObject({ text: 'A😀\n', line: 1, foldedLines: [1, 2] })
  })

  test('is written in parts when it is too long to be held', () => {
    const part = 'x'.repeat(1024 * 1024)
    const { events, notices } = translate(b10x, [turn(1), ...Array.from({ length: 12 }, () => text(part))])
    const lengths = events
      .filter(({ event }) => event === 'text')
      .map((event) => String(event['text']).length)
    expect(lengths).toEqual([7 * part.length, 5 * part.length])
    expect(notices.map(({ code }) => code)).toEqual(['text-split'])
  })
})

const said = (kind: string): object[] => [
  { kind, text: 'a' },
  { kind, text: 5 },
  { kind },
  { kind, call_id: 'c', text: 'b' },
  { kind, text: 'c', more: 1 },
]

describe('a delta', () => {
  const argumentsOf = [
    { kind: 'tool-arguments-delta', call_id: 'c', delta: '{' },
    { kind: 'tool-arguments-delta', call_id: 'c' },
    { kind: 'tool-arguments-delta', call_id: { a: [1] }, delta: null },
  ]
  const spelled: readonly string[] = [
    ...[...said('text-delta'), ...said('reasoning-delta'), ...argumentsOf].map((line) =>
      JSON.stringify(line),
    ),
    '{"kind":"text-delta","text":"a","text":"b"}',
    '{"kind":"text-delta","kind":"reasoning-delta"}',
    '{"kind":"text-delta","text":"a","kind":"usage"}',
    '{"kind":"tool-arguments-delta","call_id":"c","kind":"zz"}',
    '{"text":"a","kind":"text-delta"}',
    '{"kind":"text-delta","texts":"a"}',
    '{"kind":"text-deltas","text":"a"}',
  ]

  test.each(spelled)('%s says what it says with spaces', (line) => {
    const spaced = line.replaceAll(':', ' : ')
    const around = [started, turn(1), usage(9)]
    for (const deltas of [false, true]) {
      const plain = translate(b10x, [...around, line], { deltas })
      const other = translate(b10x, [...around, spaced], { deltas })
      expect(plain.events).toEqual(other.events)
      expect(plain.bins).toEqual(other.bins)
      expect(plain.notices).toEqual(other.notices)
    }
  })

  test('that comes first opens a session, and one of arguments does not', () => {
    expect(story([text('a')])).toEqual(['session.started', 'text a'])
    expect(story([argumentsOf[0]!])).toEqual([])
  })
})

describe('usage', () => {
  test('keeps the whole input on the wire and bills its parts', () => {
    const { events, entries, bins } = translate(b10x, [
      started,
      usage(20, { cache_creation_input_tokens: 5 }),
      cost(2508),
    ])
    expect(events[1]).toMatchObject({
      event: 'usage',
      line: 2,
      foldedLines: [3],
      model: 'm',
      usage: { inputTokens: 20, cacheReadInputTokens: 4, cacheCreationInputTokens: 5, costUsd: '0.002508' },
    })
    expect(entries).toMatchObject([
      { tokens: { input: 11, cacheRead: 4, cacheWrite: 5, output: 3 }, reportedPicoUsd: 2508_000_000n },
    ])
    expect(binNames(bins)).toEqual(['Translated', 'Translated', 'Folded'])
  })

  test.each([
    { name: 'more cache than input', lines: [usage(3)], codes: ['cache-exceeds-input'], input: 0 },
    {
      name: 'a count in quotes',
      lines: [usage(9, { input_tokens: '9' })],
      codes: ['numeric-string'],
      input: 5,
    },
    { name: 'a negative count', lines: [usage(-1)], codes: ['bad-count'], input: null },
  ])('$name', ({ lines, codes, input }) => {
    const { notices, entries } = translate(b10x, lines)
    expect(notices.map(({ code }) => code)).toEqual(codes)
    expect(entries[0]?.tokens.input).toBe(input)
  })

  test('a price of another model is stated by itself', () => {
    const { totals, entries, notices } = translate(b10x, [started, usage(9), cost(7, 'other'), finished()])
    expect(totals).toMatchObject([{ models: null, reportedPicoUsd: 7_000_000n }])
    expect(entries).toMatchObject([{ reportedPicoUsd: null }])
    expect(notices).toMatchObject([{ code: 'cost-without-usage', line: 3 }])
  })

  test('a price that is none is opaque', () => {
    expect(binNames(translate(b10x, [cost('much')]).bins)).toEqual(['Opaque'])
  })

  test('totals are those of one run, its delegates included', () => {
    const { events } = translate(b10x, [
      started,
      usage(9, { cache_creation_input_tokens: 1 }),
      cost(1),
      call('c', 'delegate'),
      { kind: 'delegate-started', call_id: 'c', task: 't' },
      delegated('c', usage(7, { model: 'n' })),
      delegated('c', cost(2, 'n')),
      finished(),
      started,
      usage(5),
      finished(),
    ])
    const ends = events.filter(({ event }) => event === 'session.ended')
    expect(ends).toMatchObject([
      {
        totalCostUsd: '0.000003',
        subagentsSpawned: 1,
        usage: { inputTokens: 16, outputTokens: 6, cacheCreationInputTokens: null, costUsd: null },
        modelUsage: [
          { model: 'm', usage: { inputTokens: 9, cacheCreationInputTokens: 1, costUsd: '0.000001' } },
          { model: 'n', usage: { inputTokens: 7, costUsd: '0.000002' } },
        ],
      },
      { totalCostUsd: null, subagentsSpawned: 0, usage: { inputTokens: 5 } },
    ])
  })

  test.each([
    { prices: [2 ** 53 - 1, 2 ** 53 - 1, 1], total: '18014398509.481983' },
    { prices: [2 ** 52, 1, 1, 2 ** 52], total: '9007199254.740994' },
    { prices: [0, 0], total: '0.000000' },
  ])('of prices add up to the last digit: $prices', ({ prices, total }) => {
    const { events } = translate(b10x, [
      started,
      ...prices.flatMap((one) => [usage(9), cost(one)]),
      finished(),
    ])
    const ends = events.filter(({ event }) => event === 'session.ended')
    expect(ends).toMatchObject([
      { totalCostUsd: total, modelUsage: [{ model: 'm', usage: { costUsd: total } }] },
    ])
  })
})

describe('delegates', () => {
  test('their lines may be interleaved, and each price finds its usage', () => {
    const { entries } = translate(b10x, [
      delegated('a', usage(10)),
      delegated('b', usage(20)),
      delegated('a', cost(1)),
      delegated('b', cost(2)),
    ])
    expect(entries.map(({ tokens, reportedPicoUsd }) => [tokens.input, reportedPicoUsd])).toEqual([
      [6, 1_000_000n],
      [16, 2_000_000n],
    ])
    expect(entries.every(({ sidechain }) => sidechain)).toBe(true)
  })

  test('their calls and warnings are the run’s, their talk is not', () => {
    expect(
      story([
        started,
        delegated('a', started),
        delegated('a', turn(1)),
        delegated('a', text('child')),
        delegated('a', call('x')),
        delegated('a', delegated('x', call('y', 'file_write', { path: 'p' }))),
        delegated('a', { kind: 'approval-resolved', call_id: 'x', approved: false }),
        delegated('a', { kind: 'tool-completed', call_id: 'x', failed: true }),
        delegated('a', { kind: 'warning', code: 'w', message: '' }),
        delegated('a', finished()),
      ]),
    ).toEqual([
      'session.started',
      'tool.requested a/x',
      'tool.requested a/x/y',
      'warning approval-denied',
      'tool.result a/x',
      'warning w',
    ])
  })

  test('one with an unknown kind, and a wrapper without a child, are opaque', () => {
    const { events, bins } = translate(b10x, [
      delegated('a', { kind: 'zz' }),
      { kind: 'delegated', call_id: 'a' },
    ])
    expect(events).toMatchObject([{ vendorSubtype: 'delegated/zz' }, { vendorSubtype: 'delegated' }])
    expect(binNames(bins)).toEqual(['Opaque', 'Opaque'])
  })

  test('nest as deep as JSON does', () => {
    const depth = 500
    const line = `${'{"kind":"delegated","call_id":"a","event":'.repeat(depth)}{"kind":"cost","micro_usd":1}${'}'.repeat(depth)}`
    expect(translate(b10x, [line]).totals).toHaveLength(1)
  })
})

describe('gates', () => {
  test.each([{ approved: false }, { approved: 'true' }, { approved: undefined }])(
    '$approved denies',
    ({ approved }) => {
      const { events } = translate(b10x, [
        started,
        call('c', 'tool_invoke', { name: 'file_write', arguments: { path: 'p' } }),
        { kind: 'approval-required', call_id: 'c', name: 'file_write' },
        approval(approved),
        finished(),
      ])
      expect(events[1]).toMatchObject({ operations: ['file.write'], subjects: ['file:p'] })
      expect(events[2]).toMatchObject({
        code: 'approval-denied',
        message: 'the approver denied c',
        deniedCall: 'c',
      })
      expect(events[3]).toMatchObject({
        permissionDenials: [
          {
            toolName: 'file_write',
            toolUseId: 'c',
            toolInput: { name: 'file_write', arguments: { path: 'p' } },
          },
        ],
      })
    },
  )

  const first = call('c', 'run', { argv: ['first'] })
  const second = call('c', 'find', { argv: ['second'] })

  test.each([
    { name: 'the call that is open', lines: [first, approval(false)], tool: 'run', argv: 'first' },
    {
      name: 'the later of one id',
      lines: [first, second, approval(false)],
      tool: 'find',
      argv: 'second',
    },
    {
      name: 'one behind another',
      lines: [first, call('d'), approval(false)],
      tool: 'run',
      argv: 'first',
    },
    {
      name: 'one asked for again when it was over',
      lines: [first, { kind: 'tool-completed', call_id: 'c', failed: false }, second, approval(false)],
      tool: 'find',
      argv: 'second',
    },
    {
      name: 'one beside a delegate with the same id',
      lines: [
        first,
        delegated('a', second),
        delegated('a', { kind: 'tool-completed', call_id: 'c' }),
        approval(false),
      ],
      tool: 'run',
      argv: 'first',
    },
  ])('a denial names $name', ({ lines, tool, argv }) => {
    const { events } = translate(b10x, [started, ...lines, finished()])
    expect(events.at(-1)?.['permissionDenials']).toEqual([
      { toolName: tool, toolUseId: 'c', toolInput: { argv: [argv] } },
    ])
  })

  test.each([
    { name: 'is over', lines: [first, { kind: 'tool-completed', call_id: 'c', failed: false }] },
    {
      name: 'is over, by an id spelled otherwise',
      lines: [first, '{"kind":"tool-completed","call_id":"\\u0063"}'],
    },
    { name: 'is of another turn', lines: [first, turn(2)] },
    { name: 'was never made', lines: [] },
  ])('a denial of a call that $name has no input', ({ lines }) => {
    const { events } = translate(b10x, [started, ...lines, approval(false), finished()])
    expect(events.at(-1)?.['permissionDenials']).toEqual([
      { toolName: null, toolUseId: 'c', toolInput: null },
    ])
  })

  test('whatever calls come, they are the same when each line is a chunk of its own', () => {
    const id = fc.constantFrom('c', 'd', 'e')
    const line = fc.oneof(
      fc
        .tuple(id, fc.constantFrom('run', 'find'), fc.string({ maxLength: 9 }))
        .map(([c, n, s]) => call(c, n, { s })),
      id.map((call_id) => ({ kind: 'tool-completed', call_id, failed: false })),
      id.map((call_id) => ({ kind: 'approval-required', call_id, name: 'file_write' })),
      id.map((call_id) => ({ kind: 'approval-resolved', call_id, approved: false })),
      fc.constant(turn(2)),
      fc.constant(text('x')),
    )
    const anywhere = fc.oneof(
      line,
      line.map((event) => delegated('a', event)),
    )
    fc.assert(
      fc.property(fc.array(anywhere, { maxLength: 20 }), (lines) => {
        const whole = translate(b10x, [started, ...lines, finished()])
        const apart = translate(b10x, [started, ...lines, finished()], {}, true)
        expect(apart.events).toEqual(whole.events)
        expect(apart.bins).toEqual(whole.bins)
      }),
      { numRuns: 300 },
    )
  })

  test('a grant says nothing', () => {
    const { events, bins } = translate(b10x, [started, approval(true), finished()])
    expect(events.at(-1)).toMatchObject({ event: 'session.ended', permissionDenials: [] })
    expect(binNames(bins)[1]).toBe('Bookkeeping')
  })

  test.each([
    { decision: { kind: 'block', reason: 'no' }, code: 'hook-refused', deniedCall: 'c' },
    { decision: { kind: 'failed', reason: 'crash' }, code: 'hook-failed', deniedCall: undefined },
    { decision: { kind: 'failed', program: 'lint' }, code: 'hook-failed', deniedCall: undefined },
  ])('a hook: $decision', ({ decision, code, deniedCall }) => {
    const ran = { kind: 'hook-ran', point: 'before-call', call_id: 'c', decision }
    const { events } = translate(b10x, [started, ran])
    expect(events[1]).toMatchObject({ event: 'warning', code })
    expect(events[1]?.['deniedCall']).toBe(deniedCall)
  })
})

describe('operations and subjects', () => {
  test('the record’s own come first', () => {
    const own = { ...call('c', 'npm_run', { script: 't' }), operation: 'shell', subjects: ['proc:npm'] }
    expect(translate(b10x, [own]).events[1]).toMatchObject({ operations: ['shell'], subjects: ['proc:npm'] })
  })
  test('else those of the entry', () => {
    expect(translate(b10x, [call('c')]).events[1]).toMatchObject({
      operations: ['shell'],
      subjects: ['proc:ls'],
    })
  })
})

describe('the end of a run', () => {
  test.each([
    { kind: 'completed', reason: 'completed', isError: false },
    { kind: 'max-turns', reason: 'budget', isError: true },
    { kind: 'max-cost', reason: 'budget', isError: true },
    { kind: 'deadline', reason: 'budget', isError: true },
    { kind: 'budget-exhausted', reason: 'budget', isError: true },
    { kind: 'cancelled', reason: 'killed', isError: true },
    { kind: 'provider-incomplete', reason: 'error', isError: true },
    { kind: 'unstructured', reason: 'error', isError: true },
    { kind: 'of-tomorrow', reason: 'error', isError: true },
  ])('$kind', ({ kind, reason, isError }) => {
    const { events, ending } = translate(b10x, [started, finished(kind)])
    expect(events[1]).toMatchObject({ isError, subtype: kind, terminalReason: kind, numTurns: 1 })
    expect(ending).toEqual({ reason, terminal: true, promised: true })
  })

  test('a refused run never started', () => {
    const { events, ending } = translate(b10x, [{ kind: 'refused', reason: 'no key' }])
    expect(events).toMatchObject([
      { event: 'session.started', model: null },
      { isError: true, subtype: 'refused', terminalReason: 'refused', stopReason: 'no key', numTurns: 0 },
    ])
    expect(ending).toMatchObject({ reason: 'error', terminal: true })
  })

  test.each([
    { name: 'none', lines: [started, turn(1)] },
    { name: 'one that says nothing', lines: [started, { kind: 'finished' }] },
    { name: 'a later run without one', lines: [started, finished(), started] },
    {
      name: 'a flow that goes on',
      lines: [{ kind: 'flow-started', flow: 'f', steps: 1 }, started, finished()],
    },
  ])('$name is no success', ({ lines }) => {
    expect(translate(b10x, lines).ending.reason).toBe('error')
  })

  test('the last answer before a completed finish is the final answer, as its JSON text', () => {
    const lines = [started, answered('1'), answered('{ "a b" : [1.0, "\\"  \\u0041"] }')]
    const answer = '{"a b":[1.0,"\\"  \\u0041"]}'
    expect(translate(b10x, [...lines, finished()]).events[1]).toMatchObject({
      finalAnswer: { text: answer, turnId: null },
      foldedLines: [3],
    })
    expect(translate(b10x, [...lines, finished('max-turns')]).events[1]).toMatchObject({ finalAnswer: null })
  })
})

describe('the beginning of a run', () => {
  test('a missing list is not an empty one', () => {
    const { events } = translate(b10x, [started, { ...started, mcp: [{ connection: 'k' }], withheld: [] }])
    expect(events).toMatchObject([
      { withheld: null, skills: [], agents: null, mcpServers: null, harnessVersion: null, sessionId: null },
      { withheld: [], mcpServers: [{ name: 'k', status: null }] },
    ])
  })

  test('a second run is another session, with a notice', () => {
    const { events, notices } = translate(b10x, [started, finished(), started, finished()])
    expect(events.map(({ event }) => event)).toEqual([
      'session.started',
      'session.ended',
      'session.started',
      'session.ended',
    ])
    expect(notices).toMatchObject([{ code: 'second-session', line: 3 }])
  })

  test('a renewed credential before it opens nothing', () => {
    const renewed = {
      kind: 'credential-renewed',
      source: '/home/u/key',
      provider: 'p',
      refresh_token_rotated: true,
    }
    const { events } = translate(b10x, [renewed, started])
    expect(events).toMatchObject([{ code: 'credential-renewed' }, { event: 'session.started', model: 'm' }])
    expect(JSON.stringify(events)).not.toContain('/home/u/key')
  })
})

test('the steps of a flow', () => {
  const { events, ending, bins } = translate(b10x, [
    { kind: 'flow-started', flow: 'f', steps: 2 },
    { kind: 'group-entered', path: 'g', layers: 1, attempt: 1, of: 2 },
    step('started'),
    started,
    finished('max-turns'),
    step('finished', { failed: true }),
    step('started', { path: 'b' }),
    step('started'),
    step('finished', { failed: false }),
    { kind: 'transition-refused', path: 'a', moment: 'leave', attempt: 1, reason: 'why' },
    { kind: 'flow-finished', flow: 'f', clean: true },
  ])
  expect(events.filter(({ event }) => event.startsWith('step'))).toMatchObject([
    { event: 'step.entered', step: place('a', 0, 1) },
    { event: 'step.left', step: place('a', 0, 1), outcome: 'failed', reason: 'the step failed' },
    { event: 'step.entered', step: place('b', 1, 1) },
    { event: 'step.entered', step: place('a', 0, 2) },
    { event: 'step.left', step: place('a', 0, 2), outcome: 'completed', reason: null },
  ])
  expect(events.at(-1)).toMatchObject({
    code: 'transition-refused',
    message: 'refused to leave a (attempt 1): why',
  })
  expect(ending).toEqual({ reason: 'completed', terminal: true, promised: true })
  expect(binNames(bins).slice(0, 3)).toEqual(['Bookkeeping', 'Bookkeeping', 'Translated'])
})

describe('what is not understood is opaque', () => {
  test.each([
    ['{"kind":"of-tomorrow"}', 'of-tomorrow'],
    ['{"kind":7}', null],
    ['{"no":"kind"}', null],
    ['[1]', null],
    ['"started"', null],
    ['{"kind":"text-delta"}', 'text-delta'],
    ['{"kind":"tool-requested","call_id":"c"}', 'tool-requested'],
    ['{"kind":"turn-started","turn":"one"}', 'turn-started'],
  ])('%s', (line, subtype) => {
    const { events, bins } = translate(b10x, [line])
    expect(events.at(-1)).toMatchObject({ event: 'opaque', vendorType: 'b10x', vendorSubtype: subtype })
    expect(binNames(bins)).toEqual(['Opaque'])
  })
})

test('whatever a record holds, it is read or opaque, and its snapshot can be cloned', () => {
  const kinds =
    `started usage cost tool-requested tool-completed approval-required approval-resolved hook-ran warning
    compacted answered delegated finished refused turn-started turn-retried text-delta step-started step-finished
    flow-started transition-refused handoff-incomplete credential-renewed`.split(/\s+/)
  const fields =
    `model input_tokens call_id name arguments micro_usd stop decision reason text turn path failed mcp
    withheld missing published_tools event value code message operation subjects`.split(/\s+/)
  const record = fc.tuple(
    fc.constantFrom(...kinds),
    fc.dictionary(fc.constantFrom(...fields), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 6 }),
  )
  fc.assert(
    fc.property(fc.array(record, { maxLength: 12 }), (records) => {
      const lines = records.map(([kind, more]) => ({ ...more, kind }))
      const wrapped = lines.map((event) => delegated('d', event))
      const { bins } = translate(b10x, [...lines, ...wrapped])
      if (bins.length !== 2 * lines.length) throw new Error('a record without a bin')
    }),
    { numRuns: 200 },
  )
})

describeWithShared('shared records of b10x', () => {
  const folder = join(sharedDir, 'fixtures/b10x')
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'))

  test.each(files)('%s holds nothing unknown, and every record has a bin', (file) => {
    const bytes = readFileSync(join(folder, file))
    const { bins, ending } = translate(b10x, bytes)
    expect(binNames(bins)).not.toContain('Opaque')
    expect(bins).toHaveLength(bytes.toString().trimEnd().split('\n').length)
    expect(ending.terminal).toBe(true)
  })

  const pairs = [
    'b10x-golden/loop',
    ...['approval-denied', 'budget-stop', 'cancelled', 'unpublished'].map(
      (name) => `b10x-enforcement/${name}`,
    ),
  ]

  test.each(pairs)('%s gives the events of upstream, its text joined and its opening supplied', (name) => {
    const read = (suffix: string): Buffer =>
      readFileSync(join(sharedDir, `fixtures/metaharness/${name}${suffix}`))
    const { events } = translate(b10x, read('.jsonl'))
    const lines = read('.expected.jsonl').toString().trimEnd().split('\n')
    const names = lines.map((line) => String(/"event":"([^"]+)"/.exec(line)?.[1]))
    const joined = names.filter((event, i) => event !== 'text' || names[i - 1] !== 'text')
    if (joined[0] !== 'session.started') joined.unshift('session.started')
    expect(events.map(({ event }) => event)).toEqual(joined)
  })

  test('the prices of a real run add up', () => {
    const { entries, events } = translate(
      b10x,
      readFileSync(join(folder, 'm1-tier-a-accounting-excerpt.jsonl')),
    )
    const micro = entries.map(({ reportedPicoUsd }) => Number((reportedPicoUsd ?? 0n) / 1_000_000n))
    expect(micro).toEqual([2508, 4371, 7695, 3377, 3560, 3740, 3920, 10764, 3970])
    expect(events.at(-1)).toMatchObject({
      totalCostUsd: '0.043905',
      usage: { inputTokens: 72511, outputTokens: 824 },
    })
  })
})
