import { isUtf8 } from 'node:buffer'
import type { Decimal, Json, Text, TextList } from '../event/value.ts'
import { Kind, RecordFlag } from '../kernel/layout.ts'
import { type JsonBytes, NONE, type Node, type RecordView } from '../kernel/record.ts'
import { noRepairs, repaired, type Repairs, wellFormed } from './repair.ts'
import { compactJson } from './spelling.ts'
import { literal, type Splice } from './splice.ts'

const NULL = literal('null')
const TRUE = literal('true')
const FALSE = literal('false')
const COMMA = literal(',')
const OPEN_LIST = literal('[')
const CLOSE_LIST = literal(']')
const EMPTY_LIST = literal('[]')

/** Writes the values of events: spans of the record as they are, and what strict readers refuse in its nearest valid form. */
export class ValueWriter {
  out: Splice
  record: RecordView
  readonly repairs: Repairs = noRepairs()

  constructor(out: Splice, record: RecordView) {
    this.out = out
    this.record = record
  }

  /** A string or null. A node that is no string is null: the field was there, but not what it should be. */
  text(value: Text): void {
    if (typeof value === 'number') {
      if (this.record.kind(value) === Kind.String) this.node(value)
      else this.out.literal(NULL)
    } else if (value === null) {
      this.out.literal(NULL)
    } else if (typeof value === 'string') {
      if (!this.out.quoted(value)) this.out.text(JSON.stringify(wellFormed(value, this.repairs)))
    } else {
      this.kept(value)
    }
  }

  /** Any JSON value; null when absent. */
  json(value: Json): void {
    if (value === null || value === NONE) this.out.literal(NULL)
    else if (typeof value === 'number') this.node(value)
    else this.kept(value)
  }

  /** A number as it is spelled; null when it is none, or none that strict readers take where only numbers may stand. */
  decimal(value: Decimal): void {
    const { out, record } = this
    if (typeof value === 'string') {
      out.text(value)
    } else if (value === null || record.kind(value) !== Kind.Number) {
      out.literal(NULL)
    } else if (record.suspect && record.number(value) === null) {
      this.repairs.numbers++
      out.literal(NULL)
    } else {
      this.node(value)
    }
  }

  integer(value: number | null): void {
    if (value === null) this.out.literal(NULL)
    else this.out.integer(value)
  }

  bool(value: boolean | null): void {
    this.out.literal(value === null ? NULL : value ? TRUE : FALSE)
  }

  textList(values: TextList): void {
    const { out } = this
    if (values === null) {
      out.literal(NULL)
      return
    }
    for (let i = 0; i < values.length; i++) {
      out.literal(i === 0 ? OPEN_LIST : COMMA)
      this.text(values[i]!)
      out.breathe()
    }
    out.literal(values.length === 0 ? EMPTY_LIST : CLOSE_LIST)
  }

  /** As a list, of whole numbers: there may be thousands, and each is a piece that the kernel spells. */
  integers(values: readonly number[]): void {
    const { out } = this
    for (let i = 0; i < values.length; i++) {
      out.literal(i === 0 ? OPEN_LIST : COMMA)
      out.integer(values[i]!)
      out.breathe()
    }
    out.literal(values.length === 0 ? EMPTY_LIST : CLOSE_LIST)
  }

  /** A list of things that `write` writes; null when it is null. */
  list<T>(values: readonly T[] | null, write: (value: T) => void): void {
    if (values === null) {
      this.out.literal(NULL)
      return
    }
    for (let i = 0; i < values.length; i++) {
      this.out.literal(i === 0 ? OPEN_LIST : COMMA)
      write(values[i]!)
      this.out.breathe()
    }
    this.out.literal(values.length === 0 ? EMPTY_LIST : CLOSE_LIST)
  }

  private node(node: Node): void {
    const { record } = this
    if (record.suspect) {
      const raw = (record.flags & RecordFlag.Item) !== 0 ? compactJson(record, node, false) : record.raw(node)
      const isBad =
        (record.flags & RecordFlag.BadUtf8) !== 0 &&
        !isUtf8(record.bytes.subarray(record.words[node]!, record.words[node + 1]!))
      this.out.text(repaired(raw, isBad, this.repairs))
    } else if ((record.flags & RecordFlag.Item) !== 0 && record.kind(node) <= Kind.Array) {
      this.out.text(compactJson(record, node, false))
    } else {
      const start = record.words[node]!
      this.out.span(start, record.words[node + 1]! - start)
    }
  }

  private kept(value: JsonBytes): void {
    if (!value.suspect) {
      this.out.bytes(value.bytes)
      return
    }
    const bytes = Buffer.from(value.bytes.buffer, value.bytes.byteOffset, value.bytes.length)
    const raw = bytes.toString('utf8')
    this.out.text(repaired(raw, !isUtf8(bytes), this.repairs))
  }
}
