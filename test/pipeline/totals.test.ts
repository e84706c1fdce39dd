import { beforeAll, describe, expect, test } from 'vitest'
import {
  dialects,
  makeCorpus,
  type Corpus,
  type CorpusFacts,
  type Dialect,
} from '../../scripts/make-corpus.ts'
import { countRecords, countUsage } from '../../src/pipeline/count.ts'
import type { ReadOptions } from '../../src/pipeline/options.ts'
import { censusJson } from '../../src/report/census-json.ts'
import { usageJson } from '../../src/report/usage-json.ts'
import type { Census, ToolCounts } from '../../src/sink/census-counts.ts'
import { ownFolder } from '../fault/folder.ts'

const folder = ownFolder('totals')

/** The published totals of some transcripts, as text. */
async function totals(paths: readonly string[], options: ReadOptions & { jobs: number }): Promise<string> {
  const census = await countRecords({ paths, digest: true, ...options })
  const usage = await countUsage({
    paths,
    by: ['day', 'model', 'session'],
    zone: 'Europe/Madrid',
    ...options,
  })
  return `${censusJson(census.report)}\n${usageJson(usage.report)}`
}

describe.each(dialects.flatMap((dialect) => [false, true].map((faults) => ({ dialect, faults }))))(
  'a corpus of $dialect, faults: $faults',
  ({ dialect, faults }) => {
    let corpus: Corpus
    let files: string[] = []
    const out = `${folder}/${dialect}-${faults}`

    beforeAll(async () => {
      corpus = await makeCorpus({ dialect, sizeBytes: 6.5e6, files: 5, seed: 3, faults, out })
      files = corpus.files.map(({ path }) => path)
    })

    test('gives the same totals for any chunks, workers and order of files', async () => {
      const expected = await totals(files, { jobs: 0 })
      expect(await totals(files.toReversed(), { jobs: 0, chunkBytes: 64 })).toBe(expected)
      expect(await totals([...files.slice(2), ...files.slice(0, 2)], { jobs: 1, chunkBytes: 1021 })).toBe(
        expected,
      )
      expect(await totals(files, { jobs: 2 })).toBe(expected)
      expect(await totals(files.toReversed(), { jobs: 3, chunkBytes: 1 << 26 })).toBe(expected)
    })

    test('is counted as it was written', async () => {
      const { report, results } = await countRecords({ paths: [out], jobs: 0 })
      expect([...results].every((result) => result.dialect === dialect)).toBe(true)
      const { census } = report
      const { facts } = corpus
      const { blank, ...bins } = census.records
      const read = Object.values(bins).reduce((sum, n) => sum + n, 0)
      // Two records on a line are both read, and NULs before one do not lose it: only cut ones are not read.
      expect(read).toBe(facts.records + facts.faults.joined)
      expect(bins.unparsed).toBe(facts.faults.cut)
      expect(blank).toBe(facts.blankLines)
      expect(census.lines).toBe(corpus.files.reduce((sum, file) => sum + file.lines, 0))
      expect(census.bytes).toBe(corpus.files.reduce((sum, file) => sum + file.bytes, 0))
      const nested = dialect === 'b10x'
      expect(callsSeen(census, nested)).toEqual(callsStated(facts, nested))
    })

    test('is billed as it was written', async () => {
      const { report } = await countUsage({ paths: [out], by: ['model'], zone: 'UTC', jobs: 2 })
      // A price that a harness states for the whole run, not by model, is a row without requests.
      const used = report.usage.rows.filter(({ figures }) => figures.requests > 0)
      const rows = used.map(({ keys, figures }) => [String(keys[0]), shown(dialect, figures)])
      expect(Object.fromEntries(rows)).toEqual(
        Object.fromEntries(
          Object.entries(corpus.facts.models).map(([model, total]) => [model, stated(dialect, total)]),
        ),
      )
    })
  },
)

/** What the census says of calls. Of those of subagents, which b10x nests, the corpus states no more than their number. */
function callsSeen({ tools, warnings }: Census, nested: boolean) {
  const sum = (of: (tool: ToolCounts) => number): number =>
    [...tools.values()].reduce((all, tool) => all + of(tool), 0)
  const requested = [...tools].map(([name, tool]) => [name, tool.requested] as const)
  return {
    requested: sum((tool) => tool.requested),
    results: sum((tool) => tool.results),
    // A hook of b10x denies calls besides its approver.
    denied: sum((tool) => tool.denied) - (nested ? (warnings.get('hook-refused') ?? 0) : 0),
    errors: nested ? null : sum((tool) => tool.errors),
    byName: nested ? null : Object.fromEntries(requested.filter(([, n]) => n > 0)),
  }
}

function callsStated(facts: CorpusFacts, nested: boolean) {
  const requested = Object.values(facts.toolCalls).reduce((sum, n) => sum + n, 0)
  return {
    requested: requested + facts.nestedToolCalls,
    results: facts.toolResults + facts.nestedToolResults,
    denied: facts.toolDenials,
    errors: nested ? null : facts.toolErrors,
    byName: nested ? null : facts.toolCalls,
  }
}

type Row = Awaited<ReturnType<typeof countUsage>>['report']['usage']['rows'][number]

/** Tokens as facts name them. A stream's totals are those of its results, which count no messages. */
function shown(dialect: Dialect, { requests, tokens, webSearches }: Row['figures']) {
  return {
    input: tokens.input ?? 0,
    cache_read: tokens.cacheRead ?? 0,
    cache_write_5m: tokens.cacheWrite5m ?? 0,
    cache_write_1h: tokens.cacheWrite1h ?? 0,
    cache_write: tokens.cacheWrite ?? 0,
    output: tokens.output ?? 0,
    web_search: webSearches ?? 0,
    messages: dialect === 'claude-stream' ? null : requests,
  }
}

function stated(dialect: Dialect, total: CorpusFacts['models'][string]) {
  return { ...total, messages: dialect === 'claude-stream' ? null : total.messages }
}
