import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findInputs } from '../../src/pipeline/inputs.ts'
import type { JobOptions, TranscriptResult } from '../../src/pipeline/job.ts'
import { jobOptions } from '../../src/pipeline/options.ts'
import { runJobs } from '../../src/pipeline/run.ts'
import { describeWithShared, projectDir, sharedDir } from '../shared.ts'

// Sinks that take no talk, or no bills, are spared them: what they get besides must be the same as if they had it.

describe('our own samples', () => {
  test('fall and are billed the same, whether or not talk is taken', () =>
    expectTheSame(join(projectDir, 'corpora')))
  test('fall and are noticed the same, whether or not bills are taken', () =>
    expectTheSameUnbilled(join(projectDir, 'corpora')))
})

describeWithShared('shared samples', () => {
  test('fall and are billed the same, whether or not talk is taken', () =>
    expectTheSame(join(sharedDir, 'fixtures')))
  test('fall and are noticed the same, whether or not bills are taken', () =>
    expectTheSameUnbilled(join(sharedDir, 'fixtures')))
})

async function expectTheSame(folder: string): Promise<void> {
  const alone = await read(folder, { usage: true, census: false })
  const beside = await read(folder, { usage: true, census: true })
  expect(alone.length).toBeGreaterThan(50)
  expect(alone).toEqual(beside)
}

async function expectTheSameUnbilled(folder: string): Promise<void> {
  const billed = await read(folder, { usage: true, census: true })
  const alone = await read(folder, { usage: false, census: true })
  expect(billed.filter(({ ledger }) => ledger !== null).length).toBeGreaterThan(50)
  expect(alone).toEqual(billed.map((result) => ({ ...result, ledger: null })))
}

async function read(folder: string, wanted: Partial<JobOptions>): Promise<Partial<TranscriptResult>[]> {
  const { jobs } = await findInputs([folder])
  const settings = { jobs: 0, stream: null }
  const { results } = await runJobs(jobs, { ...jobOptions({}), ...wanted }, settings)
  return [...results].map((result) => ({ ...result, census: null }))
}
