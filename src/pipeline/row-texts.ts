/** Bytes of a block; a longer text has one for itself. */
const BLOCK_BYTES = 256 * 1024

/**
 * Many short texts, as UTF-8 outside the heap: nothing of them is an object that the collector would have to walk, and most
 * take half the room of a string.
 */
export class RowTexts {
  private readonly blocks: Buffer[] = []
  /** By number of a text: where it begins, as the block's number times `BLOCK_BYTES` and the offset in it; then its length. */
  private readonly starts: number[] = []
  private readonly lengths: number[] = []
  private end = BLOCK_BYTES

  /** Keep a text without lone surrogates. Returns its number, counted from 0. */
  add(text: string): number {
    const length = Buffer.byteLength(text)
    if (this.end + length > BLOCK_BYTES) {
      this.blocks.push(Buffer.allocUnsafeSlow(Math.max(length, BLOCK_BYTES)))
      this.end = 0
    }
    const last = this.blocks.length - 1
    this.blocks[last]?.write(text, this.end)
    this.starts.push(last * BLOCK_BYTES + this.end)
    this.end += length
    return this.lengths.push(length) - 1
  }

  /** The text of a number; empty where there is none. */
  at(row: number): string {
    const start = this.starts[row] ?? 0
    const offset = start % BLOCK_BYTES
    return (
      this.blocks[Math.floor(start / BLOCK_BYTES)]?.toString(
        'utf8',
        offset,
        offset + (this.lengths[row] ?? 0),
      ) ?? ''
    )
  }
}
