import type { ByteReader } from './byte-reader.ts'

/** Where a frame of zstd ends is told by the headers of its blocks, whatever decodes them (RFC 8878 §3.1.1). */

export const ZSTD_MAGIC = 0xfd2fb528
/** The first of the 16 magic numbers of frames to be skipped. */
export const FIRST_SKIPPABLE = 0x184d2a50

const MAGIC_BYTES = 4
const BLOCK_HEADER_BYTES = 3
const CHECKSUM_BYTES = 4
/** Bytes of the dictionary's id and of the content's size, by their flags in the frame's descriptor. */
const DICTIONARY_BYTES = [0, 1, 2, 4] as const
const SIZE_BYTES = [0, 2, 4, 8] as const
const BlockType = { Repeated: 1, Reserved: 3 } as const

/**
 * Follows the bytes of one frame to its end, so that a cut, the next frame and what is none are told apart.
 *
 *     magic · descriptor · window? · dictionary? · size? │ header, block │ … │ last header, block │ checksum?
 */
export class ZstdFrame {
  /** The last byte of the frame was seen. */
  ended = false
  /** The low half of XXH64 of what the frame holds, once it has ended; null when it has none. */
  checksum: number | null = null
  /** Of the header that is being read, so far. */
  private header: number[] = []
  private isFirst = true
  private isLast = false
  private hasChecksum = false
  private isContentOver = false
  /** Bytes to pass over before the next header. */
  private skip = MAGIC_BYTES

  /** How many bytes from the start of `piece` belong to the frame. @throws Error when it is damaged */
  advance(piece: Uint8Array): number {
    let at = 0
    while (!this.ended && at < piece.length) {
      if (this.skip > 0) {
        const passed = Math.min(this.skip, piece.length - at)
        this.skip -= passed
        at += passed
        if (this.skip === 0 && this.isLast) this.contentOver()
        continue
      }
      this.header.push(piece[at++] ?? 0)
      if (this.isFirst) this.descriptor()
      else if (this.isContentOver) this.trailer()
      else if (this.header.length === BLOCK_HEADER_BYTES) this.block()
    }
    return at
  }

  private descriptor(): void {
    const flags = this.header[0] ?? 0
    const isSingle = (flags & 0x20) !== 0
    const sizeFlag = flags >>> 6
    this.hasChecksum = (flags & 4) !== 0
    this.skip =
      (isSingle ? 0 : 1) +
      (DICTIONARY_BYTES[flags & 3] ?? 0) +
      (isSingle && sizeFlag === 0 ? 1 : (SIZE_BYTES[sizeFlag] ?? 0))
    this.isFirst = false
    this.header = []
  }

  private block(): void {
    const [low = 0, middle = 0, high = 0] = this.header
    const bits = low | (middle << 8) | (high << 16)
    this.isLast = (bits & 1) !== 0
    const type = (bits >>> 1) & 3
    if (type === BlockType.Reserved) throw new Error('it has a block of a type that is not there')
    this.skip = type === BlockType.Repeated ? 1 : bits >>> 3
    this.header = []
    if (this.skip === 0 && this.isLast) this.contentOver()
  }

  private contentOver(): void {
    this.isContentOver = true
    this.ended = !this.hasChecksum
  }

  private trailer(): void {
    if (this.header.length < CHECKSUM_BYTES) return
    this.checksum = Buffer.from(this.header).readUInt32LE(0)
    this.ended = true
  }
}

/** Pass over a frame that holds no data; zstd and lz4 share them. False when the input ends first. */
export async function skipFrame(input: ByteReader): Promise<boolean> {
  let left = (await input.take(8))?.readUInt32LE(4)
  if (left === undefined) return false
  while (left > 0) {
    const block = await input.block()
    if (block.length === 0) return false
    if (block.length > left) input.unread(block.length - left)
    left -= Math.min(left, block.length)
  }
  return true
}
