import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { resolveCorpus, type CorpusLineage } from '../../src/pipeline/corpus.ts'
import { countUsage } from '../../src/pipeline/count.ts'
import { findInputs } from '../../src/pipeline/inputs.ts'
import { jobOptions } from '../../src/pipeline/options.ts'
import { runJobs } from '../../src/pipeline/run.ts'
import { usageJson } from '../../src/report/usage-json.ts'
import { Calendar } from '../../src/usage/calendar.ts'
import { emptyFigures, mergeFigures } from '../../src/usage/figures.ts'
import { GROUP_KEYS, type GroupKey, groupUsage, type LedgerTranscript } from '../../src/usage/group.ts'
import { readOwnPrices } from '../../src/usage/price-file.ts'
import { PriceTable } from '../../src/usage/prices.ts'
import { ownFolder } from '../fault/folder.ts'

/** `MILLRACE_TEST_REQUESTS=1000000` is the full size: some hundred MB in the temporary folder, and minutes. */
const REQUESTS = Number(process.env['MILLRACE_TEST_REQUESTS'] ?? 10_000)
const SESSIONS = 500
const DAYS = 40
const MODELS = ['claude-opus-4-5-20251101', 'claude-haiku-4-5-20251001', 'gpt-5.5'] as const
const FIRST_MS = Date.UTC(2026, 9, 1)
const MINUTES = 600_000

/** What the generator knows to be true, by day and model. */
const truth = new Map<string, { requests: number; input: number; cacheRead: number; output: number }>()
const folder = ownFolder('groupings')
let files: string[] = []

beforeAll(() => {
  files = Array.from({ length: SESSIONS }, (_, i) => writeSession(i))
}, MINUTES)

function writeSession(index: number): string {
  const isCodex = index % 3 === 2
  const id = `0a1b2c3d-0000-4000-8000-${String(index).padStart(12, '0')}`
  const project = `/home/dev/weir-${index % 7}`
  const path = isCodex
    ? join(folder, 'codex', `rollout-2026-10-01T00-00-00-${id}.jsonl`)
    : join(folder, 'claude', `weir-${index % 7}`, `${id}.jsonl`)
  mkdirSync(dirname(path), { recursive: true })
  const lines = isCodex
    ? [JSON.stringify({ timestamp: timeOf(index, 0), type: 'session_meta', payload: { id, cwd: project } })]
    : []
  const total = { input: 0, cached: 0, output: 0 }
  for (let i = index; i < REQUESTS; i += SESSIONS) {
    const at = timeOf(index, i)
    const model = MODELS[isCodex ? 2 : Math.floor(i / SESSIONS) % 2] ?? ''
    const [input, cacheRead, output] = [(i * 31) % 977, (i * 7) % 100_000, 1 + ((i * 17) % 2_003)]
    note(at, model, input, cacheRead, output)
    if (isCodex) {
      total.input += input + cacheRead
      total.cached += cacheRead
      total.output += output
      if (i === index)
        lines.push(JSON.stringify({ timestamp: at, type: 'turn_context', payload: { cwd: project, model } }))
      lines.push(tokenCount(at, total))
    } else lines.push(assistant(id, project, at, model, i, { input, cacheRead, output }))
  }
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

/** Days in no order, each session on several. */
function timeOf(session: number, request: number): string {
  const day = (session * 11 + Math.floor(request / SESSIONS) * 7) % DAYS
  return new Date(FIRST_MS + day * 86_400_000 + ((request * 7_919) % 86_400) * 1_000).toISOString()
}

function note(at: string, model: string, input: number, cacheRead: number, output: number): void {
  const key = `${at.slice(0, 10)} ${model}`
  const known = truth.get(key) ?? { requests: 0, input: 0, cacheRead: 0, output: 0 }
  known.requests++
  known.input += input
  known.cacheRead += cacheRead
  known.output += output
  truth.set(key, known)
}

function tokenCount(at: string, total: { input: number; cached: number; output: number }): string {
  const usage = {
    input_tokens: total.input,
    cached_input_tokens: total.cached,
    output_tokens: total.output,
    reasoning_output_tokens: 0,
    total_tokens: total.input + total.output,
  }
  return JSON.stringify({
    timestamp: at,
    type: 'event_msg',
    payload: { type: 'token_count', info: { total_token_usage: usage } },
  })
}

function assistant(
  sessionId: string,
  cwd: string,
  timestamp: string,
  model: string,
  i: number,
  tokens: { input: number; cacheRead: number; output: number },
): string {
  const usage = {
    input_tokens: tokens.input,
    cache_read_input_tokens: tokens.cacheRead,
    cache_creation_input_tokens: 0,
    output_tokens: tokens.output,
  }
  const message = { id: `msg_${i}`, role: 'assistant', model, content: [], stop_reason: 'end_turn', usage }
  return JSON.stringify({
    type: 'assistant',
    isSidechain: false,
    sessionId,
    cwd,
    version: '2.1.40',
    timestamp,
    requestId: `req_${i}`,
    uuid: `u-${i}`,
    message,
  })
}

describe(`${REQUESTS} requests in 3 models, ${DAYS} days and ${SESSIONS} sessions`, () => {
  let corpus: CorpusLineage
  let transcripts: LedgerTranscript[] = []
  let pricer: PriceTable
  beforeAll(async () => {
    const { jobs } = await findInputs([folder])
    const { results } = await runJobs(jobs, { ...jobOptions({}), usage: true }, { jobs: 0, stream: null })
    corpus = resolveCorpus(results, new Map())
    transcripts = [...results].map(({ path, run, dialect, adapterSlug, project }) => ({
      path,
      run: run ?? path,
      dialect: dialect ?? '',
      harness: adapterSlug ?? '',
      project,
    }))
    pricer = new PriceTable(await readOwnPrices())
  }, MINUTES)

  function grouped(by: readonly GroupKey[], zone = 'Europe/Madrid') {
    const span = { since: null, until: null }
    return groupUsage(corpus.lineage.entries, transcripts, { by, calendar: new Calendar(zone), span, pricer })
  }

  test('are what was written, day by day and model by model', () => {
    const { rows, totals } = grouped(['day', 'model'], 'UTC')
    const found = rows.map(({ keys, figures }) => [
      keys.join(' '),
      {
        requests: figures.requests,
        input: figures.tokens.input,
        cacheRead: figures.tokens.cacheRead,
        output: figures.tokens.output,
      },
    ])
    expect(found).toEqual([...truth].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    expect(totals.requests).toBe(REQUESTS)
    expect(new Set(rows.map(({ keys }) => keys[1])).size).toBe(MODELS.length)
    expect(new Set(rows.map(({ keys }) => keys[0])).size).toBe(DAYS)
    expect(totals.partialCost).toBe(false)
  })

  const pairs = GROUP_KEYS.flatMap((a, i) => GROUP_KEYS.slice(i + 1).map((b): GroupKey[] => [a, b]))
  const combinations: (readonly GroupKey[])[] = [...GROUP_KEYS.map((key) => [key]), ...pairs, GROUP_KEYS]

  test.each(combinations.map((by) => [by.join(','), by] as const))(
    'the rows by %s add up to the total, to the last digit',
    (_, by) => {
      const { rows, totals } = grouped(by)
      const sum = rows.reduce((into, { figures }) => mergeFigures(into, figures), emptyFigures())
      expect(sum).toEqual(totals)
      expect(totals.requests).toBe(REQUESTS)
      expect(rows.length).toBeGreaterThan(1)
    },
    MINUTES,
  )
})

async function reportOf(paths: readonly string[], jobs: number): Promise<string> {
  const by: GroupKey[] = ['week', 'model', 'session', 'day']
  const { report } = await countUsage({ paths, by, zone: 'Europe/Madrid', jobs })
  return usageJson(report)
}

/** In an order of its own for each seed. */
function shuffled(paths: readonly string[], seed: number): string[] {
  const rank = (path: string): number => {
    let hash = seed
    for (const character of basename(path)) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) >>> 0
    return Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) >>> 0
  }
  return paths.toSorted((a, b) => rank(a) - rank(b))
}

function compressed(path: string): string {
  const packed = join(folder, 'packed', `${basename(path)}.gz`)
  mkdirSync(dirname(packed), { recursive: true })
  writeFileSync(packed, gzipSync(readFileSync(path), { level: 1 }))
  return packed
}

describe('the same report', () => {
  test(
    'for any number of threads, any order of files, plain or compressed',
    async () => {
      const expected = await reportOf(files, 0)
      for (const jobs of [1, 2]) expect(await reportOf(files, jobs)).toBe(expected)
      for (const seed of [1]) expect(await reportOf(shuffled(files, seed), 0)).toBe(expected)
      const packed = shuffled(files, 3).map((path, i) => (i % 2 === 0 ? path : compressed(path)))
      expect(await reportOf(packed, 2)).toBe(expected)
    },
    MINUTES,
  )
})
