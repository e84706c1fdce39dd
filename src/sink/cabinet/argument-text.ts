import type { JsonBytes, Node, RecordView } from '../../kernel/record.ts'

/** Bytes of one argument that is looked at. */
export const LONGEST_TEXT = 1024 * 1024
/** Bytes by which a text is told at sight. */
const HEAD_BYTES = 32

/** A text among the arguments. Of most no more is looked at than how they begin. */
export interface ArgumentText {
  /** How it begins, decoded: some 32 characters, or all of a shorter one. */
  head(): string
  /** All of it, decoded; null when it is too long to be looked at. */
  text(): string | null
  /** All of it as it is spelled, to be kept. */
  keep(): string | JsonBytes
}

/** A text by itself; null when there is nothing in it. */
export function textOf(text: string): ArgumentText | null {
  return text === '' ? null : new PlainText(text)
}

/** A text in the record. */
export class RecordText implements ArgumentText {
  private readonly record: RecordView
  private readonly node: Node
  private readonly longest: number

  constructor(record: RecordView, node: Node, longest = LONGEST_TEXT) {
    this.record = record
    this.node = node
    this.longest = longest
  }

  head(): string {
    return this.record.head(this.node, HEAD_BYTES) ?? ''
  }

  text(): string | null {
    return this.record.rawBytes(this.node) > this.longest ? null : this.record.text(this.node)
  }

  keep(): JsonBytes {
    return this.record.keep(this.node)
  }
}

/** A text that is decoded already; `kept` is another spelling of it that there is. */
export class PlainText implements ArgumentText {
  private readonly whole: string
  private readonly kept: string | JsonBytes

  constructor(text: string, kept: string | JsonBytes = text) {
    this.whole = text
    this.kept = kept
  }

  head(): string {
    return this.whole.slice(0, HEAD_BYTES)
  }

  text(): string {
    return this.whole
  }

  keep(): string | JsonBytes {
    return this.kept
  }
}
