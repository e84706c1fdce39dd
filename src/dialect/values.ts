import type { TextList } from '../event/value.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'

/** A string of the record, to be copied as it is; null for anything else. */
export function textAt(record: RecordView, node: Node): Node | null {
  return record.isString(node) ? node : null
}

/** Any value of the record; null when there is none. */
export function jsonAt(node: Node): Node | null {
  return node === NONE ? null : node
}

/** The strings of an array; null when it is no array: then the producer did not say. */
export function textsAt(record: RecordView, node: Node): TextList {
  return record.isArray(node) ? children(record, node, (child) => textAt(record, child)) : null
}

/** What `read` makes of each child of an array or object, nulls left out. */
export function children<T>(record: RecordView, node: Node, read: (child: Node) => T | null): T[] {
  const found: T[] = []
  for (let child = record.first(node); child !== NONE; child = record.next(child)) {
    const made = read(child)
    if (made !== null) found.push(made)
  }
  return found
}

/** The first item of an array, `NONE` for anything else, objects included. */
export function firstOf(record: RecordView, list: Node): Node {
  return record.isArray(list) ? record.first(list) : NONE
}

/** A number that no bill hangs on: a non-negative integer, else null without a word. */
export function wholeAt(record: RecordView, node: Node): number | null {
  const value = record.integer(node)
  return value !== null && value >= 0 ? value : null
}

/** A string or the characters of a number, for words that some versions write as numbers. */
export function wordAt(record: RecordView, node: Node): string | null {
  return record.integer(node) === null ? record.text(node) : record.raw(node)
}
