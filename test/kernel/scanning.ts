import { type Kind, Kind as KindOf } from '../../src/kernel/layout.ts'
import { NONE, type Node, type RecordView } from '../../src/kernel/record.ts'
import { INPUT_AT, Scanner } from '../../src/kernel/scanner.ts'

/** What a scan said about one record. */
export interface Seen {
  /** Lines count from 1. */
  readonly line: number
  readonly isJson: boolean
  readonly raw: string
  readonly flags: number
}

const scanner = new Scanner()

/** Scan `input` as lines; the scanner stays as it is until the next call. */
export function scanned(input: string | Uint8Array): Scanner {
  scanner.scanBytes(typeof input === 'string' ? Buffer.from(input) : input)
  return scanner
}

export function records(input: string | Uint8Array): Seen[] {
  return recordsOf(scanned(input))
}

export function recordsOf(from: Scanner): Seen[] {
  return Array.from({ length: from.recordCount }, (_, i) => {
    const { line, root, flags, start, end, bytes } = from.select(i, 1)
    return { line, isJson: root !== NONE, raw: bytes.latin1Slice(start, end), flags }
  })
}

/** The verdict on a line that is one record. */
export function accepts(line: string | Uint8Array): boolean {
  const found = records(line)
  return found.length === 1 && found[0]!.isJson
}

/** The only record of `input`. */
export function only(input: string | Uint8Array): RecordView {
  const { recordCount } = scanned(input)
  if (recordCount !== 1) throw new Error(`${recordCount} records instead of one`)
  return scanner.select(0, 1)
}

/** Addresses in the scanner's memory as offsets in the input. */
export function spans(from: Scanner): [start: number, end: number][] {
  return Array.from({ length: from.recordCount }, (_, i) => {
    const { start, end } = from.select(i, 1)
    return [start - INPUT_AT, end - INPUT_AT]
  })
}

/** The value behind a node, made by walking the tape; what `JSON.parse` makes of the same text. */
export function valueOf(record: RecordView, node: Node): unknown {
  const kind: Kind = record.kind(node)
  if (kind === KindOf.Object) {
    const object: Record<string, unknown> = {}
    for (let child = record.first(node); child !== NONE; child = record.next(child)) {
      // Not an assignment: that would set the prototype for a key `__proto__`.
      Object.defineProperty(object, record.key(child), {
        value: valueOf(record, child),
        configurable: true,
        enumerable: true,
        writable: true,
      })
    }
    return object
  }
  if (kind === KindOf.Array) {
    const items: unknown[] = []
    for (let child = record.first(node); child !== NONE; child = record.next(child)) {
      items.push(valueOf(record, child))
    }
    return items
  }
  if (kind === KindOf.String) return record.text(node)
  // Outside the double range `number` is null, where JSON.parse has an infinity.
  if (kind === KindOf.Number) return record.number(node) ?? Number(record.raw(node))
  if (kind === KindOf.Null) return null
  return record.bool(node)
}
