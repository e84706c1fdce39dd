import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Dialects } from '../../src/dialect/registry.ts'
import { Scanner } from '../../src/kernel/scanner.ts'
import { countUsage } from '../../src/pipeline/count.ts'
import { readLarge } from '../../src/pipeline/large.ts'
import { Pool } from '../../src/pipeline/pool.ts'
import { converted, everyOption, jobOf, KeptOutput } from '../pipeline/converting.ts'
import { projectDir } from '../shared.ts'
import { readStrictly } from '../strict-reader.ts'

const DIALECTS = [
  'amp-stream',
  'amp-thread',
  'b10x-session',
  'cline',
  'copilot',
  'cursor-stream',
  'cursor-transcript',
  'droid-session',
  'droid-stream',
  'goose-session',
  'goose-stream',
  'kimi-wire',
  'pi-json',
  'pi-session',
] as const

const samples = DIALECTS.flatMap((dialect) => {
  const folder = join(projectDir, 'corpora', dialect)
  return readdirSync(folder)
    .filter((name) => !/\.(?:(?:events|cabinet)\.jsonl|settings\.json)$/.test(name))
    .map((name) => ({ dialect, name, file: join(folder, name) }))
})

/** What does not depend on where a total was read. */
async function totalsOf(file: string): Promise<object> {
  const { report } = await countUsage({ paths: [file], jobs: 0 })
  const { requests, tokens, reportedPicoUsd } = report.usage.totals
  return { requests, tokens, reportedPicoUsd }
}

describe.each(samples)('$dialect/$name', ({ dialect, file }) => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-vendors-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  test.each([64, 1 << 24])('converts in chunks of %i bytes', async (chunkBytes) => {
    const { bytes, results } = await converted([file], { chunkBytes })
    const expected = readFileSync(file.replace(/\.jsonl?$/, '.events.jsonl'))
    expect(bytes.toString('latin1')).toBe(expected.toString('latin1'))
    expect(readStrictly(bytes).length).toBeGreaterThan(1)
    const [result] = results
    if (result === undefined) throw new Error('no result')
    const { read, blank: _blank, ...bins } = result.records
    expect(Object.values(bins).reduce((sum, n) => sum + n, 0)).toBe(read)
    expect(result.dialect).toBe(dialect)
    expect(result.notices.map(({ code }) => code)).not.toContain('adapter-fault')
  })

  test('its stream counts to the same totals', async () => {
    const { bytes } = await converted([file])
    const stream = join(folder, `${basename(file)}.events.jsonl`)
    await writeFile(stream, bytes)
    expect(await totalsOf(stream)).toEqual(await totalsOf(file))
  })
})

describe('by all workers at once, as large transcripts are', () => {
  let pool: Pool
  beforeAll(() => {
    pool = new Pool(2)
  })
  afterAll(() => pool.close())

  test.each(samples.filter(({ name }) => name.endsWith('.jsonl')))('$dialect/$name', async ({ file }) => {
    const stream = new KeptOutput()
    const tools = { scanner: new Scanner(), dialects: new Dialects(), stream }
    await readLarge(jobOf(file, statSync(file).size), everyOption({ chunkBytes: 64 }), tools, pool)
    const expected = readFileSync(file.replace(/\.jsonl$/, '.events.jsonl'))
    expect(stream.kept().toString('latin1')).toBe(expected.toString('latin1'))
  })
})
