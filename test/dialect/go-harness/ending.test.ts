import { describe, expect, test } from 'vitest'
import { goHarness } from '../../../src/dialect/go-harness.ts'
import { binNames, translate } from '../recording-sink.ts'
import { codes, completed, events, type Line, OPEN, read, RUN, started, step, text } from './runs.ts'

const failed = (more: object): Line => ['run.failed', { step: 1, error: 'e', ...more }]

describe('the end', () => {
  test.each([
    { lines: [completed()], reason: 'completed', terminal: true },
    { lines: [['run.cost_limit_reached', {}], completed()], reason: 'budget', terminal: true },
    { lines: [failed({})], reason: 'error', terminal: true },
    { lines: [failed({ reason: 'max_steps_reached', max_steps: 9 })], reason: 'budget', terminal: true },
    {
      lines: [['max_turns.exhausted', {}], failed({ reason: 'max_turns_exhausted' })],
      reason: 'budget',
      terminal: true,
    },
    { lines: [['run.cancelled', {}]], reason: 'killed', terminal: true },
    { lines: [], reason: 'error', terminal: false },
  ] as const)('$reason: $lines', ({ lines, reason, terminal }) => {
    const { ending, notices } = read([...OPEN, ...lines])
    expect(ending).toEqual({ reason, terminal, promised: true })
    expect(notices).toEqual([])
  })

  test('says what the harness said', () => {
    const error = read([...OPEN, failed({ reason: 'max_turns_exhausted', max_turns: 3 })]).events
    expect(error.slice(-3)).toMatchObject([
      { event: 'warning', code: 'max_turns_exhausted', message: 'e', severity: 'error' },
      { event: 'turn.ended' },
      {
        event: 'session.ended',
        isError: true,
        subtype: 'run.failed',
        terminalReason: 'max_turns_exhausted',
        numTurns: 1,
      },
    ])
    const answer = read([...OPEN, completed({ output: 'x' })]).events.at(-1)
    expect(answer).toMatchObject({
      finalAnswer: { text: 'x', turnId: null },
      isError: false,
      permissionDenials: null,
    })
    expect(read([...OPEN, completed()]).events.at(-1)).toMatchObject({ finalAnswer: null })
  })

  test.each([
    { lines: [['run.cost_limit_reached', {}], failed({})], notices: ['order-broken'] },
    { lines: [['max_turns.exhausted', {}], completed()], notices: ['order-broken'] },
    { lines: [['workspace.provision_failed', { error: 'x' }], completed()], notices: ['order-broken'] },
    { lines: [completed(), text('late')], notices: ['after-terminal'] },
    { lines: [completed(), failed({})], notices: ['after-terminal'] },
    {
      lines: [['hook.started', { schema_version: '2' }], completed({ schema_version: '1' })],
      notices: ['foreign-schema-version'],
    },
  ] as const)('keeps the order of events: $lines', ({ lines, notices }) => {
    expect(codes([...OPEN, ...lines])).toEqual(notices)
  })

  test('of a second terminal event changes nothing', () => {
    const { ending, events: made } = read([...OPEN, ['run.cancelled', {}], completed()])
    expect(ending.reason).toBe('killed')
    expect(made.at(-1)).toMatchObject({ event: 'opaque', vendorType: 'run.completed' })
  })

  test.each([
    { said: { killed: RUN }, reason: 'killed' },
    { said: { terminal: 'run.failed' }, reason: 'error' },
    { said: { terminal: 'run.completed' }, reason: 'completed' },
  ])('is told by the command line where its event is missing: $said', ({ said, reason }) => {
    const { ending, bins } = translate(goHarness, [JSON.stringify(RUN), ...events(OPEN), said])
    expect(ending).toMatchObject({ reason, terminal: true })
    expect(binNames(bins).at(0)).toBe('Bookkeeping')
    expect(binNames(bins).at(-1)).toBe('Bookkeeping')
  })

  test('is told by the head of a backup where its event is missing', () => {
    const head = { type: 'run', run_id: RUN, conversation_id: 'conv', model: 'm9', status: 'failed' }
    const { ending, events: made } = translate(goHarness, [head, ...events([started, step(1), text('a')])])
    expect(ending).toMatchObject({ reason: 'error', terminal: true })
    expect(made[0]).toMatchObject({ event: 'session.started', model: 'm9', sessionId: 'conv' })
  })
})
