import { NONE, type Node, type RecordView } from '../../kernel/record.ts'

/**
 * The innermost object of a record that holds all of these values, which is what an event was made from: the content
 * block of a call and not its message. The record's root when none of them is a node.
 *
 * The tape has no way up, but a child holds exactly the nodes between itself and its next sibling: so the way down
 * can be told by numbers alone.
 */
export function pieceOf(record: RecordView, values: readonly unknown[]): Node {
  let lowest = Infinity
  let highest = 0
  for (const value of values) {
    if (typeof value !== 'number' || value === NONE) continue
    lowest = Math.min(lowest, value)
    highest = Math.max(highest, value)
  }
  const { root } = record
  if (highest === 0) return root
  let piece = root
  let at = root
  for (;;) {
    let holder: Node = NONE
    for (let child = record.first(at); child !== NONE && child < lowest; child = record.next(child))
      holder = child
    if (holder === NONE) return piece
    const after = record.next(holder)
    // Past the last child nothing of this value is left, so that whatever stands above the child is in it.
    if (after !== NONE && after <= highest) return piece
    if (!record.isObject(holder) && !record.isArray(holder)) return piece
    if (record.isObject(holder)) piece = holder
    at = holder
  }
}
