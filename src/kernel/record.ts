import { withoutSpace } from './compact.ts'
import type { Frame } from './frame.ts'
import { KEY_HASH_SHIFT, Kind, NODE_WORDS, NodeBit, RecordFlag } from './layout.ts'
import { type Key, keyEquals } from './key.ts'
import { wordOf } from './word.ts'

/** One value on the tape; 0 is "no such value", and every reader below takes it. */
export type Node = number & { readonly node: unique symbol }

/** One JSON value as bytes of its own, kept beyond its record. `suspect`: may hold what strict readers refuse. */
export interface JsonBytes {
  readonly bytes: Uint8Array
  readonly suspect: boolean
}

/** The absent value. */
export const NONE = 0 as Node

const BACKSLASH = 0x5c

/** What makes a record's spans unfit to be copied as they are (design §5.3). */
const SUSPECT = RecordFlag.LoneSurrogate | RecordFlag.HugeNumber | RecordFlag.Deep | RecordFlag.BadUtf8

/**
 * One record, read in place through the tape of its chunk.
 *
 * The view moves: the scanner hands out one view and sets it on record after record, so a node or a
 * span is good until the next record only. What must live longer is copied with `text` or `keep`.
 */
export class RecordView {
  words: Uint32Array
  bytes: Buffer
  data: DataView
  /** The record's value; `NONE` when the record is unparsed or oversize. */
  root: Node = NONE
  /** Span of the raw record in `bytes`, its line end left out. */
  start = 0
  end = 0
  flags = 0
  /** 1-based line in the raw transcript. */
  line = 0
  /** Digest and byte length of an oversize record, which is never held in memory. */
  oversize: { readonly digest: string; readonly bytes: number } | null = null
  /** What stood around the record and would be lost otherwise; null for most, and in plain lines for all. */
  frame: Frame | null = null

  /** UTF-8 length of the string spelled by a span of `bytes`, quotes left out. */
  private readonly decodedLength: (start: number, end: number) => number

  constructor(words: Uint32Array, bytes: Buffer, decodedLength: (start: number, end: number) => number) {
    this.words = words
    this.bytes = bytes
    this.data = new DataView(words.buffer)
    this.decodedLength = decodedLength
  }

  /** What kind of JSON value it is; `Kind.None` of the absent one. */
  kind(node: Node): Kind {
    return (this.words[node + 3]! & NodeBit.Kind) as Kind
  }

  isString(node: Node): boolean {
    return this.kind(node) === Kind.String
  }
  isObject(node: Node): boolean {
    return this.kind(node) === Kind.Object
  }
  isArray(node: Node): boolean {
    return this.kind(node) === Kind.Array
  }
  /** Absent, or JSON null. */
  isNullish(node: Node): boolean {
    const kind = this.kind(node)
    return kind === Kind.None || kind === Kind.Null
  }

  /** The field `key` of an object; of duplicate keys the last one, as `JSON.parse` has it. `NONE` when there is none. */
  get(node: Node, key: Key): Node {
    const words = this.words
    if ((words[node + 3]! & NodeBit.Kind) !== Kind.Object) return NONE
    const { hash, bytes } = key.prepare()
    let found = 0
    let child = node + NODE_WORDS
    const end = words[node + 2]!
    while (child < end) {
      const meta = words[child + 3]!
      if (meta >>> KEY_HASH_SHIFT === hash && keyEquals(this.bytes, words[child + 4]!, bytes)) {
        found = child
      } else if ((meta & NodeBit.KeyEscaped) !== 0 && this.key(child as Node) === key.name) {
        found = child
      }
      child = (meta & NodeBit.Kind) <= Kind.Array ? words[child + 2]! : child + NODE_WORDS
    }
    return found as Node
  }

  /** The first child of an object or array, or `NONE`. */
  first(node: Node): Node {
    const kind = this.words[node + 3]! & NodeBit.Kind
    if (kind !== Kind.Object && kind !== Kind.Array) return NONE
    return (this.words[node + 2]! > node + NODE_WORDS ? node + NODE_WORDS : 0) as Node
  }

  /** The next sibling of a child, or `NONE` after the last. */
  next(child: Node): Node {
    const meta = this.words[child + 3]!
    if ((meta & NodeBit.Last) !== 0) return NONE
    return ((meta & NodeBit.Kind) <= Kind.Array ? this.words[child + 2]! : child + NODE_WORDS) as Node
  }

  /** The number of children. */
  size(node: Node): number {
    let count = 0
    for (let child = this.first(node); child !== NONE; child = this.next(child)) count++
    return count
  }

  /** The decoded key of a child of an object. */
  key(child: Node): string {
    const [start, end] = this.keySpan(child)
    const raw = this.bytes.utf8Slice(start, end)
    return raw.includes('\\') ? decode(`"${raw}"`) : raw
  }

  /** The raw span of a child's key, quotes left out. */
  keySpan(child: Node): [start: number, end: number] {
    const start = this.words[child + 4]!
    // Between the key and its value stand only a quote, white space and the colon.
    let end = this.words[child]! - 1
    while (this.bytes[end] !== 0x22) end--
    return [start, end]
  }

  /** A string, decoded; null for anything else. */
  text(node: Node): string | null {
    const words = this.words
    if ((words[node + 3]! & NodeBit.Kind) !== Kind.String) return null
    const start = words[node]!
    const end = words[node + 1]!
    const raw = this.bytes.utf8Slice(start + 1, end - 1)
    return raw.includes('\\') ? decode(`"${raw}"`) : raw
  }

  /**
   * The beginning of a string, decoded: what at most `bytes` bytes of its spelling hold, an escape cut there left out.
   * Null for anything else.
   */
  head(node: Node, bytes: number): string | null {
    const { words } = this
    if ((words[node + 3]! & NodeBit.Kind) !== Kind.String) return null
    const start = words[node]! + 1
    const end = words[node + 1]! - 1
    if (end - start <= bytes) return this.text(node)
    const raw = this.bytes.utf8Slice(start, start + bytes)
    if (!raw.includes('\\')) return raw
    // A cut escape has at most five characters, or is one half of a pair of backslashes.
    const whole = /^(?:[^\\]|\\[^u]|\\u[0-9a-fA-F]{4})*/.exec(raw)?.[0] ?? ''
    return decode(`"${whole}"`)
  }

  /** Like `text`, for short strings of a small vocabulary (types, tool and model names): equal ones share one string. */
  word(node: Node): string | null {
    const words = this.words
    if ((words[node + 3]! & NodeBit.Kind) !== Kind.String) return null
    return wordOf(this.bytes, words[node]! + 1, words[node + 1]! - 1) ?? this.text(node)
  }

  /** True when the value is the string `wanted`. */
  is(node: Node, wanted: string): boolean {
    const words = this.words
    if ((words[node + 3]! & NodeBit.Kind) !== Kind.String) return false
    const start = words[node]! + 1
    const length = words[node + 1]! - 1 - start
    // Escapes and bytes beyond ASCII make a spelling longer than what it spells, never shorter.
    if (length < wanted.length) return false
    for (let i = 0; i < wanted.length; i++) {
      const byte = this.bytes[start + i]!
      if (byte !== wanted.charCodeAt(i))
        return (byte === BACKSLASH || byte > 0x7f) && this.text(node) === wanted
    }
    return length === wanted.length
  }

  /** True when two values are spelled the same; values that are not may still be equal. */
  isSpelledAs(node: Node, other: Node): boolean {
    const { words, bytes } = this
    const start = words[node]!
    const shift = words[other]! - start
    const end = words[node + 1]!
    if (words[other + 1]! - shift !== end) return false
    for (let at = start; at < end; at++) if (bytes[at] !== bytes[at + shift]) return false
    return true
  }

  /** Null for anything but `true` and `false`. */
  bool(node: Node): boolean | null {
    const kind = this.kind(node)
    return kind === Kind.True ? true : kind === Kind.False ? false : null
  }

  /** A number spelled in up to fifteen digits and nothing else, as nearly all are; -1 of any other value. */
  digits(node: Node): number {
    const { words, bytes } = this
    const end = words[node + 1]!
    const start = words[node]!
    if ((words[node + 3]! & NodeBit.Kind) !== Kind.Number || end - start > 15) return -1
    let value = 0
    for (let at = start; at < end; at++) {
      const digit = bytes[at]! - 0x30
      if (digit < 0 || digit > 9) return -1
      value = value * 10 + digit
    }
    return value
  }

  /** A number whose nearest double is a safe integer, however spelled (`5`, `5.0`, `5e0`); else null. */
  integer(node: Node): number | null {
    const digits = this.digits(node)
    if (digits >= 0) return digits
    const value = this.number(node)
    // Of -0 it makes 0.
    return value !== null && Number.isSafeInteger(value) ? value + 0 : null
  }

  /** A number as the nearest double; null for anything else and outside the double range. */
  number(node: Node): number | null {
    const digits = this.digits(node)
    if (digits >= 0) return digits
    if (this.kind(node) !== Kind.Number) return null
    const value = Number(this.bytes.latin1Slice(this.words[node]!, this.words[node + 1]!))
    return Number.isFinite(value) ? value : null
  }

  /** The value as it is spelled, decoded as UTF-8. */
  raw(node: Node): string {
    return this.bytes.utf8Slice(this.words[node]!, this.words[node + 1]!)
  }

  /** Length in bytes of the value as it is spelled. */
  rawBytes(node: Node): number {
    return this.words[node + 1]! - this.words[node]!
  }

  /** UTF-8 length in bytes of a string once its escapes are undone; null for anything else. */
  textBytes(node: Node): number | null {
    const words = this.words
    if ((words[node + 3]! & NodeBit.Kind) !== Kind.String) return null
    if ((this.flags & RecordFlag.BadUtf8) === 0)
      return this.decodedLength(words[node]! + 1, words[node + 1]! - 1)
    return Buffer.byteLength(this.text(node) ?? '')
  }

  /** Length in bytes of the value written without white space between its tokens. */
  compactBytes(node: Node): number {
    if (!this.isObject(node) && !this.isArray(node)) return this.rawBytes(node)
    // Iterative: a value may be nested as deep as the scanner's limit.
    let total = 0
    const end = this.words[node + 2]!
    for (let at: number = node; at < end; at += NODE_WORDS) {
      const meta = this.words[at + 3]!
      const kind = meta & NodeBit.Kind
      if (at !== node) {
        if ((meta & NodeBit.Last) === 0) total += 1
        if (this.words[at + 4] !== 0) {
          const [from, to] = this.keySpan(at as Node)
          total += to - from + 3
        }
      }
      total += kind <= Kind.Array ? 2 : this.words[at + 1]! - this.words[at]!
    }
    return total
  }

  /** A copy of the value's bytes that outlives the record; line feeds between the tokens of an item are left out. */
  keep(node: Node): JsonBytes {
    return { bytes: new Uint8Array(this.span(node)), suspect: this.suspect }
  }

  /** The value's bytes as `keep` copies them; good until the next record only. */
  span(node: Node): Uint8Array {
    const bytes = this.bytes.subarray(this.words[node]!, this.words[node + 1]!)
    return (this.flags & RecordFlag.Item) === 0 ? bytes : withoutSpace(bytes)
  }

  /** Some value in this record may be unfit for strict readers; writers then look at each span. */
  get suspect(): boolean {
    return (this.flags & SUSPECT) !== 0
  }
}

/** The string behind a JSON string token the scanner has accepted. */
function decode(token: string): string {
  const value: unknown = JSON.parse(token)
  return typeof value === 'string' ? value : ''
}
