import { type Dirent, type Stats, existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { HTTP_ADDRESS } from './address.ts'
import { ARCHIVE_SUFFIX } from './archive.ts'
import { byteOrder } from './byte-order.ts'
import { SourceError } from './source-error.ts'
import { STORE_DATABASE } from './store-database.ts'
import { isInsideStore, isStoreRoot, orphansOf } from './store-folder.ts'

/** A file that may be a transcript. */
export interface Found {
  /** Path below its root with forward slashes; the base name for a root that is a file; `-` for standard input. */
  readonly path: string
  readonly bytes: number
  /** Named by the caller, not found in a folder. */
  readonly named: boolean
}

/** What one PATH of the caller holds. */
export interface Root {
  /** As the caller wrote it. */
  readonly name: string
  readonly folder: boolean
  /** Absolute path of the folder that paths are below, or of the file; null for standard input. */
  readonly place: string | null
  readonly found: readonly Found[]
}

/** The file of what was found in a root: absolute, null for standard input. There may be many: it is not kept for each. */
export function fileOf({ folder, place }: Pick<Root, 'folder' | 'place'>, path: string): string | null {
  return folder && place !== null ? join(place, path) : place
}

export interface Discovery {
  readonly roots: readonly Root[]
  /** PATHs that could not be read. */
  readonly failures: readonly SourceError[]
  /** Files left out by their name: sidecars and settings that belong to a transcript. */
  readonly sidecars: number
}

const TRANSCRIPT = /\.(?:jsonl|ndjson|json|sse|log|txt)(?:\.gz|\.zst|\.lz4)?$/
const SIDECAR =
  /\.meta\.json$|\.settings\.json$|^settings(?:\.local)?\.json$|^package(?:-lock)?\.json$|^tsconfig\.json$/
const OWN_OUTPUT = 'manifest.jsonl'
const VCS = new Set(['.git', '.hg', '.svn', '.jj'])

/**
 * Find the transcripts that PATHs name: files as they are, folders by the names of their files, globs by both, `-` for
 * standard input. In each root they come in byte order of their paths.
 */
export async function discover(paths: readonly string[]): Promise<Discovery> {
  const walk = new Walk()
  const roots: Root[] = []
  const failures: SourceError[] = []
  for (const name of paths) {
    try {
      // Globs are tried only for what is not there as written.
      roots.push(
        name === '-' || HTTP_ADDRESS.test(name) || existsSync(name)
          ? walk.root(name)
          : await glob(walk, name),
      )
    } catch (error) {
      if (!(error instanceof SourceError)) throw error
      failures.push(error)
    }
  }
  return { roots, failures, sidecars: walk.sidecars }
}

async function glob(walk: Walk, pattern: string): Promise<Root> {
  if (!/[*?[{]/.test(pattern)) {
    throw new SourceError('ERR_NOT_FOUND', `${pattern}: no such file or folder; check the spelling`)
  }
  const { glob: expand } = await import('tinyglobby')
  const files = await expand(pattern, {
    onlyFiles: false,
    expandDirectories: false,
    followSymbolicLinks: true,
  })
  if (files.length === 0) throw new SourceError('ERR_NOT_FOUND', `${pattern}: the pattern matches nothing`)
  const found = files.flatMap((file) => {
    const path = file.replace(/\/$/, '')
    const root = walk.root(path)
    return root.found.map((one) => ({ ...one, path: relative('.', fileOf(root, one.path) ?? path) }))
  })
  return { name: pattern, folder: true, place: resolve('.'), found: sorted(found) }
}

class Walk {
  sidecars = 0

  /** @throws SourceError when it cannot be read */
  root(name: string): Root {
    if (HTTP_ADDRESS.test(name)) {
      return { name, folder: false, place: name, found: [{ path: nameIn(name), bytes: 0, named: true }] }
    }
    if (name === '-') {
      return { name, folder: false, place: null, found: [{ path: '-', bytes: 0, named: true }] }
    }
    const file = resolve(name)
    let stat
    try {
      stat = statSync(file)
    } catch (error) {
      throw SourceError.from(name, error)
    }
    if (!stat.isDirectory()) {
      const found = { path: basename(file), bytes: stat.isFile() ? stat.size : 0, named: true }
      return { name, folder: false, place: file, found: [found] }
    }
    const found: Found[] = []
    this.folder(file, '', found, new Set([realpathSync(file)]), name)
    return { name, folder: true, place: file, found: sorted(found) }
  }

  /** @param above real paths of the folders around this one: a link back to one of them is not followed */
  private folder(
    folder: string,
    below: string,
    found: Found[],
    above: ReadonlySet<string>,
    name: string,
  ): void {
    let entries: Dirent[]
    try {
      entries = readdirSync(folder, { withFileTypes: true })
    } catch (error) {
      if (below === '') throw SourceError.from(name, error)
      found.push({ path: below, bytes: 0, named: true })
      return
    }
    // A folder with a manifest of ours holds outputs.
    if (below !== '' && entries.some((entry) => entry.name === OWN_OUTPUT)) return
    const isStore = isStoreRoot(folder, new Set(entries.map((entry) => entry.name)))
    if (isStore) this.orphans(folder, below, found)
    for (const entry of entries) {
      // Messages and their parts are read with their session.
      if (isStore && isInsideStore(entry.name)) continue
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      const file = join(folder, entry.name)
      let isFolder = entry.isDirectory()
      let isFile = entry.isFile()
      if (!isFolder && !isFile && !entry.isSymbolicLink()) continue
      if (isFile && !this.wanted(entry.name)) continue
      const stat = isFolder ? null : statOf(file)
      if (entry.isSymbolicLink()) {
        isFolder = stat?.isDirectory() ?? false
        isFile = stat?.isFile() ?? false
        // A link to nothing is a transcript that cannot be read, which is said when it is opened.
        if (stat === null && this.wanted(entry.name)) found.push({ path, bytes: 0, named: true })
      }
      if (isFolder) {
        this.inner(file, path, found, above, name)
      } else if (isFile && (!entry.isSymbolicLink() || this.wanted(entry.name))) {
        found.push({ path, bytes: stat?.size ?? 0, named: false })
      }
    }
  }

  private orphans(folder: string, below: string, found: Found[]): void {
    for (const inside of orphansOf(folder)) {
      const bytes = statSync(join(folder, inside), { throwIfNoEntry: false })?.size ?? 0
      found.push({ path: below === '' ? inside : `${below}/${inside}`, bytes, named: false })
    }
  }

  private inner(file: string, path: string, found: Found[], above: ReadonlySet<string>, name: string): void {
    if (VCS.has(basename(file))) return
    const real = realpathSync(file)
    if (!above.has(real)) this.folder(file, path, found, new Set(above).add(real), name)
  }

  private wanted(name: string): boolean {
    if (!isTranscriptName(name)) return ARCHIVE_SUFFIX.test(name) || STORE_DATABASE.test(name)
    if (!isSidecar(name)) return true
    this.sidecars++
    return false
  }
}

/** What a transcript from an address is called: the last part of its path, without query. @throws SourceError */
function nameIn(address: string): string {
  if (!URL.canParse(address))
    throw new SourceError('ERR_NOT_FOUND', `${address}: is no address; check the spelling`)
  const { pathname, hostname } = new URL(address)
  return basename(pathname) || hostname
}

/** Does a file of this name hold a transcript, as far as names can tell? Compressed ones included, archives not. */
export function isTranscriptName(name: string): boolean {
  return TRANSCRIPT.test(name)
}

/** Does a file of this name belong to a transcript, or to no run at all? */
export function isSidecar(name: string): boolean {
  return SIDECAR.test(basename(name))
}

/** What is known of a file, links followed; null when a link leads nowhere or in a circle. */
function statOf(file: string): Stats | null {
  try {
    return statSync(file)
  } catch {
    return null
  }
}

/** In byte order of their paths. */
function sorted(found: readonly Found[]): Found[] {
  return found.toSorted((a, b) => byteOrder(a.path, b.path))
}
