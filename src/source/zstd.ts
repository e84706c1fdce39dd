import type { ByteReader } from './byte-reader.ts'
import type { Decoder } from './decoded.ts'
import type { Trouble } from './source.ts'
import { type ZstdDecoder, zstdDecoder } from './zstd-decoders.ts'
import { FIRST_SKIPPABLE, skipFrame, ZSTD_MAGIC, ZstdFrame } from './zstd-frame.ts'

const CUT: Trouble = { kind: 'cut', message: 'the zstd data breaks off; what came before was read' }

const JUNK: Trouble = {
  kind: 'junk',
  message: 'something that is not zstd follows the compressed data; it was left out',
}

/**
 * All frames of a zstd file, skippable ones left out, one after the other.
 *
 * @param decoder decodes one frame; for tests
 */
export async function* unzstd(input: ByteReader, decoder: () => Promise<ZstdDecoder> = zstdDecoder): Decoder {
  const decode = await decoder()
  for (let frames = 0; ; frames++) {
    const head = await input.peek(4)
    if (head.length === 0) return null
    if (head.length < 4) return frames === 0 ? CUT : JUNK
    const magic = head.readUInt32LE(0)
    if (magic >>> 4 === FIRST_SKIPPABLE >>> 4) {
      if (!(await skipFrame(input))) return CUT
      continue
    }
    if (magic !== ZSTD_MAGIC) return JUNK
    const frame = new ZstdFrame()
    try {
      yield* decode(bytesOf(frame, input), frame)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      return { kind: 'corrupt', message: `the zstd data is damaged (${why}); what came before was read` }
    }
    if (!frame.ended) return CUT
  }
}

/** The bytes of one frame as they come; ends early when the input does. What follows the frame is left in the input. */
async function* bytesOf(frame: ZstdFrame, input: ByteReader): AsyncGenerator<Uint8Array, void, undefined> {
  while (!frame.ended) {
    const block = await input.block()
    if (block.length === 0) return
    const length = frame.advance(block)
    input.unread(block.length - length)
    yield block.subarray(0, length)
  }
}
