import { describe, expect, test } from 'vitest'
import { LONGEST_TEXT, Patterns } from '../../src/kernel/patterns.ts'

const LETTERS = 'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz'
const texts = Array.from({ length: LONGEST_TEXT + 1 }, (_, length) => LETTERS.slice(0, length))
const patterns = new Patterns(texts.map((text) => Buffer.from(text)))

/** Does the pattern of `text` match behind the first quote of what stands behind `before` bytes? */
function matches(text: string, stands: string, before: number): boolean {
  const memory = Buffer.alloc(before + 64, 'a')
  memory.write(stands, before)
  const data = new DataView(memory.buffer, memory.byteOffset, memory.length)
  return patterns.match(data, before + 1, texts.indexOf(text))
}

describe('a pattern', () => {
  test.each(texts)('of "%s" matches that text only, wherever it lies', (text) => {
    const quoted = `"${text}"`
    for (let before = 0; before < 4; before++) {
      expect(matches(text, quoted, before)).toBe(true)
      for (let at = 1; at < quoted.length; at++) {
        const other = `${quoted.slice(0, at)}#${quoted.slice(at + 1)}`
        expect(matches(text, other, before), `${other} behind ${before} bytes`).toBe(false)
      }
      expect(matches(text, `"${text}a"`, before)).toBe(false)
    }
  })

  test('has an end: a longer text is refused', () => {
    expect(() => new Patterns([Buffer.alloc(LONGEST_TEXT + 1, 'a')])).toThrow(RangeError)
  })
})
