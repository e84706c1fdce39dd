import { closeSync, copyFileSync, existsSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { SourceError } from './source-error.ts'

/** The optional peer that reads databases. Named by a variable, since it need not be installed. */
const PEER = 'better-sqlite3'

/** What we use of an open database. */
export interface Connection {
  prepare(sql: string): {
    all(...values: readonly string[]): unknown[]
    get(...values: readonly string[]): unknown
  }
  exec(sql: string): unknown
  close(): unknown
}

/** Opens a database file; what the peer exports. */
type Connect = new (
  file: string,
  options: { readonly readonly: boolean; readonly fileMustExist: boolean },
) => Connection

/** An open database. Whoever opens one closes it. */
export interface Database {
  readonly connection: Connection
  close(): void
}

const MAGIC = 'SQLite format 3\0'
/** Offset in the header of the version a reader must have: 2 stands for a write-ahead log. */
const READ_VERSION_AT = 19
const WRITE_AHEAD = 2
const HEADER_BYTES = 20

/** Is this a database, by its first bytes? */
export function isDatabase(file: string): boolean {
  return headerOf(file)?.subarray(0, MAGIC.length).toString('latin1') === MAGIC
}

/**
 * Open a database for reading, without a trace in its folder and without disturbing whoever writes to it.
 *
 * A database with a write-ahead log is read in place only while somebody has it open: then the files for locking are there.
 * Else SQLite would make them, so that a copy is read, the log included; also where an unfinished journal has to be
 * taken back.
 *
 * @param load gives the peer; for tests
 * @throws SourceError when the peer is absent or the database cannot be read
 */
export async function openDatabase(
  file: string,
  load: () => Promise<unknown> = () => import(PEER),
): Promise<Database> {
  const connect = await peer(file, load)
  const isQuiet = headerOf(file)?.[READ_VERSION_AT] === WRITE_AHEAD && !existsSync(`${file}-shm`)
  if (isQuiet || existsSync(`${file}-journal`)) return openCopy(file, connect)
  try {
    return begun(new connect(file, { readonly: true, fileMustExist: true }), () => {})
  } catch (error) {
    if (!/^SQLITE_(?:CANTOPEN|READONLY)/.test(codeOf(error))) throw unreadable(file, error)
    return openCopy(file, connect)
  }
}

/** What went wrong with a query, in words. */
export function unreadable(file: string, error: unknown): SourceError {
  const why = error instanceof Error ? error.message : String(error)
  return new SourceError('ERR_INPUT_UNREADABLE', `${file}: the database cannot be read (${why})`, {
    cause: error,
  })
}

function openCopy(file: string, connect: Connect): Database {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    const copy = join(folder, basename(file))
    copyFileSync(file, copy)
    for (const beside of ['-wal', '-journal']) {
      if (existsSync(file + beside)) copyFileSync(file + beside, copy + beside)
    }
    return begun(new connect(copy, { readonly: false, fileMustExist: true }), remove)
  } catch (error) {
    remove()
    throw unreadable(file, error)
  }
}

/** All queries see the database as it was when it was opened. */
function begun(connection: Connection, after: () => void): Database {
  const close = (): void => {
    connection.close()
    after()
  }
  try {
    connection.exec('BEGIN')
    connection.prepare('SELECT count(*) FROM sqlite_master').get()
    return { connection, close }
  } catch (error) {
    connection.close()
    throw error
  }
}

async function peer(file: string, load: () => Promise<unknown>): Promise<Connect> {
  let loaded: unknown
  try {
    loaded = await load()
  } catch (error) {
    throw missing(file, error)
  }
  const exported =
    typeof loaded === 'object' && loaded !== null && 'default' in loaded ? loaded.default : loaded
  if (!isConnect(exported)) throw missing(file, null)
  return exported
}

function missing(file: string, error: unknown): SourceError {
  const what = `${file}: is a SQLite database; install the optional peer ${PEER} to read it (npm install ${PEER}@12)`
  return new SourceError('ERR_PEER_MISSING', what, { cause: error })
}

function isConnect(value: unknown): value is Connect {
  return typeof value === 'function'
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** The beginning of the file; null when it cannot be read. */
function headerOf(file: string): Buffer | null {
  try {
    const fd = openSync(file, 'r')
    try {
      const header = Buffer.alloc(HEADER_BYTES)
      return header.subarray(0, readSync(fd, header, 0, HEADER_BYTES, 0))
    } finally {
      closeSync(fd)
    }
  } catch {
    return null
  }
}
