import * as zlib from 'node:zlib'
import { SourceError } from './source-error.ts'

/** How outputs may be compressed; each is the ending of their names. */
export const COMPRESSIONS = ['gz', 'zst', 'lz4'] as const
export type Compression = (typeof COMPRESSIONS)[number]

/**
 * Makes one member (gzip) or frame (zstd, lz4) of a block. What several calls made, written one after the other, is one file
 * that every reader of the format decodes to all blocks in order.
 */
export type Compressor = (block: Uint8Array) => Uint8Array

/** The optional peer for zstd where Node has none. Named by a variable, since it need not be installed. */
export const ZSTD_PEER = 'zstd-napi'

const made = new Map<Compression, Promise<Compressor>>()

/** The compressor of a format, loaded when it is first asked for. @throws SourceError when its package is missing */
export function compressorFor(compression: Compression): Promise<Compressor> {
  let compressor = made.get(compression)
  if (compressor === undefined) {
    compressor = load(compression)
    made.set(compression, compressor)
  }
  return compressor
}

async function load(compression: Compression): Promise<Compressor> {
  if (compression === 'gz') return (block) => zlib.gzipSync(block)
  if (compression === 'zst') return zstdCompressor()
  const { compressFrameSync } = await import('lz4-napi')
  return (block) =>
    compressFrameSync(Buffer.from(block.buffer, block.byteOffset, block.length), { contentChecksum: true })
}

/**
 * zstd by Node from 22.15 on, else by the optional peer.
 *
 * @param own what Node has; for tests
 * @param peer gives the peer; for tests
 */
export async function zstdCompressor(
  own: unknown = 'zstdCompressSync' in zlib ? zlib.zstdCompressSync : undefined,
  peer: () => Promise<unknown> = () => import(ZSTD_PEER),
): Promise<Compressor> {
  if (typeof own === 'function') return (block) => bytesOf(own(block))
  let loaded: unknown
  try {
    loaded = await peer()
  } catch (error) {
    throw missing(error)
  }
  const compress = memberOf(loaded, 'compress') ?? memberOf(memberOf(loaded, 'default'), 'compress')
  if (typeof compress !== 'function') throw missing(undefined)
  return (block) => bytesOf(compress(block))
}

function missing(cause: unknown): SourceError {
  return new SourceError(
    'ERR_PEER_MISSING',
    `zstd output needs Node 22.15 or the optional package ${ZSTD_PEER}: npm install ${ZSTD_PEER}; or choose gz or lz4`,
    { cause },
  )
}

/** A member of a package whose types are not there, also where it is a getter. */
export function memberOf(value: unknown, name: string): unknown {
  const member: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  return member
}

function bytesOf(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value
  throw new TypeError('the zstd compressor gave no bytes')
}
