import { describe, expect, test } from 'vitest'
import { goHarness } from '../../../src/dialect/go-harness.ts'
import { translate } from '../recording-sink.ts'
import { brief, call, completed, events, read, resolved, started, step, story, text } from './runs.ts'

describe('the session', () => {
  test('opens with what the records before its first words say', () => {
    const { events: made } = read([
      ['run.queued', { prompt: 'go on', conversation_id: 'conv' }],
      ['run.started', { prompt: 'go on' }],
      ['workspace.provisioned', { workspace_path: '/home/dev/w' }],
      resolved,
      ['prompt.resolved', { applied_skills: ['tidy'] }],
      ['prompt.warning', { code: 'odd', message: 'hm' }],
      step(1),
      ['llm.request.snapshot', { tool_names: ['ls'] }],
      text('x'),
    ])
    expect(made.map(brief)).toEqual([
      'session.started',
      'injection go on',
      'warning odd',
      'turn.started 1',
      'text x',
    ])
    expect(made[0]).toMatchObject({
      adapter: 'go-agent-harness',
      sessionId: 'conv',
      model: 'm',
      cwd: '/home/dev/w',
      skills: ['tidy'],
      offeredTools: ['ls'],
      at: '2026-10-12T08:30:00.000Z',
      line: 1,
      agents: null,
      mcpServers: null,
    })
    expect(made.map((event) => event['line'])).toEqual([1, 2, 6, 7, 9])
  })

  test('has no prompt twice, and that of a run that never started once', () => {
    expect(
      story([
        ['run.queued', { prompt: 'a' }],
        ['run.cancelled', {}],
      ]),
    ).toEqual(['session.started', 'injection a', 'session.ended'])
  })

  test('takes the offered tools from the decision when nothing was said yet', () => {
    const { events: made } = read([started, ['tool.decision', { available_tools: ['a', 'b'] }], call('c')])
    expect(made[0]).toMatchObject({ offeredTools: ['a', 'b'] })
  })

  test('opens for a run that breaks off before its first step', () => {
    expect(story([started, resolved])).toEqual(['session.started', 'injection go on'])
  })

  test('of another run in the same transcript is another one', () => {
    const other = events([started, completed()], 'run_2')
    const {
      events: made,
      notices,
      ending,
    } = translate(goHarness, [...events([started, completed()]), ...other])
    expect(made.map(brief).filter((event) => event.startsWith('session'))).toEqual([
      'session.started',
      'session.ended',
      'session.started',
      'session.ended',
    ])
    expect(notices.map(({ code }) => code)).toEqual(['second-session'])
    expect(ending).toMatchObject({ reason: 'completed', terminal: true })
  })

  test('begins anew when the numbers do', () => {
    const again = events([['run.started', { prompt: 'other' }], completed()]).map((event) => ({
      ...event,
      timestamp: '2026-10-13T00:00:00Z',
    }))
    const { events: made, notices } = translate(goHarness, [...events([started, completed()]), ...again])
    expect(made.map(brief)).toEqual([
      'session.started',
      'injection go on',
      'session.ended',
      'session.started',
      'injection other',
      'session.ended',
    ])
    expect(notices.map(({ code }) => code)).toEqual(['second-session'])
  })
})
