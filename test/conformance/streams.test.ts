import { join } from 'node:path'
import { expect, test } from 'vitest'
import { converted } from '../pipeline/converting.ts'
import { describeWithShared, sharedDir } from '../shared.ts'
import { readStrictly } from '../strict-reader.ts'
import { bare, differencesOf, type Event, eventsIn } from './differences.ts'

/**
 * Where our streams differ from those that metaharness' own adapters write for the same transcripts, and why. The same
 * list stands in `docs/formats.md`.
 */
const REASONS: Readonly<Record<string, string>> = {
  '+stream.closed':
    'every stream of ours ends with its marker; theirs gets it from the run loop, which these are without',
  '+session.started': 'a stream begins with its session also when no record opens one, unknown fields null',
  '+warning NO_TERMINAL_RECORD':
    'no record says how the run ended; theirs gets the warning from the run loop',
  'session.started.transcript':
    'the transcript is the file that was read; its digest and length stand in the manifest',
  'session.started.hermetic': 'nothing was imposed on a recording',
  'session.started.inputs_digest': 'their launcher hands it in; no transcript holds it',
  'session.started.cwd': 'their launcher hands it in for b10x, whose record has no working directory',
  'session.started.harness_version': 'their launcher hands it in, or the expected file is of another commit',
  'session.started.available_operations': 'filled in from one table for each harness; theirs by the run loop',
  'session.started.mcp_servers':
    'b10x does not say that there are none, so null; theirs asserts an empty list',
  'session.started.agents': 'masked in the expected file',
  'session.started.skills': 'masked in the expected file',
  'session.started.slash_commands': 'masked in the expected file',
  'tool.requested.operations': 'filled in from one table for each harness; theirs by the run loop',
  'tool.requested.subjects': 'filled in from one table for each harness; theirs by the run loop',
  'tool.requested.seam': 'a recording was never decided by us: none; theirs names the seam of its launch',
  'text.text': 'deltas of a turn are joined',
  '-text': 'deltas of a turn are joined',
  '~usage': 'the usage of a message is written once, behind its last line; theirs behind each line',
  'stream.closed.process': 'written since the format has it: how a process ended is unknown to us',
  'warning approval-denied.call_id':
    'which call was denied, so that reading the stream back counts it for its tool',
  'session.ended.usage': 'b10x reports usage by turn: the terminal event has its sum, theirs null',
  'session.ended.model_usage':
    'b10x reports usage by turn: the terminal event has the sums by model, theirs null',
}

const B10X_FRAGMENT = ['+session.started', '+stream.closed']
const CLAUDE_LAUNCH = [
  '+stream.closed',
  'session.started.available_operations',
  'session.started.hermetic',
  'session.started.inputs_digest',
  'session.started.transcript',
]

/** Which of them occur in which stream; all others would be faults. */
const EXPECTED: readonly {
  readonly from: string
  readonly to: string
  readonly differences: readonly string[]
}[] = [
  {
    from: 'b10x-golden/loop.jsonl',
    to: 'b10x-golden/loop.expected.jsonl',
    differences: [
      '+stream.closed',
      '-text',
      'session.ended.model_usage',
      'session.ended.usage',
      'session.started.cwd',
      'session.started.harness_version',
      'session.started.hermetic',
      'session.started.mcp_servers',
      'session.started.transcript',
      'text.text',
      'tool.requested.operations',
      'tool.requested.subjects',
    ],
  },
  {
    from: 'b10x-enforcement/approval-denied.jsonl',
    to: 'b10x-enforcement/approval-denied.expected.jsonl',
    differences: [
      ...B10X_FRAGMENT,
      '+warning NO_TERMINAL_RECORD',
      'tool.requested.operations',
      'tool.requested.subjects',
      'warning approval-denied.call_id',
    ],
  },
  {
    from: 'b10x-enforcement/budget-stop.jsonl',
    to: 'b10x-enforcement/budget-stop.expected.jsonl',
    differences: [...B10X_FRAGMENT, 'tool.requested.operations', 'tool.requested.subjects'],
  },
  {
    from: 'b10x-enforcement/cancelled.jsonl',
    to: 'b10x-enforcement/cancelled.expected.jsonl',
    differences: B10X_FRAGMENT,
  },
  {
    from: 'b10x-enforcement/unpublished.jsonl',
    to: 'b10x-enforcement/unpublished.expected.jsonl',
    differences: [...B10X_FRAGMENT, '+warning NO_TERMINAL_RECORD'],
  },
  {
    from: 'claude-c2/auth-expired.in.jsonl',
    to: 'claude-c2/auth-expired.expected.jsonl',
    differences: [...CLAUDE_LAUNCH, 'session.started.harness_version'],
  },
  {
    from: 'claude-c2/session.in.jsonl',
    to: 'claude-c2/session.expected.jsonl',
    differences: [
      ...CLAUDE_LAUNCH,
      'session.started.harness_version',
      'tool.requested.operations',
      'tool.requested.seam',
      '~usage',
    ],
  },
  {
    from: 'claude-c2/unknown-records.in.jsonl',
    to: 'claude-c2/unknown-records.expected.jsonl',
    differences: ['+session.started', '+stream.closed', '+warning NO_TERMINAL_RECORD'],
  },
  {
    from: 'claude-golden/transcript.jsonl',
    to: 'claude-golden/transcript.expected.jsonl',
    differences: [
      ...CLAUDE_LAUNCH,
      'session.started.agents',
      'session.started.skills',
      'session.started.slash_commands',
      'tool.requested.operations',
      'tool.requested.seam',
      '~usage',
    ],
  },
  {
    from: 'evals/plan-reviewer-clean.events.jsonl',
    to: 'evals/plan-reviewer-clean.events.jsonl',
    differences: ['stream.closed.process'],
  },
]

const folder = join(sharedDir, 'fixtures', 'metaharness')

async function streamOf(name: string): Promise<Event[]> {
  const { bytes } = await converted([join(folder, name)])
  return readStrictly(bytes).map(bare)
}

/** All that was said in a stream. */
function said(events: readonly Event[]): string {
  return events.map((event) => (event['event'] === 'text' ? String(event['text']) : '')).join('')
}

describeWithShared('streams that metaharness writes', () => {
  test.each(EXPECTED)('$from differs as listed and in nothing else', async ({ from, to, differences }) => {
    const theirs = eventsIn(join(folder, to))
    expect(differencesOf(await streamOf(from), theirs)).toEqual(differences.toSorted())
  })

  test('joined deltas say what the deltas say', async () => {
    const theirs = eventsIn(join(folder, 'b10x-golden', 'loop.expected.jsonl'))
    expect(said(await streamOf('b10x-golden/loop.jsonl'))).toBe(said(theirs))
  })

  test('every difference has its reason, and every reason is needed', () => {
    const used = new Set(EXPECTED.flatMap(({ differences }) => differences))
    expect([...used].toSorted()).toEqual(Object.keys(REASONS).toSorted())
  })
})
