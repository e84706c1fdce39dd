import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { SourceError } from './source-error.ts'

/** What is wrong with the end of a source; everything before it was read. */
export interface Trouble {
  /** `cut`: the data breaks off; `corrupt`: it contradicts itself; `junk`: something else follows it; `bomb`: over a limit. */
  readonly kind: 'cut' | 'corrupt' | 'junk' | 'bomb'
  readonly message: string
}

/** Bytes in, in order. Whoever opens one closes it. */
export interface Source {
  /** Known when `read` has given 0; absent where nothing can be wrong that is no error. */
  readonly trouble?: Trouble | null
  /**
   * Read up to `length` bytes into `into` at `at`.
   *
   * @returns bytes read, 0 at the end; a promise when they have to be waited for
   * @throws SourceError when the bytes cannot be had
   */
  read(into: Uint8Array, at: number, length: number): number | Promise<number>
  close(): void
}

/** A plain file, or the byte range of one. */
export class FileSource implements Source {
  /** Length in bytes when it was opened. */
  readonly size: number
  private readonly fd: number
  private readonly path: string
  private position = 0

  /** @throws SourceError when the file cannot be opened */
  constructor(path: string) {
    this.path = path
    try {
      this.fd = openSync(path, 'r')
    } catch (error) {
      throw SourceError.from(path, error)
    }
    this.size = fstatSync(this.fd).size
  }

  read(into: Uint8Array, at: number, length: number): number {
    const got = this.readAt(into, at, length, this.position)
    this.position += got
    return got
  }

  /** Read from a place of its own; fewer bytes than asked for only at the end that the file had when it was opened. */
  readAt(into: Uint8Array, at: number, length: number, position: number): number {
    try {
      let done = 0
      while (done < length) {
        const got = readSync(this.fd, into, at + done, length - done, position + done)
        done += got
        // Behind the size it had when it was opened one look is enough: a file that has grown is asked again.
        if (got === 0 || position + done >= this.size) break
      }
      return done
    } catch (error) {
      throw SourceError.from(this.path, error)
    }
  }

  close(): void {
    closeSync(this.fd)
  }
}

/**
 * Standard input: a file is read at once; a pipe or terminal, which may have nothing for long, is waited for, so that the
 * thread can hear a signal meanwhile. For the main thread only.
 */
export class StdinSource implements Source {
  private readonly pieces: AsyncIterator<Buffer> | null
  private left: Buffer = Buffer.alloc(0)

  /** @throws SourceError when there is no standard input */
  constructor() {
    try {
      this.pieces = fstatSync(0).isFile() ? null : process.stdin[Symbol.asyncIterator]()
    } catch (error) {
      throw SourceError.from('-', error)
    }
  }

  read(into: Uint8Array, at: number, length: number): number | Promise<number> {
    if (this.pieces !== null) return this.wait(this.pieces, into, at, length)
    try {
      return readSync(0, into, at, length, null)
    } catch (error) {
      throw SourceError.from('-', error)
    }
  }

  close(): void {
    if (this.pieces !== null) process.stdin.destroy()
  }

  private async wait(
    pieces: AsyncIterator<Buffer>,
    into: Uint8Array,
    at: number,
    length: number,
  ): Promise<number> {
    if (this.left.length === 0) {
      let piece: IteratorResult<Buffer>
      try {
        piece = await pieces.next()
      } catch (error) {
        throw SourceError.from('-', error)
      }
      if (piece.done === true) return 0
      this.left = piece.value
    }
    const got = this.left.copy(into, at, 0, length)
    this.left = this.left.subarray(got)
    return got
  }
}

/** Bytes that were read ahead, and then the source they came from. */
export class ReplaySource implements Source {
  private readonly ahead: Uint8Array
  private readonly rest: Source
  private position = 0

  constructor(ahead: Uint8Array, rest: Source) {
    this.ahead = ahead
    this.rest = rest
  }

  read(into: Uint8Array, at: number, length: number): number | Promise<number> {
    const left = this.ahead.length - this.position
    if (left === 0) return this.rest.read(into, at, length)
    const got = Math.min(left, length)
    into.set(this.ahead.subarray(this.position, this.position + got), at)
    this.position += got
    return got
  }

  get trouble(): Trouble | null {
    return this.rest.trouble ?? null
  }

  close(): void {
    this.rest.close()
  }
}
