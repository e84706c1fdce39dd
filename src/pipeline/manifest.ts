import { createHash } from 'node:crypto'
import { join, relative, sep } from 'node:path'
import { completenessOf } from '../dialect/verdict.ts'
import { COMPRESSION_SUFFIX } from '../source/codec.ts'
import type { TranscriptResult } from './job.ts'
import { openOutput } from './output.ts'

const FORMAT = 'millrace.manifest/1'

/** Name of the manifest in an output folder. A folder that has one is never read as input. */
const MANIFEST_NAME = 'manifest.jsonl'

/**
 * The line of one transcript (interface.md), with its line feed.
 *
 * @param folder that of the manifest, which paths of outputs are relative to
 */
function manifestLine(result: TranscriptResult, folder: string): string {
  const { path, error } = result
  if (error !== null) return `${JSON.stringify({ format: FORMAT, path, error })}\n`
  const { records, ending } = result
  const line = {
    format: FORMAT,
    path,
    parts: result.parts,
    dialect: result.dialect,
    run: result.run,
    digest: result.digest,
    bytes: result.bytes,
    records: {
      read: records.read,
      translated: records.translated,
      folded: records.folded,
      bookkeeping: records.bookkeeping,
      opaque: records.opaque,
      unparsed: records.unparsed,
      blank: records.blank,
    },
    events: result.events,
    output: result.output === null ? null : relative(folder, result.output).replaceAll(sep, '/'),
    output_digest: result.outputDigest,
    completeness: ending === null ? null : completenessOf(ending, result.cut),
    notices: result.notices,
  }
  return `${JSON.stringify(line)}\n`
}

/** The last line: how many transcripts there were, and their corpus digest. */
function manifestEnd(results: readonly TranscriptResult[]): string {
  const failed = results.filter((result) => result.error !== null).length
  const end = { format: FORMAT, corpus_digest: corpusDigest(results), transcripts: results.length, failed }
  return `${JSON.stringify(end)}\n`
}

/**
 * SHA-256 over one line a transcript, `<path> <digest>\n`, in byte order of the paths (design §5.9). Null when a digest
 * is missing; transcripts that could not be read have no part in it.
 *
 * @param results in byte order of their paths
 */
export function corpusDigest(results: readonly TranscriptResult[]): string | null {
  const hash = createHash('sha256')
  for (const { path, digest, error } of results) {
    if (error !== null) continue
    if (digest === null) return null
    hash.update(`${path.replace(COMPRESSION_SUFFIX, '')} ${digest}\n`)
  }
  return hash.digest('hex')
}

/** Write the manifest of a folder, whole. @param results in byte order of their paths. @throws OutputError */
export function writeManifest(folder: string, results: readonly TranscriptResult[]): void {
  const output = openOutput(join(folder, MANIFEST_NAME), false)
  try {
    for (const result of results) output.write(Buffer.from(manifestLine(result, folder)))
    output.write(Buffer.from(manifestEnd(results)))
    output.finish()
  } catch (error) {
    output.abandon()
    throw error
  }
}
