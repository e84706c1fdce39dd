import type { Source } from '../../src/source/source.ts'

/** All that a source gives, in pieces of so many bytes at most. The source is closed; what is wrong with it is known then. */
export async function readWhole(source: Source, pieceBytes = 70_001): Promise<Buffer> {
  const pieces: Buffer[] = []
  const piece = Buffer.alloc(pieceBytes)
  for (;;) {
    const got = await source.read(piece, 0, piece.length)
    if (got === 0) break
    pieces.push(Buffer.from(piece.subarray(0, got)))
  }
  source.close()
  return Buffer.concat(pieces)
}
