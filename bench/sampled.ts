import type { CallCost } from './cases/vocabulary.ts'

/** What one case gave: the raw samples. Plain data; it comes from the process that measured. */
export interface Sampled {
  readonly name: string
  readonly title: string
  readonly bytes: number
  readonly items: { readonly count: number; readonly unit: string } | null
  /** Seconds of each of our samples. */
  readonly seconds: readonly number[]
  readonly baselines: readonly { readonly name: string; readonly seconds: readonly number[] }[]
  readonly peakRssBytes: number | null
  /** All that it took, in seconds: making the input, checking answers, warming up and sampling. */
  readonly tookSeconds: number
}

/** What a measuring process sends back. */
export type Report =
  | { readonly kind: 'sampled'; readonly sampled: Sampled }
  | { readonly kind: 'calls'; readonly calls: readonly CallCost[] }

/** What a measuring process is asked for. */
export interface Task {
  readonly case: string
  /** Folder of the generated corpora. */
  readonly corpora: string
  /** A corpus that somebody named. */
  readonly given: string | null
  /** An empty folder. */
  readonly scratch: string
}

/** One line of the table: ours against one baseline. */
export interface Row {
  /** `case / baseline`, as in the guard file. */
  readonly name: string
  readonly case: string
  readonly title: string
  readonly baseline: string
  readonly milliseconds: number
  readonly megabytesPerSecond: number | null
  readonly itemsPerSecond: { readonly count: number; readonly unit: string } | null
  /** Our speed as a multiple of the baseline's, best sample against best sample. */
  readonly ratio: number
  readonly peakRssBytes: number | null
}

/** Best samples, as ratios. */
export function rowsOf(sampled: Sampled): Row[] {
  const { bytes, items, peakRssBytes, title } = sampled
  const seconds = Math.min(...sampled.seconds)
  return sampled.baselines.map((baseline) => ({
    name: `${sampled.name} / ${baseline.name}`,
    case: sampled.name,
    title,
    baseline: baseline.name,
    milliseconds: seconds * 1000,
    megabytesPerSecond: bytes === 0 ? null : bytes / 1e6 / seconds,
    itemsPerSecond: items === null ? null : { count: items.count / seconds, unit: items.unit },
    ratio: Math.min(...baseline.seconds) / seconds,
    peakRssBytes,
  }))
}
