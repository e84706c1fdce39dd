import * as fc from 'fast-check'
import { describe, test } from 'vitest'
import { type Key, key } from '../../src/kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../src/kernel/record.ts'
import { Shape } from '../../src/kernel/shape.ts'
import { only, scanned } from '../kernel/scanning.ts'
import { spelledRecord, spelledText, spelledValue } from './odd-json.ts'
import { holds } from './seeds.ts'

const before = fc.nat({ max: 70 })

function wrapped(spaces: number, spelled: string): RecordView {
  return only(`${' '.repeat(spaces)}${spelled}\n`)
}

/** Every node of a record with the value `JSON.parse` finds there. Of duplicate keys only the last is visited. */
function walk(
  record: RecordView,
  node: Node,
  value: unknown,
  visit: (node: Node, value: unknown) => void,
): void {
  visit(node, value)
  if (Array.isArray(value)) {
    let child = record.first(node)
    for (const item of value) {
      walk(record, child, item, visit)
      child = record.next(child)
    }
    if (child !== NONE) throw new Error('a child too many')
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, field] of Object.entries(value)) walk(record, lastOf(record, node, name), field, visit)
  }
}

function lastOf(record: RecordView, node: Node, name: string): Node {
  let found: Node = NONE
  for (let child = record.first(node); child !== NONE; child = record.next(child)) {
    if (record.key(child) === name) found = child
  }
  return found
}

/** The text without white space between its tokens. */
function compact(text: string): string {
  return text.replaceAll(/("(?:[^"\\]|\\.)*")|[ \t\r\n]+/g, '$1')
}

describe('a record view reads what JSON.parse reads', () => {
  test('every value of every kind', () => {
    const property = fc.property(before, spelledValue, (spaces, spelled) => {
      const record = wrapped(spaces, spelled)
      walk(record, record.root, JSON.parse(spelled), (node, value) => {
        const wrong = firstWrong(record, node, value)
        if (wrong !== null) throw new Error(`${wrong} of ${record.raw(node)}`)
      })
    })
    holds(property, 3000)
  })

  test('the fields of objects, by key and by shape', () => {
    const names = [
      'type',
      'a',
      '',
      'é',
      '__proto__',
      'message',
      'aaaaaaaaaaaaaaaaaaaaaaaa',
      'a/b',
      'x'.repeat(40),
    ]
    const keysOf: [string, Key][] = names.map((name) => [name, key(name)])
    const shape = new Shape(...names)
    const name = fc.constantFrom(
      ...names.map((known) => JSON.stringify(known)),
      '"typ\\u0065"',
      '"\\u0061"',
      '"\\u00e9"',
      '"a\\/b"',
      '"type2"',
      '"\\\\a"',
      '"\\u0061aaaaaaaaaaaaaaaaaaaaaaa"',
    )
    const field = fc.tuple(name, spelledValue).map(([spelled, value]) => `${spelled}:${value}`)
    const object = fc.array(field, { maxLength: 8 }).map((fields) => `{${fields.join(',')}}`)
    const property = fc.property(before, object, (spaces, spelled) => {
      const record = wrapped(spaces, spelled)
      const parsed: unknown = JSON.parse(spelled)
      const own = new Map(Object.entries(typeof parsed === 'object' && parsed !== null ? parsed : {}))
      const fields = shape.read(record, record.root)
      for (const [known, asked] of keysOf) {
        const found = record.get(record.root, asked)
        if (found !== fields[known]) throw new Error(`the shape differs on ${known}`)
        if (found !== lastOf(record, record.root, known)) throw new Error(`another field for ${known}`)
        if ((found !== NONE) !== own.has(known)) throw new Error(`${known} is there or not`)
        if (
          found !== NONE &&
          JSON.stringify(JSON.parse(record.raw(found))) !== JSON.stringify(own.get(known))
        ) {
          throw new Error(`another value for ${known}`)
        }
      }
    })
    holds(property, 2000)
  })

  test('the lengths of strings, wherever they lie', () => {
    const texts = fc.array(spelledText, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''))
    const property = fc.property(
      fc.nat({ max: 130 }),
      texts,
      fc.nat({ max: 130 }),
      (spaces, text, behind) => {
        const spelled = `"${text}${'é'.repeat(behind)}"`
        const record = wrapped(spaces, spelled)
        const wanted = Buffer.byteLength(String(JSON.parse(spelled)))
        if (record.textBytes(record.root) !== wanted)
          throw new Error(`${record.textBytes(record.root)}, not ${wanted}`)
      },
    )
    holds(property, 4000)
  })

  test('the lengths of strings of nothing but escapes', () => {
    const escape = fc.constantFrom(
      '\\\\',
      '\\"',
      '\\n',
      '\\u0041',
      '\\u00e9',
      '\\u20ac',
      '\\ud83d',
      '\\ude00',
      'u',
      'x',
    )
    const property = fc.property(before, fc.array(escape, { maxLength: 60 }), (spaces, escapes) => {
      const spelled = `"${escapes.join('')}"`
      const record = wrapped(spaces, spelled)
      const wanted = Buffer.byteLength(String(JSON.parse(spelled)))
      if (record.textBytes(record.root) !== wanted)
        throw new Error(`${record.textBytes(record.root)}, not ${wanted}`)
    })
    holds(property, 3000)
  })

  test('the same, in the middle of others', () => {
    const property = fc.property(fc.array(spelledRecord, { minLength: 1, maxLength: 5 }), (lines) => {
      const scanner = scanned(lines.join('\n'))
      for (const [i, line] of lines.entries()) {
        const record = scanner.select(i, 10)
        if (record.line !== 10 + i) throw new Error(`line ${record.line}`)
        if (record.raw(record.root) !== line.trim()) throw new Error(`span of ${line}`)
        if (record.compactBytes(record.root) !== Buffer.byteLength(compact(line)))
          throw new Error(`size of ${line}`)
        const kept = Buffer.from(record.keep(record.root).bytes).toString()
        if (kept !== line.trim()) throw new Error(`copy of ${line}`)
      }
    })
    holds(property, 1000)
  })
})

function firstWrong(record: RecordView, node: Node, value: unknown): string | null {
  const isText = typeof value === 'string'
  if (record.text(node) !== (isText ? value : null)) return 'text'
  if (record.word(node) !== (isText ? value : null)) return 'word'
  if (record.textBytes(node) !== (isText ? Buffer.byteLength(value) : null)) return 'length'
  if (record.bool(node) !== (typeof value === 'boolean' ? value : null)) return 'bool'
  if (record.isNullish(node) !== (value === null)) return 'null'
  const number = typeof value === 'number' && Number.isFinite(value) ? value : null
  if (!Object.is(record.number(node), number)) return 'number'
  if (record.integer(node) !== (Number.isSafeInteger(number) ? Number(number) + 0 : null)) return 'integer'
  if (record.isArray(node) !== Array.isArray(value)) return 'kind'
  if (record.isObject(node) !== (typeof value === 'object' && value !== null && !Array.isArray(value)))
    return 'kind'
  if (JSON.stringify(JSON.parse(record.raw(node))) !== JSON.stringify(value)) return 'spelling'
  if (record.rawBytes(node) !== Buffer.byteLength(record.raw(node))) return 'size'
  return record.compactBytes(node) === Buffer.byteLength(compact(record.raw(node))) ? null : 'compact size'
}
