import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { byteOrder } from './byte-order.ts'
import { FileSource, type Source } from './source.ts'
import { isStoreRoot, orphansOf, storedSession, StoreSource } from './store-folder.ts'

/** A file of OpenCode's store by its name: what stands before the three folders, and what from there on. */
const PLACE = /^(?<root>(?:.*\/)?)(?<inside>(?:session|message|part)\/[^/]+\/[^/]+\.json)$/s

/** Longer parts of names are none of OpenCode's, and may be too long for a file system. */
const LONGEST_NAME = 200
const BLOCK_BYTES = 256 * 1024

/** What was put by, as a transcript. */
export interface Spooled {
  /** The name in the archive. */
  readonly name: string
  readonly source: Source
  /** Files that were read beside its own, known when it was read. */
  readonly parts: readonly string[]
}

/**
 * Puts by the files of an archive that may belong to sessions of OpenCode. A session has hundreds of them, in any order, among
 * those of other sessions, so they are kept in a temporary folder, laid out as they were, until the archive was read.
 */
export class StoreSpool {
  private folder: string | null = null
  /** By what stands before the three folders in the archive: the number of its folder here. */
  private readonly roots = new Map<string, number>()

  /** Take a file, unless its name says that it belongs to no session. @throws SourceError when it cannot be read */
  async keep(name: string, source: Source): Promise<boolean> {
    const { root, inside } = PLACE.exec(name)?.groups ?? {}
    if (root === undefined || inside === undefined || !inside.split('/').every(isPlain)) return false
    this.folder ??= mkdtempSync(join(tmpdir(), 'millrace-store-'))
    const number = this.roots.get(root) ?? this.roots.size
    this.roots.set(root, number)
    const file = join(this.folder, String(number), inside)
    mkdirSync(dirname(file), { recursive: true })
    await copy(source, file)
    return true
  }

  /** The sessions that the files make, and the files that make none, in byte order within what stands before them. */
  *transcripts(): Generator<Spooled, void, undefined> {
    for (const [root, number] of this.roots) {
      const folder = join(this.folder ?? '', String(number))
      const isStore = isStoreRoot(folder, new Set(readdirSync(folder)))
      for (const inside of isStore ? sessionsIn(folder) : filesIn(folder)) {
        const file = join(folder, inside)
        const session = isStore ? storedSession(file, false) : null
        const source = session === null ? new FileSource(file) : new StoreSource(session)
        yield { name: root + inside, source, parts: source instanceof StoreSource ? source.parts : [] }
      }
    }
  }

  close(): void {
    if (this.folder !== null) rmSync(this.folder, { recursive: true, force: true })
    this.folder = null
  }
}

function isPlain(part: string): boolean {
  return part !== '.' && part !== '..' && !/[\0\\:]/.test(part) && Buffer.byteLength(part) <= LONGEST_NAME
}

function sessionsIn(folder: string): string[] {
  const files = filesIn(folder).filter((file) => file.startsWith('session/'))
  return [...files, ...orphansOf(folder)]
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted(byteOrder)
}

async function copy(source: Source, file: string): Promise<void> {
  const fd = openSync(file, 'w')
  try {
    const block = Buffer.allocUnsafe(BLOCK_BYTES)
    for (;;) {
      const answer = source.read(block, 0, block.length)
      const got = typeof answer === 'number' ? answer : await answer
      if (got === 0) return
      for (let done = 0; done < got;) done += writeSync(fd, block, done, got - done)
    }
  } finally {
    closeSync(fd)
  }
}
