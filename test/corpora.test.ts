import { readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Dialects } from '../src/dialect/registry.ts'
import { Scanner } from '../src/kernel/scanner.ts'
import { readLarge } from '../src/pipeline/large.ts'
import { Pool } from '../src/pipeline/pool.ts'
import { readJob } from '../src/pipeline/read-job.ts'
import { jsonLines, millrace } from './cli/command.ts'
import { converted, everyOption, jobOf, KeptOutput } from './pipeline/converting.ts'
import { projectDir } from './shared.ts'
import { readStrictly } from './strict-reader.ts'

const DIALECTS = ['b10x', 'claude-session', 'claude-stream', 'metaharness', 'unknown'] as const
const WHOLE = 1 << 24
/** A prime that is no multiple of anything, next to a block and beside it. */
const CHUNK_SIZES = [64, 1024, 4099, WHOLE]

interface Sample {
  readonly dialect: string
  readonly name: string
  readonly file: string
  readonly expected: Buffer
}

const samples = DIALECTS.flatMap((dialect) => samplesOf(dialect))

function samplesOf(dialect: string): Sample[] {
  const folder = join(projectDir, 'corpora', dialect)
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl') && !/\.(?:events|cabinet)\.jsonl$/.test(name))
    .map((name) => ({
      dialect,
      name,
      file: join(folder, name),
      expected: readFileSync(join(folder, name.replace(/\.jsonl$/, '.events.jsonl'))),
    }))
}

describe.each(samples)('$dialect/$name', ({ dialect, file, expected }) => {
  test('its expected events pass a strict reader', () => {
    expect(readStrictly(expected).length).toBeGreaterThan(1)
  })

  test.each(CHUNK_SIZES)('converts in chunks of %i bytes', async (chunkBytes) => {
    const { bytes, results } = await converted([file], { chunkBytes })
    expect(bytes.toString('latin1')).toBe(expected.toString('latin1'))
    expect(results.map((result) => result.dialect)).toEqual([dialect])
    const [result] = results
    if (result === undefined) throw new Error('no result')
    const { read, blank, ...bins } = result.records
    expect(Object.values(bins).reduce((sum, n) => sum + n, 0)).toBe(read)
    expect(blank).toBeGreaterThanOrEqual(0)
    expect(result.bytes).toBe(statSync(file).size)
  })
})

describe('by all workers at once, as large transcripts are', () => {
  let pool: Pool
  beforeAll(() => {
    pool = new Pool(2)
  })
  afterAll(() => pool.close())

  test.each(samples)('$dialect/$name', async ({ file, expected }) => {
    const job = jobOf(file, statSync(file).size)
    const scanner = new Scanner()
    const dialects = new Dialects()
    const [alone] = await readJob(job, everyOption(), { scanner, dialects, stream: new KeptOutput() })
    for (const chunkBytes of [64, 4099, WHOLE]) {
      const stream = new KeptOutput()
      const [together] = await readLarge(
        job,
        everyOption({ chunkBytes }),
        { scanner, dialects, stream },
        pool,
      )
      expect(stream.kept().toString('latin1')).toBe(expected.toString('latin1'))
      expect({ ...together, outputBytes: 0 }).toEqual({ ...alone, outputBytes: 0 })
    }
  })
})

describe('by the command', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-corpora-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  test.each(DIALECTS.flatMap((dialect) => [0, 1, 2, 3].map((jobs) => ({ dialect, jobs }))))(
    '$dialect with --jobs $jobs',
    async ({ dialect, jobs }) => {
      const inputs = samples.filter((sample) => sample.dialect === dialect)
      const out = join(folder, `${dialect}-${jobs}`)
      await millrace(['convert', ...inputs.map(({ file }) => file), '-o', `${out}/`, '--jobs', String(jobs)])
      for (const { name, expected } of inputs) {
        const written = readFileSync(join(out, name.replace(/\.jsonl$/, '.events.jsonl')))
        expect(written.toString('latin1')).toBe(expected.toString('latin1'))
      }
      const manifest = jsonLines(readFileSync(join(out, 'manifest.jsonl')))
      expect(manifest.slice(0, -1).map((line) => line['path'])).toEqual(
        inputs.map(({ file }) => basename(file)),
      )
    },
  )
})
