import type { BenchCorpus } from './corpora.ts'

/**
 * One side of a comparison. A benchmark is also a test: a sample counts only when its answer is the expected one.
 */
export interface Contender {
  readonly name: string
  readonly expected: unknown
  /** Not timed, before every sample. */
  prepare?(): void
  /** The work of one sample, and what it gave. Timed. */
  run(): unknown
  /** What a sample's result comes to, when that is not the result itself. Not timed. */
  answer?(result: unknown): unknown
}

/** Our way of doing something, and other ways of doing the same with the same bytes. */
export interface Comparison {
  /** Bytes that one sample of any contender takes in; 0 when speed in bytes says nothing. */
  readonly bytes: number
  readonly ours: Contender
  readonly baselines: readonly Contender[]
  /** Things that one sample deals with, for a rate beside the bytes. */
  readonly items?: { readonly count: number; readonly unit: string }
  /** Peak memory of our own process in bytes. Asked for once, after the samples; runs the work again. */
  peakRss?(): number
}

/**
 * What a sample's time is. `processor`: what our process used of all cores together, helpers of V8 included, so what one
 * core would take; a neighbour on the machine does not count. `wall`: for the work of other processes, with
 * threads of their own.
 */
export type Clock = 'processor' | 'wall'

export interface BenchCase {
  /** Unique; the first word of its rows in the guard file. */
  readonly name: string
  /** One line for the table. */
  readonly title: string
  /** How long to sample, by the same clock; rounds go on until it is over. */
  readonly budgetMs: number
  readonly leastRounds: number
  readonly clock: Clock
  /** @param scratch an empty folder of its own, removed afterwards */
  open(corpus: BenchCorpus, scratch: string): Comparison | Promise<Comparison>
}
