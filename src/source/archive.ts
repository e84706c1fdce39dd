import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import type { Source, Trouble } from './source.ts'
import { SourceError } from './source-error.ts'

/** Endings that archives have; content decides, names only help to find them. */
export const ARCHIVE_SUFFIX = /\.(?:tar(?:\.gz|\.zst|\.lz4)?|tgz|zip)$/

/** Bytes of the beginning by which `archiveKind` tells. */
export const ARCHIVE_HEAD_BYTES = 512

export type ArchiveKind = 'tar' | 'zip'

/** A file in an archive. Its source is good until the next member is asked for. */
export interface Member {
  /** As it is written in the archive: not to be trusted as a path. */
  readonly name: string
  readonly source: Source
}

/** What there was in an archive beside its files. Known once the last member was read. */
export interface ArchiveEnd {
  /** Links and devices, which are not followed. */
  readonly left: number
  readonly trouble: Trouble | null
}

/** The kind of archive that begins with these bytes (already decompressed); null when it is none. */
export function archiveKind(head: Uint8Array): ArchiveKind | null {
  if (head[0] === 0x50 && head[1] === 0x4b && (head[2] === 3 || head[2] === 5)) return 'zip'
  const magic = Buffer.from(head.subarray(257, 262)).toString('latin1')
  return magic === 'ustar' ? 'tar' : null
}

/** The files of a tar, in its order, streamed: nothing is unpacked. A broken archive gives what came before the break. */
export async function* tarMembers(source: Source): AsyncGenerator<Member, ArchiveEnd, undefined> {
  const { extract } = await import('tar-stream')
  const tar = extract()
  const input = Readable.from(blocksOf(source), { objectMode: false })
  input.on('error', (error) => tar.destroy(error))
  // Heard of again where the members are read.
  tar.on('error', () => {})
  input.pipe(tar)
  let left = 0
  try {
    for await (const entry of tar) {
      const { name, type } = entry.header
      if (type === 'file' || type === 'contiguous-file') {
        const member = new StreamSource(entry)
        yield { name, source: member }
        await member.drain()
      } else {
        if (type !== 'directory') left++
        entry.resume()
      }
    }
  } catch (error) {
    if (error instanceof SourceError) throw error
    return { left, trouble: { kind: 'cut', message: 'the archive breaks off; what came before was read' } }
  } finally {
    input.destroy()
    tar.destroy()
  }
  return { left, trouble: null }
}

/** The files of a zip, in the order of its directory. @throws SourceError when it has none that can be read */
export async function* zipMembers(file: string, path: string): AsyncGenerator<Member, ArchiveEnd, undefined> {
  const { open } = await import('yauzl')
  const zip = await new Promise<import('yauzl').ZipFile>((resolve, reject) => {
    // Undecoded names are not judged: what they would do as paths is decided where they are used.
    open(file, { lazyEntries: true, autoClose: false, decodeStrings: false }, (error, opened) => {
      if (error !== null)
        reject(new SourceError('ERR_INPUT_UNREADABLE', `${path}: is no whole zip archive (${error.message})`))
      else resolve(opened)
    })
  })
  const openStream = promisify<import('yauzl').Entry, Readable>((entry, done) =>
    zip.openReadStream(entry, done),
  )
  let left = 0
  try {
    for (;;) {
      const entry = await nextEntry(zip)
      if (entry === null) return { left, trouble: null }
      // The upper half of the attributes is the Unix mode: 0o12 are links.
      if (entry.externalFileAttributes >>> 28 === 0o12) {
        left++
        continue
      }
      const name = Buffer.from(entry.fileName).toString('utf8')
      if (!name.endsWith('/')) {
        const member = new StreamSource(await openStream(entry))
        yield { name, source: member }
        await member.drain()
      }
    }
  } catch (error) {
    if (error instanceof SourceError) throw error
    const why = error instanceof Error ? error.message : String(error)
    return {
      left,
      trouble: { kind: 'corrupt', message: `the archive is damaged (${why}); what came before was read` },
    }
  } finally {
    zip.close()
  }
}

function nextEntry(zip: import('yauzl').ZipFile): Promise<import('yauzl').Entry | null> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      zip.removeListener('entry', onEntry)
      zip.removeListener('end', onEnd)
      zip.removeListener('error', onError)
      act()
    }
    const onEntry = (entry: import('yauzl').Entry): void => settle(() => resolve(entry))
    const onEnd = (): void => settle(() => resolve(null))
    const onError = (error: Error): void => settle(() => reject(error))
    zip.once('entry', onEntry)
    zip.once('end', onEnd)
    zip.once('error', onError)
    zip.readEntry()
  })
}

const BLOCK_BYTES = 256 * 1024

async function* blocksOf(source: Source): AsyncGenerator<Uint8Array, void, undefined> {
  for (;;) {
    // A block of its own each time: the stream keeps it until it is used.
    const block = Buffer.allocUnsafe(BLOCK_BYTES)
    const answer = source.read(block, 0, block.length)
    const got = typeof answer === 'number' ? answer : await answer
    if (got === 0) return
    yield block.subarray(0, got)
  }
}

/** A source over a stream of bytes that somebody else opened. Where the stream fails it ends, and says so. */
class StreamSource implements Source {
  trouble: Trouble | null = null
  private readonly pieces: AsyncIterator<unknown>
  private piece: Uint8Array = new Uint8Array(0)
  private position = 0

  constructor(stream: AsyncIterable<unknown>) {
    this.pieces = stream[Symbol.asyncIterator]()
  }

  async read(into: Uint8Array, at: number, length: number): Promise<number> {
    while (this.position === this.piece.length) {
      const next = await this.next()
      if (next === null) return 0
      this.piece = next
      this.position = 0
    }
    const got = Math.min(length, this.piece.length - this.position)
    into.set(this.piece.subarray(this.position, this.position + got), at)
    this.position += got
    return got
  }

  /** Read what is left, so that the stream goes on. */
  async drain(): Promise<void> {
    while ((await this.next()) !== null);
  }

  private async next(): Promise<Uint8Array | null> {
    try {
      for (;;) {
        const next = await this.pieces.next()
        if (next.done === true) return null
        if (next.value instanceof Uint8Array) return next.value
      }
    } catch {
      this.trouble = {
        kind: 'cut',
        message: 'the archive breaks off in this file; what came before was read',
      }
      return null
    }
  }

  close(): void {}
}
