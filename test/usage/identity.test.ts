import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  hashText,
  hasMessage,
  IDENTITY_WORDS,
  isWithoutRequest,
  writeIdentity,
} from '../../src/usage/identity.ts'
import { IdentityMap } from '../../src/usage/identity-map.ts'

function identity(key: string): Uint32Array {
  const words = new Uint32Array(IDENTITY_WORDS)
  writeIdentity(words, 0, key)
  return words
}

function half(key: string): string {
  return identity(key).subarray(0, 2).join(' ')
}

describe('identities of keys', () => {
  test.each([
    { key: 'claude:m1:r1', message: true, nameless: false },
    { key: 'claude:m1:', message: true, nameless: true },
    { key: 'claude:m1', message: true, nameless: true },
    { key: 'claude:m1::advisor:0', message: true, nameless: true },
    { key: 'claude:m1:r1:advisor:12', message: true, nameless: false },
    { key: 'claude:m1:advisor:12', message: true, nameless: true },
    { key: 'claude::r1', message: false, nameless: false },
    { key: 'claude-line:4', message: false, nameless: false },
    { key: 'codex:m1:r1', message: false, nameless: false },
    { key: '', message: false, nameless: false },
  ])('$key says what kind it is', ({ key, message, nameless }) => {
    expect([hasMessage(identity(key), 0), isWithoutRequest(identity(key), 0)]).toEqual([message, nameless])
  })

  test('keys of one message share their first half; an advisor is a message of its own', () => {
    expect(new Set(['claude:m1:r1', 'claude:m1:r2', 'claude:m1:'].map(half)).size).toBe(1)
    const different = ['claude:m1:r1', 'claude:m2:r1', 'claude:m1:r1:advisor:0', 'claude:m1:r1:advisor:1']
    expect(new Set(different.map(half)).size).toBe(4)
    expect(half('claude:m1:r1:advisor:1')).toBe(half('claude:m1::advisor:1'))
  })

  test('different keys have different identities, whatever they are made of', () => {
    const unit = fc.constantFrom('\0', 'a', 'b', ':', '0', '\u{10000}', 'claude:', ':advisor:')
    const key = fc.array(unit, { maxLength: 12 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(key, key, (a, b) => (a === b) === (identity(a).join(' ') === identity(b).join(' '))),
      { numRuns: 5000 },
    )
  })

  test('numbered keys fall evenly on all words', () => {
    const seen = Array.from({ length: IDENTITY_WORDS }, () => new Set<number>())
    const words = new Uint32Array(IDENTITY_WORDS)
    const count = 100_000
    for (let i = 0; i < count; i++) {
      hashText(`msg_${i}`, 0, 4 + String(i).length, 1, words)
      for (const [w, word] of words.entries()) seen[w]?.add(word)
    }
    // Of so many random words about one is there twice.
    for (const one of seen) expect(one.size).toBeGreaterThan(count - 15)
  })
})

test('a map of identities holds what a map of texts holds', () => {
  const small = fc.array(fc.nat({ max: 300 }), { maxLength: 600 })
  const property = fc.property(small, fc.constantFrom(2 as const, 4 as const), (numbers, width) => {
    const map = new IdentityMap(width)
    const model = new Map<string, number>()
    for (const [i, n] of numbers.entries()) {
      // Few different first words, so that slots are contended for.
      const words = Uint32Array.of(n % 7, n % 11, n, n)
      const text = words.subarray(0, width).join(' ')
      if (map.get(words, 0) !== (model.get(text) ?? null)) throw new Error(`${text} differs`)
      if (map.add(words, 0, i) === model.has(text)) throw new Error(`${text} was there or not`)
      if (!model.has(text)) model.set(text, i)
    }
    if (map.size !== model.size) throw new Error('another size')
  })
  fc.assert(property)
})
