import { readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Dialects } from '../src/dialect/registry.ts'
import { Scanner } from '../src/kernel/scanner.ts'
import { readLarge } from '../src/pipeline/large.ts'
import { Pool } from '../src/pipeline/pool.ts'
import { readJob } from '../src/pipeline/read-job.ts'
import { jsonLines, millrace } from './cli/command.ts'
import { sha256 } from './digest.ts'
import { ownFolder } from './fault/folder.ts'
import { converted, everyOption, jobOf, KeptOutput } from './pipeline/converting.ts'
import { DIALECTS, SAMPLES } from './samples.ts'
import { readStrictly } from './strict-reader.ts'

const WHOLE = 1 << 24
/** A prime that is no multiple of anything, next to a block and beside it. */
const CHUNK_SIZES = [1, 64, 1024, 4099, WHOLE]

test('every dialect has a sample', () => {
  expect(new Set(SAMPLES.map(({ dialect }) => dialect))).toEqual(new Set(DIALECTS))
})

describe.each(SAMPLES)('$dialect/$name', ({ dialect, file, events }) => {
  const expected = readFileSync(events)

  test('its expected events pass a strict reader', () => {
    for (const stream of streamsIn(expected)) expect(readStrictly(stream).length).toBeGreaterThan(0)
  })

  test.each(CHUNK_SIZES)('converts in chunks of %i bytes', async (chunkBytes) => {
    const { bytes, results } = await converted([file], { chunkBytes })
    expect(bytes.toString('latin1')).toBe(expected.toString('latin1'))
    for (const result of results) {
      expect(result.dialect).toBe(dialect)
      expect(result.notices.map(({ code }) => code)).not.toContain('adapter-fault')
      const { read, blank, ...bins } = result.records
      expect(Object.values(bins).reduce((sum, n) => sum + n, 0)).toBe(read)
      expect(blank).toBeGreaterThanOrEqual(0)
    }
  })
})

describe('by all workers at once, as large transcripts are', () => {
  let pool: Pool
  beforeAll(() => {
    pool = new Pool(2)
  })
  afterAll(() => pool.close())

  const files = SAMPLES.filter(({ file }) => statSync(file).isFile())
  test.each(files)('$dialect/$name', async ({ file, events }) => {
    const expected = readFileSync(events, 'latin1')
    const job = jobOf(file, statSync(file).size)
    const scanner = new Scanner()
    const dialects = new Dialects()
    const tools = { scanner, dialects, stream: new KeptOutput() }
    const [alone] = await readJob(job, everyOption({ digest: true }), tools)
    expect(alone).toMatchObject({ bytes: job.bytes, digest: sha256(readFileSync(file)) })
    for (const chunkBytes of [64, 4099, WHOLE]) {
      const stream = new KeptOutput()
      const [together] = await readLarge(
        job,
        everyOption({ chunkBytes, digest: true }),
        { scanner, dialects, stream },
        pool,
      )
      expect(stream.kept().toString('latin1')).toBe(expected)
      expect({ ...together, outputBytes: 0 }).toEqual({ ...alone, outputBytes: 0 })
    }
  })
})

describe('by the command', () => {
  const folder = ownFolder('corpora')
  const dialects = ['b10x', 'claude-session', 'claude-stream', 'metaharness', 'unknown']

  test.each(dialects.flatMap((dialect) => [0, 1, 2, 3].map((jobs) => ({ dialect, jobs }))))(
    '$dialect with --jobs $jobs',
    async ({ dialect, jobs }) => {
      const inputs = SAMPLES.filter((sample) => sample.dialect === dialect)
      const out = join(folder, `${dialect}-${jobs}`)
      await millrace(['convert', ...inputs.map(({ file }) => file), '-o', `${out}/`, '--jobs', String(jobs)])
      for (const { events } of inputs) {
        const written = readFileSync(join(out, basename(events)), 'latin1')
        expect(written).toBe(readFileSync(events, 'latin1'))
      }
      const manifest = jsonLines(readFileSync(join(out, 'manifest.jsonl')))
      expect(manifest.slice(0, -1).map((line) => line['path'])).toEqual(inputs.map(({ name }) => name))
    },
  )
})

/** The streams of a store stand one after the other. */
function streamsIn(events: Buffer): Buffer[] {
  const first = /^(?=\{"format":"metaharness\.event\/1","seq":1,)/m
  return events
    .toString('latin1')
    .split(first)
    .map((stream) => Buffer.from(stream, 'latin1'))
}
