import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NONE } from '../../src/kernel/record.ts'
import { Scanner } from '../../src/kernel/scanner.ts'
import { Vocabulary } from '../../src/kernel/vocabulary.ts'

// The second and the third differ where nothing is hashed; the last two end with a word of a pattern, and just behind it.
const words = ['a', 'approval-required', 'approval-resolved', 'text-delta', 'abcd', 'text', 'abcde'] as const
const vocabulary = new Vocabulary(...words)

/** Where the vocabulary finds the value that stands behind `spaces` spaces. */
function indexOf(json: string, spaces = 0): number {
  const scanner = new Scanner()
  scanner.scanBytes(Buffer.from(`${' '.repeat(spaces)}${json}\n`))
  const record = scanner.select(0, 1)
  return vocabulary.indexOf(record, record.root)
}

describe('a vocabulary', () => {
  test.each(words.flatMap((word, index) => [0, 1, 2, 3].map((spaces) => ({ word, index, spaces }))))(
    'knows $word behind $spaces spaces',
    ({ word, index, spaces }) => {
      expect(indexOf(JSON.stringify(word), spaces)).toBe(index)
    },
  )

  test.each([
    { json: '""' },
    { json: '"b"' },
    { json: '"ab"' },
    { json: '"approval-rejected"' },
    { json: '"text-deltA"' },
    { json: '"text-delta "' },
    { json: '"é"' },
    { json: '1' },
    { json: 'null' },
    { json: '["text"]' },
    { json: '{"text":1}' },
    { json: `"${'\\u0061'.repeat(1000)}"` },
  ])('does not know $json', ({ json }) => {
    expect(indexOf(json)).toBe(-1)
  })

  test('gives the word itself, and null for all else', () => {
    const scanner = new Scanner()
    scanner.scanBytes(Buffer.from('["text","te\\u0078t","texts","te\\nxt",1]'))
    const record = scanner.select(0, 1)
    const found: (string | null)[] = []
    for (let item = record.first(record.root); item !== NONE; item = record.next(item)) {
      found.push(vocabulary.at(record, item))
    }
    expect(found).toEqual(['text', 'text', null, null, null])
  })

  test('knows a word however it is spelled', () => {
    const spelling = fc.constantFrom(...words).chain((word) =>
      fc.array(fc.boolean(), { minLength: word.length, maxLength: word.length }).map((escapes) => ({
        word,
        spelled: [...word].map((unit, i) => (escapes[i] === true ? escaped(unit) : unit)),
      })),
    )
    fc.assert(
      fc.property(spelling, ({ word, spelled }) => {
        expect(indexOf(`"${spelled.join('')}"`)).toBe(words.indexOf(word))
      }),
    )
  })

  test('agrees with the list on any string', () => {
    const near = fc
      .constantFrom(...words)
      .chain((word) =>
        fc
          .tuple(fc.nat({ max: word.length }), fc.string({ maxLength: 2 }))
          .map(([at, other]) => word.slice(0, at) + other + word.slice(at + 1)),
      )
    fc.assert(
      fc.property(fc.oneof(near, fc.string()), (text) => {
        expect(indexOf(JSON.stringify(text))).toBe(words.findIndex((word) => word === text))
      }),
    )
  })
})

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
