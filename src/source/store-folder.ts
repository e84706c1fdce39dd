import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { byteOrder } from './byte-order.ts'
import { asLine, LineSource } from './line-source.ts'
import { SourceError } from './source-error.ts'

/**
 * Where OpenCode kept its sessions before it had a database, below one folder, mostly `storage`:
 *
 *     session/<project>/<session>.json     message/<session>/<message>.json     part/<message>/<part>.json
 */
const SESSIONS = 'session'
const MESSAGES = 'message'
const PARTS = 'part'
const JSON_SUFFIX = '.json'

/** One session of such a store. */
export interface StoredSession {
  /** The folder that holds all three. */
  readonly root: string
  /** The file of the session; null when only its messages are there. */
  readonly file: string | null
  /** Folder of its messages; null when it has none. */
  readonly messages: string | null
}

/** Does this folder hold a store? @param names of the folders in it */
export function isStoreRoot(folder: string, names: ReadonlySet<string>): boolean {
  if (!names.has(SESSIONS) || (!names.has(MESSAGES) && !names.has(PARTS))) return false
  const sessions = join(folder, SESSIONS)
  return namesIn(sessions).some((project) => jsonIn(join(sessions, project)).length > 0)
}

/** Folders of a store whose files belong to its sessions. */
export function isInsideStore(name: string): boolean {
  return name === MESSAGES || name === PARTS
}

/** Messages whose session has no file of its own: the first file of each of their folders, below `root`. */
export function orphansOf(root: string): string[] {
  const owned = new Set<string>()
  for (const project of namesIn(join(root, SESSIONS))) {
    for (const name of namesIn(join(root, SESSIONS, project))) {
      const folder = name.endsWith(JSON_SUFFIX) ? messagesOf(root, join(root, SESSIONS, project, name)) : null
      if (folder !== null) owned.add(basename(folder))
    }
  }
  return namesIn(join(root, MESSAGES)).flatMap((session) => {
    const [first] = owned.has(session) ? [] : jsonIn(join(root, MESSAGES, session))
    return first === undefined ? [] : [`${MESSAGES}/${session}/${first}`]
  })
}

/**
 * The session that a file stands for; null when it is no file of a store.
 *
 * @param named a message that the caller names stands for itself, not for its session
 */
export function storedSession(file: string, named: boolean): StoredSession | null {
  if (!file.endsWith(JSON_SUFFIX)) return null
  const folder = dirname(file)
  const above = dirname(folder)
  if (basename(above) === SESSIONS) {
    const root = dirname(above)
    if (!existsSync(join(root, MESSAGES)) && !existsSync(join(root, PARTS))) return null
    return { root, file, messages: messagesOf(root, file) }
  }
  if (named || basename(above) !== MESSAGES) return null
  const root = dirname(above)
  return existsSync(join(root, SESSIONS)) ? { root, file: null, messages: folder } : null
}

/** A session with its messages and their parts: each file is one value on one line. */
export class StoreSource extends LineSource {
  /** The files that were read beside the session's own, relative to its folder. */
  readonly parts: readonly string[]

  constructor(session: StoredSession) {
    const parts: string[] = []
    super(linesOf(session, parts))
    this.parts = parts
  }
}

/** @param parts takes the paths of the files as they are read */
function* linesOf({ root, file, messages }: StoredSession, parts: string[]): Generator<Uint8Array> {
  const folder = file === null ? messages : dirname(file)
  const read = (path: string, isOwn: boolean): Uint8Array => {
    if (!isOwn) parts.push(relative(folder ?? root, path).replaceAll('\\', '/'))
    return contentOf(path)
  }
  if (file !== null) yield asLine(read(file, true))
  if (messages === null) return
  for (const [i, name] of jsonIn(messages).entries()) {
    const message = read(join(messages, name), file === null && i === 0)
    const id = idIn(message) ?? name.slice(0, -JSON_SUFFIX.length)
    yield asLine(message)
    // An id that could lead elsewhere is no name of a folder.
    if (id !== basename(id)) continue
    const inside = join(root, PARTS, id)
    for (const part of jsonIn(inside)) yield asLine(read(join(inside, part), false))
  }
}

/** The folder of a session's messages is named by its id, which is mostly the name of its file as well. */
function messagesOf(root: string, file: string): string | null {
  const stem = basename(file, JSON_SUFFIX)
  const known = [stem, stem.replace(/^ses_/, '')].find((name) => existsSync(join(root, MESSAGES, name)))
  const name = known ?? idIn(contentOf(file))
  if (name === null || name !== basename(name)) return null
  const folder = join(root, MESSAGES, name)
  return existsSync(folder) ? folder : null
}

function idIn(json: Uint8Array): string | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(json))
    if (typeof value !== 'object' || value === null || !('id' in value)) return null
    return typeof value.id === 'string' && value.id !== '' ? value.id : null
  } catch {
    return null
  }
}

function contentOf(path: string): Uint8Array {
  try {
    return readFileSync(path)
  } catch (error) {
    throw SourceError.from(path, error)
  }
}

/** Ids ascend with time, and so do names. */
function jsonIn(folder: string): string[] {
  return namesIn(folder).filter((name) => name.endsWith(JSON_SUFFIX))
}

/** In byte order; none when there is no such folder. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted(byteOrder)
  } catch {
    return []
  }
}
