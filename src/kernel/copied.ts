import type { RecordView } from './record.ts'

/** The copy may write up to three bytes behind what it copies. */
const SLACK = 4

/** Bytes copied out of records, one piece behind the other, whose room is used again. Plain data. */
export interface Copied {
  /** The room, of which the first `length` bytes hold something. */
  bytes: Uint8Array<ArrayBuffer>
  /** The same room. */
  words: Uint32Array<ArrayBuffer>
  length: number
}

/** @param room bytes that are copied before it has to grow */
export function nothingCopied(room: number): Copied {
  const words = new Uint32Array(Math.ceil((room + SLACK) / 4))
  return { words, bytes: new Uint8Array(words.buffer), length: 0 }
}

/** Copy `length` bytes of the record's memory, from the address `start` on, behind what was copied before. */
export function copySpan(into: Copied, record: RecordView, start: number, length: number): void {
  makeRoom(into, length)
  if (length > 0) copyWords(record.words, start, into.words, into.length, length)
  into.length += length
}

/** Doubled, so that many short pieces are copied a bounded number of times. Afterwards one byte more has room as well. */
function makeRoom(into: Copied, more: number): void {
  const needed = into.length + more
  if (needed + SLACK <= into.bytes.length) return
  const grown = nothingCopied(2 * needed)
  grown.words.set(into.words.subarray(0, Math.ceil(into.length / 4)))
  into.words = grown.words
  into.bytes = grown.bytes
}

/**
 * Copy bytes four at a time, of which source and target may lie differently in their words:
 *
 *     from   ..ab|cdef|gh..      start 2
 *     to     xyza|bcde|fgh?      at 3: of the first word the bytes in front stay, behind the last byte may be anything
 *
 * Memory that threads share is copied byte by byte by everything that Node has for it, which takes several times as long.
 */
function copyWords(from: Uint32Array, start: number, to: Uint32Array, at: number, length: number): void {
  const before = at & 3
  const last = (at + length - 1) >>> 2
  let target = at >>> 2
  // What belongs at the beginning of the first target word.
  const source = start - before
  const shift = (source & 3) << 3
  let word = source >>> 2
  const kept = (1 << (before << 3)) - 1
  if (shift === 0) {
    to[target] = (to[target]! & kept) | (from[word]! & ~kept)
    while (target < last) to[++target] = from[++word]!
    return
  }
  const rest = 32 - shift
  let low = from[word]!
  let high = from[++word]!
  to[target] = (to[target]! & kept) | (((low >>> shift) | (high << rest)) & ~kept)
  while (target < last) {
    low = high
    high = from[++word]!
    to[++target] = (low >>> shift) | (high << rest)
  }
}
