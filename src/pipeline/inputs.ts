import { byteOrder } from '../source/byte-order.ts'
import { discover, type Found } from '../source/discover.ts'
import { SourceError } from '../source/source-error.ts'
import type { TranscriptJob } from './job.ts'
import { isContainer, prefixesOf } from './paths.ts'

/** The transcripts of a run before it is known where their events go. */
export interface Inputs {
  /** In byte order of their paths. */
  readonly jobs: readonly TranscriptJob[]
  /** One PATH, and that a file or standard input. */
  readonly single: boolean
  /** PATHs that could not be read. */
  readonly failures: readonly SourceError[]
  /** Files that by their names belong to a transcript. */
  readonly sidecars: number
}

/** Find the transcripts that PATHs name. With several PATHs each is prefixed by its base name, numbered if equal. */
export async function findInputs(paths: readonly string[]): Promise<Inputs> {
  const { roots, failures, sidecars } = await discover(paths)
  const prefixes = prefixesOf(
    roots.map((root) => (root.folder ? root.name : '')),
    paths.length > 1,
  )
  const all = roots.flatMap((root, i) =>
    root.found.map((found) => ({ ...found, path: prefixed(prefixes[i] ?? '', root.folder, found) })),
  )
  const jobs = numbered(all)
    .toSorted((a, b) => byteOrder(a.path, b.path))
    .map(({ path, file, bytes, named }, index) => ({ index, path, file, bytes, named, output: null }))
  const [first] = roots
  const single = paths.length === 1 && first !== undefined && !first.folder && !isContainer(first.name)
  return { jobs, single, failures, sidecars }
}

function prefixed(prefix: string, folder: boolean, found: Found): string {
  return folder && prefix !== '' ? `${prefix}/${found.path}` : found.path
}

/** Files of one path (the same base name from two places) are numbered. */
function numbered(all: readonly Found[]): Found[] {
  const seen = new Map<string, number>()
  return all.map((found) => {
    const n = (seen.get(found.path) ?? 0) + 1
    seen.set(found.path, n)
    if (n === 1) return found
    const dot = found.path.lastIndexOf('.')
    const at = dot > found.path.lastIndexOf('/') ? dot : found.path.length
    return { ...found, path: `${found.path.slice(0, at)}-${n}${found.path.slice(at)}` }
  })
}
