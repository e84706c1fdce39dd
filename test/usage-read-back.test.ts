import { expect, test } from 'vitest'
import { countUsage } from '../src/pipeline/count.ts'
import { SAMPLES } from './samples.ts'

/** Requests, tokens and stated prices by model, in what the wire of events carries: it does not tell how long a cache is kept. */
async function usageOf(path: string): Promise<object[]> {
  const { report } = await countUsage({ paths: [path], by: ['model'], zone: 'UTC', jobs: 0 })
  const used = report.usage.rows.filter(({ figures }) => figures.requests > 0)
  return used.map(({ keys, figures: { requests, tokens, reportedPicoUsd } }) => {
    const { input, cacheRead, cacheWrite, cacheWrite5m, cacheWrite1h, output } = tokens
    const written = [cacheWrite, cacheWrite5m, cacheWrite1h].reduce<number>((sum, n) => sum + (n ?? 0), 0)
    return { model: keys[0], requests, input, cacheRead, written, output, reportedPicoUsd }
  })
}

test.each(SAMPLES)('usage of the events of $dialect/$name is that of their transcript', async (sample) => {
  expect(await usageOf(sample.events)).toEqual(await usageOf(sample.file))
})

test('there are samples that used something', async () => {
  const used = await Promise.all(SAMPLES.map(({ events }) => usageOf(events)))
  expect(used.filter((rows) => rows.length > 0).length).toBeGreaterThan(SAMPLES.length / 2)
})
