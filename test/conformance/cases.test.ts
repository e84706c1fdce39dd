import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { countRecords, countUsage } from '../../src/pipeline/count.ts'
import type { TokenSums } from '../../src/usage/figures.ts'
import { describeWithShared, sharedDir } from '../shared.ts'

/** What a case states that can be compared with a census or with totals. */
interface Case {
  readonly id: string
  readonly usage?: {
    readonly input?: number | null
    readonly output?: number
    readonly input_uncached?: number
  } | null
  readonly usage_by_model?: Readonly<Record<string, { readonly input?: number; readonly output?: number }>>
  readonly unparsed?: number
  readonly blank?: number
  readonly human_turns?: number
  readonly sessions?: number
  readonly subagent_transcripts?: number
}

/** Cases whose inputs need what is not decided by one census, with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  B009: 'several corpora in one folder',
  B017: 'several corpora in one folder',
  B019: 'each file is a corpus of its own',
  B022: 'usage objects of an interface, no transcripts',
  B026: 'several corpora in one folder',
  B105: 'a raw stream of a provider, no transcript',
  B113: 'files that are taken away while they are read',
}
/** Dialects whose cases are compared here; the rest belongs to the tests of their own dialects. */
const BUILT = new Set(['claude-session', 'claude-stream', 'b10x', 'metaharness', 'unknown'])

const folder = join(sharedDir, 'cases')
const cases: readonly Case[] = existsSync(folder)
  ? readdirSync(join(folder, 'expected'))
      .map((name) => JSON.parse(readFileSync(join(folder, 'expected', name), 'utf8')))
      .filter(({ id }) => existsSync(join(folder, 'input', id)) && LEFT_OUT[id] === undefined)
  : []

/** Ids of the cases whose facts were compared. */
const compared = new Set<string>()

describeWithShared('stated facts of cases', () => {
  test.each(cases)('$id', async (stated) => {
    const paths = [join(folder, 'input', stated.id)]
    const { report, results } = await countRecords({ paths, jobs: 0 })
    if (results.length === 0 || ![...results].every(({ dialect }) => BUILT.has(dialect ?? 'unknown'))) return
    const { usage } = (await countUsage({ paths, by: ['model'], zone: 'UTC', jobs: 0 })).report
    const facts = factsOf(stated)
    if (Object.keys(facts).length > 0) compared.add(stated.id)
    const { sessions, subagentTranscripts, humanTurns, records } = report.census
    expect({
      unparsed: records.unparsed,
      blank: records.blank,
      human_turns: humanTurns,
      sessions: sessions.size,
      subagent_transcripts: subagentTranscripts,
      input: inputAs(facts['input'], usage.totals.tokens),
      output: usage.totals.tokens.output ?? 0,
    }).toMatchObject(facts)
    const byModel = Object.keys(stated.usage_by_model ?? {}).map((model) => {
      const tokens = usage.rows.find(({ keys }) => keys[0] === model)?.figures.tokens
      return [model, { input: tokens?.input, output: tokens?.output }]
    })
    expect(Object.fromEntries(byModel)).toMatchObject(stated.usage_by_model ?? {})
  })

  test('are many', () => {
    expect(compared.size).toBeGreaterThan(15)
  })
})

/** Some cases state the input outside the cache, some the whole. */
function inputAs(stated: number | undefined, { input, cacheRead }: TokenSums): number {
  const whole = (input ?? 0) + (cacheRead ?? 0)
  return stated === whole ? whole : (input ?? 0)
}

/** The counts that a case states. */
function factsOf(stated: Case): Record<string, number> {
  const { unparsed, blank, human_turns, sessions, subagent_transcripts, usage } = stated
  const { output, input_uncached, input = null } = usage ?? {}
  const tokens = { input: input_uncached ?? input, output }
  const all = { unparsed, blank, human_turns, sessions, subagent_transcripts, ...tokens }
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, n]) => (typeof n === 'number' ? [[name, n]] : [])),
  )
}
