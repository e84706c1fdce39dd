import { fileOf, type Root } from '../source/discover.ts'
import { byteOrder } from '../source/byte-order.ts'
import type { TranscriptJob } from './job.ts'
import type { Listed } from './listed.ts'

/** Where the events of one transcript go; null when they are not written to a file. */
export type OutputOf = (place: number, path: string) => string | null

/** What is kept of each transcript. */
interface Rows {
  /** As in the manifest. */
  readonly paths: string[]
  /** Place of its root among the roots. */
  readonly roots: number[]
  readonly bytes: number[]
  /** 1 for one that the caller named. */
  readonly named: number[]
  /** By place: the path below its root, of those that are called otherwise. */
  readonly below: Map<number, string>
}

/** A root whose files have `prefix` before their paths. */
type Prefixed = Pick<Root, 'folder' | 'place'> & { readonly prefix: string }

const NOWHERE: OutputOf = () => null

/**
 * The transcripts of a run, in byte order of their paths. There may be hundreds of thousands: a path and a few numbers are
 * kept of each, and what a job says beside that is put together when it is asked for.
 */
export class JobList implements Listed<TranscriptJob> {
  readonly length: number
  private readonly roots: readonly Prefixed[]
  private readonly rows: Rows
  private readonly outputOf: OutputOf

  private constructor(roots: readonly Prefixed[], rows: Rows, outputOf: OutputOf) {
    this.length = rows.paths.length
    this.roots = roots
    this.rows = rows
    this.outputOf = outputOf
  }

  /**
   * All that was found, sorted. Files of one path (the same base name from two places) are numbered.
   *
   * @param prefixes of the roots that are folders
   */
  static of(roots: readonly Root[], prefixes: readonly string[]): JobList {
    const places = roots.map(({ folder, place }, i) => {
      const prefix = prefixes[i] ?? ''
      return { folder, place, prefix: folder && prefix !== '' ? `${prefix}/` : '' }
    })
    const all = emptyRows()
    for (const [i, { found }] of roots.entries()) {
      const prefix = places[i]?.prefix ?? ''
      for (const { path, bytes, named } of found) {
        all.roots.push(i)
        all.paths.push(prefix + path)
        all.bytes.push(bytes)
        all.named.push(Number(named))
      }
    }
    number(all, places)
    return new JobList(places, picked(all, orderOf(all.paths)), NOWHERE)
  }

  at(place: number): TranscriptJob | undefined {
    const path = this.rows.paths[place]
    if (path === undefined) return undefined
    return {
      index: place,
      path,
      file: this.fileAt(place, path),
      bytes: this.rows.bytes[place] ?? 0,
      named: this.rows.named[place] === 1,
      output: this.outputOf(place, path),
    }
  }

  *[Symbol.iterator](): Generator<TranscriptJob, void, undefined> {
    for (let place = 0; place < this.length; place++) {
      const job = this.at(place)
      if (job !== undefined) yield job
    }
  }

  get paths(): readonly string[] {
    return this.rows.paths
  }

  /** The jobs that are wanted, numbered anew. */
  filter(isWanted: (job: TranscriptJob) => boolean): JobList {
    const kept: number[] = []
    for (const job of this) if (isWanted(job)) kept.push(job.index)
    return kept.length === this.length
      ? this
      : new JobList(this.roots, picked(this.rows, kept), this.outputOf)
  }

  /** The same jobs, with events written where `outputOf` says. */
  to(outputOf: OutputOf): JobList {
    return new JobList(this.roots, this.rows, outputOf)
  }

  private fileAt(place: number, path: string): string | null {
    const root = this.roots[this.rows.roots[place] ?? 0]
    return root === undefined
      ? null
      : fileOf(root, this.rows.below.get(place) ?? path.slice(root.prefix.length))
  }
}

function emptyRows(): Rows {
  return { paths: [], roots: [], bytes: [], named: [], below: new Map() }
}

/** The rows at `places`, in that order. */
function picked(from: Rows, places: readonly number[]): Rows {
  const into = emptyRows()
  for (const [i, place] of places.entries()) {
    into.paths.push(from.paths[place] ?? '')
    into.roots.push(from.roots[place] ?? 0)
    into.bytes.push(from.bytes[place] ?? 0)
    into.named.push(from.named[place] ?? 0)
    const below = from.below.get(place)
    if (below !== undefined) into.below.set(i, below)
  }
  return into
}

/** Places in byte order of the paths there; those of one path stay in their order. */
function orderOf(paths: readonly string[]): number[] {
  return Array.from(paths, (_, place) => place).toSorted((a, b) => byteOrder(paths[a] ?? '', paths[b] ?? ''))
}

/** Give a number to the second file of a path and to those behind it. */
function number(rows: Rows, roots: readonly Prefixed[]): void {
  const { paths, below } = rows
  let n = 1
  let first = ''
  for (const [i, place] of orderOf(paths).entries()) {
    const path = paths[place] ?? ''
    n = i > 0 && path === first ? n + 1 : 1
    first = path
    if (n === 1) continue
    const dot = path.lastIndexOf('.')
    const at = dot > path.lastIndexOf('/') ? dot : path.length
    below.set(place, path.slice(roots[rows.roots[place] ?? 0]?.prefix.length ?? 0))
    paths[place] = `${path.slice(0, at)}-${n}${path.slice(at)}`
  }
}
