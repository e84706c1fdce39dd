import type { Machine } from '../machine.ts'
import type { Verdict } from './goals.ts'
import type { Field } from './group.ts'

/** All that one run against the peers gave. */
export interface PeersDocument {
  readonly format: 'millrace.peers/1'
  /** ISO 8601, UTC. */
  readonly at: string
  readonly machine: Machine
  /** Load of the last minute when the run was over; what it was before is with the machine. */
  readonly loadAfter: number
  readonly inMemory: boolean
  /** Bytes of the folder that were asked for. */
  readonly sizeBytes: number
  readonly rounds: number
  /** What was measured against, by name. */
  readonly versions: Readonly<Record<string, string>>
  readonly goals: readonly Verdict[]
  /** Raw times of every program. */
  readonly fields: readonly Field[]
}
