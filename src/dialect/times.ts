import type { Text } from '../event/value.ts'
import { Kind } from '../kernel/layout.ts'
import type { Node, RecordView } from '../kernel/record.ts'

/** Epochs below this are seconds, above it milliseconds (the year 5138 in seconds, 1973 in milliseconds). */
const SECONDS_BELOW = 1e11
/** The widest time a `Date` holds, in milliseconds. */
const DATE_LIMIT = 8.64e15

/** The time a field tells: a string untouched, a numeric epoch as ISO 8601 UTC, else null (design §5.1). */
export function timeAt(record: RecordView, node: Node): Text {
  const kind = record.kind(node)
  if (kind === Kind.String) return node
  return kind === Kind.Number ? isoOf(record.number(node)) : null
}

/** The same time as a string that outlives the record. `at` comes from `timeAt`. */
export function keptTimeOf(record: RecordView, at: Text): string | null {
  if (typeof at === 'string') return at
  return typeof at === 'number' ? record.text(at) : null
}

/** An epoch in seconds or milliseconds as ISO 8601 UTC; null when it is unknown or no time. */
export function isoOf(epoch: number | null): string | null {
  if (epoch === null) return null
  const epochMs = Math.abs(epoch) < SECONDS_BELOW ? epoch * 1000 : epoch
  return Math.abs(epochMs) <= DATE_LIMIT ? new Date(epochMs).toISOString() : null
}
