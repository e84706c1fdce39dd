import { type LedgerEntry, nothingKnown } from './entry.ts'
import type { Checked } from './checked.ts'
import { type Priced, type Pricer, UNPRICED } from './pricing.ts'

const PICO_PER_MICRO = 1_000_000n

/** Prices of one model in 10^-12 USD a token. */
interface CardRates {
  readonly input: bigint
  readonly cachedInput: bigint
  readonly output: bigint
  /** Null: the card does not say, and a request that wrote a cache has no price. */
  readonly cacheCreation: bigint | null
}

/**
 * A rate card of b10x (spec b10x-harness §6). It prices by the exact name of the model, each request rounded half up
 * to micro-dollars by itself.
 */
export class RateCard implements Pricer {
  readonly source: string
  readonly asOf: string
  private readonly models: ReadonlyMap<string, CardRates>

  constructor(source: string, asOf: string, models: ReadonlyMap<string, CardRates>) {
    this.source = source
    this.asOf = asOf
    this.models = models
  }

  rule(model: string): string | null {
    return this.models.has(model) ? 'exact' : null
  }

  price({ model, tokens }: LedgerEntry): Priced {
    const rates = model === null ? undefined : this.models.get(model)
    if (rates === undefined || nothingKnown(tokens)) return UNPRICED
    const created = (tokens.cacheWrite5m ?? 0) + (tokens.cacheWrite1h ?? 0) + (tokens.cacheWrite ?? 0)
    if (created > 0 && rates.cacheCreation === null) return UNPRICED
    const pico =
      BigInt(tokens.input ?? 0) * rates.input +
      BigInt(tokens.cacheRead ?? 0) * rates.cachedInput +
      BigInt(created) * (rates.cacheCreation ?? 0n) +
      BigInt(tokens.output ?? 0) * rates.output
    const micro = (pico + PICO_PER_MICRO / 2n) / PICO_PER_MICRO
    return { picoUsd: micro * PICO_PER_MICRO, caveats: [] }
  }
}

const CARD_KEYS = new Set(['source', 'as_of', 'models'])
const RATE_KEYS = new Set([
  'input_usd_per_mtok',
  'cached_input_usd_per_mtok',
  'output_usd_per_mtok',
  'cache_creation_input_usd_per_mtok',
])

/** Read the text of a rate card. One bad rate refuses the whole card. */
export function parseRateCard(text: string): Checked<RateCard> {
  try {
    return { ok: true, value: readCard(JSON.parse(text)) }
  } catch (error) {
    // Parsing and checking throw what is wrong; nothing else can go wrong in here.
    return { ok: false, message: error instanceof Error ? error.message : String(error) }
  }
}

function readCard(value: unknown): RateCard {
  const card = fields(value, 'the card', CARD_KEYS)
  const source = card.get('source')
  const asOf = card.get('as_of')
  if (typeof source !== 'string' || source.trim() === '')
    throw new Error('source must be a text that says something')
  if (typeof asOf !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(asOf))
    throw new Error('as_of must look like 2026-01-31')
  const models = new Map<string, CardRates>()
  for (const [model, rates] of fields(card.get('models'), 'models', null)) {
    const at = `models[${JSON.stringify(model)}]`
    const given = fields(rates, at, RATE_KEYS)
    const creation = given.get('cache_creation_input_usd_per_mtok')
    models.set(model, {
      input: rate(given.get('input_usd_per_mtok'), `${at}.input_usd_per_mtok`),
      cachedInput: rate(given.get('cached_input_usd_per_mtok'), `${at}.cached_input_usd_per_mtok`),
      output: rate(given.get('output_usd_per_mtok'), `${at}.output_usd_per_mtok`),
      cacheCreation:
        creation === undefined || creation === null
          ? null
          : rate(creation, `${at}.cache_creation_input_usd_per_mtok`),
    })
  }
  return new RateCard(source, asOf, models)
}

/** The fields of an object; `known` null allows any. */
function fields(value: unknown, at: string, known: ReadonlySet<string> | null): Map<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${at} must be an object`)
  const entries = new Map<string, unknown>(Object.entries(value))
  for (const key of entries.keys()) {
    if (known !== null && !known.has(key)) throw new Error(`${at} has the unknown key ${JSON.stringify(key)}`)
  }
  return entries
}

/** USD per million tokens with at most six decimals, which is a whole number of 10^-12 USD a token. */
function rate(value: unknown, at: string): bigint {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
    throw new Error(`${at} must be a number of USD, not negative`)
  }
  const [digits = '', exponent = '0'] = String(value).split('e')
  const pico = Number(`${digits}e${Number(exponent) + 6}`)
  if (!Number.isSafeInteger(pico)) throw new Error(`${at} must have at most six decimals`)
  return BigInt(pico)
}
