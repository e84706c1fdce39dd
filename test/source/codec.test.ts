import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync, gzipSync } from 'node:zlib'
import { compressFrameSync, compressSync } from 'lz4-napi'
import { describe, expect, test } from 'vitest'
import { openSource } from '../../src/source/codec.ts'
import { DecodedSource, CountingSource } from '../../src/source/decoded.ts'
import { ByteReader } from '../../src/source/byte-reader.ts'
import { gunzip } from '../../src/source/gzip.ts'
import type { Source, Trouble } from '../../src/source/source.ts'
import { ownFolder } from '../fault/folder.ts'
import { readWhole } from './read-whole.ts'

/** `{"n":1}\n{"n":2}\n` and `{"n":3}\n`, one frame each. */
const ZSTD_TWO = Buffer.from('KLUv/QRYgQAAeyJuIjoxfQp7Im4iOjJ9CkUsYJk=', 'base64')
const ZSTD_ONE = Buffer.from('KLUv/QRYQQAAeyJuIjozfQqsV6cg', 'base64')
const SKIPPABLE = Buffer.from('5e2a4d1804000000aabbccdd', 'hex')

const lines = Buffer.from(
  Array.from({ length: 30_000 }, (_, n) => `{"n":${n},"text":"line ${n * 7919}"}\n`).join(''),
)
const half = lines.indexOf('\n', lines.length / 2) + 1
const [first, second] = [lines.subarray(0, half), lines.subarray(half)]

const folder = ownFolder('codec')

async function decoded(
  bytes: Uint8Array,
): Promise<{ content: Buffer; trouble: Trouble | null; compressed: boolean }> {
  const file = join(folder, 'data')
  writeFileSync(file, bytes)
  const { source, compressed } = await openSource(file)
  const content = await readWhole(source)
  return { content, trouble: source.trouble ?? null, compressed }
}

describe('compressed data is told by its first bytes and read to its end', () => {
  test.each<[string, Uint8Array, Uint8Array]>([
    ['plain', lines, lines],
    ['empty', Buffer.alloc(0), Buffer.alloc(0)],
    ['one byte', Buffer.from('{'), Buffer.from('{')],
    ['gzip', gzipSync(lines), lines],
    ['gzip of nothing', gzipSync(Buffer.alloc(0)), Buffer.alloc(0)],
    [
      'gzip of several members',
      Buffer.concat([gzipSync(first), gzipSync(Buffer.alloc(0)), gzipSync(second)]),
      lines,
    ],
    [
      'gzip with zero padding',
      Buffer.concat([gzipSync(first), Buffer.alloc(700), gzipSync(second), Buffer.alloc(9)]),
      lines,
    ],
    ['zstd', ZSTD_TWO, Buffer.from('{"n":1}\n{"n":2}\n')],
    [
      'zstd frames',
      Buffer.concat([ZSTD_TWO, SKIPPABLE, ZSTD_ONE]),
      Buffer.from('{"n":1}\n{"n":2}\n{"n":3}\n'),
    ],
    ['zstd behind a skippable frame', Buffer.concat([SKIPPABLE, ZSTD_ONE]), Buffer.from('{"n":3}\n')],
    ['lz4', compressFrameSync(lines), lines],
    ['lz4 with checksums', compressFrameSync(lines, { contentChecksum: true, blockChecksums: true }), lines],
    ['lz4 frames', Buffer.concat([compressFrameSync(first), SKIPPABLE, compressFrameSync(second)]), lines],
    ['lz4 of linked blocks', linkedFrame([first, second]), lines],
  ])('%s', async (_name, bytes, expected) => {
    const { content, trouble } = await decoded(bytes)
    expect(content.equals(expected)).toBe(true)
    expect(trouble).toBeNull()
  })
})

describe('what is wrong is said, and what came before is kept', () => {
  const gz = gzipSync(lines)
  const lz4 = compressFrameSync(lines, { contentChecksum: true })
  test.each<[string, Uint8Array, Trouble['kind']]>([
    ['gzip cut in the middle', gz.subarray(0, gz.length / 2), 'cut'],
    ['gzip cut in its trailer', gz.subarray(0, -3), 'cut'],
    ['gzip cut in the header of a member', Buffer.concat([gz, gz.subarray(0, 5)]), 'cut'],
    ['junk behind gzip', Buffer.concat([gz, Buffer.from('not gzip')]), 'junk'],
    ['gzip with a wrong checksum', flipped(gz, gz.length - 6), 'corrupt'],
    ['zstd cut', Buffer.concat([ZSTD_TWO, ZSTD_ONE.subarray(0, 10)]), 'cut'],
    ['lz4 cut', lz4.subarray(0, -5), 'cut'],
    ['lz4 with a wrong checksum', flipped(lz4, lz4.length - 1), 'corrupt'],
    ['lz4 with a damaged header', flipped(lz4, 4), 'corrupt'],
    ['junk behind lz4', Buffer.concat([lz4, Buffer.from('not lz4 at all')]), 'junk'],
    ['lz4 magic and noise', Buffer.from(`04224d18${'ff'.repeat(60)}`, 'hex'), 'corrupt'],
  ])('%s', async (_name, bytes, kind) => {
    const { content, trouble } = await decoded(bytes)
    expect(trouble?.kind).toBe(kind)
    expect(
      lines.subarray(0, content.length).equals(content) || content.toString().startsWith('{"n":1}'),
    ).toBe(true)
  })

  test('a cut gzip file gives nearly all that it holds', async () => {
    const { content } = await decoded(gz.subarray(0, -20))
    expect(content.length).toBeGreaterThan(lines.length - 200)
  })
})

test('data that expands without end is refused', async () => {
  const bomb = new CountingSource(sourceOf(gzipSync(Buffer.alloc(100 * 1024 * 1024))))
  const source = new DecodedSource(bomb, gunzip(new ByteReader(bomb)), { ratio: 100, bytes: 2 ** 40 })
  const content = await readWhole(source, 1024 * 1024)
  expect(source.trouble?.kind).toBe('bomb')
  expect(content.length).toBeLessThan(100 * 1024 * 1024)
})

test('a member that ends anywhere in what was read leaves the rest to the next', async () => {
  for (const size of [1, 2, 7, 4096]) {
    const input = Buffer.concat([gzipSync(Buffer.from('one\n')), gzipSync(Buffer.from('two\n'))])
    const counted = new CountingSource(sourceOf(input, size))
    const source = new DecodedSource(counted, gunzip(new ByteReader(counted)), {
      ratio: 5000,
      bytes: 2 ** 40,
    })
    expect((await readWhole(source)).toString()).toBe('one\ntwo\n')
  }
})

function sourceOf(bytes: Uint8Array, pieceBytes = 65_536): Source {
  let position = 0
  return {
    read(into, at, length) {
      const got = Math.min(length, pieceBytes, bytes.length - position)
      into.set(bytes.subarray(position, position + got), at)
      position += got
      return got
    },
    close() {},
  }
}

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const copy = Uint8Array.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ 0x55
  return copy
}

/** A frame whose second block may refer to the first: stored and compressed blocks as the format has them. */
function linkedFrame(blocks: readonly Buffer[]): Buffer {
  // Flags: version 1, linked, no checksums; blocks of up to 4 MiB; the header's checksum is that of these two bytes.
  const parts: Buffer[] = [Buffer.from('04224d184070df', 'hex')]
  let before: Buffer | null = null
  for (const block of blocks) {
    const packed = before === null ? compressSync(block) : compressSync(block, before.subarray(-65_536))
    // The package puts the size in front, which frames do not have.
    const bare = packed.subarray(4)
    const size = Buffer.alloc(4)
    size.writeUInt32LE(bare.length)
    parts.push(size, bare)
    before = block
  }
  return Buffer.concat([...parts, Buffer.alloc(4)])
}

test('raw deflate is no gzip', async () => {
  const raw = deflateRawSync(lines)
  expect((await decoded(raw)).compressed).toBe(false)
})
