import { createHash, type Hash } from 'node:crypto'
import { FileSource } from '../source/source.ts'
import { portable } from './portable.ts'
import type { ByteRange } from './range.ts'
import { slotBytes } from './worker-data.ts'

const BLOCK_BYTES = 1024 * 1024

/** Bytes to hash: in the memory of a slot, `at` an address; or in a file, where no slot holds them. */
export type DigestSpan =
  | { readonly kind: 'slot'; readonly slot: number; readonly at: number; readonly length: number }
  | { readonly kind: 'file'; readonly file: string; readonly range: ByteRange }

/** Spans to hash in their order; null asks for the digest. */
export type DigestTask = readonly DigestSpan[] | null

let hash: Hash | null = null
let block: Buffer | null = null

/**
 * The work of a digest lane: a thread that hashes one file in order, beside the threads that translate it, mostly where
 * they have its bytes already. Returns the SHA-256 at the end, else null.
 *
 * @throws SourceError when the file cannot be read, its code in front of the message
 */
export function digestStep(task: DigestTask): string | null {
  hash ??= createHash('sha256')
  if (task === null) {
    const digest = hash.digest('hex')
    hash = null
    return digest
  }
  for (const span of task) {
    if (span.kind === 'file') updateFrom(span.file, span.range, hash)
    else hash.update(slotBytes(span.slot, span.at, span.length))
  }
  return null
}

function updateFrom(path: string, { start, end }: ByteRange, into: Hash): void {
  block ??= Buffer.allocUnsafe(BLOCK_BYTES)
  let file: FileSource | null = null
  try {
    file = new FileSource(path)
    for (let at = start; at < end;) {
      const got = file.readAt(block, 0, Math.min(block.length, end - at), at)
      if (got === 0) break
      into.update(block.subarray(0, got))
      at += got
    }
  } catch (error) {
    throw portable(error)
  } finally {
    file?.close()
  }
}
