import { uncompressSync } from 'lz4-napi'
import xxhash from 'xxhash-wasm'
import type { ByteReader } from './byte-reader.ts'
import type { Decoder } from './decoded.ts'
import type { Trouble } from './source.ts'
import { FIRST_SKIPPABLE, skipFrame } from './zstd-frame.ts'

const FRAME_MAGIC = 0x184d2204
const LEGACY_MAGIC = 0x184c2102

const FLAG = {
  Independent: 0x20,
  BlockChecksum: 0x10,
  ContentSize: 0x08,
  ContentChecksum: 0x04,
  DictId: 0x01,
} as const

/** Most a block may hold, by the number in its frame's header. */
const BLOCK_BYTES: Readonly<Record<number, number>> = { 4: 65536, 5: 262144, 6: 1048576, 7: 4194304 }
/** What a block may refer back to. */
const WINDOW_BYTES = 65536
const STORED = 0x80000000

const CUT: Trouble = { kind: 'cut', message: 'the lz4 data breaks off; what came before was read' }

/**
 * All frames of an lz4 file, linked and independent blocks, checksums checked. The package decodes blocks and whole
 * frames only, and of several frames just the first, so frames are walked here:
 *
 *     magic · flags · sizes · header checksum │ size, block, checksum? │ … │ 0 │ content checksum?
 *
 * Sizes are checked against the frame's own limit before anything is allocated.
 */
export async function* unlz4(input: ByteReader): Decoder {
  const { h32Raw, create32 } = await xxhash()
  for (let frames = 0; ; frames++) {
    const head = await input.peek(4)
    if (head.length === 0) return null
    if (head.length < 4) return CUT
    const magic = head.readUInt32LE(0)
    if (magic >>> 4 === FIRST_SKIPPABLE >>> 4) {
      if (!(await skipFrame(input))) return CUT
      continue
    }
    if (magic === LEGACY_MAGIC)
      return corrupt('is in the legacy format; compress it again with a current lz4')
    if (magic !== FRAME_MAGIC) {
      if (frames === 0) return corrupt('has no frame')
      return {
        kind: 'junk',
        message: 'something that is not lz4 follows the compressed data; it was left out',
      }
    }
    const frame = await readHeader(input, h32Raw)
    if ('kind' in frame) return frame
    const content = create32()
    let window = Buffer.alloc(0)
    for (;;) {
      const size = (await input.take(4))?.readUInt32LE(0)
      if (size === undefined) return CUT
      if (size === 0) break
      const stored = size >= STORED
      const length = stored ? size - STORED : size
      if (length > frame.blockBytes) return corrupt('has a block larger than its frame allows')
      const piece = await input.take(length + (frame.blockChecksum ? 4 : 0))
      if (piece === null) return CUT
      const block = piece.subarray(0, length)
      if (frame.blockChecksum && h32Raw(block) !== piece.readUInt32LE(length))
        return corrupt('has a wrong checksum')
      let decoded: Buffer
      try {
        decoded = stored ? Buffer.from(block) : decodeBlock(block, frame.blockBytes, window)
      } catch {
        return corrupt('has a damaged block')
      }
      if (frame.contentChecksum) content.update(decoded)
      if (!frame.independent) window = lastWindow(window, decoded)
      yield decoded
    }
    if (frame.contentChecksum) {
      const checksum = (await input.take(4))?.readUInt32LE(0)
      if (checksum === undefined) return CUT
      if (checksum !== content.digest()) return corrupt('has a wrong checksum')
    }
  }
}

interface Frame {
  readonly independent: boolean
  readonly blockChecksum: boolean
  readonly contentChecksum: boolean
  readonly blockBytes: number
}

async function readHeader(
  input: ByteReader,
  h32Raw: (bytes: Uint8Array) => number,
): Promise<Frame | Trouble> {
  await input.take(4)
  const flags = (await input.peek(1))[0]
  if (flags === undefined) return CUT
  const length = 2 + ((flags & FLAG.ContentSize) !== 0 ? 8 : 0) + ((flags & FLAG.DictId) !== 0 ? 4 : 0)
  const header = await input.take(length + 1)
  if (header === null) return CUT
  if (((h32Raw(header.subarray(0, length)) >>> 8) & 0xff) !== header[length])
    return corrupt('has a damaged header')
  if (flags >>> 6 !== 1) return corrupt('is of an unknown version')
  if ((flags & FLAG.DictId) !== 0) return corrupt('needs a dictionary, which is not there')
  const blockBytes = BLOCK_BYTES[((header[1] ?? 0) >>> 4) & 7]
  if (blockBytes === undefined) return corrupt('has an unknown block size')
  return {
    independent: (flags & FLAG.Independent) !== 0,
    blockChecksum: (flags & FLAG.BlockChecksum) !== 0,
    contentChecksum: (flags & FLAG.ContentChecksum) !== 0,
    blockBytes,
  }
}

/** The package wants the decoded size in front; the most a block may have does as well. */
function decodeBlock(block: Buffer, mostBytes: number, window: Buffer): Buffer {
  const sized = Buffer.allocUnsafe(4 + block.length)
  sized.writeUInt32LE(mostBytes, 0)
  block.copy(sized, 4)
  return window.length === 0 ? uncompressSync(sized) : uncompressSync(sized, window)
}

function lastWindow(window: Buffer, decoded: Buffer): Buffer<ArrayBuffer> {
  if (decoded.length >= WINDOW_BYTES) return Buffer.from(decoded.subarray(-WINDOW_BYTES))
  return Buffer.concat([window.subarray(-(WINDOW_BYTES - decoded.length)), decoded])
}

function corrupt(what: string): Trouble {
  return { kind: 'corrupt', message: `the lz4 data ${what}` }
}
