import { describe, expect, test } from 'vitest'
import { LedgerSink } from '../../src/sink/ledger.ts'
import { formName, kinOf } from '../../src/usage/kin.ts'
import type { FormTranscript } from '../../src/usage/session-part.ts'
import { billed } from './entries.ts'

/** Which transcripts of session `s` gave numbers for others, and which were told whole by others. */
function kin(name: string, transcripts: readonly FormTranscript[]) {
  const whole: number[] = []
  const form = { name, members: [...transcripts.keys()], tokens: 0, cut: false }
  return { same: kinOf('s', form, transcripts, (i) => whole.push(i)), whole }
}

/** A transcript of session `s` with requests of these keys, which its total holds when it has one. */
function transcript(dialect: string, keys: readonly string[], total = false): FormTranscript {
  const sink = new LedgerSink()
  for (const key of keys) sink.billed(billed({ key, process: total ? 'p' : null }))
  if (total) {
    const tokens = billed().tokens
    const models = [{ model: 'm', tokens, webSearches: 0, reportedPicoUsd: null }]
    sink.settled({ process: 'p', session: 's', at: null, models, reportedPicoUsd: null })
  }
  const harness = dialect.slice(0, dialect.indexOf('-'))
  return { path: `${dialect}.jsonl`, dialect, harness, run: 's', cut: false, ledger: sink.finish() }
}

const [A, B, C] = ['claude:a:1', 'claude:b:1', 'claude:c:1']

describe('a capture of Claude and its session file', () => {
  test.each([
    {
      what: 'have nothing in common',
      printed: transcript('claude-stream', [A]),
      stored: transcript('claude-session', [B]),
      same: [],
      whole: [],
    },
    {
      what: 'share what the capture has: it is told whole',
      printed: transcript('claude-stream', [A, B]),
      stored: transcript('claude-session', [A, B, C]),
      same: [{ transcript: 0, by: 1, requests: 2 }],
      whole: [0],
    },
    {
      what: 'share what the file has: that is told whole',
      printed: transcript('claude-stream', [A, B, C]),
      stored: transcript('claude-session', [A]),
      same: [{ transcript: 0, by: 1, requests: 1 }],
      whole: [1],
    },
    {
      what: 'share a part: neither is told whole',
      printed: transcript('claude-stream', [A, B]),
      stored: transcript('claude-session', [B, C]),
      same: [{ transcript: 0, by: 1, requests: 1 }],
      whole: [],
    },
    {
      what: 'share what the total of the process holds: the capture gave the numbers',
      printed: transcript('claude-stream', [A, B], true),
      stored: transcript('claude-session', [A, C]),
      same: [{ transcript: 1, by: 0, requests: 1 }],
      whole: [],
    },
  ])('$what', ({ printed, stored, same, whole }) => {
    expect(kin('claude', [printed, stored])).toEqual({ same, whole })
  })
})

test('a run of codex exec gives way to its rollout, whatever is in it', () => {
  const printed = transcript('codex-exec', ['codex:x', 'codex:y'])
  const stored = transcript('codex-rollout', ['codex:z'])
  expect(kin('codex', [stored, printed])).toEqual({
    same: [{ transcript: 1, by: 0, requests: 2 }],
    whole: [1],
  })
})

test('a session that only one kind of transcript tells has no kin', () => {
  const own = [transcript('claude-session', [A]), transcript('claude-session', [A])]
  expect(kin('claude', own)).toEqual({ same: [], whole: [] })
})

test('dialects whose requests are known by the same ids are one form', () => {
  expect(['claude-session', 'claude-stream', 'codex-rollout', 'codex-exec', 'pi-json'].map(formName)).toEqual(
    ['claude', 'claude', 'codex', 'codex', 'pi-json'],
  )
})
