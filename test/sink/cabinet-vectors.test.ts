import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { readCabinet } from '../cabinet-schema.ts'
import { converted } from '../pipeline/converting.ts'
import { describeWithShared, sharedDir } from '../shared.ts'
import { bare } from './cabinet-writing.ts'

/** Why an event that the rules of the harness project give is not ours, or ours not theirs (docs/formats.md, Test Cabinet out). */
const WHY = {
  silent: 'a call is never silent: tools for lists of tasks and structured output are unknown, once',
  once: 'a call that is not understood is one unknown: the piece that asks for it, not its result, and no more than the piece',
  spawn: 'subagents are orchestration, also their beginning',
  shell:
    'shell lines are read by a parser: here-documents, options with values, `cd`, `zsh`, assignments, the end of a pipe',
  parts: 'fields that they never set: the code of a warning or error, the place of a search in a shell line',
  empty: 'a search that found nothing was completed',
  reasoning: 'reasoning is reasoning in every dialect',
  failed: 'failed turns and calls that could not be read are errors and warnings',
  open: 'calls without a result and text without an end are written all the same',
  text: 'a line that is no JSON is unknown, as a string',
  prompt: 'what the user says is no event, however it is spelled',
  compaction: 'a compaction is a warning',
  words: 'the words of a message are ours',
  known: 'the record is one that the adapter does or does not know',
  outcome: 'the status of the call says how it came out',
  answer: 'a final answer that was not said before is said',
  call: 'the call is the one that the model made, its paths absolute since the session says where it runs',
} as const
type Why = keyof typeof WHY

/** Places of the events that differ, counted from 0. */
interface Differences {
  readonly theirs: Readonly<Record<number, Why>>
  readonly ours: Readonly<Record<number, Why>>
}

const DIFFERENCES: Readonly<Record<string, Differences>> = {
  'antigravity/raw': { theirs: { 2: 'parts' }, ours: { 2: 'parts' } },
  'claude/result-error': { theirs: { 0: 'words' }, ours: { 0: 'words' } },
  'claude/stream': {
    theirs: { 0: 'compaction', 7: 'shell', 12: 'spawn', 13: 'spawn', 15: 'prompt', 16: 'words', 18: 'text' },
    ours: {
      0: 'known',
      1: 'compaction',
      8: 'shell',
      9: 'silent',
      14: 'spawn',
      15: 'spawn',
      17: 'words',
      19: 'text',
      20: 'open',
    },
  },
  'cline/legacy-say-ask': { theirs: { 4: 'known', 5: 'parts' }, ours: { 4: 'parts', 6: 'open' } },
  'cline/newer-docs': { theirs: {}, ours: {} },
  'cline/stream': { theirs: { 12: 'once', 14: 'once' }, ours: { 12: 'once', 14: 'once', 15: 'answer' } },
  'codex/classifier-quirks': {
    theirs: { 0: 'shell', 1: 'shell', 2: 'shell', 7: 'shell', 10: 'shell', 11: 'parts' },
    ours: { 0: 'shell', 1: 'shell', 2: 'shell', 4: 'shell', 8: 'shell', 11: 'shell', 12: 'parts' },
  },
  'codex/raw-envelope': { theirs: { 0: 'parts', 2: 'parts' }, ours: { 0: 'parts', 2: 'parts' } },
  'codex/stream': {
    theirs: { 1: 'shell', 3: 'empty', 6: 'outcome', 10: 'reasoning', 14: 'once', 17: 'failed', 18: 'text' },
    ours: { 1: 'shell', 3: 'empty', 6: 'outcome', 10: 'reasoning', 14: 'once', 17: 'failed', 18: 'text' },
  },
  'goose/stream': {
    theirs: { 7: 'once', 9: 'failed', 10: 'known' },
    ours: { 3: 'silent', 4: 'once', 10: 'failed' },
  },
  'goose/truncated': { theirs: {}, ours: { 0: 'open' } },
  'kilo/stream': {
    theirs: { 9: 'once', 10: 'once', 14: 'once' },
    ours: { 8: 'silent', 10: 'once', 11: 'once', 14: 'once' },
  },
  'opencode/newer-docs': { theirs: {}, ours: { 1: 'silent' } },
  'opencode/stream': {
    theirs: { 9: 'once', 10: 'once', 12: 'parts', 14: 'text' },
    ours: { 8: 'silent', 10: 'once', 11: 'once', 12: 'parts', 14: 'text' },
  },
  'pi/newer-docs': { theirs: {}, ours: {} },
  'pi/stream': { theirs: { 2: 'call', 3: 'call', 6: 'known' }, ours: { 2: 'call', 3: 'call', 6: 'known' } },
}

describeWithShared('vectors of the rules of the harness project', () => {
  test.each(Object.entries(DIFFERENCES))('%s differs where it is known to', async (name, known) => {
    const base = join(sharedDir, 'fixtures', 'test-cabinet', name)
    const theirs = linesOf(readFileSync(`${base}.expected.jsonl`, 'utf8'))
    const hasUsage = theirs.some((event) => event['type'] === 'usage')
    const { bytes } = await converted([`${base}.jsonl`], { cabinet: { usage: hasUsage } })
    // That nothing says how the run ended is a warning of ours everywhere.
    const ours = bare(readCabinet(bytes)).filter(
      (event) => !('code' in event && event.code === 'NO_TERMINAL_RECORD'),
    )
    const extra = new Set(ours.keys())
    const missing = [...theirs.entries()].filter(([, event]) => {
      const match = [...extra].find((i) => isDeepStrictEqual(ours[i], event))
      if (match !== undefined) extra.delete(match)
      return match === undefined
    })
    expect(missing.map(([i]) => i)).toEqual(Object.keys(known.theirs).map(Number))
    expect([...extra]).toEqual(Object.keys(known.ours).map(Number))
  })

  test('differ in every reason that is given', () => {
    const used = Object.values(DIFFERENCES).flatMap(({ theirs, ours }) => [
      ...Object.values(theirs),
      ...Object.values(ours),
    ])
    expect(new Set(used)).toEqual(new Set(Object.keys(WHY)))
  })
})

/** Events without the fields that nearly all of them have. */
function linesOf(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const event: Record<string, unknown> = JSON.parse(line)
      delete event['sessionId']
      return event
    })
}
