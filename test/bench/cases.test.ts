import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Comparison } from '../../bench/case.ts'
import { entries, entriesForAny } from '../../bench/cases.ts'
import { openCensus } from '../../bench/cases/census.ts'
import { openCabinet } from '../../bench/cases/cabinet.ts'
import { openConvert, openConvertAny } from '../../bench/cases/convert.ts'
import { openMixed } from '../../bench/cases/mixed.ts'
import { openScan } from '../../bench/cases/scan.ts'
import { openShape } from '../../bench/cases/shape.ts'
import { openSplice } from '../../bench/cases/splice.ts'
import { openTape } from '../../bench/cases/tape.ts'
import { openUsage } from '../../bench/cases/usage.ts'
import { callCosts } from '../../bench/cases/vocabulary.ts'
import { type BenchCorpus, generate, given } from '../../bench/corpora.ts'
import { parseAll } from '../../bench/lines.ts'
import { race } from '../../bench/race.ts'
import { shapes } from '../../bench/shapes.ts'
import { dialects, type Dialect } from '../../scripts/make-corpus.ts'
import { ownFolder } from '../fault/folder.ts'

const folder = ownFolder('cases')

const corpora = new Map<Dialect, BenchCorpus>()

describe('cases', () => {
  test('have names of their own', () => {
    for (const list of [entries, entriesForAny]) {
      const names = list.map(({ bench }) => bench.name)
      expect(new Set(names).size).toBe(names.length)
    }
  })

  test.each([
    ['scan', openScan],
    ['tape', openTape],
    ['splice', openSplice],
    ['convert', openConvert],
    ['cabinet', openCabinet],
    ['usage', openUsage],
    ['census', openCensus],
  ])('%s and its baselines answer what is known of the corpus', async (_, open) => {
    const corpus = await small('claude-session')
    await answers(await open(corpus), corpus.bytes * 0.1)
  })

  test.each(dialects)('conversion of %s answers the same every time', async (dialect) => {
    const corpus = await small(dialect)
    await answers(await openConvertAny(corpus), corpus.bytes)
  })

  test('a mixed corpus and one dialect answer the same every time', async () => {
    const scratch = join(folder, 'mixed')
    const comparison = await openMixed(scratch, { sizeBytes: 400_000, files: 8 })
    await answers(comparison, comparison.bytes)
  })

  test('a corpus that somebody names is read without facts', async () => {
    const { path, bytes, facts } = await small('claude-session')
    const corpus = await given(path)
    expect(facts).not.toBeNull()
    expect(corpus).toMatchObject({ bytes, facts: null })
    for (const open of [openScan, openConvertAny]) await answers(await open(corpus), bytes)
    await expect(given(join(path, 'nowhere'))).rejects.toThrow('nowhere')
  })

  test('calls of the record view are timed and checked', async () => {
    const calls = await callCosts(await small('claude-session'))
    expect(calls.length).toBeGreaterThan(5)
    for (const { nanoseconds } of calls) expect(nanoseconds).toBeGreaterThan(0)
  })
})

describe('shapes', () => {
  test.each(Object.keys(shapes))('%s is what it says, to JSON.parse and to us', async (name) => {
    const shaped = shapes[name]!.make(60_000)
    const { records, unparsed, bytes } = shaped
    expect(parseAll(bytes)).toEqual({ records, unparsed })
    expect(bytes.length).toBeGreaterThan(50_000)
    const scratch = join(folder, name)
    mkdirSync(scratch)
    await answers(openShape(shaped, scratch), bytes.length)
  })
})

/** One sample of every side; a wrong answer throws. */
async function answers({ ours, baselines, bytes }: Comparison, leastBytes: number): Promise<void> {
  expect(bytes).toBeGreaterThanOrEqual(leastBytes)
  expect(baselines.length).toBeGreaterThan(0)
  const contenders = [ours, ...baselines]
  const seconds = await race(contenders, { budgetMs: 0, leastRounds: 1, clock: 'wall' })
  expect(seconds.map((samples) => samples.length)).toEqual(contenders.map(() => 1))
}

async function small(dialect: Dialect): Promise<BenchCorpus> {
  const known = corpora.get(dialect)
  if (known !== undefined) return known
  const path = join(folder, dialect)
  const corpus = await generate(dialect, { dialect, sizeBytes: 300_000, files: 2, path })
  corpora.set(dialect, corpus)
  return corpus
}
