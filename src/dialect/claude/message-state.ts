import type { Telling, Tokens } from '../../event/billing.ts'
import type { Advisor, UsageReading } from './usage.ts'

/**
 * The API messages of a transcript. One message is written as several lines, which all repeat its usage; the last
 * line, or the one with the largest output, has the final figures (spec vendor-transcripts §2.5).
 */
export interface Messages {
  /** The last message of each thread, open or written; a subagent is a thread of its own. */
  readonly threads: Map<string, OpenMessage>
  /** Rank of what was written lately, by key, so that a repeat is not written again. */
  written: Map<string, number>
  /** The same of what was written before that. */
  writtenBefore: Map<string, number>
  /** Ids of those of the main chain; null until there is a side chain. */
  mainIds: Set<string> | null
  /** Tokens of what was written since the last total of the process, by model; null where there are no totals. */
  readonly since: Map<string | null, Tokens> | null
  /** Keep what every line told. */
  readonly traced: boolean
}

/** Mutable and used again for the next message of the thread, for it is made millions of times. */
export interface OpenMessage {
  /** Its usage is still to be written. */
  isOpen: boolean
  id: string | null
  requestId: string | null
  model: string | null
  reading: UsageReading
  advisors: readonly Advisor[]
  /** See `rankOf`. */
  rank: number
  /** Some line had a stop reason. */
  final: boolean
  uuid: string | null
  at: string | null
  /** 1-based line of the last record of this message. */
  line: number
  /** Lines that held nothing but this usage. */
  folded: number[] | null
  /** What its lines told; null when nobody wants to know. */
  told: Telling[] | null
  session: string | null
  process: string | null
  sidechain: boolean
  reportedPicoUsd: bigint | null
}

/** @param hasTotals the dialect states totals of a process, beside which later messages are to be added up */
export function noMessages(hasTotals: boolean, traced = false): Messages {
  const since = hasTotals ? new Map<string | null, Tokens>() : null
  return { threads: new Map(), written: new Map(), writtenBefore: new Map(), mainIds: null, since, traced }
}
