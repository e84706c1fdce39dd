import { pathToFileURL } from 'node:url'
import type { Tokens } from './answers.ts'

// A program of its own: usage of transcripts of Claude Code by DuckDB.
// Arguments: its module, `lines` (the sum over all lines) or `requests` (each request once), a glob.

/** The little of DuckDB's interface that is needed; the module is not installed with the project. */
interface DuckDb {
  readonly DuckDBInstance: { create(path: string): Promise<{ connect(): Promise<Connection> }> }
}

interface Connection {
  runAndReadAll(sql: string): Promise<{ getRowObjectsJson(): readonly Readonly<Record<string, unknown>>[] }>
}

/** Types told beforehand, so that nothing has to be guessed and no other value is kept. */
const COLUMNS =
  `{requestId: 'VARCHAR', message: 'STRUCT(id VARCHAR, usage STRUCT(input_tokens BIGINT, output_tokens BIGINT, ` +
  `cache_read_input_tokens BIGINT, cache_creation_input_tokens BIGINT))'}`

/** Longer lines than DuckDB would take by itself. */
const LONGEST_LINE_BYTES = 256 * 1024 * 1024

const SUMS = `sum(i)::BIGINT AS input, sum(r)::BIGINT AS "cacheRead", sum(w)::BIGINT AS "cacheWrite", sum(o)::BIGINT AS output`

/** Every line with a usage, or of the lines of one request the largest numbers, which are the last ones. */
function query(what: string, glob: string): string {
  const path = glob.replaceAll("'", "''")
  const lines =
    `SELECT requestId, message.id AS id, message.usage.input_tokens AS i, message.usage.cache_read_input_tokens AS r, ` +
    `message.usage.cache_creation_input_tokens AS w, message.usage.output_tokens AS o ` +
    `FROM read_ndjson('${path}', columns = ${COLUMNS}, maximum_object_size = ${LONGEST_LINE_BYTES}, ignore_errors = true)`
  if (what === 'lines') return `SELECT ${SUMS} FROM (${lines})`
  const requests = `SELECT max(i) AS i, max(r) AS r, max(w) AS w, max(o) AS o FROM (${lines}) WHERE o IS NOT NULL GROUP BY id, requestId`
  return `SELECT ${SUMS} FROM (${requests})`
}

const [, , module = '', what = '', glob = ''] = process.argv
const { DuckDBInstance }: DuckDb = await import(pathToFileURL(module).href)
const connection = await (await DuckDBInstance.create(':memory:')).connect()
const [row] = (await connection.runAndReadAll(query(what, glob))).getRowObjectsJson()
const { input, cacheRead, cacheWrite, output } = row ?? {}
// Its 64-bit integers come as text.
const tokens: Tokens = {
  input: Number(input),
  cacheRead: Number(cacheRead),
  cacheWrite: Number(cacheWrite),
  output: Number(output),
}
console.log(JSON.stringify(tokens))
