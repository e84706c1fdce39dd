import { spawnSync } from 'node:child_process'
import * as zlib from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { ByteReader } from '../../src/source/byte-reader.ts'
import { type Compressor, ZSTD_PEER, zstdCompressor } from '../../src/source/compress.ts'
import type { Trouble } from '../../src/source/source.ts'
import { chooseZstdDecoder } from '../../src/source/zstd-decoders.ts'
import { unzstd } from '../../src/source/zstd.ts'
import { ZstdFrame } from '../../src/source/zstd-frame.ts'
import { describeWithPeer, hasPeer, loadPeer } from '../peers.ts'
import { Portions } from '../property/reading.ts'

const missing = (): Promise<unknown> => Promise.reject(new Error('no such package'))
const peer = (): Promise<unknown> => loadPeer(ZSTD_PEER)
const own = 'createZstdDecompress' in zlib ? zlib.createZstdDecompress : undefined
const hasTool = spawnSync('zstd', ['--version']).status === 0

/** Every decoder that this machine has; the one in JavaScript is always there. */
const decoders = [
  { name: 'JavaScript', choose: () => chooseZstdDecoder(undefined, missing), isThere: true },
  { name: 'the peer', choose: () => chooseZstdDecoder(undefined, peer), isThere: hasPeer(ZSTD_PEER) },
  { name: 'Node', choose: () => chooseZstdDecoder(own, missing), isThere: own !== undefined },
].filter(({ isThere }) => isThere)

const SKIPPABLE = Buffer.from('5e2a4d1804000000aabbccdd', 'hex')
/** `{"n":1}\n{"n":2}\n`, compressed, with a checksum. */
const CHECKED = Buffer.from('KLUv/QRYgQAAeyJuIjoxfQp7Im4iOjJ9CkUsYJk=', 'base64')

/** A frame of blocks that are stored, and repetitions of a byte, without sizes and checksums. */
function frameOf(...blocks: readonly (Buffer | readonly [byte: number, times: number])[]): Buffer {
  const parts = blocks.flatMap((block, i) => {
    const [size, type, bytes] = Buffer.isBuffer(block)
      ? [block.length, 0, block]
      : [block[1], 1, Buffer.from([block[0]])]
    const header = Buffer.alloc(3)
    header.writeUIntLE((size << 3) | (type << 1) | (i === blocks.length - 1 ? 1 : 0), 0, 3)
    return [header, bytes]
  })
  return Buffer.concat([Buffer.from('28b52ffd0058', 'hex'), ...parts])
}

const lines = Buffer.from(Array.from({ length: 3000 }, (_, n) => `{"n":${n},"t":"${n * 7919}"}\n`).join(''))
const stored = frameOf(lines.subarray(0, 30_000), [0x20, 1000], lines.subarray(30_000))
const storedContent = Buffer.concat([
  lines.subarray(0, 30_000),
  Buffer.alloc(1000, 0x20),
  lines.subarray(30_000),
])

const damaged = Buffer.from(CHECKED)
damaged[damaged.length - 8] = 0x33

async function decoded(
  bytes: Buffer,
  choose: (typeof decoders)[number]['choose'],
  portion = 65_536,
): Promise<{ readonly content: Buffer; readonly trouble: Trouble | null }> {
  const pieces: Buffer[] = []
  const decoder = unzstd(new ByteReader(new Portions(bytes, portion, false)), choose)
  for (;;) {
    const next = await decoder.next()
    if (next.done === true) return { content: Buffer.concat(pieces), trouble: next.value }
    pieces.push(Buffer.from(next.value))
  }
}

describe.each(decoders)('zstd by $name', ({ choose }) => {
  test.each([65_536, 4096, 7])('reads frame after frame, in portions of %d bytes', async (portion) => {
    const bytes = Buffer.concat([stored, SKIPPABLE, CHECKED, frameOf(Buffer.alloc(0)), stored, SKIPPABLE])
    const { content, trouble } = await decoded(bytes, choose, portion)
    const wanted = [storedContent, Buffer.from('{"n":1}\n{"n":2}\n'), storedContent]
    expect(content.equals(Buffer.concat(wanted))).toBe(true)
    expect(trouble).toBeNull()
  })

  test.each([
    { what: 'cut in a block', bytes: stored.subarray(0, -100), kind: 'cut', least: 30_000 },
    { what: 'cut behind a block', bytes: stored.subarray(0, 6 + 3 + 30_000), kind: 'cut', least: 30_000 },
    { what: 'cut in its header', bytes: stored.subarray(0, 5), kind: 'cut', least: 0 },
    { what: 'cut in its magic number', bytes: stored.subarray(0, 3), kind: 'cut', least: 0 },
    {
      what: 'cut in the next frame',
      bytes: Buffer.concat([stored, CHECKED.subarray(0, -2)]),
      kind: 'cut',
      least: storedContent.length,
    },
    {
      what: 'cut in a frame to be skipped',
      bytes: Buffer.concat([stored, SKIPPABLE.subarray(0, -2)]),
      kind: 'cut',
      least: storedContent.length,
    },
    {
      what: 'followed by junk',
      bytes: Buffer.concat([stored, Buffer.from('no frame')]),
      kind: 'junk',
      least: storedContent.length,
    },
    {
      what: 'that its checksum does not fit',
      bytes: Buffer.concat([CHECKED, damaged]),
      kind: 'corrupt',
      least: 16,
    },
    {
      what: 'of a block type that is not there',
      bytes: Buffer.concat([CHECKED, Buffer.from('28b52ffd00584700004142434445464748', 'hex')]),
      kind: 'corrupt',
      least: 16,
    },
  ])('says of data $what that it is $kind, and keeps what came before', async ({ bytes, kind, least }) => {
    const { content, trouble } = await decoded(bytes, choose)
    expect(trouble?.kind).toBe(kind)
    expect(content.length).toBeGreaterThanOrEqual(least)
    const all = kind === 'corrupt' ? Buffer.from('{"n":1}\n{"n":2}\n') : storedContent
    expect(content.subarray(0, all.length).equals(all.subarray(0, content.length))).toBe(true)
  })

  test.skipIf(!hasTool)('reads what the tool makes, at any level and of any window', async () => {
    const text = Buffer.concat(Array.from({ length: 40 }, () => lines))
    for (const options of [['-1'], ['-19'], ['-3', '--long=27'], ['-5', '--no-check', '--no-content-size']]) {
      const { stdout } = spawnSync('zstd', ['-c', '-q', ...options], { input: text, maxBuffer: 2 ** 28 })
      const { content, trouble } = await decoded(Buffer.concat([stdout, stdout]), choose)
      expect(trouble).toBeNull()
      expect(content.equals(Buffer.concat([text, text]))).toBe(true)
    }
  })
})

async function isReadBack(compress: Compressor): Promise<void> {
  const bytes = Buffer.concat([compress(lines), compress(Buffer.alloc(0)), compress(lines)])
  const wanted = Buffer.concat([lines, lines])
  for (const { choose } of decoders) {
    const { content, trouble } = await decoded(bytes, choose)
    expect(trouble).toBeNull()
    expect(content.equals(wanted)).toBe(true)
  }
  if (!hasTool) return
  const { stdout } = spawnSync('zstd', ['-dc', '-q'], { input: bytes, maxBuffer: 2 ** 28 })
  expect(stdout.equals(wanted)).toBe(true)
}

describeWithPeer(ZSTD_PEER, 'zstd compressed by the peer', () => {
  test('is read by every decoder, and by the tool', async () => {
    await isReadBack(await zstdCompressor(undefined, peer))
  })
})

test.each('zstdCompressSync' in zlib ? [zlib.zstdCompressSync] : [])(
  'zstd compressed by Node is read by every decoder, and by the tool',
  async (compress) => {
    await isReadBack(await zstdCompressor(compress, missing))
  },
)

test('a peer without streams is passed over', async () => {
  const bytes = CHECKED
  const { content } = await decoded(bytes, () =>
    chooseZstdDecoder(undefined, () => Promise.resolve({ other: 1 })),
  )
  expect(content.toString()).toBe('{"n":1}\n{"n":2}\n')
})

test('the end of a frame is found in portions of any size', () => {
  for (const frame of [stored, CHECKED, frameOf(Buffer.alloc(0)), frameOf([0x41, 5])]) {
    for (const portion of [1, 2, 3, 1000, frame.length + 8]) {
      const bytes = Buffer.concat([frame, Buffer.from('12345678')])
      const walked = new ZstdFrame()
      let at = 0
      while (!walked.ended && at < bytes.length) at += walked.advance(bytes.subarray(at, at + portion))
      expect(at).toBe(frame.length)
    }
  }
})
