import type { Measured } from './goals.ts'
import type { Peers } from './install.ts'
import type { Timing } from './program.ts'

/** What a group of measurements needs to know. */
export interface Settings {
  /** Bytes of the folder, and of the single transcript. */
  readonly sizeBytes: number
  /** Runs of each program; slow baselines run once. */
  readonly rounds: number
  /** Null when they could not be installed. */
  readonly peers: Peers | null
}

/** Programs that did the same with the same bytes, or read them at least. */
export interface Field {
  readonly title: string
  /** Bytes that each of them read. */
  readonly bytes: number
  /** Whose time the others' is compared with. */
  readonly ours: string
  readonly timings: readonly Timing[]
}

/** What a group gave. */
export interface GroupResult {
  readonly measured: readonly Measured[]
  readonly fields: readonly Field[]
}
