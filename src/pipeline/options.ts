import type { HttpHeaders } from '../source/address.ts'
import { CHUNK_BYTES, LINE_LIMIT } from './chunk-reader.ts'
import type { JobOptions } from './job.ts'

/** What can be said of how transcripts are read; everything has a default. */
export interface ReadOptions {
  /** The dialect to read as, whatever the content says. */
  readonly from?: string | null
  /** Bytes of a chunk; results do not depend on it. */
  readonly chunkBytes?: number
  /** Bytes a line may have; longer ones are kept as their digest. */
  readonly lineLimit?: number
  /** Accept what a stream's own converter wrote amiss (dialect `metaharness`). */
  readonly tolerant?: boolean
  /** Sent with requests to inputs that are addresses: credentials, which appear nowhere else. */
  readonly headers?: HttpHeaders
  /** Ask for a second opinion on every line. */
  readonly crossCheck?: boolean
}

/** Job options with nothing wanted yet. */
export function jobOptions(options: ReadOptions): JobOptions {
  return {
    from: options.from ?? null,
    census: false,
    usage: false,
    traced: false,
    digest: false,
    deltas: false,
    provenance: false,
    opaqueAll: false,
    cabinet: null,
    traceIr: false,
    compress: null,
    tolerant: options.tolerant ?? true,
    crossCheck: options.crossCheck ?? false,
    chunkBytes: options.chunkBytes ?? CHUNK_BYTES,
    lineLimit: options.lineLimit ?? LINE_LIMIT,
    headers: options.headers ?? [],
  }
}
