import { Kind, NodeBit } from './layout.ts'
import { Patterns } from './patterns.ts'
import type { Node, RecordView } from './record.ts'

/** Slots of a table; a power of two. */
const SLOTS = 1024

/**
 * The words of a closed list, found by the bytes of a value: which one it is costs less than to make a string of it
 * and to look that up.
 */
export class Vocabulary {
  private readonly words: readonly string[]
  private readonly patterns: Patterns
  /** By `slotOf`: a word's number from 1, 0 for none. */
  private readonly table = new Uint8Array(SLOTS)
  /** By a word's number: its length in bytes, and the next word of the same slot. */
  private readonly lengths: Uint8Array
  private readonly next: Uint8Array
  private readonly longest: number

  /** @param words at most 250 ASCII words of 1 to 40 characters, without escapes in JSON */
  constructor(...words: readonly string[]) {
    const quoted = words.map((word) => Buffer.from(`"${word}"`))
    this.words = words
    this.patterns = new Patterns(quoted.map((bytes) => bytes.subarray(1, -1)))
    this.lengths = Uint8Array.from([0, ...words.map(({ length }) => length)])
    this.longest = Math.max(...this.lengths)
    this.next = new Uint8Array(words.length + 1)
    for (const [i, bytes] of quoted.entries()) {
      const slot = slotOf(bytes, 1, bytes.length - 2)
      this.next[i + 1] = this.table[slot]!
      this.table[slot] = i + 1
    }
  }

  /** The index of the word that the value is; -1 when it is none of them, or no string. */
  indexOf(record: RecordView, node: Node): number {
    const { words, bytes } = record
    if ((words[node + 3]! & NodeBit.Kind) !== Kind.String) return -1
    const start = words[node]! + 1
    const length = words[node + 1]! - 1 - start
    let number = this.table[slotOf(bytes, start, length)]!
    for (; number !== 0; number = this.next[number]!) {
      if (this.lengths[number] === length && this.patterns.match(words, start, number - 1)) return number - 1
    }
    return this.decoded(record, node, length)
  }

  /** A word may be spelled with escapes, of which the longest is six bytes for a character. */
  private decoded(record: RecordView, node: Node, length: number): number {
    if (length > 6 * this.longest) return -1
    const text = record.text(node)
    return this.words.findIndex((word) => word === text)
  }
}

/** What tells most words apart: the length, the first byte, one in the middle and the last two. Of "" these are its quotes. */
function slotOf(bytes: Uint8Array, start: number, length: number): number {
  const last = start + length - 1
  const outer = length + (bytes[start]! << 5) + (bytes[last]! << 13) + (bytes[last - 1]! << 21)
  return (Math.imul(outer ^ (bytes[start + (length >>> 1)]! << 9), 0x9e3779b1) >>> 22) & (SLOTS - 1)
}
