import { discover } from '../source/discover.ts'
import type { SourceError } from '../source/source-error.ts'
import { JobList } from './job-list.ts'
import { isContainer, prefixesOf } from './paths.ts'

/** The transcripts of a run before it is known where their events go. */
export interface Inputs {
  /** In byte order of their paths. */
  readonly jobs: JobList
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
  const jobs = JobList.of(roots, prefixes)
  const [first] = roots
  const single = paths.length === 1 && first !== undefined && !first.folder && !isContainer(first.name)
  return { jobs, single, failures, sidecars }
}
