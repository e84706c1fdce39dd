import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Copied, copySpan, nothingCopied } from '../../src/kernel/copied.ts'
import type { RecordView } from '../../src/kernel/record.ts'
import { INPUT_AT, Scanner } from '../../src/kernel/scanner.ts'

const TEXT = Buffer.from(Array.from({ length: 300 }, (_, i) => 0x21 + (i % 90)))

/** A record whose memory holds `TEXT` at the returned address. */
function over(lies = 0): [record: RecordView, at: number] {
  const scanner = new Scanner()
  scanner.scanBytes(Buffer.concat([Buffer.alloc(lies, ' '), Buffer.from('1')]))
  const record = scanner.select(0, 1)
  TEXT.copy(scanner.buffer, INPUT_AT + 64 + lies)
  return [record, INPUT_AT + 64 + lies]
}

function held({ bytes, length }: Copied): string {
  return Buffer.from(bytes.subarray(0, length)).toString('latin1')
}

describe('spans', () => {
  const lies = [0, 1, 2, 3]
  test.each(lies.flatMap((from) => lies.map((to) => ({ from, to }))))(
    'from byte $from of a word to byte $to of one',
    ({ from, to }) => {
      const [record, at] = over(from)
      for (const length of [0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 200]) {
        const into = nothingCopied(8)
        copySpan(into, record, at, to)
        copySpan(into, record, at + 7, length)
        expect(held(into)).toBe(TEXT.latin1Slice(0, to) + TEXT.latin1Slice(7, 7 + length))
      }
    },
  )

  test('one behind the other, whatever room there was, leave a byte of room', () => {
    const [record, at] = over()
    const pieces = fc.array(fc.tuple(fc.nat(100), fc.nat(100)), { maxLength: 30 })
    fc.assert(
      fc.property(fc.nat(40), pieces, (room, spans) => {
        const into = nothingCopied(room)
        for (const [start, length] of spans) copySpan(into, record, at + start, length)
        expect(held(into)).toBe(
          spans.map(([start, length]) => TEXT.latin1Slice(start, start + length)).join(''),
        )
        expect(into.bytes.length).toBeGreaterThan(into.length)
        expect(into.bytes.buffer).toBe(into.words.buffer)
      }),
    )
  })

  test('go on where others wrote a byte', () => {
    const [record, at] = over()
    const into = nothingCopied(4)
    into.bytes[0] = 0x22
    into.length = 1
    copySpan(into, record, at, 6)
    expect(held(into)).toBe(`"${TEXT.latin1Slice(0, 6)}`)
  })

  test('in a clone they are as before', () => {
    const [record, at] = over()
    const into = nothingCopied(4)
    copySpan(into, record, at, 5)
    const clone = structuredClone(into)
    copySpan(clone, record, at + 5, 90)
    expect(held(clone)).toBe(TEXT.latin1Slice(0, 95))
    expect(held(into)).toBe(TEXT.latin1Slice(0, 5))
  })
})
