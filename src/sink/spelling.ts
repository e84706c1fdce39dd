import { hash } from 'node:crypto'
import { Kind } from '../kernel/layout.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'

/** SHA-256 of bytes or of text as UTF-8: 64 lower-case hex digits. */
export function sha256(content: Uint8Array | string): string {
  return hash('sha256', content, 'hex')
}

/**
 * A value without white space between its tokens, scalars as they are spelled in the input. With `sorted`, keys are in
 * code point order and of duplicate keys the last one stands: the form whose digest names an unreadable block
 * (spec metaharness-event-1 §4, design §5.2).
 */
export function compactJson(record: RecordView, node: Node, sorted: boolean): string {
  const kind = record.kind(node)
  if (kind === Kind.Array) {
    const items: string[] = []
    for (let item = record.first(node); item !== NONE; item = record.next(item)) {
      items.push(compactJson(record, item, sorted))
    }
    return `[${items.join(',')}]`
  }
  if (kind !== Kind.Object) return record.raw(node)
  if (!sorted) {
    const fields: string[] = []
    for (let child = record.first(node); child !== NONE; child = record.next(child)) {
      const [start, end] = record.keySpan(child)
      fields.push(`"${record.bytes.utf8Slice(start, end)}":${compactJson(record, child, sorted)}`)
    }
    return `{${fields.join(',')}}`
  }
  const last = new Map<string, Node>()
  for (let child = record.first(node); child !== NONE; child = record.next(child))
    last.set(record.key(child), child)
  const fields = [...last.keys()].toSorted(byCodePoint).map((name) => {
    const child = last.get(name) ?? NONE
    return `${JSON.stringify(name)}:${compactJson(record, child, sorted)}`
  })
  return `{${fields.join(',')}}`
}

/** The order of UTF-8 bytes. That of UTF-16 units puts what lies beyond U+FFFF before U+E000. */
function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
