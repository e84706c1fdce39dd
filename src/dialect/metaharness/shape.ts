import { key } from '../../kernel/key.ts'
import { Kind } from '../../kernel/layout.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { Shape } from '../../kernel/shape.ts'
import type { Vocabulary } from '../../kernel/vocabulary.ts'

/** What is wrong with a value, for people; null when it fits. */
export type Check = (record: RecordView, node: Node, tolerant: boolean) => string | null

/** When a field must be there and must not be null. */
type Need = 'always' | 'strict' | 'never'

export interface Field {
  readonly need: Need
  readonly check: Check
  /** Must be there, but may be null. */
  readonly nullable?: boolean
}

export const required = (check: Check): Field => ({ need: 'always', check })
/** What b10x's own converter leaves out (spec metaharness-event-1 §8): asked for by strict readers only. */
export const requiredStrictly = (check: Check): Field => ({ need: 'strict', check })
/** Missing and null are the same: unknown (spec §1). */
export const optional = (check: Check): Field => ({ need: 'never', check })
/** Any value at all, but the key has to be there. */
export const present: Field = { need: 'always', check: () => null, nullable: true }

export const string: Check = (record, node) => (record.isString(node) ? null : 'no string')
export const bool: Check = (record, node) => (record.bool(node) === null ? 'no boolean' : null)
export const number: Check = (record, node) => (record.kind(node) === Kind.Number ? null : 'no number')
export const anything: Check = () => null

/** Characters of 2^64 and a sign, with room for a fraction of zeros. */
const LONGEST_INTEGER = 24

/** An integer as its spelling: `5.0` is none to a strict reader, and a count may lie beyond 2^53. */
function integer(min: bigint, max: bigint, name: string): Check {
  const [least, most] = [Number(min), Number(max)]
  return (record, node, tolerant) => {
    // Nearly all are a few digits and nothing else.
    const digits = record.digits(node)
    if (digits >= 0 && digits >= least && digits <= most) return null
    if (record.kind(node) !== Kind.Number || record.rawBytes(node) > LONGEST_INTEGER) return `no ${name}`
    const small = record.integer(node)
    const spelled = record.raw(node)
    if (small === null ? !/^-?\d+$/.test(spelled) : !tolerant && !/^-?\d+$/.test(spelled)) return `no ${name}`
    const value = small === null ? BigInt(spelled) : BigInt(small)
    return value < min || value > max || spelled === '-0' ? `no ${name}` : null
  }
}

export const unsigned = integer(0n, 2n ** 64n - 1n, 'unsigned integer')
export const signed = integer(-(2n ** 63n), 2n ** 63n - 1n, 'integer')
export const signed32 = integer(-(2n ** 31n), 2n ** 31n - 1n, 'integer of 32 bits')

/** SHA-256 in lower-case hex. The converter of b10x writes an unpadded FNV-1a of 64 bits instead (spec §4). */
export const digest: Check = (record, node, tolerant) => {
  if (isSha256(record, node)) return null
  const text = record.text(node)
  if (text === null) return 'no digest'
  return (tolerant ? /^(?:[0-9a-f]{64}|[0-9a-f]{1,16})$/ : /^[0-9a-f]{64}$/).test(text)
    ? null
    : 'no SHA-256 digest'
}

/** 64 hex digits, spelled without escapes. */
function isSha256(record: RecordView, node: Node): boolean {
  if (!record.isString(node) || record.rawBytes(node) !== 66) return false
  const { data } = record
  const start = record.words[node]! + 1
  for (let at = start; at < start + 64; at += 4) if (!areHexDigits(data.getInt32(at, true))) return false
  return true
}

/**
 * Are four characters digits of hex, in lower case? Of those below 0x80 each adds up in its own byte, without a carry:
 *
 *     0 … 9   c + 0x50 reaches 0x80, c + 0x46 does not
 *     a … f   c + 0x1f reaches 0x80, c + 0x19 does not
 */
function areHexDigits(four: number): boolean {
  const digit = (four + 0x50505050) & ~(four + 0x46464646)
  const letter = (four + 0x1f1f1f1f) & ~(four + 0x19191919)
  return ((digit | letter) & ~four & 0x80808080) === (0x80808080 | 0)
}

export function isForeignDigest(record: RecordView, node: Node): boolean {
  return record.isString(node) && record.rawBytes(node) !== 66
}

/** One word of a closed list. */
export function oneOf(list: Vocabulary): Check {
  return (record, node) => (list.indexOf(record, node) >= 0 ? null : `none of ${list.words.join(', ')}`)
}

export function listOf(item: Check): Check {
  return (record, node, tolerant) => {
    if (!record.isArray(node)) return 'no list'
    let index = 0
    for (let child = record.first(node); child !== NONE; child = record.next(child)) {
      const fault = item(record, child, tolerant)
      if (fault !== null) return `[${index}]: ${fault}`
      index++
    }
    return null
  }
}

/** An object used as a map. */
export function mapOf(value: Check, keys?: readonly string[]): Check {
  return (record, node, tolerant) => {
    if (!record.isObject(node)) return 'no object'
    for (let child = record.first(node); child !== NONE; child = record.next(child)) {
      if (keys !== undefined && !keys.includes(record.key(child)))
        return `a key that is none of ${keys.join(', ')}`
      const fault = value(record, child, tolerant)
      if (fault !== null) return `a value: ${fault}`
    }
    return null
  }
}

/** An object with these fields; others are passed over in silence (spec §1). */
export function object(fields: Readonly<Record<string, Field>>): Check {
  const shape = new Shape(...Object.keys(fields))
  const found = fieldsFound(shape, fields)
  return (record, node, tolerant) => {
    if (!record.isObject(node)) return 'no object'
    shape.find(record, node)
    return found(record, node, tolerant)
  }
}

/** As `object`, for one whose fields `shape` has just looked up. */
export function fieldsFound<Name extends string>(
  shape: Shape<Name>,
  fields: Readonly<Record<string, Field>>,
): Check {
  const wanted = Object.entries(fields).map(([name, field]) => ({
    name,
    ...field,
    index: shape.indexOf(name),
    // Of most fields the kind is all there is to check.
    kind: field.check === string ? Kind.String : null,
  }))
  return (record, _node, tolerant) => {
    for (let i = 0; i < wanted.length; i++) {
      const { name, index, need, check, nullable, kind } = wanted[i]!
      const child = shape.at(index)
      const found = record.kind(child)
      if (found === kind) continue
      if (found === Kind.None || found === Kind.Null) {
        if (nullable === true ? child === NONE : need === 'always' || (need === 'strict' && !tolerant)) {
          return `${name}: ${child === NONE ? 'missing' : 'null'}`
        }
        continue
      }
      const fault = check(record, child, tolerant)
      if (fault !== null)
        return `${name}${fault.startsWith('[') || fault.includes(': ') ? '.' : ': '}${fault}`
    }
    return null
  }
}

/** An object told apart by one word: each word has its own further fields. */
export function variants<Word extends string>(
  tag: string,
  list: Vocabulary<Word>,
  of: Readonly<Record<Word, Check>>,
): Check {
  const tagKey = key(tag)
  const checks = list.words.map((word) => of[word])
  return (record, node, tolerant) => {
    if (!record.isObject(node)) return 'no object'
    const check = checks[list.indexOf(record, record.get(node, tagKey))]
    return check === undefined ? `${tag}: none of ${list.words.join(', ')}` : check(record, node, tolerant)
  }
}
