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

export interface DigestTask {
  /** Number of the lane: one thread may do the work of several. */
  readonly lane: number
  /** To hash in their order; null asks for the digest. */
  readonly spans: readonly DigestSpan[] | null
}

/** By the numbers of their lanes. */
const hashes = new Map<number, Hash>()
let block: Buffer | null = null

/**
 * The work of a digest lane: a thread that hashes one file in order, beside the threads that translate it, mostly where
 * they have its bytes already. Returns the SHA-256 at the end, else null.
 *
 * @throws SourceError when the file cannot be read, its code in front of the message
 */
export function digestStep({ lane, spans }: DigestTask): string | null {
  const hash = hashes.get(lane) ?? createHash('sha256')
  if (spans === null) {
    hashes.delete(lane)
    return hash.digest('hex')
  }
  hashes.set(lane, hash)
  for (const span of spans) {
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
