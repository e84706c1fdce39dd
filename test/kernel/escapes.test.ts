import { describe, expect, test } from 'vitest'
import { RecordFlag } from '../../src/kernel/layout.ts'
import { NONE } from '../../src/kernel/record.ts'
import { only, records, scanned } from './scanning.ts'

const UNITS = Array.from({ length: 0x10000 }, (_, unit) => unit.toString(16).padStart(4, '0'))
const isHalf = (unit: number): boolean => unit >= 0xd800 && unit < 0xe000

/** UTF-8 bytes of each string of an array, as the kernel counts them. */
function lengthsOf(line: string): number[] {
  const record = only(line)
  const lengths: number[] = []
  for (let node = record.first(record.root); node !== NONE; node = record.next(node)) {
    lengths.push(record.textBytes(node) ?? -1)
  }
  return lengths
}

const inBytes = (line: string): number[] => {
  const texts: string[] = JSON.parse(line)
  return texts.map((text) => Buffer.byteLength(text))
}

describe('escapes of four digits', () => {
  test.each([
    ['small', (digits: string) => digits],
    ['capital', (digits: string) => digits.toUpperCase()],
    ['mixed', (digits: string) => digits.slice(0, 2).toUpperCase() + digits.slice(2)],
  ])('every unit in %s letters has the length that JSON.parse gives it', (_, spelled) => {
    const line = `[${UNITS.map((digits) => `"a\\u${spelled(digits)}b"`).join(',')}]`
    expect(lengthsOf(line)).toEqual(inBytes(line))
  })

  test('every unit behind the first and in front of the second half of a pair', () => {
    const texts = UNITS.flatMap((digits) => [`"\\ud83d\\u${digits}"`, `"\\u${digits}\\uDE00"`])
    const line = `[${texts.join(',')}]`
    expect(lengthsOf(line)).toEqual(inBytes(line))
  })

  test('every unit alone is flagged when it is half of a pair', () => {
    const flags = records(UNITS.map((digits) => `"\\u${digits}"\n`).join('')).map((record) => record.flags)
    const wrong = flags.filter((flag, unit) => ((flag & RecordFlag.LoneSurrogate) !== 0) !== isHalf(unit))
    expect(flags).toHaveLength(0x10000)
    expect(wrong).toEqual([])
  })

  test.each([0, 1, 2, 3])('any byte as digit %i is taken where JSON.parse takes it', (position) => {
    for (let byte = 0; byte < 256; byte++) {
      if (byte === 0x0a) continue
      const line = Buffer.from('"\\u1234"')
      line[3 + position] = byte
      const isDigit = /[0-9a-fA-F]/.test(String.fromCharCode(byte))
      const isJson = scanned(line).select(0, 1).root !== NONE
      if (isJson !== isDigit) throw new Error(`byte ${byte}: ${isJson}`)
    }
  })
})
