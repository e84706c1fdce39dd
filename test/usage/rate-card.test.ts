import { describe, expect, test } from 'vitest'
import { parseRateCard } from '../../src/usage/rate-card.ts'
import { entry, tokens } from './entries.ts'

const rates = { input_usd_per_mtok: 1, cached_input_usd_per_mtok: 0.1, output_usd_per_mtok: 5 }
const good = { source: 'a page', as_of: '2026-11-30', models: { m: rates } }

/** Micro-USD of one request under a card. */
function price(model: object, used: Parameters<typeof tokens>[0], name = 'm'): number | null {
  const card = parseRateCard(JSON.stringify({ ...good, models: { m: model } }))
  if (!card.ok) throw new Error(card.message)
  const { picoUsd } = card.value.price(entry({ model: name, tokens: tokens(used) }))
  return picoUsd === null ? null : Number(picoUsd) / 1e6
}

describe('prices', () => {
  test.each([
    { model: { ...rates, input_usd_per_mtok: 1.25 }, used: { input: 1_000_000 }, micro: 1_250_000 },
    {
      model: { ...rates, input_usd_per_mtok: 1.25, cached_input_usd_per_mtok: 0.125 },
      used: { input: 200_000, cacheRead: 800_000 },
      micro: 350_000,
    },
    {
      model: { ...rates, cache_creation_input_usd_per_mtok: 2 },
      used: { input: 500_000, cacheRead: 100_000, cacheWrite: 400_000 },
      micro: 1_310_000,
    },
    { model: { ...rates, cached_input_usd_per_mtok: 0.125 }, used: { cacheRead: 99 }, micro: 12 },
    { model: { ...rates, input_usd_per_mtok: 0.5 }, used: { input: 1 }, micro: 1 },
    { model: { ...rates, input_usd_per_mtok: 0.499999 }, used: { input: 1 }, micro: 0 },
    { model: rates, used: { input: 1, cacheWrite: 1 }, micro: null },
    { model: { ...rates, cache_creation_input_usd_per_mtok: null }, used: { cacheWrite5m: 1 }, micro: null },
  ])('$used costs $micro micro-USD', ({ model, used, micro }) => {
    expect(price(model, used)).toBe(micro)
  })

  test('models are found by their exact name only', () => {
    expect(price(rates, { input: 1 }, 'M')).toBe(null)
    expect(price(rates, { input: 1 }, 'm-20260101')).toBe(null)
  })
})

describe('a card is refused', () => {
  test.each([
    ['without a source', { ...good, source: '  ' }, /source/],
    ['without a day', { ...good, as_of: 'today' }, /as_of/],
    ['with an unknown key', { ...good, currency: 'USD' }, /currency/],
    ['with an unknown rate', { ...good, models: { m: { ...rates, fast: 1 } } }, /fast/],
    [
      'with a negative rate',
      { ...good, models: { m: { ...rates, output_usd_per_mtok: -1 } } },
      /output_usd_per_mtok/,
    ],
    [
      'with seven decimals',
      { ...good, models: { m: { ...rates, output_usd_per_mtok: 0.0000001 } } },
      /six decimals/,
    ],
    [
      'with a rate as text',
      { ...good, models: { m: { ...rates, output_usd_per_mtok: '5' } } },
      /output_usd_per_mtok/,
    ],
    [
      'with a missing rate',
      { ...good, models: { m: { input_usd_per_mtok: 1 } } },
      /cached_input_usd_per_mtok/,
    ],
    ['without models', { source: 'x', as_of: '2026-11-30' }, /models/],
    ['that is a list', [], /card/],
  ])('%s', (_, card, message) => {
    expect(parseRateCard(JSON.stringify(card))).toMatchObject({
      ok: false,
      message: expect.stringMatching(message),
    })
  })

  test('that is not JSON, or has an infinite rate', () => {
    expect(parseRateCard('{').ok).toBe(false)
    const card = JSON.stringify(good).replace(':5', ':1e999')
    expect(parseRateCard(card)).toMatchObject({
      ok: false,
      message: expect.stringContaining('output_usd_per_mtok'),
    })
  })

  test('a day needs only its shape, and rates may be zero', () => {
    const card = { ...good, as_of: '2026-99-99', models: { m: { ...rates, input_usd_per_mtok: 0 } } }
    expect(parseRateCard(JSON.stringify(card)).ok).toBe(true)
  })
})
