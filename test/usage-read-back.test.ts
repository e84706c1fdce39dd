import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { countUsage } from '../src/pipeline/count.ts'
import { projectDir } from './shared.ts'

const ENDING = '.events.jsonl'
const INPUTS = ['.jsonl', '.json', '.sse', '.txt', '']

const corpora = join(projectDir, 'corpora')
const samples = readdirSync(corpora).flatMap((dialect) => {
  const folder = join(corpora, dialect)
  const names = statSync(folder).isDirectory() ? readdirSync(folder) : []
  return names
    .filter((name) => name.endsWith(ENDING))
    .map((written) => {
      const base = join(folder, written.slice(0, -ENDING.length))
      const file = base + INPUTS.find((ending) => existsSync(base + ending))
      return { name: `${dialect}/${written}`, file, stream: join(folder, written) }
    })
})

/** Requests and tokens by model, in what the wire of events carries: it does not tell how long a cache is kept. */
async function usageOf(path: string): Promise<object[]> {
  const { report } = await countUsage({ paths: [path], by: ['model'], zone: 'UTC', jobs: 0 })
  const used = report.usage.rows.filter(({ figures }) => figures.requests > 0)
  return used.map(({ keys, figures: { requests, tokens } }) => {
    const { input, cacheRead, cacheWrite, cacheWrite5m, cacheWrite1h, output } = tokens
    const written = [cacheWrite, cacheWrite5m, cacheWrite1h].reduce<number>((sum, n) => sum + (n ?? 0), 0)
    return { model: keys[0], requests, input, cacheRead, written, output }
  })
}

test.each(samples)('usage of $name is that of its transcript', async ({ file, stream }) => {
  expect(await usageOf(stream)).toEqual(await usageOf(file))
})

test('there are samples that used something', async () => {
  const used = await Promise.all(samples.map(({ stream }) => usageOf(stream)))
  expect(used.filter((rows) => rows.length > 0).length).toBeGreaterThan(samples.length / 2)
})
