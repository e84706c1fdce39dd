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
