import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decimalUsd, groupedInteger, shortUsd, usdNumber } from '../../src/report/money.ts'

describe('money', () => {
  test.each([
    [0n, '0'],
    [1n, '0.000000000001'],
    [1_234_000_000n, '0.001234'],
    [12_000_000_000_000n, '12'],
    [-1_500_000_000_000n, '-1.5'],
  ])('%s is %s USD', (pico, decimal) => {
    expect(decimalUsd(pico)).toBe(decimal)
  })

  test('as decimal USD loses nothing', () => {
    const property = fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n }), (pico) => {
      const [whole = '', fraction = ''] = decimalUsd(pico).split('.')
      return BigInt(whole + fraction.padEnd(12, '0')) === pico
    })
    fc.assert(property)
  })

  test.each([
    [100_000_000_000n, 0.1],
    [300_000_000_000n, 0.3],
    [9_007_199_254_740_993n, 9007.199254740994],
    [9_007_199_301_407_655n, 9007.199301407654],
  ])('%s as a number is the nearest double, rounded once', (pico, usd) => {
    expect(usdNumber(pico)).toBe(usd)
  })

  test.each([
    [1_234_500_000_000_000n, 2, '1,234.50'],
    [5_000_000_000n, 2, '0.01'],
    [4_999_999_999n, 2, '0.00'],
    [123_450_000_000n, 4, '0.1235'],
    [1_500_000_000_000n, 0, '2'],
  ])('%s with %i decimals is %s', (pico, decimals, text) => {
    expect(shortUsd(pico, decimals)).toBe(text)
  })

  test.each([
    [0, '0'],
    [999, '999'],
    [1000, '1,000'],
    [1_234_567, '1,234,567'],
  ])('%i is %s', (value, text) => {
    expect(groupedInteger(value)).toBe(text)
  })
})
