import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compactJson, sha256 } from '../../src/sink/spelling.ts'
import { only } from '../kernel/scanning.ts'
import { spelledValue } from '../property/odd-json.ts'
import { holds } from '../property/seeds.ts'

function compact(spelled: string, sorted: boolean): string {
  const record = only(`${spelled}\n`)
  return compactJson(record, record.root, sorted)
}

describe('the compact form', () => {
  test.each([
    {
      spelled: ' { "b" : [ 1 , 2.50 ] , "a" : { } } ',
      plain: '{"b":[1,2.50],"a":{}}',
      sorted: '{"a":{},"b":[1,2.50]}',
    },
    { spelled: '[ ]', plain: '[]', sorted: '[]' },
    { spelled: '"a b"', plain: '"a b"', sorted: '"a b"' },
    { spelled: '{"a":1,"a":2}', plain: '{"a":1,"a":2}', sorted: '{"a":2}' },
    { spelled: '{"b":1,"\\u0061":2}', plain: '{"b":1,"\\u0061":2}', sorted: '{"a":2,"b":1}' },
    {
      spelled: '{"x":"\\u0061\\/","y":1E5}',
      plain: '{"x":"\\u0061\\/","y":1E5}',
      sorted: '{"x":"\\u0061\\/","y":1E5}',
    },
    {
      spelled: '{"a\\n":1,"__proto__":2}',
      plain: '{"a\\n":1,"__proto__":2}',
      sorted: '{"__proto__":2,"a\\n":1}',
    },
    // By code points: U+10000 comes behind U+E000, in UTF-16 units it would not.
    {
      spelled: '{"\u{10000}":1,"\ue000":2}',
      plain: '{"\u{10000}":1,"\ue000":2}',
      sorted: '{"\ue000":2,"\u{10000}":1}',
    },
    {
      spelled: '{"10":1,"9":2,"Z":3,"a":4}',
      plain: '{"10":1,"9":2,"Z":3,"a":4}',
      sorted: '{"10":1,"9":2,"Z":3,"a":4}',
    },
  ])('of $spelled', ({ spelled, plain, sorted }) => {
    expect(compact(spelled, false)).toBe(plain)
    expect(compact(spelled, true)).toBe(sorted)
  })

  test('means what the value means', () => {
    const property = fc.property(spelledValue, (spelled) => {
      for (const sorted of [false, true]) {
        const out = compact(spelled, sorted)
        if (sortedJson(JSON.parse(out)) !== sortedJson(JSON.parse(spelled)))
          throw new Error(`${spelled} to ${out}`)
        if (compact(out, sorted) !== out) throw new Error(`${out} is not its own`)
        if (/[ \t\r\n]/.test(out.replaceAll(/"(?:[^"\\]|\\.)*"/g, '')))
          throw new Error(`white space in ${out}`)
      }
    })
    holds(property, 2000)
  })
})

/** A value as JSON with its keys in order, to compare by. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))
      : inner,
  )
}

test('a digest is SHA-256 in lower-case hex, of bytes and of text as UTF-8', () => {
  expect(sha256('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  expect(sha256('é')).toBe(createHash('sha256').update(Buffer.from('é')).digest('hex'))
  expect(sha256(Buffer.from([0xff]))).toMatch(/^[0-9a-f]{64}$/)
})
