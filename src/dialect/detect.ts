import type { Key } from '../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'
import type { Adapter } from './adapter.ts'
import type { Dialects } from './registry.ts'

/** Values looked at, unless the window holds more (design §5.6, spec vendor-transcripts §1). */
export const WINDOW_VALUES = 20
/** Bytes looked at, unless fewer values than `WINDOW_VALUES` are in them. */
export const WINDOW_BYTES = 1024 * 1024

/** Longest session id that becomes a run id, in UTF-16 units. */
const LONGEST_RUN = 256

/** What one value said. */
export interface Sign {
  /** 1-based line of the value. */
  readonly line: number
  readonly dialect: string
  readonly weight: 'proof' | 'weak'
  readonly reason: string
}

export interface Detection {
  readonly adapter: Adapter<unknown>
  /** Everything that was said, in order, up to the proof. */
  readonly signs: readonly Sign[]
  /** The first session id of the dialect in the window, null when there is none. */
  readonly run: string | null
  /** What proved the dialect says that this is no run (`Evidence.isRun`). */
  readonly isRun: boolean
}

/**
 * Collects evidence value by value. The first value that proves a dialect settles it; without proof the dialect with
 * the most weak signs is taken, of equal ones the one asked first.
 */
export class Detector {
  private readonly dialects: Dialects
  private readonly signs: Sign[] = []
  private readonly runs = new Map<string, string>()
  private proven: Adapter<unknown> | null = null
  private isRun = true
  private over = false

  /** @param forced the dialect the caller named; evidence is then not asked for */
  constructor(dialects: Dialects, forced: Adapter<unknown> | null) {
    this.dialects = dialects
    this.proven = forced
    this.over = forced?.runId === null
  }

  /** Look at one record of the window, or at one item of it. */
  look(record: RecordView, value: Node): void {
    if (value === NONE) return
    if (this.proven === null) this.weigh(record, value)
    // Once the dialect is proven, ids of others are of no use: most of the window is read with one adapter.
    if (this.proven !== null) this.askForRun(this.proven, record, value)
    else for (const adapter of this.dialects.adapters) this.askForRun(adapter, record, value)
  }

  /** True when looking further cannot change the outcome. */
  get settled(): boolean {
    return this.over
  }

  /** The field that every record has at its top which can still change the outcome; null while any record can. */
  get runKey(): Key | null {
    return this.proven?.runKey ?? null
  }

  finish(): Detection {
    const adapter = this.proven ?? this.weakest() ?? this.dialects.fallback
    return { adapter, signs: this.signs, run: this.runs.get(adapter.dialect) ?? null, isRun: this.isRun }
  }

  /** The first id of a dialect counts. */
  private askForRun(adapter: Adapter<unknown>, record: RecordView, value: Node): void {
    const run = adapter.runId?.(record, value) ?? null
    if (run === null || run === '' || run.length > LONGEST_RUN) return
    if (!this.runs.has(adapter.dialect)) this.runs.set(adapter.dialect, run)
    this.over = adapter === this.proven
  }

  private weigh(record: RecordView, value: Node): void {
    for (const adapter of this.dialects.adapters) {
      const evidence = adapter.evidence(record, value)
      if (evidence === null) continue
      const { weight, reason } = evidence
      this.signs.push({ line: record.line, dialect: adapter.dialect, weight, reason })
      if (evidence.weight === 'proof') {
        this.proven = adapter
        this.over = adapter.runId === null || this.runs.has(adapter.dialect)
        this.isRun = evidence.isRun ?? true
        return
      }
    }
  }

  /** The dialect with the most weak signs. */
  private weakest(): Adapter<unknown> | null {
    let best: Adapter<unknown> | null = null
    let most = 0
    for (const adapter of this.dialects.adapters) {
      const count = this.signs.filter((sign) => sign.dialect === adapter.dialect).length
      if (count > most) {
        best = adapter
        most = count
      }
    }
    return best
  }
}
