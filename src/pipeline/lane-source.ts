import type { Source, Trouble } from '../source/source.ts'
import type { FilledBlock } from './decode-lane.ts'
import { DecodeLane } from './pool.ts'

/** Bytes of a block, and how many there are: what is decoded ahead while this thread is busy with a chunk. */
const BLOCK_BYTES = 1024 * 1024
const BLOCKS = 8

/**
 * A compressed file, decompressed by a thread of its own.
 *
 *     lane   open ─ fill 0 ─ fill 1 ─ … ─ fill 7 ─ fill 0 …   as long as blocks are free
 *     here          read 0 ── read 1 ──────────────           gives each back when it is read
 */
export class LaneSource implements Source {
  trouble: Trouble | null = null
  /** SHA-256 of everything, once `read` has given 0; null when it is not wanted. */
  digest: string | null = null
  private readonly lane = new DecodeLane()
  private readonly blocks: readonly SharedArrayBuffer[]
  private readonly views: readonly Buffer[]
  /** Filled or being filled, in order. */
  private readonly filling: { readonly block: number; readonly filled: Promise<FilledBlock> }[] = []
  private current: { readonly block: number; readonly bytes: number } | null = null
  private position = 0
  private ended = false

  constructor(file: string, digest: boolean) {
    this.blocks = Array.from({ length: BLOCKS }, () => new SharedArrayBuffer(BLOCK_BYTES))
    this.views = this.blocks.map((block) => Buffer.from(block))
    const opened = this.lane.step({ kind: 'open', file, blocks: this.blocks, digest })
    opened.catch(() => {}) // seen again, and thrown, by the first read
    for (let block = 0; block < BLOCKS; block++) this.fill(block, opened)
  }

  read(into: Uint8Array, at: number, length: number): number | Promise<number> {
    return this.current === null && !this.ended
      ? this.next().then(() => this.take(into, at, length))
      : this.take(into, at, length)
  }

  close(): void {
    void this.lane.close()
  }

  private take(into: Uint8Array, at: number, length: number): number {
    const { current } = this
    if (current === null) return 0
    const got = Math.min(length, current.bytes - this.position)
    const view = this.views[current.block]
    if (view !== undefined) into.set(view.subarray(this.position, this.position + got), at)
    this.position += got
    if (this.position === current.bytes) {
      this.current = null
      if (!this.ended) this.fill(current.block)
    }
    return got
  }

  /** Go over to the next block. @throws SourceError when the file cannot be read */
  private async next(): Promise<void> {
    const head = this.filling.shift()
    if (head === undefined) return
    const { bytes, trouble, digest } = await head.filled
    this.position = 0
    this.current = bytes === 0 ? null : { block: head.block, bytes }
    if (bytes === BLOCK_BYTES) return
    this.ended = true
    this.trouble = trouble
    this.digest = digest
  }

  private fill(block: number, after?: Promise<FilledBlock>): void {
    const filled =
      after === undefined
        ? this.lane.step({ kind: 'fill', block })
        : after.then(() => this.lane.step({ kind: 'fill', block }))
    filled.catch(() => {}) // seen again, and thrown, when its turn comes
    this.filling.push({ block, filled })
  }
}
