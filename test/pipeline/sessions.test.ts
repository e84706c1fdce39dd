import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { countRecords, countUsage } from '../../src/pipeline/count.ts'
import { describeWithShared, projectDir, sharedDir } from '../shared.ts'

/** Sessions and transcripts of subagents, as both commands tell them. */
async function told(folder: string): Promise<{ usage: number[]; census: number[] }> {
  const request = { paths: [folder], jobs: 0, zone: 'UTC' }
  const { corpus } = (await countUsage(request)).report
  const { census } = (await countRecords(request)).report
  return {
    usage: [corpus.sessions, corpus.subagentTranscripts],
    census: [census.sessions.size, census.subagentTranscripts],
  }
}

describe('usage and census count the same sessions', () => {
  const corpora = join(projectDir, 'corpora')
  const folders = readdirSync(corpora, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  test.each(folders.map(({ name }) => name))('of corpora/%s', async (name) => {
    const { usage, census } = await told(join(corpora, name))
    expect(usage).toEqual(census)
  })

  test('of all corpora together: some, and some of subagents', async () => {
    const { usage, census } = await told(corpora)
    expect(usage).toEqual(census)
    expect(usage[0]).toBeGreaterThan(50)
    expect(usage[1]).toBeGreaterThan(1)
  })
})

describeWithShared('usage and census count the same sessions', () => {
  test('of shared samples', async () => {
    const { usage, census } = await told(join(sharedDir, 'fixtures'))
    expect(usage).toEqual(census)
  })
})
