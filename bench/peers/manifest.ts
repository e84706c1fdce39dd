import { createHash } from 'node:crypto'
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'

const PIECE_BYTES = 1024 * 1024

/** What a conversion says of one transcript, as far as it is compared. */
export interface ManifestEntry {
  readonly path: string
  readonly digest: string | null
  readonly output: string
  readonly output_digest: string | null
  readonly records: { readonly read: number }
  readonly events: number
}

/** What a conversion says of itself. */
export interface Manifest {
  readonly text: string
  readonly entries: readonly ManifestEntry[]
  readonly records: number
  readonly events: number
  readonly failed: number
}

interface ManifestEnd {
  readonly transcripts: number
  readonly failed: number
}

export function parseManifest(text: string): Manifest {
  const entries: ManifestEntry[] = []
  let failed = 0
  for (const line of text.trimEnd().split('\n')) {
    const said: (ManifestEntry & { readonly error?: object }) | ManifestEnd = JSON.parse(line)
    if ('transcripts' in said) failed += said.failed
    else if (said.error === undefined) entries.push(said)
  }
  const [records, events] = [
    entries.reduce((sum, entry) => sum + entry.records.read, 0),
    entries.reduce((sum, entry) => sum + entry.events, 0),
  ]
  return { text, entries, records, events, failed }
}

/** @param to the folder that a conversion wrote */
export function readManifest(to: string): Manifest {
  return parseManifest(readFileSync(join(to, 'manifest.jsonl'), 'utf8'))
}

/** Transcripts whose output is not what the manifest says, in words. Reads all outputs. */
export function outputFaults(to: string, { entries }: Manifest): string[] {
  return entries.flatMap(({ path, output, output_digest: claimed }) => {
    const digest = digestOf(join(to, output))
    return digest === claimed ? [] : [`${path}: the output has the digest ${digest}, not ${claimed}`]
  })
}

/** By pieces: an output may be larger than any buffer. */
function digestOf(path: string): string {
  const hash = createHash('sha256')
  const piece = Buffer.allocUnsafe(PIECE_BYTES)
  const fd = openSync(path, 'r')
  try {
    for (let got = -1; got !== 0;) {
      got = readSync(fd, piece, 0, PIECE_BYTES, null)
      hash.update(piece.subarray(0, got))
    }
  } finally {
    closeSync(fd)
  }
  return hash.digest('hex')
}
