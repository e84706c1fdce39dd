import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { convert } from '../../src/pipeline/convert.ts'
import type { GroupKey } from '../../src/usage/group.ts'
import { ownFolder } from '../fault/folder.ts'
import { describeWithShared, projectDir, sharedDir } from '../shared.ts'
import { type UsageDocument, usageOf } from './counting.ts'

const corpora = join(projectDir, 'corpora')
const folder = ownFolder('codex')

function codes({ notices }: UsageDocument): string[] {
  return notices.map(({ code }) => code).filter((code) => !/^(?:tier|price)-|unpriced/.test(code))
}

describe('a family of Codex threads', () => {
  const family = ['parent', 'fork', 'subagent'].map((name) =>
    join(corpora, `codex-rollout/family-${name}.jsonl`),
  )

  test.each([
    { order: [0, 1, 2], name: 'parent first' },
    { order: [2, 1, 0], name: 'parent last' },
  ])('bills copied history once, for its day and its thread: $name', async ({ order }) => {
    const report = await usageOf(
      order.map((i) => family[i] ?? ''),
      { by: ['day', 'transcript'] },
    )
    expect(report.rows.map(({ day, requests, tokens }) => [day, requests, tokens['total']])).toEqual([
      ['2026-10-06', 4, 7150],
      ['2026-10-07', 2, 1650],
      ['2026-10-08', 1, 990],
    ])
    expect(report.corpus).toMatchObject({
      replayed_records: 4,
      subagent_transcripts: 1,
      duplicate_responses: 0,
    })
  })

  test('without the parent each still has all of its own', async () => {
    expect((await usageOf(family.slice(1, 2))).totals).toMatchObject({ requests: 5, tokens: { total: 8250 } })
  })
})

describe('a run of codex exec', () => {
  test('is the total of its thread, also over files', async () => {
    const log = join(corpora, 'codex-exec/log-of-three-runs.jsonl')
    const later = join(folder, 'later.jsonl')
    // The same log, a line longer: no copy.
    writeFileSync(later, `${readFileSync(log, 'utf8')}{"type":"turn.started"}\n`)
    const report = await usageOf([log, later])
    // 110 of a run without a name in each, 2690 of one thread once, and a run of which nothing is known.
    expect(report.totals.tokens['total']).toBe(2 * 110 + 2690)
    expect(report.corpus['duplicate_responses']).toBe(3)
  })

  test('that is here twice, byte for byte, counts once', async () => {
    const log = join(corpora, 'codex-exec/log-of-three-runs.jsonl')
    const report = await usageOf([log, log])
    expect(report.totals.tokens['total']).toBe(110 + 2690)
    expect(codes(report)).toContain('same-bytes')
  })
})

describe('our own streams of Codex', () => {
  test.each([
    ...['two-turns', 'outcomes', 'counters', 'ledger', 'bare', 'drift', 'family-fork'].map(
      (name) => `codex-rollout/${name}`,
    ),
    ...['one-run', 'log-of-three-runs', 'drift'].map((name) => `codex-exec/${name}`),
  ])('bill the same as %s', async (name) => {
    const path = join(corpora, `${name}.jsonl`)
    const output = join(folder, `${name.replace('/', '-')}.events.jsonl`)
    await convert({ paths: [path], to: () => ({ kind: 'file', path: output }), jobs: 0 })
    const by: GroupKey[] = ['day', 'model', 'session']
    const [own, again] = [await usageOf([path], { by }), await usageOf([output], { by })]
    expect(again.rows).toEqual(own.rows)
    expect(again.totals).toEqual(own.totals)
  })
})

describeWithShared('known totals of Codex', () => {
  interface Golden {
    readonly file: string
    readonly files?: readonly string[]
    readonly wrong?: boolean
    readonly what: string
    readonly expected: Readonly<Record<string, unknown>>
  }
  const fixtures = join(sharedDir, 'fixtures')
  const { entries }: { entries: readonly Golden[] } = JSON.parse(
    readFileSync(join(fixtures, 'golden.json'), 'utf8'),
  )
  const names = {
    input_uncached: 'input',
    cache_read: 'cache_read',
    cache_write: 'cache_write',
    output: 'output',
    reasoning: 'reasoning',
    total_tokens: 'total',
  }
  const codex = entries.filter(
    ({ file, files }) => file.includes('/codex-') && files?.[0] !== 'manifest.json',
  )

  /** What was counted, in the words of the golden figures, and what these say of it. */
  async function compared({ file, files, expected, what }: Golden) {
    const report = await usageOf(
      (files ?? ['']).map((name) => join(fixtures, file, name)),
      { by: ['transcript'] },
    )
    const ofChild = what.startsWith('part of the child')
    const row = ofChild ? report.rows.find(({ transcript }) => transcript?.includes('child')) : report.totals
    const found = new Map<string, unknown>([
      ...Object.entries(names).map(([name, ours]) => [name, row?.tokens[ours]] as const),
      ['counted_token_counts', row?.requests],
      ['responses', row?.requests],
    ])
    const stated = Object.entries(expected).filter(([name]) => found.has(name))
    return { stated, found: stated.map(([name]) => [name, found.get(name)]) }
  }

  test.each(codex.filter(({ wrong }) => wrong !== true))('$file: $what', async (golden) => {
    const { found, stated } = await compared(golden)
    expect(found).toEqual(stated)
  })

  test.each(codex.filter(({ wrong }) => wrong === true))('$file, not: $what', async (golden) => {
    const { found, stated } = await compared(golden)
    expect(found).not.toEqual(stated)
  })

  test('runs of codex exec, by thread', async () => {
    const file = 'vendors/codex-exec-json/two-runs-0.4x.jsonl'
    const golden = entries.find((entry) => entry.file === file)
    const threads: unknown = golden?.expected['threads']
    const report = await usageOf([join(fixtures, file)], { by: ['session'] })
    const found = report.rows.map(({ session, tokens }) => ({
      thread_id: session,
      input_uncached: tokens['input'],
      cache_read: tokens['cache_read'],
      output: tokens['output'],
    }))
    expect(found).toHaveLength(2)
    expect(threads).toMatchObject(found)
  })

  test.each([
    { name: 'B006', total: 55, corpus: {}, notices: [] },
    { name: 'B007', total: 170, corpus: {}, notices: ['counter-went-back'] },
    { name: 'B009/fork', total: 120, corpus: { replayed_records: 2 }, notices: ['copied-history'] },
    { name: 'B009/spawn', total: 120, corpus: { replayed_records: 2 }, notices: ['copied-history'] },
    { name: 'B010', total: 90, corpus: { replayed_records: 2 }, notices: [] },
    { name: 'B017/one-home', total: 10, corpus: { sessions: 1 }, notices: ['same-bytes'] },
    { name: 'B017/two-homes', total: 30, corpus: { sessions: 2 }, notices: [] },
    { name: 'B018', total: 0, corpus: {}, notices: [] },
    { name: 'B026/both', total: 10, corpus: { sessions: 1 }, notices: [] },
    { name: 'B027', total: 0, corpus: {}, notices: ['duplicate-ordinal'] },
    { name: 'B125/sorted', total: 120, corpus: { replayed_records: 2 }, notices: ['copied-history'] },
    { name: 'B125/reversed', total: 120, corpus: { replayed_records: 2 }, notices: ['copied-history'] },
  ])('case $name', async ({ name, total, corpus, notices }) => {
    const report = await usageOf([join(sharedDir, 'cases/input', name)])
    expect(report.totals.tokens['total']).toBe(total)
    expect(report.corpus).toMatchObject(corpus)
    expect(codes(report)).toEqual(notices)
  })
})
