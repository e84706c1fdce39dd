import { calcPrice } from '@pydantic/genai-prices'
import * as fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { LedgerEntry } from '../../src/usage/entry.ts'
import { promptTokens } from '../../src/usage/entry.ts'
import { readOwnPrices } from '../../src/usage/price-file.ts'
import { parsePriceFile } from '../../src/usage/price-input.ts'
import { PriceTable, priceOf } from '../../src/usage/prices.ts'
import { anyTokens, entry, tokens } from './entries.ts'

const file = await readOwnPrices()
const table = new PriceTable(file)
const MILLION = 1_000_000

function usd(given: Partial<LedgerEntry>): number | null {
  const pico = priceOf(entry(given), table)
  return pico === null ? null : Number(pico) / 1e12
}

const opus46 = (at: string | null) => ({
  model: 'claude-opus-4-6',
  at,
  tokens: tokens({ input: 100_000, cacheRead: 200_000, output: 1000 }),
})

describe('names', () => {
  test.each([
    ['claude-haiku-4-5', 'exact'],
    ['Claude-Haiku-4-5', 'exact'],
    ['claude-haiku-4.5', 'exact'],
    ['claude-haiku-4-5-20251001', '-date'],
    ['claude-haiku-4-5@20251001', '@date + -date'],
    ['claude-haiku-4-5[1m]', '[1m]'],
    ['anthropic/claude-haiku-4-5', 'vendor/'],
    ['us.anthropic.claude-haiku-4-5-20251001-v1:0', 'region. + anthropic. + -v1:0 + -date'],
    ['openrouter/anthropic/claude-haiku-4.5', 'gateway/ + vendor/'],
  ])('%s is claude-haiku-4-5 by %s', (name, rule) => {
    expect([table.modelId(name), table.rule(name)]).toEqual(['claude-haiku-4-5', rule])
  })

  test.each([
    'claude-haiku-4-55',
    'claude-haiku-4',
    'claude-haiku-4-5-preview',
    'my-claude-haiku-4-5',
    'claude-haiku-4-5-20251001-20251001',
    'claude-haiku-4-5-20259999',
    'gpt-5-nano2',
    'gpt-5-20250101',
    '__proto__',
    'constructor',
    '',
    '<synthetic>',
  ])('%s is no model we know', (name) => {
    expect(table.rule(name)).toBe(null)
    expect(usd({ model: name, tokens: tokens({ input: 5, output: 5 }) })).toBe(null)
  })
})

describe('rules', () => {
  test.each([
    {
      rule: 'cache writes by their lifetime',
      given: { tokens: tokens({ cacheWrite5m: 250_000, cacheWrite1h: 750_000 }), model: 'claude-sonnet-4-6' },
      expected: 0.9375 + 4.5,
    },
    {
      rule: 'cache writes of unknown lifetime as those of five minutes',
      given: { tokens: tokens({ cacheWrite: MILLION }), model: 'claude-sonnet-4-6' },
      expected: 3.75,
    },
    {
      rule: 'a long prompt, cache included, prices the whole request',
      given: opus46('2026-03-12T23:59:59Z'),
      expected: 1.0 + 0.2 + 0.0375,
    },
    { rule: 'the price of the day', given: opus46('2026-03-13T00:00:00Z'), expected: 0.5 + 0.1 + 0.025 },
    { rule: 'the latest price for an unknown day', given: opus46(null), expected: 0.625 },
    {
      rule: 'a limit is not passed by reaching it',
      given: { model: 'claude-sonnet-4-5', tokens: tokens({ input: 200_000 }) },
      expected: 0.6,
    },
    {
      rule: 'a total of a process tells no length of a prompt',
      given: { model: 'claude-sonnet-4-5', tokens: tokens({ input: MILLION }), scope: 'process' as const },
      expected: 3,
    },
    {
      rule: 'fast mode, on top of cache prices, not on searches',
      given: {
        model: 'claude-opus-4-6',
        speed: 'fast',
        webSearches: 3,
        tokens: tokens({ input: MILLION / 10, cacheRead: MILLION / 10 }),
      },
      expected: 6 * (0.5 + 0.05) + 0.03,
    },
    {
      rule: 'batch in the United States',
      given: {
        model: 'claude-opus-4-8',
        serviceTier: 'batch',
        geo: 'us',
        tokens: tokens({ input: MILLION, output: 1 }),
      },
      expected: 0.55 * 5.000025,
    },
    {
      rule: 'flex',
      given: { model: 'gpt-5', serviceTier: 'flex', tokens: tokens({ output: MILLION }) },
      expected: 5,
    },
    {
      rule: 'priority',
      given: {
        model: 'gpt-5.4-mini',
        serviceTier: 'priority',
        tokens: tokens({ input: MILLION / 10, output: 10 }),
      },
      expected: 0.15 + 0.00009,
    },
    {
      rule: 'priority of the model it costs most',
      given: { model: 'gpt-5.5', serviceTier: 'priority', tokens: tokens({ cacheRead: MILLION / 10 }) },
      expected: 0.125,
    },
    {
      rule: 'batch of Google',
      given: {
        model: 'gemini-2.5-pro',
        serviceTier: 'batch',
        tokens: tokens({ input: MILLION / 10, output: 100 }),
      },
      expected: 0.0625 + 0.0005,
    },
    { rule: 'free of use is free', given: { model: 'claude-opus-5', tokens: tokens() }, expected: 0 },
  ])('$rule', ({ given, expected }) => {
    expect(usd(given)).toBeCloseTo(expected, 12)
  })

  test.each([
    { model: 'claude-haiku-4-5', speed: 'fast', caveat: 'speed-unpriced' },
    { model: 'claude-opus-4-8', serviceTier: 'priority', caveat: 'tier-unpriced' },
    { model: 'gpt-5', geo: 'us', caveat: 'region-unpriced' },
    { model: 'gpt-5.4', serviceTier: 'priority', long: 300_000, caveat: 'tier-unpriced' },
    { model: 'kimi-k3', webSearches: 1, caveat: 'search-unpriced' },
  ])('no price is guessed: $caveat', ({ caveat, long, ...given }) => {
    const priced = table.price(entry({ ...given, tokens: tokens({ input: long ?? 5 }) }))
    expect(priced).toEqual({ picoUsd: null, caveats: [caveat] })
  })

  test('a preview whose cache price differed from that of the model has none', () => {
    expect(table.rule('gemini-2.5-pro-preview-05-06')).toBeNull()
    expect(table.rule('gemini-2.5-pro')).not.toBeNull()
  })

  test.each([
    { serviceTier: 'platinum', caveats: ['tier-unknown'] },
    { speed: 'brisk', caveats: ['speed-unknown'] },
    { geo: 'moon', caveats: ['region-unknown'] },
    { at: null, caveats: ['date-unknown'] },
    { tokens: tokens({ input: 4, cacheWrite: 1 }), caveats: ['lifetime-assumed'] },
    { serviceTier: 'standard', speed: 'standard', geo: 'not_available', caveats: [] },
  ])('what is assumed is said: $caveats', ({ caveats, ...given }) => {
    const priced = table.price(entry({ tokens: tokens({ input: 5 }), ...given }))
    expect(priced.picoUsd).not.toBe(null)
    expect(priced.caveats).toEqual(caveats)
  })

  test('tokens of which nothing is known have no price', () => {
    const unknown = tokens({
      input: null,
      cacheRead: null,
      cacheWrite5m: null,
      cacheWrite1h: null,
      output: null,
    })
    expect(usd({ tokens: unknown })).toBe(null)
  })

  test('huge counts stay exact', () => {
    const pico = priceOf(
      entry({ model: 'gpt-5', tokens: tokens({ output: Number.MAX_SAFE_INTEGER }) }),
      table,
    )
    expect(pico).toBe(BigInt(Number.MAX_SAFE_INTEGER) * 10_000_000n)
  })
})

describe('the committed table', () => {
  test('holds whole numbers only, and both prices of every model', () => {
    for (const { names, rates } of file.models) {
      expect(names.length).toBeGreaterThan(0)
      for (const period of rates) {
        const numbers = [period.input, period.output, ...Object.values(period).filter(Number.isFinite)]
        expect(numbers.every((rate) => Number.isSafeInteger(rate) && Number(rate) > 0)).toBe(true)
      }
    }
  })

  test('names the override file it was made with', () => {
    const overrides: { reviewed: string } = JSON.parse(
      readFileSync(new URL('../../src/usage/price-overrides.json', import.meta.url), 'utf8'),
    )
    expect(file.source).toContain(`overrides of ${overrides.reviewed}`)
  })

  test('gives the prices of genai-prices, for any model, day and usage', () => {
    const provider = new Map<string, string>()
    for (const id of [
      'anthropic',
      'openai',
      'google',
      'x-ai',
      'moonshotai',
      'deepseek',
      'minimax',
      'mistral',
    ]) {
      for (const { names } of file.models) {
        const name = names[0] ?? ''
        if (!provider.has(name) && calcPrice({}, name, { providerId: id })?.model.id === name)
          provider.set(name, id)
      }
    }
    expect(provider.size).toBeGreaterThan(150)
    const models = file.models.filter(({ names }) => provider.has(names[0] ?? ''))
    // Long prompts of Sonnet 4 are an override.
    const any = fc.record({
      model: fc.constantFrom(...models.filter(({ names }) => names[0] !== 'claude-sonnet-4-0')),
      nameIndex: fc.nat(),
      seconds: fc.integer({ min: 1_730_000_000, max: 1_800_000_000 }),
      tokens: anyTokens,
      webSearches: fc.nat({ max: 4 }),
    })
    const property = fc.property(any, ({ model, nameIndex, seconds, tokens: used, webSearches }) => {
      const id = model.names[0] ?? ''
      const has1h = model.rates.every(({ cache_write_1h }) => cache_write_1h !== undefined)
      const theirs = calcPrice({}, id, { providerId: provider.get(id) ?? '' })
      const searches = theirs?.model_price['web_searches_kcount'] === undefined ? 0 : webSearches
      const known = { ...used, input: used.input ?? 0, cacheWrite1h: has1h ? used.cacheWrite1h : 0 }
      const at = new Date(seconds * 1000)
      const ours = priceOf(
        entry({
          model: model.names[nameIndex % model.names.length] ?? '',
          at: at.toISOString(),
          tokens: known,
          webSearches: searches,
        }),
        table,
      )
      const write1h = known.cacheWrite1h ?? 0
      const expected = calcPrice(
        {
          input_tokens: promptTokens(known),
          cache_read_tokens: known.cacheRead ?? 0,
          cache_write_tokens: (known.cacheWrite5m ?? 0) + write1h + (known.cacheWrite ?? 0),
          cache_write_1h_tokens: write1h,
          output_tokens: known.output ?? 0,
          web_searches: searches,
        },
        id,
        { providerId: provider.get(id) ?? '', timestamp: at },
      )
      const difference = Math.abs(Number(ours) / 1e12 - (expected?.total_price ?? Number.NaN))
      if (!(difference <= 1e-9 * Math.max(1, expected?.total_price ?? 0))) {
        throw new Error(`${id}: ${ours} pico-USD, genai-prices says ${expected?.total_price}`)
      }
    })
    fc.assert(property, { numRuns: 3000 })
  })
})

describe('a price file of the user', () => {
  test('may be ours', async () => {
    expect(await parsePriceFile(JSON.stringify(file))).toEqual({ ok: true, value: file })
  })

  test('may be short, in USD per million', async () => {
    const short = {
      unit: 'usd_per_million_tokens',
      models: {
        M: {
          input: 3,
          output: 15,
          cache_read: 0.3,
          cache_write_5m: 3.75,
          cache_write_1h: 6,
          long_context: { limit_tokens: 200_000, input: 6, output: 22.5 },
          fast_multiplier: 6,
          web_search_per_request: 0.01,
        },
        free: { input: 0, output: 0 },
      },
    }
    const checked = await parsePriceFile(JSON.stringify(short))
    if (!checked.ok) throw new Error(checked.message)
    const own = new PriceTable(checked.value)
    const price = (given: Partial<LedgerEntry>) =>
      Number(priceOf(entry({ model: 'M', ...given }), own)) / 1e12
    expect(price({ tokens: tokens({ cacheWrite5m: 50_000, cacheWrite1h: 150_000 }) })).toBe(1.0875)
    expect(price({ tokens: tokens({ cacheWrite5m: 250_000, cacheWrite1h: 750_000 }) })).toBe(2 * 5.4375)
    expect(price({ tokens: tokens({ input: 120_000, output: 500 }) })).toBe(0.3675)
    expect(price({ tokens: tokens({ input: 360_000, output: 1500 }) })).toBe(2.19375)
    expect(price({ tokens: tokens({ input: 1_000 }), speed: 'fast', webSearches: 3 })).toBe(0.048)
    expect(price({ tokens: tokens({ input: 1_000 }), model: 'free' })).toBe(0)
    expect(own.rule('claude-opus-5')).toBe(null)
    expect(own.asOf).toBe(null)
  })

  test.each([
    ['no JSON', '{', /JSON/],
    ['another form', '{"m1":{"input_cost_per_token":0}}', /format/],
    [
      'a negative price',
      '{"unit":"usd_per_million_tokens","models":{"M":{"input":-1,"output":1}}}',
      /models\.M\.input/,
    ],
    ['no output price', '{"unit":"usd_per_million_tokens","models":{"M":{"input":1}}}', /models\.M\.output/],
    [
      'a price as text',
      '{"unit":"usd_per_million_tokens","models":{"M":{"input":"1","output":1}}}',
      /M\.input/,
    ],
    [
      'an unknown key',
      '{"unit":"usd_per_million_tokens","models":{"M":{"input":1,"output":1,"x":1}}}',
      /M\.x/,
    ],
    ['a list', '[]', /format/],
    ['nothing in it', 'null', /Object/],
  ])('is refused with %s', async (_, text, message) => {
    const checked = await parsePriceFile(text)
    expect(checked).toMatchObject({ ok: false, message: expect.stringMatching(message) })
  })
})
