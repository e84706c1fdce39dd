import { readFile } from 'node:fs/promises'

/** Prices of the token classes, in 10^-12 USD a token. A class without a price costs what its comment says. */
export interface Rates {
  readonly input: number
  readonly output: number
  /** Else as `input`: the vendor gives no discount. */
  readonly cache_read?: number | undefined
  /** Else as `input`. */
  readonly cache_write_5m?: number | undefined
  /** Else twice `input`. */
  readonly cache_write_1h?: number | undefined
}

/** Rates for whole requests whose prompt (cache included) is larger than `above` tokens. */
export interface LongRates extends Rates {
  readonly above: number
}

/** Rates that hold in some time. Of several that do, the last one counts. */
export interface PeriodRates extends Rates {
  /** First day in UTC, `2026-01-31`; from the beginning when missing. */
  readonly from?: string | undefined
  /** Hours of each day in UTC, seconds since midnight, half open, possibly over midnight. */
  readonly hours?: readonly [start: number, end: number] | undefined
  /** By rising `above`. */
  readonly long?: readonly LongRates[] | undefined
  /** 10^-12 USD for one web search. */
  readonly web_search?: number | undefined
}

/** By what the tokens of a request are multiplied when it was served in a special way; to three decimals. */
export interface Factors {
  readonly fast?: number | undefined
  readonly batch?: number | undefined
  readonly flex?: number | undefined
  readonly priority?: number | undefined
  readonly geo_us?: number | undefined
}

/** What one model cost, period by period. */
export interface ModelPrices {
  /** All its exact names, its id first. */
  readonly names: readonly string[]
  /** A date behind any of its names makes a snapshot of the same price. */
  readonly snapshots?: boolean | undefined
  readonly factors?: Factors | undefined
  readonly rates: readonly PeriodRates[]
}

/** What `prices.json` and `--prices FILE` hold. */
export interface PriceFile {
  readonly format: 'millrace.prices/1'
  readonly source: string
  /** Day on which the prices were known to hold; a request without a time has the price of that day, else the latest. */
  readonly as_of?: string | undefined
  readonly models: readonly ModelPrices[]
}

/** The prices that come with this version. */
export async function readOwnPrices(): Promise<PriceFile> {
  return JSON.parse(await readFile(new URL('../usage/prices.json', import.meta.url), 'utf8'))
}
