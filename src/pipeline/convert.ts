import { join, resolve, sep } from 'node:path'
import { type Compression, compressorFor } from '../source/compress.ts'
import type { SourceError } from '../source/source-error.ts'
import { CompressedOutput } from './compressed-output.ts'
import { findInputs } from './inputs.ts'
import type { CabinetSettings, TranscriptResult } from './job.ts'
import type { JobList } from './job-list.ts'
import type { Listed } from './listed.ts'
import { writeManifest } from './manifest.ts'
import { jobOptions, type ReadOptions } from './options.ts'
import type { Output } from './output.ts'
import { OutputError } from './output-error.ts'
import { endingOf, oddNames, usualName } from './paths.ts'
import { runJobs, type RunSettings } from './run.ts'

/** Where converted streams go. */
export type Destination =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'stream'; readonly output: Output }

/** What to convert, and where to. */
export interface ConvertRequest extends ReadOptions {
  /** Files, folders, globs, `-`. */
  readonly paths: readonly string[]
  /** Chosen once it is known whether the input is a single file. */
  readonly to: (single: boolean) => Destination
  readonly digest?: boolean
  readonly deltas?: boolean
  readonly provenance?: boolean
  readonly opaqueAll?: boolean
  /** Write events of the Test Cabinet instead; what is left out of it has its default. */
  readonly cabinet?: Partial<CabinetSettings>
  /** Write `trace-ir/1` documents instead. */
  readonly traceIr?: boolean
  /** Compress outputs; they are named with the format's suffix, and digests are of what is inside. */
  readonly compress?: Compression | null
  /** Worker threads; default the cores available, 0 for none. */
  readonly jobs?: number
  readonly progress?: RunSettings['progress']
  readonly signal?: AbortSignal
}

/** What became of it. */
export interface Converted {
  /** In byte order of their paths; what was no transcript is left out. */
  readonly results: Listed<TranscriptResult>
  /** PATHs that could not be read. */
  readonly failures: readonly SourceError[]
  /** Files left out: no dialect recognised, or sidecars. */
  readonly skipped: number
}

const CABINET_DEFAULTS: CabinetSettings = { usage: false, shell: 'classify', observedAt: null }

/**
 * Convert transcripts to `metaharness.event/1`, or to events of the Test Cabinet. A folder gets one stream a transcript and a manifest; a file or stream
 * gets all of them, one after the other.
 *
 * @throws OutputError when outputs cannot be written
 * @throws SourceError when what is needed to compress them is missing
 */
export async function convert(request: ConvertRequest): Promise<Converted> {
  const compress = request.compress ?? null
  const compressor = compress === null ? null : await compressorFor(compress)
  const inputs = await findInputs(request.paths)
  const to = request.to(inputs.single)
  const found = to.kind === 'folder' ? outsideOf(to.path, inputs.jobs) : inputs.jobs
  const options = {
    ...jobOptions(request),
    digest: to.kind !== 'stream' && (request.digest ?? true),
    deltas: request.deltas ?? false,
    provenance: request.provenance ?? false,
    opaqueAll: request.opaqueAll ?? false,
    cabinet: request.cabinet === undefined ? null : { ...CABINET_DEFAULTS, ...request.cabinet },
    traceIr: request.traceIr ?? false,
    compress,
  }
  const ending = endingOf(options)
  const odd = oddNames(found.paths, ending)
  const name = (place: number, path: string): string => odd.get(place) ?? usualName(path, ending)
  const jobs = found.to((place, path) => placeOf(to, () => name(place, path), found.length))
  const plainStream = to.kind === 'stream' ? to.output : null
  const stream =
    plainStream === null || compress === null || compressor === null
      ? plainStream
      : new CompressedOutput(plainStream, compress, compressor, false)
  const { results, skipped } = await runJobs(jobs, options, {
    jobs: request.jobs ?? null,
    stream,
    ...(request.progress === undefined ? {} : { progress: request.progress }),
    ...(request.signal === undefined ? {} : { signal: request.signal }),
  })
  stream?.finish()
  if (to.kind === 'folder') writeManifest(to.path, results)
  return { results, failures: inputs.failures, skipped: skipped + inputs.sidecars }
}

/** The jobs whose files are not in the output folder. */
function outsideOf(folder: string, jobs: JobList): JobList {
  const inside = resolve(folder) + sep
  return jobs.filter(({ file }) => file === null || !file.startsWith(inside))
}

function placeOf(to: Destination, name: () => string, transcripts: number): string | null {
  if (to.kind === 'stream') return null
  if (to.kind === 'folder') return join(to.path, name())
  if (transcripts === 1) return to.path
  throw new OutputError(
    'ERR_OUTPUT_UNWRITABLE',
    `${to.path}: one file cannot hold several transcripts; name a folder`,
  )
}
