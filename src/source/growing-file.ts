import { closeSync, fstatSync, openSync, readSync, statSync, watch, type FSWatcher } from 'node:fs'
import { basename, dirname } from 'node:path'
import { LINE_FEED } from './line-feeds.ts'
import type { Source, Trouble } from './source.ts'
import { SourceError } from './source-error.ts'

/** Longest time until growth is seen where the system does not tell of it (network file systems), in milliseconds. */
const POLL_MS = 25
/** Time in which whoever wrote a file that was moved away may still write to it, in milliseconds. */
const LAST_WORDS_MS = 100
/** Bytes at both ends of what was read by which a file is known again. */
const PRINT_BYTES = 4096
const BLOCK_BYTES = 1024 * 1024

/**
 * A file that is still being written: `read` waits at its end for more, until it is closed.
 *
 * What stands under the name counts. A file that was moved away is read to its end, and then the new one of its name; one
 * that became shorter is read from its beginning. One that was replaced by a longer version of itself goes on where it was.
 * A line that broke off where another file takes over is ended.
 */
export class GrowingFile implements Source {
  /** Line feeds before the place where reading began. */
  readonly linesBefore: number
  readonly trouble: Trouble | null = null
  private readonly path: string
  private fd: number
  private position = 0
  /** The last bytes before `position`, to notice that others stand there now. */
  private tail: Buffer = Buffer.alloc(0)
  private midLine = false
  private owesFeed = false
  private movedAtMs: number | null = null
  private closed = false
  private readonly watcher: FSWatcher | null
  private wake: (() => void) | null = null

  /**
   * @param sinceNow begin at the last line that is not whole, or at the end
   * @throws SourceError when it cannot be opened or is no file
   */
  constructor(path: string, sinceNow = false) {
    this.path = path
    try {
      this.fd = openSync(path, 'r')
    } catch (error) {
      throw SourceError.from(path, error)
    }
    const status = fstatSync(this.fd)
    if (!status.isFile()) {
      closeSync(this.fd)
      throw new SourceError('ERR_INPUT_UNREADABLE', `${path}: is no file; name a file or an address`)
    }
    const place = sinceNow ? lastLineOf(this.fd, status.size) : { start: 0, lines: 0 }
    this.position = place.start
    this.linesBefore = place.lines
    this.tail = bytesOf(this.fd, Math.max(0, place.start - PRINT_BYTES), place.start)
    this.watcher = this.watched()
  }

  async read(into: Uint8Array, at: number, length: number): Promise<number> {
    while (!this.closed) {
      if (this.owesFeed) {
        this.owesFeed = false
        into[at] = LINE_FEED
        return 1
      }
      if (this.isOverwritten()) this.restart()
      const got = this.next(into, at, length)
      if (got > 0) return got
      if (!this.turnPage()) await this.news()
    }
    return 0
  }

  close(): void {
    if (this.closed) return
    this.closed = true
    this.watcher?.close()
    closeSync(this.fd)
    this.wake?.()
  }

  private next(into: Uint8Array, at: number, length: number): number {
    if (this.owesFeed) return 0
    let got: number
    try {
      got = readSync(this.fd, into, at, length, this.position)
    } catch (error) {
      throw SourceError.from(this.path, error)
    }
    if (got === 0) return 0
    this.position += got
    this.midLine = into[at + got - 1] !== LINE_FEED
    const fresh = Buffer.from(into.subarray(at + Math.max(0, got - PRINT_BYTES), at + got))
    this.tail =
      fresh.length === PRINT_BYTES ? fresh : Buffer.concat([this.tail, fresh]).subarray(-PRINT_BYTES)
    return got
  }

  /** Cut short, or written anew under our feet. */
  private isOverwritten(): boolean {
    if (fstatSync(this.fd).size < this.position) return true
    return !bytesOf(this.fd, this.position - this.tail.length, this.position).equals(this.tail)
  }

  /** Go over to the file that has the name now, when that is another. False when there is none. */
  private turnPage(): boolean {
    const now = statSync(this.path, { throwIfNoEntry: false })
    const own = fstatSync(this.fd)
    if (now === undefined || (now.ino === own.ino && now.dev === own.dev)) {
      this.movedAtMs = null
      return false
    }
    this.movedAtMs ??= performance.now()
    if (performance.now() - this.movedAtMs < LAST_WORDS_MS) return false
    let fd: number
    try {
      fd = openSync(this.path, 'r')
    } catch {
      return false // gone again: the next look will tell
    }
    this.movedAtMs = null
    const isSame = this.isLongerSelf(fd)
    closeSync(this.fd)
    this.fd = fd
    if (!isSame) this.restart()
    return true
  }

  /** Does another file begin with what was read of this one? */
  private isLongerSelf(fd: number): boolean {
    if (this.position === 0 || fstatSync(fd).size < this.position) return false
    const head = Math.min(PRINT_BYTES, this.position)
    const tail = this.position - this.tail.length
    return (
      bytesOf(fd, 0, head).equals(bytesOf(this.fd, 0, head)) &&
      bytesOf(fd, tail, this.position).equals(this.tail)
    )
  }

  private restart(): void {
    this.owesFeed = this.midLine
    this.midLine = false
    this.position = 0
    this.tail = Buffer.alloc(0)
  }

  /** Wait for a sign that something has changed, or until it is time to look. */
  private async news(): Promise<void> {
    if (this.closed) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, POLL_MS)
      this.wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.wake = null
  }

  /** Hear of changes at once, where the system can tell. The folder is watched: names in it come to mean other files. */
  private watched(): FSWatcher | null {
    const name = basename(this.path)
    try {
      const watcher = watch(dirname(this.path), (_, changed) => {
        if (changed === null || changed === name) this.wake?.()
      })
      watcher.on('error', () => watcher.close())
      return watcher
    } catch {
      return null
    }
  }
}

/** Where the last line begins, and how many line feeds are before it. */
function lastLineOf(fd: number, size: number): { readonly start: number; readonly lines: number } {
  const block = Buffer.allocUnsafe(BLOCK_BYTES)
  let start = 0
  let lines = 0
  for (let at = 0; at < size;) {
    const got = readSync(fd, block, 0, Math.min(block.length, size - at), at)
    if (got === 0) break
    const read = block.subarray(0, got)
    for (let feed = read.indexOf(LINE_FEED); feed >= 0; feed = read.indexOf(LINE_FEED, feed + 1)) {
      lines++
      start = at + feed + 1
    }
    at += got
  }
  return { start, lines }
}

function bytesOf(fd: number, start: number, end: number): Buffer {
  const bytes = Buffer.alloc(end - start)
  const got = end > start ? readSync(fd, bytes, 0, bytes.length, start) : 0
  return bytes.subarray(0, got)
}
