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

/**
 * SHA-256 over one line a transcript, `<path> <digest>\n`, in byte order of the paths (design §5.9). Null when a digest
 * is missing; transcripts that could not be read have no part in it.
 *
 * @param results in byte order of their paths
 */
export function corpusDigest(results: Iterable<TranscriptResult>): string | null {
  const digest = new CorpusDigest()
  for (const result of results) digest.add(result)
  return digest.finish()
}

class CorpusDigest {
  private readonly hash = createHash('sha256')
  private isWhole = true

  add({ path, digest, error }: TranscriptResult): void {
    if (error !== null) return
    if (digest === null) this.isWhole = false
    else this.hash.update(`${path.replace(COMPRESSION_SUFFIX, '')} ${digest}\n`)
  }

  finish(): string | null {
    return this.isWhole ? this.hash.digest('hex') : null
  }
}

/** Write the manifest of a folder, whole. @param results in byte order of their paths. @throws OutputError */
export function writeManifest(folder: string, results: Iterable<TranscriptResult>): void {
  const output = openOutput(join(folder, MANIFEST_NAME), false)
  const corpus = new CorpusDigest()
  let [transcripts, failed] = [0, 0]
  try {
    for (const result of results) {
      output.write(Buffer.from(manifestLine(result, folder)))
      corpus.add(result)
      transcripts++
      if (result.error !== null) failed++
    }
    // The last line: how many transcripts there were, and their corpus digest.
    const end = { format: FORMAT, corpus_digest: corpus.finish(), transcripts, failed }
    output.write(Buffer.from(`${JSON.stringify(end)}\n`))
    output.finish()
  } catch (error) {
    output.abandon()
    throw error
  }
}
