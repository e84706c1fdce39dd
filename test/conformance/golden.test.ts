import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { countUsage } from '../../src/pipeline/count.ts'
import type { Figures } from '../../src/usage/figures.ts'
import { parseRateCard } from '../../src/usage/rate-card.ts'
import { converted } from '../pipeline/converting.ts'
import { describeWithShared, sharedDir } from '../shared.ts'
import { readStrictly } from '../strict-reader.ts'

/** Figures as the golden file names them. */
interface Golden {
  readonly messages?: number
  readonly input_uncached?: number
  readonly cache_write?: number
  readonly cache_read?: number
  readonly output?: number
  readonly cost_usd?: number
  readonly web_search_requests?: number
}

interface Entry {
  readonly file: string
  readonly what: string
  readonly files?: readonly string[]
  readonly tolerance_usd?: number
  readonly expected: Golden & {
    readonly total_cost_usd?: number
    readonly model_usage?: Readonly<Record<string, Golden>>
    readonly models?: Readonly<Record<string, Golden>>
    readonly digests?: readonly { readonly source_line: number; readonly digest: string }[]
    readonly micro_usd_total?: number
  }
}

const folder = join(sharedDir, 'fixtures')
const goldenPath = join(folder, 'golden.json')
const entries: readonly Entry[] = existsSync(goldenPath)
  ? JSON.parse(readFileSync(goldenPath, 'utf8')).entries
  : []

function entriesOf(prefix: string, what: RegExp): Entry[] {
  return entries.filter((entry) => entry.file.startsWith(prefix) && what.test(entry.what))
}

function sessions(what: RegExp): Entry[] {
  return entriesOf('vendors/claude-code-session', what)
}

function golden({ requests, tokens }: Figures): Golden {
  return {
    messages: requests,
    input_uncached: tokens.input ?? 0,
    cache_write: (tokens.cacheWrite5m ?? 0) + (tokens.cacheWrite1h ?? 0) + (tokens.cacheWrite ?? 0),
    cache_read: tokens.cacheRead ?? 0,
    output: tokens.output ?? 0,
  }
}

/** What an entry states of these. */
function stated(expected: Golden): Partial<Record<keyof Golden, number | undefined>> {
  const { messages, input_uncached, cache_write, cache_read, output } = expected
  return { ...(messages === undefined ? {} : { messages }), input_uncached, cache_write, cache_read, output }
}

async function totals(...paths: string[]): Promise<Figures> {
  return (await countUsage({ paths, zone: 'UTC', jobs: 0 })).report.usage.totals
}

async function rowsByModel(...paths: string[]): Promise<Map<string, Figures>> {
  const { report } = await countUsage({ paths, by: ['model'], zone: 'UTC', jobs: 0 })
  return new Map(report.usage.rows.map(({ keys, figures }) => [String(keys[0]), figures]))
}

function usd(picoUsd: bigint | null | undefined): number {
  return Number(picoUsd) / 1e12
}

describeWithShared('golden totals of Claude Code sessions', () => {
  test.each(sessions(/^usage of this file alone/))('$file', async ({ file, expected }) => {
    expect(golden(await totals(join(folder, file)))).toMatchObject(stated(expected))
  })

  test.each(sessions(/^WRONG/))('$file: not every line is a message', async ({ file, expected }) => {
    expect(golden(await totals(join(folder, file))).output).not.toBe(expected.output)
  })

  test.each(sessions(/^responses whose output count is final/))('$file: a lower bound', async ({ file }) => {
    expect((await totals(join(folder, file))).lowerBound).toBe(true)
  })

  test.each(sessions(/^both files together/))('$file together', async ({ file, files = [], expected }) => {
    const paths = files.map((name) => join(folder, file, name))
    expect(golden(await totals(...paths))).toMatchObject(stated(expected))
    expect(golden(await totals(...paths.toReversed()))).toMatchObject(stated(expected))
  })

  test.each(sessions(/^usage by model/))('$file by model', async ({ file, expected: { models = {} } }) => {
    const rows = await rowsByModel(join(folder, file))
    expect([...rows.keys()].toSorted()).toEqual(Object.keys(models).toSorted())
    for (const [model, figures] of rows) expect(golden(figures)).toMatchObject(stated(models[model] ?? {}))
  })
})

describeWithShared('golden totals of streams of Claude Code', () => {
  const runs = entriesOf('vendors/claude-stream-json', /^run total from the last result/)

  test.each(runs)(
    '$file',
    async ({ file, expected: { model_usage = {}, total_cost_usd = 0 }, tolerance_usd = 0 }) => {
      const rows = await rowsByModel(join(folder, file))
      expect([...rows.keys()].toSorted()).toEqual(Object.keys(model_usage).toSorted())
      for (const [model, figures] of rows) {
        const expected = model_usage[model] ?? {}
        expect(golden(figures)).toMatchObject(stated(expected))
        expect(figures.webSearches).toBe(expected.web_search_requests)
        const off = Math.abs(usd(figures.reportedPicoUsd) - (expected.cost_usd ?? 0))
        expect(off).toBeLessThanOrEqual(tolerance_usd)
      }
      const { reportedPicoUsd } = await totals(join(folder, file))
      expect(Math.abs(usd(reportedPicoUsd) - total_cost_usd)).toBeLessThanOrEqual(tolerance_usd)
    },
  )
})

describeWithShared('golden figures of b10x and metaharness', () => {
  test.each(entriesOf('b10x/', /^price of each turn/))(
    '$file: priced to the last digit',
    async ({ file, expected }) => {
      const [model = ''] = [...(await rowsByModel(join(folder, file))).keys()]
      const rates = {
        input_usd_per_mtok: 1,
        cached_input_usd_per_mtok: 0.1,
        cache_creation_input_usd_per_mtok: 1.25,
        output_usd_per_mtok: 5,
      }
      const card = parseRateCard(
        JSON.stringify({ source: 'test', as_of: '2026-01-01', models: { [model]: rates } }),
      )
      if (!card.ok) throw new Error(card.message)
      const { report } = await countUsage({
        paths: [join(folder, file)],
        zone: 'UTC',
        jobs: 0,
        pricer: card.value,
      })
      const total = BigInt(expected.micro_usd_total ?? 0) * 1_000_000n
      expect(golden(report.usage.totals)).toMatchObject(stated(expected))
      expect(report.usage.totals.computedPicoUsd).toBe(total)
      expect(report.usage.totals.reportedPicoUsd).toBe(total)
    },
  )

  test.each(entriesOf('metaharness/', /^opaque digests/))('$file: digests', async ({ file, expected }) => {
    const { bytes } = await converted([join(folder, file)])
    const opaque = readStrictly(bytes).filter(({ event }) => event === 'opaque')
    const seen = opaque.map((event) => ({ source_line: event['source_line'], digest: event['digest'] }))
    expect(seen).toEqual((expected.digests ?? []).map(({ source_line, digest }) => ({ source_line, digest })))
  })

  test('every entry of these dialects is looked at, or is about a part of a run or a family', () => {
    const used =
      /^(usage of this file alone|WRONG|responses whose output|both files|usage by model|run total|price of each turn|opaque digests)/
    const parts = /^(owned by|result\.usage|messages of the main loop|all messages)/
    const ours = /^(vendors\/claude-code-session|vendors\/claude-stream-json|b10x|metaharness)\//
    const missed = entries.filter(
      ({ file, what }) => ours.test(file) && !used.test(what) && !parts.test(what),
    )
    expect(missed.map(({ file, what }) => `${file}: ${what}`)).toEqual([])
    expect(entries.length).toBeGreaterThan(0)
  })
})
