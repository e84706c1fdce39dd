import type { Text } from '../../event/value.ts'
import { Kind } from '../../kernel/layout.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'

const BACKSLASH = 0x5c
const LAST_ASCII = 0x7f

/** Ids longer than this are no ids: they are not remembered, so that memory stays bounded. */
export const LONGEST_ID = 512

/** Epochs below this are seconds, above it milliseconds (the year 5138 in seconds, 1973 in milliseconds). */
const SECONDS_BELOW = 1e11
/** The widest time a `Date` holds, in milliseconds. */
const DATE_LIMIT = 8.64e15

/** The time a `timestamp` tells: a string untouched, a numeric epoch as ISO 8601 UTC, else null (design §5.1). */
export function timeOf(record: RecordView, node: Node): Text {
  const kind = record.kind(node)
  if (kind === Kind.String) return node
  if (kind !== Kind.Number) return null
  const epoch = record.number(node)
  if (epoch === null) return null
  const epochMs = Math.abs(epoch) < SECONDS_BELOW ? epoch * 1000 : epoch
  return Math.abs(epochMs) <= DATE_LIMIT ? new Date(epochMs).toISOString() : null
}

/** The same time as a string that outlives the record. `at` comes from `timeOf`. */
export function keptTime(record: RecordView, at: Text): string | null {
  if (typeof at === 'string') return at
  return typeof at === 'number' ? record.text(at) : null
}

/** A string or the characters of a number, for words that some versions write as numbers (`429`). */
export function wordOf(record: RecordView, node: Node): string | null {
  return record.kind(node) === Kind.Number ? record.raw(node) : record.text(node)
}

/** A count or a duration that no bill hangs on: a non-negative integer, else null without a word. */
export function wholeOf(record: RecordView, node: Node): number | null {
  const value = record.integer(node)
  return value !== null && value >= 0 ? value : null
}

/** The first item of an array, `NONE` for anything else, objects included. */
export function firstItem(record: RecordView, list: Node): Node {
  return record.isArray(list) ? record.first(list) : NONE
}

/** True when `node` is a string that reads `known`. Compared from the end, where ids differ, and in place. */
export function isText(record: RecordView, node: Node, known: string): boolean {
  const { words, bytes } = record
  if (!record.isString(node)) return false
  const start = words[node]! + 1
  const length = words[node + 1]! - 1 - start
  // Escapes and what is not ASCII take more bytes than they are long.
  if (length !== known.length) return length > known.length && record.text(node) === known
  for (let i = known.length - 1; i >= 0; i--) {
    const byte = bytes[start + i]!
    if (byte !== known.charCodeAt(i) || byte === BACKSLASH || byte > LAST_ASCII) return false
  }
  return true
}
