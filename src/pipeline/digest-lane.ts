import { createHash, type Hash } from 'node:crypto'
import { FileSource } from '../source/source.ts'
import { portable } from './portable.ts'
import type { ByteRange } from './range.ts'

const BLOCK_BYTES = 1024 * 1024

export type DigestTask =
  | { readonly kind: 'update'; readonly file: string; readonly range: ByteRange }
  | { readonly kind: 'finish' }

let hash: Hash | null = null
let block: Buffer | null = null

/**
 * The work of a digest lane: a thread that hashes one file in order, beside the threads that translate it. Returns the
 * SHA-256 at the end, else null.
 *
 * @throws SourceError when the file cannot be read, its code in front of the message
 */
export function digestStep(task: DigestTask): string | null {
  hash ??= createHash('sha256')
  if (task.kind === 'finish') {
    const digest = hash.digest('hex')
    hash = null
    return digest
  }
  block ??= Buffer.allocUnsafe(BLOCK_BYTES)
  let file: FileSource | null = null
  try {
    file = new FileSource(task.file)
    for (let at = task.range.start; at < task.range.end;) {
      const got = file.readAt(block, 0, Math.min(block.length, task.range.end - at), at)
      if (got === 0) break
      hash.update(block.subarray(0, got))
      at += got
    }
  } catch (error) {
    throw portable(error)
  } finally {
    file?.close()
  }
  return null
}
