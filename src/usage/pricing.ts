import type { LedgerEntry } from './entry.ts'

/**
 * What a price had to leave open. Each is said to the reader once, with its count.
 *
 * - `lifetime-assumed`: cache writes of unknown lifetime were priced as those of 5 minutes
 * - `date-unknown`: priced as on the day of the price table
 * - `tier-unknown`, `speed-unknown`, `region-unknown`: a word we do not know was priced as the standard
 * - `tier-unpriced`, `speed-unpriced`, `region-unpriced`: no price is known for that service; not priced
 * - `search-unpriced`: no price is known for its web searches; not priced
 */
export type PriceCaveat =
  | 'lifetime-assumed'
  | 'date-unknown'
  | 'tier-unknown'
  | 'speed-unknown'
  | 'region-unknown'
  | 'tier-unpriced'
  | 'speed-unpriced'
  | 'region-unpriced'
  | 'search-unpriced'

export interface Priced {
  /** In 10^-12 USD; null when the price is not known, which is not free. */
  readonly picoUsd: bigint | null
  readonly caveats: readonly PriceCaveat[]
}

/** Gives requests their price: the price table, or a rate card. */
export interface Pricer {
  readonly source: string
  /** `2026-01-31`; null when the source does not say. */
  readonly asOf: string | null
  /** Price one entry by itself. An entry without tokens (`scope: 'price'`) has none. */
  price(entry: LedgerEntry): Priced
  /** The rule under which a model's name was found, null when it was not. */
  rule(model: string): string | null
}

export const UNPRICED: Priced = { picoUsd: null, caveats: [] }
