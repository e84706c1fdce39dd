import { describe, expect, test } from 'vitest'
import { failedResult, skippedResult, type TranscriptResult } from '../../src/pipeline/job.ts'
import { ResultList } from '../../src/pipeline/result-list.ts'
import { ROW_WORDS } from '../../src/usage/entry-row.ts'
import type { TranscriptLedger } from '../../src/usage/transcript-ledger.ts'
import { jobOf } from './converting.ts'

const JOBS = ['b.jsonl', 'a.jsonl', 'c.tar'].map((name, index) => ({
  ...jobOf(`/runs/${name}`, 1, `/out/${name}.events.jsonl`),
  index,
}))
const [B, A, C] = JOBS
if (B === undefined || A === undefined || C === undefined) throw new Error('three jobs')

/** A result in which nothing is as it mostly is. */
const ODD: TranscriptResult = {
  ...skippedResult(B),
  skipped: false,
  dialect: 'codex-exec',
  run: 'run \u{1f4a7}',
  digest: 'd'.repeat(64),
  bytes: 2 ** 40,
  lines: 3,
  records: { read: 21, translated: 1, folded: 2, bookkeeping: 3, opaque: 4, unparsed: 5, blank: 6 },
  events: 7,
  outputDigest: 'e'.repeat(64),
  outputBytes: 8,
  output: '/elsewhere/b.jsonl',
  ending: { reason: 'completed', terminal: true, promised: true, process: { kind: 'signaled', signal: 9 } },
  cut: true,
  broken: true,
  notices: [{ code: 'x', line: 4, count: 2, message: 'lone \ud800' }],
  unparsedLines: [2, 3],
  opaque: 9,
  opaqueTypes: ['t/u'],
  adapterSlug: 'codex',
  project: '/home/ada',
  parts: ['b.meta.json'],
  sessions: ['s', 't'],
  subagent: true,
}

describe('a list of results', () => {
  test.each([
    ['in which nothing is usual', ODD],
    ['whose only session is the run', { ...ODD, sessions: ['r'], run: 'r', output: B.output }],
    ['that could not be read', failedResult(B, 'ERR_NOT_FOUND', 'gone')],
  ] satisfies [string, TranscriptResult][])('gives back one %s', (_, result) => {
    const results = new ResultList(JOBS)
    results.add(B, result)
    expect([...results]).toEqual([result])
    expect(results.at(0)).toEqual(result)
    expect(results.at(1)).toBeUndefined()
  })

  test.each([0, 1, 40])('keeps a ledger of %d rows beside others', (rows) => {
    const results = new ResultList(JOBS)
    for (const count of [3, rows, 5]) results.add(B, { ...ODD, ledger: ledgerOf(count) })
    const read = Array.from(results, ({ ledger }) => ledger)
    expect(read.map((ledger) => ledger?.repeats)).toEqual([3, rows, 5])
    const rowsOf = read.map((ledger) => ledger?.entries.blocks.map((words) => words[ROW_WORDS - 1]))
    expect(rowsOf).toEqual([3, rows, 5].map((count) => (count === 0 ? [] : [count])))
    expect(read.map((ledger) => ledger?.entries.blocks[0]?.length ?? 0)).toEqual(
      [3, rows, 5].map((count) => count * ROW_WORDS),
    )
  })

  test('is in byte order of the paths, members of archives among them', () => {
    const results = new ResultList(JOBS)
    for (const path of ['c.tar/2.jsonl', 'c.tar/1.jsonl']) results.add(C, { ...ODD, index: 2, path })
    results.add(B, ODD)
    results.add(A, { ...ODD, index: 1, path: A.path })
    const paths = ['a.jsonl', 'b.jsonl', 'c.tar/1.jsonl', 'c.tar/2.jsonl']
    expect(Array.from(results, ({ path }) => path)).toEqual(paths)
    expect([results.length, results.at(3)?.path, results.at(3)?.index]).toEqual([4, 'c.tar/2.jsonl', 2])
  })

  test('keeps many, also such that are longer than a block of them', () => {
    const results = new ResultList(JOBS)
    const long = { ...ODD, opaqueTypes: ['x'.repeat(1e6)] }
    for (let i = 0; i < 3000; i++) results.add(B, { ...(i % 1000 === 7 ? long : ODD), events: i })
    let i = 0
    for (const { events, opaqueTypes } of results) {
      const isAsAdded = events === i && opaqueTypes[0]?.length === (i % 1000 === 7 ? 1e6 : 3)
      if (!isAsAdded) throw new Error(`result ${i} is another one`)
      i++
    }
    expect(i).toBe(3000)
  })
})

/** A ledger of so many rows, which end with their number. */
function ledgerOf(rows: number): TranscriptLedger {
  const words = new Uint32Array(rows * ROW_WORDS)
  for (let at = ROW_WORDS - 1; at < words.length; at += ROW_WORDS) words[at] = rows
  return { entries: { blocks: rows === 0 ? [] : [words], settings: [], odd: [] }, totals: [], repeats: rows }
}
