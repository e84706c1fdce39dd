import { Duplex } from 'node:stream'
import * as zlib from 'node:zlib'
import type { Decompress } from 'fzstd'
import { memberOf, ZSTD_PEER } from './compress.ts'
import type { ZstdFrame } from './zstd-frame.ts'

/**
 * Decodes the bytes of one frame. They come in pieces that are good until the next is asked for, and so are those it gives.
 * Throws when they are damaged.
 */
export type ZstdDecoder = (
  bytes: AsyncIterable<Uint8Array>,
  frame: ZstdFrame,
) => AsyncGenerator<Uint8Array, void, undefined>

const CHUNK_BYTES = 1024 * 1024
/** Largest window a frame may ask for, as a power of two: the most that the format's own tool knows. */
const MOST_WINDOW_LOG = 31
/** Number of that setting, where Node has zstd without a name for it. */
const WINDOW_LOG_SETTING = 100

let chosen: Promise<ZstdDecoder> | null = null

/** The decoder of this process, chosen when it is first asked for. */
export function zstdDecoder(): Promise<ZstdDecoder> {
  chosen ??= chooseZstdDecoder(
    'createZstdDecompress' in zlib ? zlib.createZstdDecompress : undefined,
    () => import(ZSTD_PEER),
  )
  return chosen
}

/**
 * The fastest there is: Node's own from 22.15 on, then the optional peer, else one that is written in JavaScript, which
 * needs nothing compiled and takes several times as long.
 *
 * @param own makes streams of Node
 * @param peer gives the peer, or fails
 */
export async function chooseZstdDecoder(own: unknown, peer: () => Promise<unknown>): Promise<ZstdDecoder> {
  if (typeof own === 'function') {
    const options = { chunkSize: CHUNK_BYTES, params: { [WINDOW_LOG_SETTING]: MOST_WINDOW_LOG } }
    return (bytes) => inStream(bytes, own(options))
  }
  const loaded = await peer().catch(() => null)
  const Stream =
    memberOf(loaded, 'DecompressStream') ?? memberOf(memberOf(loaded, 'default'), 'DecompressStream')
  if (typeof Stream === 'function')
    return (bytes) => inStream(bytes, Reflect.construct(Stream, [{ windowLogMax: MOST_WINDOW_LOG }]))
  const [{ Decompress }, { default: xxhash }] = await Promise.all([import('fzstd'), import('xxhash-wasm')])
  const { create64 } = await xxhash()
  return (bytes, frame) => inJavaScript(bytes, frame, Decompress, create64())
}

/** The stream is read by hand and never ended: at an end it did not expect it would throw away what it had decoded last. */
async function* inStream(
  bytes: AsyncIterable<Uint8Array>,
  stream: unknown,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (!(stream instanceof Duplex)) throw new TypeError('the zstd decoder is no stream')
  let isFed = false
  let failure: Error | null = null
  let news: () => void = nothing
  const fed = feed(bytes, stream).finally(() => {
    isFed = true
    news()
  })
  fed.catch(() => {}) // seen again, and thrown, at the end
  stream.on('error', (error) => {
    failure = error
    news()
  })
  stream.on('readable', () => news())
  try {
    for (;;) {
      const wasFed = isFed
      const piece: unknown = stream.read()
      if (piece instanceof Uint8Array) yield piece
      else if (wasFed) break
      // After a failure Node calls nobody back who writes.
      else if (failure !== null) throw failure
      else if (!isFed) await new Promise<void>((resolve) => (news = resolve))
    }
    await fed
  } finally {
    stream.destroy()
  }
}

function nothing(): void {}

async function feed(bytes: AsyncIterable<Uint8Array>, stream: Duplex): Promise<void> {
  for await (const piece of bytes) {
    await new Promise<void>((resolve, reject) => {
      stream.write(piece, (error) => (error ? reject(error) : resolve()))
    })
  }
}

/** This decoder checks little: damage shows by the checksum, where there is one. */
async function* inJavaScript(
  bytes: AsyncIterable<Uint8Array>,
  frame: ZstdFrame,
  Decoder: typeof Decompress,
  content: { update(bytes: Uint8Array): unknown; digest(): bigint },
): AsyncGenerator<Uint8Array, void, undefined> {
  const pieces: Uint8Array[] = []
  const decoder = new Decoder((piece) => {
    if (piece.length === 0) return
    content.update(piece)
    pieces.push(piece)
  })
  try {
    for await (const piece of bytes) {
      // The decoder keeps parts of what it is given.
      decoder.push(Uint8Array.from(piece))
      yield* pieces.splice(0)
    }
  } catch (error) {
    yield* pieces.splice(0)
    throw error
  }
  if (frame.checksum !== null && BigInt(frame.checksum) !== BigInt.asUintN(32, content.digest()))
    throw new Error('it has a wrong checksum')
}
