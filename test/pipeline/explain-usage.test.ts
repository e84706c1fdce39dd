import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findCopies } from '../../src/pipeline/copies.ts'
import { resolveCorpus } from '../../src/pipeline/corpus.ts'
import { countUsage } from '../../src/pipeline/count.ts'
import { findInputs } from '../../src/pipeline/inputs.ts'
import { jobOptions } from '../../src/pipeline/options.ts'
import { runJobs } from '../../src/pipeline/run.ts'
import { explanationJson } from '../../src/report/explanation-json.ts'
import { explanationTable } from '../../src/report/explanation-table.ts'
import { usageJson } from '../../src/report/usage-json.ts'
import type { GroupKey } from '../../src/usage/group.ts'
import { ownFolder } from '../fault/folder.ts'
import { projectDir, sharedDir } from '../shared.ts'

interface Told {
  readonly path: string
  readonly line: number
  readonly folded_lines: readonly number[]
  readonly reason?: string
  readonly in_favour_of?: { readonly path: string; readonly line: number | null } | null
  readonly tokens: Readonly<Record<string, number | null>>
  readonly requests: number
}

interface Explained {
  readonly format: string
  readonly what: Readonly<Record<string, string>>
  readonly totals: object
  readonly counted: readonly Told[]
  readonly left_out: readonly Told[]
}

const corpora = join(projectDir, 'corpora')
const fixtures = join(sharedDir, 'fixtures')
const shared = (name: string): string[] =>
  existsSync(join(fixtures, name))
    ? readdirSync(join(fixtures, name)).map((one) => join(fixtures, name, one))
    : []

/** Folders of samples, our own and those handed around; golden totals are tested for the latter (`golden.test.ts`). */
const FOLDERS = [
  ...readdirSync(corpora, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(corpora, name)),
  ...shared('vendors').filter((path) => !/\.\w+$/.test(path)),
  ...shared('metaharness').filter((path) => !/\.\w+$/.test(path)),
  ...['b10x', 'go-agent-harness', 'test-cabinet']
    .map((name) => join(fixtures, name))
    .filter((path) => existsSync(path)),
]

async function explained(paths: readonly string[], what: string, by: readonly GroupKey[] = ['model']) {
  const { report, explanation } = await countUsage({ paths, by, zone: 'UTC', jobs: 0, explain: what })
  if (explanation === null) return { report, explanation, json: null }
  const json: Explained = JSON.parse([...explanationJson(explanation)].join(''))
  return { report, explanation, json }
}

/** Path without the folder of the checkout. */
const NAMED = FOLDERS.map((path) => [path.split('/').slice(-2).join('/'), path] as const)

describe('what is listed adds up to the row', () => {
  test.each(NAMED)('of every model, day and session in %s', async (_, folder) => {
    for (const key of ['model', 'day', 'session'] as const) {
      const { report } = await countUsage({ paths: [folder], by: [key], zone: 'UTC', jobs: 0 })
      for (const row of JSON.parse(usageJson(report)).rows) {
        const { [key]: value, ...figures } = row
        // A day that is unknown has no name, and a session may be called as a model is.
        if (value === null && key !== 'model') continue
        const { json } = await explained([folder], value ?? '(unknown)')
        if (json === null) throw new Error(`${key} ${value} is not explained`)
        if (json.what[key] === undefined) continue
        expect(json.totals).toEqual(figures)
      }
    }
  })
})

describe('everything that is left out is told', () => {
  test.each(NAMED)('in %s', async (_, folder) => {
    const { jobs } = await findInputs([folder])
    const options = { ...jobOptions({}), usage: true, traced: true }
    const { results } = await runJobs(jobs, options, { jobs: 0, stream: null })
    const copies = await findCopies(results, jobs, options, { jobs: 0 })
    const { lineage } = resolveCorpus(results, copies, true)
    const count = (reasons: RegExp): number =>
      lineage.leftOut
        .filter(({ reason }) => reasons.test(reason))
        .reduce((sum, { entry }) => sum + entry.requests, 0)
    expect(count(/^replayed$/)).toBe(lineage.replayed)
    expect(count(/^(?:same-|other-|side-|thread-)/)).toBe(lineage.duplicateResponses)
    for (const { entry } of [...lineage.entries, ...lineage.leftOut]) {
      if (entry.origin === undefined || entry.origin.line < 1) throw new Error('an entry without a place')
    }
  })
})

describe('a request of Claude', () => {
  const sample = join(corpora, 'claude-session/growing-output.jsonl')

  test('is told on the line that was taken; other lines of its message were overwritten', async () => {
    const { json } = await explained([sample], '2026-04-02')
    const [first] = json?.counted ?? []
    const left = json?.left_out.filter((one) => one.in_favour_of?.line === first?.line)
    expect(first).toMatchObject({ path: 'growing-output.jsonl', line: 7, tokens: { output: 294 } })
    expect(left?.map(({ line, reason, tokens }) => [line, reason, tokens['output']])).toEqual([
      [2, 'repeated', 1],
      [3, 'repeated', 25],
      [5, 'repeated', 25],
    ])
  })

  test('is found by its message id and by its request id', async () => {
    const { json: whole } = await explained([sample], '2026-04-02')
    const key = (whole?.counted[0] as { key?: string } | undefined)?.key ?? ''
    const [, message = '', request = ''] = key.split(':')
    for (const id of [key, message, request]) {
      const { json } = await explained([sample], id)
      expect(json?.counted).toEqual(whole?.counted.slice(0, 1))
      expect(json?.what).toEqual({ id })
    }
    expect((await explained([sample], 'claude')).explanation).toBeNull()
  })
})

test('history that Codex copied names the line it was copied from', async () => {
  const family = ['parent', 'fork'].map((name) => join(corpora, `codex-rollout/family-${name}.jsonl`))
  const { json } = await explained(family, '2026-10-07')
  expect(json?.counted.map(({ path, line }) => [path, line])).toEqual([
    ['family-fork.jsonl', 8],
    ['family-fork.jsonl', 9],
  ])
  expect(json?.left_out.map(({ line, reason, in_favour_of }) => [line, reason, in_favour_of])).toEqual([
    [4, 'replayed', { path: 'family-parent.jsonl', line: 3 }],
    [5, 'replayed', { path: 'family-parent.jsonl', line: 4 }],
    [7, 'replayed', { path: 'family-parent.jsonl', line: 5 }],
  ])
})

test('a stream beside its source names the source', async () => {
  const paths = ['family-fork.jsonl', 'family-fork.events.jsonl'].map((name) =>
    join(corpora, 'codex-rollout', name),
  )
  const { json, explanation } = await explained(paths, '2026-10-07')
  const left = json?.left_out.filter(({ path }) => path === 'family-fork.events.jsonl')
  expect(left?.length).toBeGreaterThan(0)
  for (const { reason, in_favour_of } of left ?? []) {
    expect([reason, in_favour_of]).toEqual(['other-form', { path: 'family-fork.jsonl', line: null }])
  }
  if (explanation === null) throw new Error('not explained')
  const table = explanationTable(explanation, { width: null, colour: false })
  expect(table).toMatch(/^day 2026-10-07 in UTC\n/)
  expect(table).toContain('the same run in another form')
})

const folder = ownFolder('explain')

test('threads change nothing', async () => {
  // So many files that threads are worth it; each session repeats a request of the one before it.
  for (let i = 0; i < 450; i++) writeFileSync(join(folder, `${i}.jsonl`), sessionText(`s-${i}`, [i, i + 1]))
  const texts: string[] = []
  for (const jobs of [0, 2]) {
    const { explanation } = await countUsage({
      paths: [folder],
      zone: 'UTC',
      jobs,
      explain: 'claude-opus-4-5-20251101',
    })
    texts.push(explanation === null ? '' : [...explanationJson(explanation)].join(''))
  }
  const parsed: Explained = JSON.parse(texts[0] ?? '')
  expect([parsed.counted.length, parsed.left_out.length]).toEqual([451, 449])
  expect(texts[1]).toBe(texts[0])
})

function sessionText(session: string, messages: readonly number[]): string {
  return messages.map((n) => `${JSON.stringify(assistant(session, n))}\n`).join('')
}

function assistant(sessionId: string, n: number) {
  const usage = { input_tokens: n, output_tokens: 5 }
  const model = 'claude-opus-4-5-20251101'
  const message = { id: `msg_${n}`, role: 'assistant', model, content: [], stop_reason: 'end_turn', usage }
  const timestamp = '2026-11-29T10:00:00.000Z'
  return {
    type: 'assistant',
    isSidechain: false,
    sessionId,
    version: '2.1.40',
    uuid: `u-${n}`,
    requestId: `r_${n}`,
    timestamp,
    message,
  }
}
