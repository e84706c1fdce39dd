import { asLine, LineSource } from './line-source.ts'
import { SourceError } from './source-error.ts'
import type { Source } from './source.ts'
import { type Connection, openDatabase, unreadable } from './sqlite.ts'

/** Names of files that hold several sessions in tables. */
export const DATABASE_SUFFIX = /\.db$/
/** Names under which OpenCode keeps its sessions: one database, or one for each channel of newer builds. */
export const STORE_DATABASE = /^opencode[^/]*\.db$/

/**
 * The sessions of OpenCode's database (spec vendor-transcripts §7): tables `session`, `message` and `part`, in which messages
 * and parts are JSON and, depending on the version, the session is JSON or columns.
 */
export interface StoreDatabase {
  /** Ids in their own order. */
  readonly sessions: readonly string[]
  /** One session as lines: itself, then each message with its parts behind it. */
  source(session: string): Source
  close(): void
}

type Row = ReadonlyMap<string, unknown>

/**
 * @param load gives the peer; for tests
 * @throws SourceError when the peer is absent or the file holds no such tables
 */
export async function openStore(file: string, load?: () => Promise<unknown>): Promise<StoreDatabase> {
  const database = await (load === undefined ? openDatabase(file) : openDatabase(file, load))
  const { connection } = database
  try {
    const tables = new Set(
      rows(connection, `SELECT name FROM sqlite_master WHERE type = 'table'`).map((row) => row.get('name')),
    )
    if (!tables.has('session') || !tables.has('message')) {
      throw new SourceError('ERR_INPUT_UNREADABLE', `${file}: holds no sessions of OpenCode; leave it out`)
    }
    const sessions = rows(connection, 'SELECT id FROM session ORDER BY id').flatMap((row) =>
      textsOf(row.get('id')),
    )
    const queries = queriesFor(connection, tables.has('part'))
    return {
      sessions,
      source: (session) => new LineSource(guarded(file, linesOf(connection, queries, session))),
      close: () => database.close(),
    }
  } catch (error) {
    database.close()
    throw error instanceof SourceError ? error : unreadable(file, error)
  }
}

interface Queries {
  readonly messageIds: string
  readonly partIds: string | null
}

/** Where the tables have no times, ids and rows ascend with them. */
function queriesFor(connection: Connection, hasParts: boolean): Queries {
  const columns = rows(connection, 'PRAGMA table_info(message)').map((row) => row.get('name'))
  const order = columns.includes('time_created') ? 'time_created, id' : 'rowid'
  return {
    messageIds: `SELECT id FROM message WHERE session_id = ? ORDER BY ${order}`,
    partIds: hasParts ? 'SELECT id FROM part WHERE message_id = ? ORDER BY id' : null,
  }
}

function* linesOf(connection: Connection, queries: Queries, session: string): Generator<Uint8Array> {
  const [row] = rows(connection, 'SELECT * FROM session WHERE id = ?', session)
  if (row !== undefined) yield lineOf(sessionJson(row, session))
  for (const message of ids(connection, queries.messageIds, session)) {
    const [data] = rows(connection, 'SELECT data FROM message WHERE id = ?', message)
    yield lineOf(withIds(data?.get('data'), { id: message, sessionID: session }))
    if (queries.partIds === null) continue
    for (const part of ids(connection, queries.partIds, message)) {
      const [inner] = rows(connection, 'SELECT data FROM part WHERE id = ?', part)
      yield lineOf(withIds(inner?.get('data'), { id: part, sessionID: session, messageID: message }))
    }
  }
}

/** Faults of the database that show only while it is read. */
function* guarded(file: string, lines: Iterable<Uint8Array>): Generator<Uint8Array> {
  try {
    yield* lines
  } catch (error) {
    throw unreadable(file, error)
  }
}

/** The columns of a session in the words of its JSON. */
function sessionJson(row: Row, session: string): string {
  const data = row.get('data')
  if (typeof data === 'string') return withIds(data, { id: session })
  return JSON.stringify({
    id: session,
    projectID: row.get('project_id'),
    parentID: row.get('parent_id'),
    directory: row.get('directory'),
    title: row.get('title'),
    version: row.get('version'),
    time: { created: row.get('time_created'), updated: row.get('time_updated') },
  })
}

/** The ids of a row, which are left out of its JSON, put in front of it; every byte of the JSON stays as it is. */
function withIds(data: unknown, own: Readonly<Record<string, string>>): string {
  const text = typeof data === 'string' ? data.trim() : null
  const head = JSON.stringify(own).slice(0, -1)
  if (text === null || !text.startsWith('{')) return `${head},"data":${JSON.stringify(data ?? null)}}`
  const inner = text.slice(1).trimStart()
  return inner.startsWith('}') ? `${head}${inner}` : `${head},${inner}`
}

function lineOf(json: string): Uint8Array {
  return asLine(Buffer.from(json))
}

function ids(connection: Connection, sql: string, of: string): string[] {
  return rows(connection, sql, of).flatMap((row) => textsOf(row.get('id')))
}

function textsOf(value: unknown): string[] {
  return typeof value === 'string' ? [value] : []
}

function rows(connection: Connection, sql: string, ...values: readonly string[]): Row[] {
  return connection
    .prepare(sql)
    .all(...values)
    .map((row) => new Map(typeof row === 'object' && row !== null ? Object.entries(row) : []))
}
