import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { CompressedOutput } from '../../src/pipeline/compressed-output.ts'
import { convert, type Destination } from '../../src/pipeline/convert.ts'
import type { TranscriptResult } from '../../src/pipeline/job.ts'
import { type Compression, compressorFor, zstdCompressor } from '../../src/source/compress.ts'
import { decodedByMagic, openSource } from '../../src/source/codec.ts'
import { ReplaySource, type Source } from '../../src/source/source.ts'
import { generatedFile, ownFolder } from '../fault/folder.ts'
import { readWhole } from '../source/read-whole.ts'
import { converted, KeptOutput } from './converting.ts'

const folder = ownFolder('compress')
/** zstd is made where Node has it, or its optional peer is installed. */
const hasZstd = await zstdCompressor().then(
  () => true,
  () => false,
)
const FORMATS: readonly Compression[] = ['gz', 'lz4', ...(hasZstd ? (['zst'] as const) : [])]
/** The format's own tool. */
const TOOL = { gz: 'gzip', lz4: 'lz4', zst: 'zstd' } as const
/** Enough for all workers at once. */
const LARGE_BYTES = 26_000_000
let large = ''

beforeAll(async () => {
  large = await generatedFile(join(folder, 'large'), LARGE_BYTES)
})

const nothing: Source = { read: () => 0, close: () => {} }

async function decoded(bytes: Uint8Array): Promise<Buffer> {
  return readWhole(await decodedByMagic(new ReplaySource(bytes, nothing)))
}

describe.each(FORMATS)('outputs as %s', (compress) => {
  const suffix = `.events.jsonl.${compress}`

  test('hold the same bytes, in a folder, a file and a stream', async () => {
    const input = await generatedFile(join(folder, compress, 'in'), 3_000_000)
    const plain = (await converted([input])).bytes
    // The folder's outputs say what was read: the name alone.
    const out = join(folder, compress, 'out')
    const { results } = await convert({
      paths: [input],
      to: () => ({ kind: 'folder', path: out }),
      compress,
      jobs: 0,
    })
    const [result] = results
    expect(result?.output?.endsWith(suffix)).toBe(true)
    const { source, compressed } = await openSource(result?.output ?? '')
    expect(compressed).toBe(true)
    expect((await readWhole(source)).equals(plain)).toBe(true)
    expect(result?.outputBytes).toBe(plain.length)
    const single = join(folder, compress, 'one.out')
    await convert({ paths: [input], to: () => ({ kind: 'file', path: single }), compress, jobs: 0 })
    expect((await decoded(readFileSync(single))).equals(plain)).toBe(true)
    expect((await decoded((await converted([input], { compress })).bytes)).equals(plain)).toBe(true)
  })

  test('of several transcripts make one stream', async () => {
    const paths = [1, 2, 3].map((seed) => join(folder, compress, `several-${seed}.jsonl`))
    for (const path of paths) writeFileSync(path, '{"type":"x"}\n')
    const plain = (await converted(paths)).bytes
    expect((await decoded((await converted(paths, { compress })).bytes)).equals(plain)).toBe(true)
  })

  test('of a large transcript have the digest of what is inside, whoever compressed it', async () => {
    const input = large
    const run = async (jobs: number, as: Compression | null): Promise<TranscriptResult | undefined> => {
      const path = join(folder, compress, `large-${jobs}-${as}`)
      const to = (): Destination => ({ kind: 'file', path })
      return (await convert({ paths: [input], to, compress: as, jobs })).results.at(0)
    }
    const plain = await run(2, null)
    const bytes = readFileSync(plain?.output ?? '')
    const made = await run(2, compress)
    expect(made).toEqual({ ...plain, output: made?.output })
    const inside = execFileSync(TOOL[compress], ['-dc', made?.output ?? ''], { maxBuffer: 2 ** 30 })
    expect(inside.equals(bytes)).toBe(true)
    const streamed = await converted([input], { jobs: 2, compress })
    expect((await decoded(streamed.bytes)).equals(bytes)).toBe(true)
  })

  test('that are empty are still of the format', async () => {
    const kept = new KeptOutput()
    const output = new CompressedOutput(kept, compress, await compressorFor(compress), true)
    output.finish()
    expect(kept.kept().length).toBeGreaterThan(0)
    expect((await decoded(kept.kept())).length).toBe(0)
    expect(output.bytes).toBe(0)
  })
})

describe('zstd', () => {
  test('is made by Node where Node can', async () => {
    const compressor = await zstdCompressor(
      (block: Uint8Array) => Uint8Array.from(block).toReversed(),
      () => Promise.reject(new Error('not to be asked')),
    )
    expect(Buffer.from(compressor(Buffer.from('abc'))).toString()).toBe('cba')
  })

  test.each([
    { name: 'of its own', peer: { compress: (block: Uint8Array) => Buffer.from(block) } },
    { name: 'of a default', peer: { default: { compress: (block: Uint8Array) => Buffer.from(block) } } },
  ])('is made by the peer, by an export $name', async ({ peer }) => {
    const compressor = await zstdCompressor(undefined, () => Promise.resolve(peer))
    expect(Buffer.from(compressor(Buffer.from('abc'))).toString()).toBe('abc')
  })

  test('names what is missing', async () => {
    const asked = zstdCompressor(undefined, () => Promise.reject(new Error('no such package')))
    await expect(asked).rejects.toMatchObject({
      code: 'ERR_PEER_MISSING',
      message:
        'zstd output needs Node 22.15 or the optional package zstd-napi: npm install zstd-napi; or choose gz or lz4',
    })
  })
})

test('a block is a member: what broke off keeps those before it', async () => {
  const kept = new KeptOutput()
  const output = new CompressedOutput(kept, 'gz', await compressorFor('gz'), false)
  const line = Buffer.from(`${'x'.repeat(99)}\n`)
  for (let i = 0; i < 25_000; i++) output.write(line)
  output.finish()
  expect(gunzipSync(kept.kept()).length).toBe(2_500_000)
  expect(output.bytes).toBe(2_500_000)
  mkdirSync(join(folder, 'cut'), { recursive: true })
  const file = join(folder, 'cut', 'x.gz')
  writeFileSync(file, kept.kept().subarray(0, -10))
  const { source } = await openSource(file)
  expect((await readWhole(source)).length).toBeGreaterThanOrEqual(2 * 1024 * 1024)
})
