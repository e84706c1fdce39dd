import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { INPUT_AT, PIECES_BYTES, SCRATCH_BYTES, Scanner } from '../../src/kernel/scanner.ts'
import { completeOutput, literal, Splice } from '../../src/sink/splice.ts'
import { holds } from '../property/seeds.ts'

const INPUT_BYTES = 400_000
const input = Buffer.from(Array.from({ length: INPUT_BYTES }, (_, i) => 33 + ((i * 31 + (i >> 7)) % 90)))

const scanner = new Scanner()
scanner.reserve(INPUT_BYTES)
input.copy(scanner.buffer, INPUT_AT)
const splice = new Splice(scanner)

/** One thing put into a splice, and what it is in the output. */
type Piece = (into: Splice) => Buffer

const comma = literal('a literal of the splice test')

const lengths = fc.oneof(
  fc.constantFrom(0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 1000),
  fc.nat({ max: 300 }),
)

const span: fc.Arbitrary<Piece> = fc.tuple(fc.nat({ max: 1000 }), lengths).map(([from, length]) => (into) => {
  into.span(INPUT_AT + from, length)
  return input.subarray(from, from + length)
})

const integer: fc.Arbitrary<Piece> = fc
  .oneof(
    fc.nat({ max: 16 }).map((power) => 10 ** power),
    fc.nat({ max: 15 }).map((power) => 10 ** power - 1),
    fc.constantFrom(0, 2 ** 31, 2 ** 32 - 1, 2 ** 32, -1, -(2 ** 31), Number.MAX_SAFE_INTEGER),
    fc.maxSafeInteger(),
    fc.nat(),
  )
  .map((value) => (into) => {
    into.integer(value)
    return Buffer.from(String(value))
  })

const text: fc.Arbitrary<Piece> = fc
  .oneof(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.string({ unit: 'binary', maxLength: 200 }))
  .map((value) => (into) => {
    into.text(value)
    return Buffer.from(value)
  })

const bytes: fc.Arbitrary<Piece> = lengths.map((length) => (into) => {
  into.bytes(input.subarray(0, length))
  return input.subarray(0, length)
})

const quoted: fc.Arbitrary<Piece> = fc
  .string({ unit: 'binary-ascii', maxLength: 80 })
  .map((value) => (into) => {
    // When there is no room for it, it is not either.
    if (!into.quoted(value)) return Buffer.alloc(0)
    if (JSON.stringify(value) !== `"${value}"`)
      throw new Error(`${JSON.stringify(value)} was put in as it is`)
    return Buffer.from(`"${value}"`)
  })

const fixed: fc.Arbitrary<Piece> = fc.constant((into) => {
  into.literal(comma)
  return Buffer.from('a literal of the splice test')
})

const piece = fc.oneof(span, span, integer, text, bytes, quoted, fixed)

/** A few pieces that fill what is kept for later: the scratch, the list, and more than either holds. */
const large: fc.Arbitrary<Piece> = fc.constantFrom<Piece>(
  (into) => {
    into.bytes(input.subarray(5, 300_005))
    return input.subarray(5, 300_005)
  },
  (into) => {
    into.span(INPUT_AT + 7, 300_000)
    return input.subarray(7, 300_007)
  },
  (into) => {
    into.bytes(input.subarray(0, SCRATCH_BYTES))
    return input.subarray(0, SCRATCH_BYTES)
  },
  (into) => {
    const value = 'é'.repeat(50_000)
    into.text(value)
    return Buffer.from(value)
  },
  (into) => {
    const parts: Buffer[] = []
    for (let i = 0; i < PIECES_BYTES / 8 + 100; i++) {
      into.span(INPUT_AT + (i % 1000), i % 20)
      parts.push(input.subarray(i % 1000, (i % 1000) + (i % 20)))
      into.breathe()
    }
    return Buffer.concat(parts)
  },
)

function put(pieces: readonly Piece[]): Buffer {
  splice.reset()
  const wanted = Buffer.concat(
    pieces.map((one) => {
      splice.breathe()
      return Buffer.from(one(splice))
    }),
  )
  if (splice.length !== wanted.length) throw new Error(`length ${splice.length} instead of ${wanted.length}`)
  return wanted
}

describe('a splice gives what its pieces are one after the other', () => {
  test('whatever they are', () => {
    const property = fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const wanted = put(pieces)
      if (Buffer.compare(splice.output(), wanted) !== 0) throw new Error('another output')
    })
    holds(property, 2000)
  })

  test('however large', () => {
    const property = fc.property(fc.array(fc.oneof(piece, piece, large), { maxLength: 12 }), (pieces) => {
      const wanted = put(pieces)
      if (Buffer.compare(splice.output(), wanted) !== 0) throw new Error('another output')
    })
    holds(property, 100)
  })

  test('when another thread does the copying', () => {
    const other = new Scanner({ memory: scanner.memory })
    const property = fc.property(
      fc.array(fc.oneof(piece, piece, piece, large), { maxLength: 12 }),
      (pieces) => {
        const wanted = put(pieces)
        const handover = splice.handOver()
        other.adopt(scanner.facts())
        if (Buffer.compare(completeOutput(other, handover), wanted) !== 0) throw new Error('another output')
      },
    )
    holds(property, 200)
  })

  test.each([0, 1, 15, 16, 17, 127, 128, 129, 4096, 300_000])('as spans of %i bytes', (length) => {
    for (let before = 0; before < 40; before++) {
      splice.reset()
      splice.span(INPUT_AT, before)
      splice.span(INPUT_AT + 3, length)
      splice.span(INPUT_AT + 1, 5)
      const wanted = Buffer.concat([
        input.subarray(0, before),
        input.subarray(3, 3 + length),
        input.subarray(1, 6),
      ])
      expect(Buffer.compare(splice.output(), wanted)).toBe(0)
    }
  })

  test('and short texts as JSON strings, when they need no escapes', () => {
    splice.reset()
    const taken = ['', 'a-Z 09', '~', 'x'.repeat(64)]
    for (const value of taken) expect([value, splice.quoted(value)]).toEqual([value, true])
    for (const value of ['"', '\\', '\n', '\u007f', 'é', '\ud800', 'x'.repeat(65)]) {
      expect([value, splice.quoted(value)]).toEqual([value, false])
    }
    expect(splice.output().toString()).toBe(taken.map((value) => JSON.stringify(value)).join(''))
  })

  test('and asked twice, and then for more', () => {
    splice.reset()
    splice.text('one')
    expect(splice.output().toString()).toBe('one')
    splice.integer(2)
    expect(splice.output().toString()).toBe('one2')
    expect(splice.output().toString()).toBe('one2')
    splice.reset()
    expect(splice.output().toString()).toBe('')
    expect(splice.length).toBe(0)
  })
})

describe('literals', () => {
  test('made after the first use of others are copied too', () => {
    splice.reset()
    splice.literal(comma)
    const late = literal('a literal that came late é')
    splice.literal(late)
    expect(splice.output().toString()).toBe('a literal of the splice testa literal that came late é')
    expect(literal('a literal that came late é')).toBe(late)
  })

  test('of a splice of its own replace each other', () => {
    splice.reset()
    splice.pinned(splice.pin(',"run":"é"'))
    splice.literal(comma)
    expect(splice.output().toString()).toBe(',"run":"é"a literal of the splice test')
    splice.reset()
    splice.pinned(splice.pin('x'.repeat(8192)))
    expect(splice.output().toString()).toBe('x'.repeat(8192))
    expect(() => splice.pin('x'.repeat(8193))).toThrow(RangeError)
  })
})
