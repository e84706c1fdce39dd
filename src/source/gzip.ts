import * as zlib from 'node:zlib'
import type { ByteReader } from './byte-reader.ts'
import type { Decoder } from './decoded.ts'
import type { Trouble } from './source.ts'

const CHUNK_BYTES = 1024 * 1024

const FLAG = { HeaderCrc: 2, Extra: 4, Name: 8, Comment: 16 } as const

/** Longest header field that is skipped; no writer comes near it. */
const LONGEST_FIELD = 64 * 1024

/**
 * All members of a gzip file, one after the other (RFC 1952). Inflating runs in Node's own threads, ahead of what is read.
 *
 * Members are walked here and not by `createGunzip`, which on junk or a cut behind a member throws away what it had decoded
 * last: zero padding ends the file quietly, anything else is named, and what came before it is kept.
 */
export async function* gunzip(input: ByteReader): Decoder {
  for (let members = 0; ; members++) {
    if (members > 0 && (await skipPadding(input))) return null
    const head = await input.peek(3)
    if (head.length === 0) return null
    if (head[0] !== 0x1f || head[1] !== 0x8b || (head.length > 2 && head[2] !== 8)) {
      return {
        kind: 'junk',
        message: 'something that is not gzip follows the compressed data; it was left out',
      }
    }
    if (!(await skipHeader(input))) return CUT
    const trouble = yield* inflateMember(input)
    if (trouble !== null) return trouble
  }
}

const CUT: Trouble = { kind: 'cut', message: 'the gzip data breaks off; what came before was read' }

async function* inflateMember(input: ByteReader): Decoder {
  // With this flush an input that breaks off gives all that it holds, and no error; whether it did is known below.
  const inflate = zlib.createInflateRaw({ chunkSize: CHUNK_BYTES, finishFlush: zlib.constants.Z_SYNC_FLUSH })
  const feeding = feed(input, inflate)
  feeding.catch(() => {}) // what it has to say is thrown by the stream
  let crc = 0
  let bytes = 0
  try {
    for await (const piece of inflate) {
      if (!(piece instanceof Uint8Array)) continue
      if (CRC32 !== null) crc = CRC32(piece, crc)
      bytes += piece.length
      yield piece
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { kind: 'corrupt', message: `the gzip data is damaged (${why}); what came before was read` }
  }
  if (!(await feeding)) return CUT
  const trailer = await input.take(8)
  if (trailer === null) return CUT
  const whole =
    trailer.readUInt32LE(4) === bytes % 2 ** 32 && (CRC32 === null || trailer.readUInt32LE(0) === crc)
  return whole ? null : { kind: 'corrupt', message: 'the gzip data does not match its checksum' }
}

/** In Node from 20.15 on; without it only lengths are checked. */
const CRC32 = typeof zlib.crc32 === 'function' ? zlib.crc32 : null

/** Write blocks until the member has ended: true, its rest given back to the reader. False when the input ends first. */
async function feed(input: ByteReader, inflate: zlib.InflateRaw): Promise<boolean> {
  let given = 0
  for (;;) {
    const block = await input.block()
    if (block.length === 0) {
      inflate.end()
      return false
    }
    given += block.length
    await new Promise<void>((resolve) => inflate.write(block, () => resolve()))
    // Bytes are left over only when the member has ended before them.
    if (inflate.bytesWritten < given) {
      input.unread(given - inflate.bytesWritten)
      return true
    }
  }
}

/** True when nothing but zero bytes is left. */
async function skipPadding(input: ByteReader): Promise<boolean> {
  if ((await input.peek(1))[0] !== 0) return false
  for (;;) {
    const block = await input.block()
    if (block.length === 0) return true
    const other = block.findIndex((byte) => byte !== 0)
    if (other >= 0) {
      input.unread(block.length - other)
      return false
    }
  }
}

async function skipHeader(input: ByteReader): Promise<boolean> {
  const head = await input.take(10)
  if (head === null) return false
  const flags = head[3] ?? 0
  if ((flags & FLAG.Extra) !== 0) {
    const length = (await input.take(2))?.readUInt16LE(0)
    if (length === undefined || (await input.take(length)) === null) return false
  }
  for (const flag of [FLAG.Name, FLAG.Comment])
    if ((flags & flag) !== 0 && !(await skipText(input))) return false
  return (flags & FLAG.HeaderCrc) === 0 || (await input.take(2)) !== null
}

/** Past the zero byte that ends a text field. */
async function skipText(input: ByteReader): Promise<boolean> {
  const field = await input.peek(LONGEST_FIELD)
  const zero = field.indexOf(0)
  return zero >= 0 && (await input.take(zero + 1)) !== null
}
