import { type LedgerEntry, nothingKnown, promptTokens } from './entry.ts'
import { instantOf } from './instant.ts'
import { type NameTable, type Resolved, resolveModel } from './model-name.ts'
import type { Factors, ModelPrices, PeriodRates, PriceFile, Rates } from './price-file.ts'
import { type PriceCaveat, type Priced, type Pricer, UNPRICED } from './pricing.ts'

/** Factors have three decimals, and three of them are multiplied. */
const FACTOR_UNIT = 1000
const NO_CHANGE = BigInt(FACTOR_UNIT) ** 3n
const DAY_SECONDS = 86_400
/** Names whose resolution is remembered. */
const MOST_NAMES = 10_000

const STANDARD_TIERS = new Set(['standard', 'default', 'auto'])
const STANDARD_REGIONS = new Set(['not_available', 'global', ''])

/** Prices requests by a price table (spec vendor-transcripts §10.1). */
export class PriceTable implements Pricer {
  readonly source: string
  readonly asOf: string | null
  private readonly asOfInstant: number
  private readonly names: NameTable<ModelPrices>
  private readonly resolved = new Map<string, Resolved<ModelPrices> | null>()
  private readonly periods = new Map<ModelPrices, readonly Period[]>()

  constructor(file: PriceFile) {
    this.source = file.source
    this.asOf = file.as_of ?? null
    this.asOfInstant = instantOf(`${file.as_of}T23:59:59Z`) ?? Infinity
    const models = new Map<string, ModelPrices>()
    for (const model of file.models) {
      for (const name of model.names) {
        const key = name.toLowerCase()
        if (!models.has(key)) models.set(key, model)
      }
    }
    this.names = { find: (name) => models.get(name), hasSnapshots: ({ snapshots }) => snapshots === true }
  }

  rule(model: string): string | null {
    return this.resolve(model)?.rule ?? null
  }

  /** The id of the model whose prices hold for `model`, null when there is none. */
  modelId(model: string): string | null {
    return this.resolve(model)?.found.names[0] ?? null
  }

  price(entry: LedgerEntry): Priced {
    const model = entry.model === null ? null : this.resolve(entry.model)?.found
    if (model === null || model === undefined || nothingKnown(entry.tokens)) return UNPRICED
    const caveats: PriceCaveat[] = []
    const factor = factorOf(entry, model.factors ?? {}, caveats)
    const { instant } = entry
    if (instant === null) caveats.push('date-unknown')
    const period = periodAt(this.periodsOf(model), instant, this.asOfInstant)
    const searches = searchPrice(entry, period, caveats)
    const rates = ratesFor(entry, period)
    // Vendors that serve by priority state no price of it for long prompts.
    const isUnstated = entry.serviceTier === 'priority' && rates !== period
    if (isUnstated && factor !== null) caveats.push('tier-unpriced')
    if (factor === null || searches === null || isUnstated) return { picoUsd: null, caveats }
    if ((entry.tokens.cacheWrite ?? 0) > 0) caveats.push('lifetime-assumed')
    return { picoUsd: scaled(tokenPrice(entry, rates), factor) + searches, caveats }
  }

  private periodsOf(model: ModelPrices): readonly Period[] {
    let periods = this.periods.get(model)
    if (periods === undefined) {
      periods = model.rates.map((rates) => ({ rates, from: beginOf(rates) })).toReversed()
      this.periods.set(model, periods)
    }
    return periods
  }

  private resolve(model: string): Resolved<ModelPrices> | null {
    const known = this.resolved.get(model)
    if (known !== undefined) return known
    if (this.resolved.size >= MOST_NAMES) this.resolved.clear()
    const made = resolveModel(this.names, model)
    this.resolved.set(model, made)
    return made
  }
}

/** The price of one entry in 10^-12 USD; null when it is not known. */
export function priceOf(entry: LedgerEntry, prices: Pricer): bigint | null {
  return prices.price(entry).picoUsd
}

interface Period {
  readonly rates: PeriodRates
  /** Instant at which it begins, in milliseconds. */
  readonly from: number
}

function beginOf({ from }: PeriodRates): number {
  return from === undefined ? -Infinity : Date.parse(from)
}

/**
 * @param periods the last one first
 * @param instant null for an unknown time, whose price is that of `asOf` at no particular hour
 */
function periodAt(periods: readonly Period[], instant: number | null, asOf: number): PeriodRates {
  for (const { rates, from } of periods) {
    if ((instant ?? asOf) < from) continue
    if (rates.hours === undefined) return rates
    if (instant === null) continue
    const [start, end] = rates.hours
    const second = (instant / 1000) % DAY_SECONDS
    const inside = start <= end ? second >= start && second < end : second >= start || second < end
    if (inside) return rates
  }
  return periods.at(-1)?.rates ?? { input: 0, output: 0 }
}

/** A long prompt prices its whole request, cache included. What a whole process used tells no prompt's length. */
function ratesFor(entry: LedgerEntry, period: PeriodRates): Rates {
  if (period.long === undefined || entry.scope !== 'request') return period
  const prompt = promptTokens(entry.tokens)
  return period.long.findLast(({ above }) => prompt > above) ?? period
}

function tokenPrice({ tokens }: LedgerEntry, rates: Rates): bigint {
  const read = rates.cache_read ?? rates.input
  const write5m = rates.cache_write_5m ?? rates.input
  const write1h = rates.cache_write_1h ?? 2 * rates.input
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, cacheWrite, output } = tokens
  const sum =
    (input ?? 0) * rates.input +
    (cacheRead ?? 0) * read +
    ((cacheWrite5m ?? 0) + (cacheWrite ?? 0)) * write5m +
    (cacheWrite1h ?? 0) * write1h +
    (output ?? 0) * rates.output
  // All terms are whole and none is negative, so a safe sum had no rounding on its way.
  if (Number.isSafeInteger(sum)) return BigInt(sum)
  const parts = [
    [input, rates.input],
    [cacheRead, read],
    [cacheWrite5m, write5m],
    [cacheWrite1h, write1h],
    [cacheWrite, write5m],
    [output, rates.output],
  ] as const
  return parts.reduce((exact, [count, rate]) => exact + BigInt(count ?? 0) * BigInt(rate), 0n)
}

/** Multiply by thousandths, half up. */
function scaled(pico: bigint, factor: bigint): bigint {
  return factor === NO_CHANGE ? pico : (pico * factor * 2n + NO_CHANGE) / (NO_CHANGE * 2n)
}

/** Speed, tier and region together, in 10^-9; null when one of them has no price. */
function factorOf(entry: LedgerEntry, factors: Factors, caveats: PriceCaveat[]): bigint | null {
  const speed = speedFactor(entry.speed, factors, caveats)
  const tier = tierFactor(entry.serviceTier, factors, caveats)
  const region = regionFactor(entry.geo, factors, caveats)
  if (speed === undefined) caveats.push('speed-unpriced')
  if (tier === undefined) caveats.push('tier-unpriced')
  if (region === undefined) caveats.push('region-unpriced')
  if (speed === undefined || tier === undefined || region === undefined) return null
  if (speed === 1 && tier === 1 && region === 1) return NO_CHANGE
  return thousandths(speed) * thousandths(tier) * thousandths(region)
}

function thousandths(factor: number): bigint {
  return BigInt(Math.round(factor * FACTOR_UNIT))
}

function speedFactor(speed: string | null, factors: Factors, caveats: PriceCaveat[]): number | undefined {
  if (speed === 'fast') return factors.fast
  if (speed !== null && speed !== 'standard') caveats.push('speed-unknown')
  return 1
}

function tierFactor(tier: string | null, factors: Factors, caveats: PriceCaveat[]): number | undefined {
  if (tier === 'batch' || tier === 'flex' || tier === 'priority') return factors[tier]
  if (tier !== null && !STANDARD_TIERS.has(tier)) caveats.push('tier-unknown')
  return 1
}

function regionFactor(geo: string | null, factors: Factors, caveats: PriceCaveat[]): number | undefined {
  if (geo === 'us') return factors.geo_us
  if (geo !== null && !STANDARD_REGIONS.has(geo)) caveats.push('region-unknown')
  return 1
}

/** Web searches of a request in 10^-12 USD; no factor touches them. */
function searchPrice(entry: LedgerEntry, period: PeriodRates, caveats: PriceCaveat[]): bigint | null {
  const searches = entry.webSearches ?? 0
  if (searches === 0) return 0n
  if (period.web_search !== undefined) return BigInt(searches) * BigInt(period.web_search)
  caveats.push('search-unpriced')
  return null
}
