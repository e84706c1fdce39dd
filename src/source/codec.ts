import { ARCHIVE_HEAD_BYTES, archiveKind, type ArchiveKind } from './archive.ts'
import { ByteReader } from './byte-reader.ts'
import { CountingSource, DecodedSource, type Decoder, EXPANSION_LIMITS } from './decoded.ts'
import { HTTP_ADDRESS, type HttpHeaders } from './address.ts'
import { FileSource, ReplaySource, type Source, StdinSource } from './source.ts'
import { isDatabase } from './sqlite.ts'

/** Endings that compressed files have; content decides, names only help to find transcripts. */
export const COMPRESSION_SUFFIX = /\.(?:gz|zst|lz4)$/

/** Bytes by which compressed data is told. */
const HEAD_BYTES = 16

const CODECS: readonly {
  readonly magic: readonly number[]
  readonly decode: (input: ByteReader) => Promise<Decoder>
}[] = [
  { magic: [0x1f, 0x8b], decode: async (input) => (await import('./gzip.ts')).gunzip(input) },
  { magic: [0x28, 0xb5, 0x2f, 0xfd], decode: async (input) => (await import('./zstd.ts')).unzstd(input) },
  { magic: [0x04, 0x22, 0x4d, 0x18], decode: async (input) => (await import('./lz4.ts')).unlz4(input) },
]

/** An opened source, compressed or not. */
export interface Opened {
  readonly source: Source
  readonly compressed: boolean
  /** The archive that it is, once decompressed; null for anything else. */
  readonly archive: ArchiveKind | null
}

/** `other`: an archive or a database, which holds several transcripts. */
export type Stored = 'plain' | 'compressed' | 'other'

/** How a file holds what it holds. @throws SourceError when it cannot be read */
export async function storedAs(file: string): Promise<Stored> {
  const { source, compressed, archive } = await openSource(file)
  source.close()
  if (archive !== null || isDatabase(file)) return 'other'
  return compressed ? 'compressed' : 'plain'
}

/**
 * Open a file, an http(s) address, or standard input for null, and decode what is compressed, told by its first bytes.
 *
 * @throws SourceError when it cannot be opened or read
 */
export async function openSource(file: string | null, headers: HttpHeaders = []): Promise<Opened> {
  const plain = await plainSource(file, headers)
  try {
    const first = await headOf(plain, ARCHIVE_HEAD_BYTES)
    const decoded = await decodedBehind(first, plain)
    if (decoded === null)
      return { source: new ReplaySource(first, plain), compressed: false, archive: archiveKind(first) }
    const head = await headOf(decoded, ARCHIVE_HEAD_BYTES)
    return { source: new ReplaySource(head, decoded), compressed: true, archive: archiveKind(head) }
  } catch (error) {
    plain.close()
    throw error
  }
}

async function plainSource(file: string | null, headers: HttpHeaders): Promise<Source> {
  if (file === null) return new StdinSource()
  if (!HTTP_ADDRESS.test(file)) return new FileSource(file)
  const { HttpSource } = await import('./http.ts')
  return new HttpSource(file, headers)
}

async function headOf(source: Source, bytes: number): Promise<Uint8Array> {
  const head = new Uint8Array(bytes)
  let length = 0
  while (length < head.length) {
    const answer = source.read(head, length, head.length - length)
    const got = typeof answer === 'number' ? answer : await answer
    if (got === 0) break
    length += got
  }
  return head.subarray(0, length)
}

/** The source behind `plain`, decompressed when it is told to be compressed by its first bytes. */
export async function decodedByMagic(plain: Source): Promise<Source> {
  const head = await headOf(plain, HEAD_BYTES)
  return (await decodedBehind(head, plain)) ?? new ReplaySource(head, plain)
}

/** What `head` and the rest of its source decode to; null when it is not compressed. */
async function decodedBehind(head: Uint8Array, rest: Source): Promise<Source | null> {
  const codec = CODECS.find(({ magic }) => magic.every((byte, i) => head[i] === byte)) ?? skippable(head)
  if (codec === undefined) return null
  const counted = new CountingSource(new ReplaySource(head, rest))
  return new DecodedSource(counted, await codec.decode(new ByteReader(counted)), EXPANSION_LIMITS)
}

/** A file may begin with a frame to skip, which zstd and lz4 share: zstd is tried, as it reads both their skippable frames. */
function skippable(head: Uint8Array): (typeof CODECS)[number] | undefined {
  const is = (head[0] ?? 0) >>> 4 === 5 && head[1] === 0x2a && head[2] === 0x4d && head[3] === 0x18
  return is ? CODECS[1] : undefined
}
