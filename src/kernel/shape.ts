import { key } from './key.ts'
import { KEY_HASH_SHIFT, Kind, NODE_WORDS, NodeBit } from './layout.ts'
import { LONGEST_TEXT, Patterns } from './patterns.ts'
import type { Node, RecordView } from './record.ts'

/** The fields of one object, by key; `NONE` for those it does not have. */
export type Fields<Name extends string> = { readonly [N in Name]: Node }

const UNPREPARED = new Int32Array(0)
const NO_NUMBERS = new Uint8Array(0)
const NO_PATTERNS = new Patterns([])

/**
 * Several keys of an object, looked up together: one pass over its children instead of one for each key. Of
 * duplicate keys the last one counts, as in `RecordView.get`.
 *
 * `read` hands out the same `Fields` every time: they are good until the shape is read again.
 */
export class Shape<Name extends string> {
  readonly names: readonly Name[]
  /** By some bits of a hash: the hash above, the key's number from 1 in the lowest byte; 0 for no key. */
  private table: Int32Array = UNPREPARED
  private shift = 0
  /** By a key's number: the next key with the same hash, 0 for none. Long keys that differ in the middle have one. */
  private next: Uint8Array = NO_NUMBERS
  /** Hashes only say which key it may be: its bytes are compared. */
  private patterns: Patterns = NO_PATTERNS
  /** By a key's number, from 1. */
  private readonly nodes: Int32Array
  private fields: Fields<Name> | null = null

  /** @param names at most 250 of at most 40 bytes, without escapes in JSON @throws RangeError when one is longer */
  constructor(...names: readonly Name[]) {
    if (names.some(({ length }) => length > LONGEST_TEXT))
      throw new RangeError('a key of a shape is too long')
    this.names = names
    this.nodes = new Int32Array(names.length + 1)
  }

  /** Look the keys up in `node`, which need not be an object. */
  read(record: RecordView, node: Node): Fields<Name> {
    this.find(record, node)
    return (this.fields ??= fieldsOver(this.names, this.nodes))
  }

  /** The field of the `index`th key in what `find` looked at last; `NONE` when it is not there. */
  at(index: number): Node {
    return this.nodes[index + 1]! as Node
  }

  /** The number of a key, for `at`. @throws RangeError when it is none of this shape */
  indexOf(name: string): number {
    const index = this.names.findIndex((wanted) => wanted === name)
    if (index < 0) throw new RangeError(`${name} is no key of this shape`)
    return index
  }

  /** As `read`, for callers that go by numbers. */
  find(record: RecordView, node: Node): void {
    if (this.table === UNPREPARED) this.prepare()
    const { nodes, table, next, shift, patterns } = this
    const { words, data } = record
    for (let i = 1; i < nodes.length; i++) nodes[i] = 0
    if ((words[node + 3]! & NodeBit.Kind) !== Kind.Object) return
    const end = words[node + 2]!
    const mask = table.length - 1
    for (let child = node + NODE_WORDS; child < end;) {
      const meta = words[child + 3]!
      const entry = table[(meta >>> shift) & mask]!
      if ((entry ^ meta) >>> KEY_HASH_SHIFT === 0) {
        let number = entry & 0xff
        while (number !== 0 && !patterns.match(data, words[child + 4]!, number - 1)) number = next[number]!
        if (number !== 0) nodes[number] = child
      }
      if ((meta & NodeBit.KeyEscaped) !== 0) this.readEscaped(record, child as Node)
      child = (meta & NodeBit.Kind) <= Kind.Array ? words[child + 2]! : child + NODE_WORDS
    }
  }

  /** At the first use: a run meets few of the dialects, and every thread loads all of them. */
  private prepare(): void {
    const wanted = this.names.map((name) => key(name).prepare())
    const hashes = wanted.map(({ hash }) => hash)
    const { table, shift } = tableOf(hashes)
    this.table = table
    this.shift = shift
    this.next = Uint8Array.from([0, ...hashes.map((hash, i) => hashes.indexOf(hash, i + 1) + 1)])
    this.patterns = new Patterns(wanted.map(({ bytes }) => bytes))
  }

  /** A key with escapes in its spelling. */
  private readEscaped(record: RecordView, child: Node): void {
    const name = record.key(child)
    const index = this.names.findIndex((wanted) => wanted === name)
    if (index >= 0) this.nodes[index + 1] = child
  }
}

/** The smallest table in which no two different hashes meet; of equal ones the first is in it. `shift` counts from the lowest bit of a node's word 3. */
function tableOf(hashes: readonly number[]): { readonly table: Int32Array; readonly shift: number } {
  for (let size = 64; size <= 1 << 20; size *= 2) {
    for (let shift = KEY_HASH_SHIFT; shift < 32; shift++) {
      const table = new Int32Array(size)
      const isFree = hashes.every((hash, i) => {
        const meta = hash << KEY_HASH_SHIFT
        const at = (meta >>> shift) & (size - 1)
        if (table[at] === 0) table[at] = meta | (i + 1)
        return table[at]! >>> KEY_HASH_SHIFT === hash
      })
      if (isFree) return { table, shift }
    }
  }
  throw new RangeError('the keys of a shape do not fit in a table')
}

/** An object whose properties read the nodes: getters on a prototype of its own are compiled into plain loads. */
function fieldsOver<Name extends string>(names: readonly Name[], nodes: Int32Array): Fields<Name> {
  const prototype: object = {}
  for (const [i, name] of names.entries()) Object.defineProperty(prototype, name, { get: () => nodes[i + 1] })
  const fields: Fields<Name> = Object.create(prototype)
  return fields
}
