import { createHash, type Hash } from 'node:crypto'
import { closeSync, mkdirSync, openSync, renameSync, unlinkSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { OutputError } from './output-error.ts'

/** Where the events of one transcript go. */
export interface Output {
  /** Bytes written. */
  readonly bytes: number
  /** SHA-256 of them; null when it was not asked for, and before `finish`. */
  readonly digest: string | null
  /** @throws OutputError when they cannot be written */
  write(bytes: Uint8Array): void
  /** All is written: the output appears under its name. */
  finish(): void
  /** Leave nothing behind. */
  abandon(): void
}

/** Ending of a file that is being written; never read as a transcript. */
const PART_SUFFIX = '.part'

/** Bytes of output that are held back until there are more, or none. */
const HELD_BYTES = 16 * 1024

/**
 * A file that appears whole: it is written beside its name and renamed.
 *
 * @throws OutputError when it cannot be created
 */
export function openOutput(path: string, digest: boolean): Output {
  return new FileOutput(path, digest)
}

class FileOutput implements Output {
  bytes = 0
  digest: string | null = null
  private readonly path: string
  private readonly part: string
  private readonly fd: number
  private readonly hash: Hash | null
  /** Short pieces, which are written together. */
  private room: Buffer | null = null
  private held = 0
  private open = true

  constructor(path: string, digest: boolean) {
    this.path = path
    this.part = path + PART_SUFFIX
    this.hash = digest ? createHash('sha256') : null
    this.fd = create(path, this.part)
  }

  write(bytes: Uint8Array): void {
    this.bytes += bytes.length
    if (this.held + bytes.length <= HELD_BYTES) {
      this.room ??= Buffer.allocUnsafe(HELD_BYTES)
      this.room.set(bytes, this.held)
      this.held += bytes.length
      return
    }
    this.flush()
    this.put(bytes)
  }

  finish(): void {
    this.flush()
    this.close()
    OutputError.guard(this.path, () => renameSync(this.part, this.path))
    this.digest = this.hash?.digest('hex') ?? null
  }

  abandon(): void {
    this.close()
    removePart(this.path)
  }

  private flush(): void {
    const { room, held } = this
    this.held = 0
    if (room !== null && held > 0) this.put(room.subarray(0, held))
  }

  private put(bytes: Uint8Array): void {
    OutputError.guard(this.path, () => writeAll(this.fd, bytes))
    this.hash?.update(bytes)
  }

  private close(): void {
    if (!this.open) return
    this.open = false
    closeSync(this.fd)
  }
}

/** Create the part of a file, and the folders above it where they are missing: most outputs share theirs. */
function create(path: string, part: string): number {
  return OutputError.guard(path, () => {
    try {
      return openSync(part, 'w')
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
      mkdirSync(dirname(path), { recursive: true })
      return openSync(part, 'w')
    }
  })
}

const sleep = new Int32Array(new SharedArrayBuffer(4))
const PATIENCE_MS = 2

/** Write all of `bytes` to a file, pipe or terminal, waiting for a slow reader. */
export function writeAll(fd: number, bytes: Uint8Array, position: number | null = null): void {
  let done = 0
  while (done < bytes.length) {
    try {
      done += writeSync(fd, bytes, done, bytes.length - done, position === null ? null : position + done)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error
      Atomics.wait(sleep, 0, 0, PATIENCE_MS)
    }
  }
}

/** Standard output, or any open descriptor: bytes go out as they come. */
export class DescriptorOutput implements Output {
  bytes = 0
  readonly digest = null
  private readonly fd: number
  private readonly name: string

  constructor(fd: number, name: string) {
    this.fd = fd
    this.name = name
  }

  write(bytes: Uint8Array): void {
    OutputError.guard(this.name, () => writeAll(this.fd, bytes))
    this.bytes += bytes.length
  }

  finish(): void {}
  abandon(): void {}
}

/**
 * A file that several threads write at places of their own. Like other outputs it appears whole.
 *
 * @throws OutputError when it cannot be created
 */
export class PlacedOutput {
  /** The file that is written until all is there. */
  readonly part: string
  private readonly path: string
  private readonly fd: number
  private open = true

  constructor(path: string) {
    this.path = path
    this.part = path + PART_SUFFIX
    this.fd = create(path, this.part)
  }

  writeAt(bytes: Uint8Array, position: number): void {
    OutputError.guard(this.path, () => writeAll(this.fd, bytes, position))
  }

  finish(): void {
    this.close()
    OutputError.guard(this.path, () => renameSync(this.part, this.path))
  }

  abandon(): void {
    this.close()
    removePart(this.path)
  }

  private close(): void {
    if (!this.open) return
    this.open = false
    closeSync(this.fd)
  }
}

/** Write into a file that a `PlacedOutput` of another thread made. @throws OutputError */
export function writePlaced(part: string, bytes: Uint8Array, position: number): void {
  OutputError.guard(part.slice(0, -PART_SUFFIX.length), () => {
    const fd = openSync(part, 'r+')
    try {
      writeAll(fd, bytes, position)
    } finally {
      closeSync(fd)
    }
  })
}

/** Remove what was written of an output that was not finished. */
export function removePart(path: string): void {
  try {
    unlinkSync(path + PART_SUFFIX)
  } catch {
    // It was never there, or the disk that failed also keeps it.
  }
}
