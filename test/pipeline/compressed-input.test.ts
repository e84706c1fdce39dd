import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { compressFrameSync } from 'lz4-napi'
import { pack } from 'tar-stream'
import { beforeAll, describe, expect, test } from 'vitest'
import { convert } from '../../src/pipeline/convert.ts'
import type { TranscriptResult } from '../../src/pipeline/job.ts'
import { LaneSource } from '../../src/pipeline/lane-source.ts'
import { generatedFile, ownFolder } from '../fault/folder.ts'
import { converted } from './converting.ts'

const folder = ownFolder('compressed-input')
/** So much that, compressed by four at least, all workers read it at once. */
const LARGE_BYTES = 40_000_000
const hasZstd = spawnSync('zstd', ['--version']).status === 0

let plain = Buffer.alloc(0)
beforeAll(async () => {
  plain = readFileSync(await generatedFile(join(folder, 'in'), LARGE_BYTES, { faults: true }))
})

/** A file of some format, in a folder of its own, so that all outputs have one name. */
function stored(suffix: string, bytes: Uint8Array): string {
  const own = join(folder, suffix)
  mkdirSync(own, { recursive: true })
  const path = join(own, `run.jsonl${suffix}`)
  writeFileSync(path, bytes)
  return path
}

const formats = [
  { suffix: '.gz', compress: (bytes: Buffer) => gzipSync(bytes, { level: 1 }) },
  { suffix: '.lz4', compress: (bytes: Buffer) => compressFrameSync(bytes, { contentChecksum: true }) },
  ...(hasZstd
    ? [
        {
          suffix: '.zst',
          compress: (bytes: Buffer) =>
            spawnSync('zstd', ['-c', '-q', '-1'], { input: bytes, maxBuffer: 2 ** 30 }).stdout,
        },
      ]
    : []),
]

interface Told {
  readonly events: Buffer
  readonly result: TranscriptResult | undefined
}

async function toFile(input: string, name: string, jobs: number, chunkBytes?: number): Promise<Told> {
  const path = join(folder, name)
  const request = { paths: [input], jobs, ...(chunkBytes === undefined ? {} : { chunkBytes }) }
  const { results } = await convert({ ...request, to: () => ({ kind: 'file', path }) })
  return { events: readFileSync(path), result: results.at(0) }
}

/** What is said of a transcript, but for its name. */
function factsOf({ result }: Told): object {
  return { ...result, path: null, output: null }
}

describe.each(formats)('a large transcript in $suffix', ({ suffix, compress }) => {
  test('gives the bytes, digests and totals that it gives plain, with any number of workers', async () => {
    const wanted = await toFile(stored('', plain), `plain${suffix}.out`, 0)
    const input = stored(suffix, compress(plain))
    for (const [jobs, chunkBytes] of [[0], [1], [2], [2, 64 * 1024], [3, 100_003]]) {
      const found = await toFile(input, `${jobs}${suffix}.out`, jobs ?? 0, chunkBytes)
      expect(found.events.equals(wanted.events)).toBe(true)
      expect(factsOf(found)).toEqual(factsOf(wanted))
    }
    const streamed = await converted([input], { jobs: 2 })
    expect(streamed.bytes.equals(wanted.events)).toBe(true)
  })

  test('that breaks off is read as far as it goes, by one thread and by many', async () => {
    const whole = compress(plain)
    const input = stored(`${suffix}`, whole.subarray(0, Math.floor(whole.length * 0.9)))
    const one = await toFile(input, `cut-0${suffix}.out`, 0)
    const many = await toFile(input, `cut-2${suffix}.out`, 2)
    expect(one.result?.broken).toBe(true)
    expect(one.result?.notices.map(({ code }) => code)).toContain('source-cut')
    expect(many.events.equals(one.events)).toBe(true)
    expect(factsOf(many)).toEqual(factsOf(one))
    expect(one.result?.bytes).toBeGreaterThan(plain.length / 2)
  })
})

test('an archive is decompressed by another thread, and gives the same', async () => {
  const archive = pack()
  const third = plain.lastIndexOf('\n', plain.length / 3) + 1
  archive.entry({ name: 'a.jsonl' }, plain.subarray(0, third))
  archive.entry({ name: 'b.jsonl' }, plain.subarray(third))
  archive.finalize()
  const parts: Buffer[] = []
  for await (const part of archive) if (Buffer.isBuffer(part)) parts.push(part)
  const input = stored('.tar.gz', gzipSync(Buffer.concat(parts), { level: 1 }))
  const [one, many] = [await converted([input], { jobs: 0 }), await converted([input], { jobs: 2 })]
  expect(one.results.map(({ path }) => path)).toEqual(['run.jsonl.tar/a.jsonl', 'run.jsonl.tar/b.jsonl'])
  expect(many.bytes.equals(one.bytes)).toBe(true)
  expect(many.results).toEqual(one.results)
})

test('a lane says what is wrong with its file, and reads small ones', async () => {
  const gone = new LaneSource(join(folder, 'nothing.gz'), false)
  await expect(Promise.resolve(gone.read(Buffer.alloc(9), 0, 9))).rejects.toMatchObject({
    code: 'ERR_NOT_FOUND',
  })
  gone.close()
  const small = new LaneSource(stored('.small.gz', gzipSync(Buffer.from('{"a":1}\n'))), true)
  const into = Buffer.alloc(100)
  expect(await small.read(into, 0, 5)).toBe(5)
  expect(await small.read(into, 5, 95)).toBe(3)
  expect(await small.read(into, 8, 92)).toBe(0)
  expect(await small.read(into, 8, 92)).toBe(0)
  expect(into.subarray(0, 8).toString()).toBe('{"a":1}\n')
  expect(small.digest).toMatch(/^[0-9a-f]{64}$/)
  small.close()
})
