import { Kind, NodeBit } from './layout.ts'
import { Patterns } from './patterns.ts'
import type { Node, RecordView } from './record.ts'

/** Slots of a table; a power of two. */
const SLOTS = 1024
const NO_NUMBERS = new Uint8Array(0)
const BACKSLASH = 0x5c

/**
 * The words of a closed list, found by the bytes of a value: which one it is costs less than to make a string of it
 * and to look that up.
 */
export class Vocabulary<Word extends string = string> {
  readonly words: readonly Word[]
  private patterns: Patterns | null = null
  /** By `slotOf`: a word's number from 1, 0 for none. */
  private table = NO_NUMBERS
  /** By a word's number: its length in bytes, and the next word of the same slot. */
  private lengths = NO_NUMBERS
  private next = NO_NUMBERS

  /** @param words at most 250 ASCII words of 1 to 40 characters, without escapes in JSON */
  constructor(...words: readonly Word[]) {
    this.words = words
  }

  /** The word that the value is; null when it is none of them, or no string. */
  at(record: RecordView, node: Node): Word | null {
    return this.words[this.indexOf(record, node)] ?? null
  }

  /** The index of the word that the value is; -1 when it is none of them, or no string. */
  indexOf(record: RecordView, node: Node): number {
    const { words, bytes, data } = record
    if ((words[node + 3]! & NodeBit.Kind) !== Kind.String) return -1
    const patterns = this.patterns ?? this.prepare()
    const start = words[node]! + 1
    const length = words[node + 1]! - 1 - start
    let number = this.table[slotOf(bytes, start, length)]!
    for (; number !== 0; number = this.next[number]!) {
      if (this.lengths[number] === length && patterns.match(data, start, number - 1)) return number - 1
    }
    return this.decoded(record, node, length)
  }

  /** At the first use, as every thread loads the words of all dialects. */
  private prepare(): Patterns {
    const { words } = this
    const quoted = words.map((word) => Buffer.from(`"${word}"`))
    this.lengths = Uint8Array.from([0, ...words.map(({ length }) => length)])
    this.next = new Uint8Array(words.length + 1)
    this.table = new Uint8Array(SLOTS)
    for (const [i, bytes] of quoted.entries()) {
      const slot = slotOf(bytes, 1, bytes.length - 2)
      this.next[i + 1] = this.table[slot]!
      this.table[slot] = i + 1
    }
    return (this.patterns = new Patterns(quoted.map((bytes) => bytes.subarray(1, -1))))
  }

  /** A word may be spelled with escapes, of which the longest is six bytes for a character. */
  private decoded(record: RecordView, node: Node, length: number): number {
    if (length > 6 * Math.max(...this.lengths) || !hasEscape(record, node)) return -1
    const text = record.text(node)
    return this.words.findIndex((word) => word === text)
  }
}

function hasEscape({ words, bytes }: RecordView, node: Node): boolean {
  for (let at = words[node]!; at < words[node + 1]!; at++) if (bytes[at] === BACKSLASH) return true
  return false
}

/** What tells most words apart: the length, the first byte, one in the middle and the last two. Of "" these are its quotes. */
function slotOf(bytes: Uint8Array, start: number, length: number): number {
  const last = start + length - 1
  const outer = length + (bytes[start]! << 5) + (bytes[last]! << 13) + (bytes[last - 1]! << 21)
  return (Math.imul(outer ^ (bytes[start + (length >>> 1)]! << 9), 0x9e3779b1) >>> 22) & (SLOTS - 1)
}
