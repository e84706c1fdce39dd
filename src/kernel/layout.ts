/**
 * The words that the scanner writes and the record view reads. One node, five 32-bit words:
 *
 *     word 0   address of the value's first byte
 *     word 1   address after its last byte
 *     word 2   object, array: word index after the subtree; else 0
 *     word 3   bits 0-3 kind, 4 key escaped, 6 last child, 8-31 hash of the key
 *     word 4   address of the key's first byte (after its quote), 0 outside objects
 *
 * One record, six words: start address, end address (line end left out), root node, flags, line number
 * in the chunk from 0, spare. `src/kernel/assembly/layout.ts` holds the same numbers.
 */
export const NODE_WORDS = 5
export const RECORD_WORDS = 6

export const Kind = {
  None: 0,
  Object: 1,
  Array: 2,
  String: 3,
  Number: 4,
  True: 5,
  False: 6,
  Null: 7,
} as const
export type Kind = (typeof Kind)[keyof typeof Kind]

export const NodeBit = { Kind: 0x0f, KeyEscaped: 0x10, Last: 0x40 } as const
export const KEY_HASH_SHIFT = 8

/** What the scanner has to say about one record. */
export const RecordFlag = {
  /** Not valid JSON as a whole. */
  Unparsed: 1,
  /** Nested deeper than the limit; goes with `Unparsed`. */
  TooDeep: 2,
  /** Holds a \u escape of half a surrogate pair. */
  LoneSurrogate: 4,
  /** Holds a number that may lie outside the double range. */
  HugeNumber: 8,
  /** Nested more than 120 levels, which strict readers refuse. */
  Deep: 16,
  /** Stands behind another record on the same line. */
  SameLine: 32,
  /** Had NUL bytes or a byte order mark around it. */
  Padded: 64,
  /** Holds bytes that are not UTF-8. */
  BadUtf8: 128,
  /** The last line of the input, without a line feed. */
  NoLineEnd: 256,
  /** Longer than the line limit: only its length and digest are known. */
  Oversize: 512,
  /** An item of a whole-document JSON: may hold line feeds between its tokens. */
  Item: 1024,
} as const
