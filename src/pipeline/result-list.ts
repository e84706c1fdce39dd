import { byteOrder } from '../source/byte-order.ts'
import type { TranscriptJob, TranscriptResult } from './job.ts'
import { KeptLedgers } from './kept-ledgers.ts'
import type { Listed } from './listed.ts'
import { ResultRows } from './result-row.ts'

/**
 * The results of a run, without their censuses, which have been merged by then. There may be hundreds of thousands: each is a
 * row of text (`result-row.ts`) and rows of its ledger, and an object only while somebody looks at it.
 */
export class ResultList implements Listed<TranscriptResult> {
  private readonly jobs: Listed<TranscriptJob>
  private readonly rows: ResultRows
  private readonly ledgers = new KeptLedgers()
  /** By row: the place of its job, and its path, which is that of the job wherever it can be. */
  private readonly indexes: number[] = []
  private readonly paths: string[] = []
  /** Rows in byte order of their paths; null while there are more to come. */
  private order: readonly number[] | null = null

  /** @param jobs those that the results are of, by their index */
  constructor(jobs: Listed<TranscriptJob>) {
    this.jobs = jobs
    this.rows = new ResultRows(jobs)
  }

  get length(): number {
    return this.paths.length
  }

  add(job: TranscriptJob, result: TranscriptResult): void {
    this.order = null
    this.rows.add(job, result)
    this.ledgers.add(result.ledger)
    this.indexes.push(job.index)
    this.paths.push(result.path === job.path ? job.path : result.path)
  }

  at(place: number): TranscriptResult | undefined {
    const row = this.sorted()[place]
    return row === undefined ? undefined : this.read(row)
  }

  *[Symbol.iterator](): Generator<TranscriptResult, void, undefined> {
    for (const row of this.sorted()) yield this.read(row)
  }

  private read(row: number): TranscriptResult {
    const [index, path] = [this.indexes[row] ?? 0, this.paths[row] ?? '']
    return this.rows.read(row, index, path, this.ledgers.at(row))
  }

  /** Of one path in the order of their jobs, then as they came. */
  private sorted(): readonly number[] {
    const { paths, indexes } = this
    this.order ??= Array.from(paths, (_, row) => row)
      .toSorted((a, b) => (indexes[a] ?? 0) - (indexes[b] ?? 0) || a - b)
      .toSorted((a, b) => byteOrder(paths[a] ?? '', paths[b] ?? ''))
    return this.order
  }
}
