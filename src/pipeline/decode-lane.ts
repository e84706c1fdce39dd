import { createHash, type Hash } from 'node:crypto'
import { openSource } from '../source/codec.ts'
import type { Source, Trouble } from '../source/source.ts'
import { portable } from './portable.ts'

/** One step of a decode lane: open the file, or fill a block with what comes next of it. */
export type DecodeTask =
  | {
      readonly kind: 'open'
      readonly file: string
      readonly blocks: readonly SharedArrayBuffer[]
      readonly digest: boolean
    }
  | { readonly kind: 'fill'; readonly block: number }

/** A block that was filled; fewer bytes than it holds only at the end. Plain data. */
export interface FilledBlock {
  readonly bytes: number
  /** Known at the end. */
  readonly trouble: Trouble | null
  /** SHA-256 of all that was decoded; at the end, where it is wanted. */
  readonly digest: string | null
}

let source: Source | null = null
let hash: Hash | null = null
let blocks: readonly Buffer[] = []

/**
 * The work of a decode lane: a thread that decompresses one file, block by block, beside the threads that translate it.
 *
 * @throws SourceError when the file cannot be read, its code in front of the message
 */
export async function decodeStep(task: DecodeTask): Promise<FilledBlock> {
  try {
    if (task.kind === 'open') {
      blocks = task.blocks.map((block) => Buffer.from(block))
      hash = task.digest ? createHash('sha256') : null
      source = (await openSource(task.file)).source
      return { bytes: 0, trouble: null, digest: null }
    }
    return await fill(blocks[task.block])
  } catch (error) {
    throw portable(error)
  }
}

async function fill(block: Buffer | undefined): Promise<FilledBlock> {
  if (block === undefined) throw new RangeError('there is no such block')
  // Blocks that were asked for behind the end stay empty.
  if (source === null) return { bytes: 0, trouble: null, digest: null }
  let bytes = 0
  while (bytes < block.length) {
    const answer = source.read(block, bytes, block.length - bytes)
    const got = typeof answer === 'number' ? answer : await answer
    if (got === 0) return end(source, block.subarray(0, bytes))
    bytes += got
  }
  hash?.update(block)
  return { bytes, trouble: null, digest: null }
}

function end(ended: Source, last: Buffer): FilledBlock {
  ended.close()
  source = null
  return {
    bytes: last.length,
    trouble: ended.trouble ?? null,
    digest: hash?.update(last).digest('hex') ?? null,
  }
}
