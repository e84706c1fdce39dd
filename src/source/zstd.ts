import { Decompress } from 'fzstd'
import type { ByteReader } from './byte-reader.ts'
import type { Decoder } from './decoded.ts'

/** All frames of a zstd file, skippable ones left out. The decoder is written in JavaScript and needs nothing compiled. */
export async function* unzstd(input: ByteReader): Decoder {
  const pieces: Uint8Array[] = []
  const decoder = new Decompress((piece) => {
    if (piece.length > 0) pieces.push(piece)
  })
  for (;;) {
    const block = await input.block()
    const last = block.length === 0
    try {
      // The decoder keeps parts of what it is given; a block is only good until the next.
      decoder.push(Uint8Array.from(block), last)
    } catch (error) {
      yield* pieces.splice(0)
      const why = error instanceof Error ? error.message : String(error)
      if (last) return { kind: 'cut', message: 'the zstd data breaks off; what came before was read' }
      return { kind: 'corrupt', message: `the zstd data is damaged (${why}); what came before was read` }
    }
    yield* pieces.splice(0)
    if (last) return null
  }
}
