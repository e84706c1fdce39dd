import type { Settled, Tokens } from '../event/billing.ts'
import { type LedgerEntry, totalTokens } from './entry.ts'
import type { ProcessTotal } from './transcript-ledger.ts'
import { instantOf } from './instant.ts'

/** Differences below 10^-9 USD come from the binary floating point of who wrote the prices. */
const NOISE_PICO_USD = 1000n

const NO_TOKENS: Tokens = {
  input: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  cacheWrite: 0,
  output: 0,
  reasoning: null,
}

/**
 * Let a process total that lists models take the place of the requests of its process (`src/event/billing.ts`).
 *
 * Tokens and prices are the total's. It does not say how many requests there were: those that the transcript shows
 * are counted to their models, and a model that used tokens had at least one.
 *
 * @param keys identities of `requests`
 */
export function settle(
  total: Settled,
  requests: Iterable<LedgerEntry>,
  keys: Uint32Array = new Uint32Array(),
): ProcessTotal {
  const models = total.models ?? []
  const counts = models.map(() => 0)
  for (const request of requests) {
    const at = modelIndex(models, request.model)
    counts[at] = (counts[at] ?? 0) + request.requests
  }
  const entries = models.map((model, i): LedgerEntry => ({
    ...blank(total),
    scope: 'process',
    requests: Math.max(totalTokens(model.tokens) > 0 ? 1 : 0, counts[i] ?? 0),
    model: model.model,
    tokens: model.tokens,
    webSearches: model.webSearches,
    reportedPicoUsd: model.reportedPicoUsd,
  }))
  const prices = entries.map(({ reportedPicoUsd }) => reportedPicoUsd)
  const rest = excess(total.reportedPicoUsd, prices)
  return { entries: rest === null ? entries : [...entries, priceOnly(total, rest)], keys }
}

/**
 * What the stated prices of a total without models exceed those of its requests by, as entries of their own, so that sums equal
 * what was reported: for each model, then for what is of no model.
 *
 * @param requests of the process
 */
export function statedPrices(total: Settled, requests: Iterable<LedgerEntry>): LedgerEntry[] {
  const told = new Map<string | null, bigint>()
  for (const { model, reportedPicoUsd } of requests) {
    if (reportedPicoUsd !== null) told.set(model, (told.get(model) ?? 0n) + reportedPicoUsd)
  }
  const found: LedgerEntry[] = []
  for (const { model, reportedPicoUsd } of total.prices ?? []) {
    const rest = excess(reportedPicoUsd, told.has(model) ? [told.get(model) ?? null] : [])
    if (rest !== null) found.push({ ...priceOnly(total, rest), model })
  }
  const rest = excess(total.reportedPicoUsd, [...told.values(), ...found.map((one) => one.reportedPicoUsd)])
  return rest === null ? found : [...found, priceOnly(total, rest)]
}

/** What `stated` exceeds the known ones of `prices` by; null when there is nothing to add. */
function excess(stated: bigint | null, prices: Iterable<bigint | null>): bigint | null {
  if (stated === null) return null
  let rest = stated
  let known = false
  for (const price of prices) {
    known ||= price !== null
    rest -= price ?? 0n
  }
  return (known ? rest <= NOISE_PICO_USD : rest < 0n) ? null : rest
}

function priceOnly(total: Settled, reportedPicoUsd: bigint): LedgerEntry {
  return { ...blank(total), scope: 'price', requests: 0, reportedPicoUsd }
}

function blank(total: Settled): LedgerEntry {
  const instant = instantOf(total.at)
  return {
    process: total.process,
    session: total.session,
    model: null,
    instant,
    firstInstant: instant,
    tokens: NO_TOKENS,
    webSearches: 0,
    final: true,
    reportedPicoUsd: null,
    serviceTier: null,
    speed: null,
    geo: null,
    sidechain: false,
    scope: 'process',
    requests: 0,
  }
}

/** Where a request belongs: its own name, its name without `[1m]`, else the model with the most tokens. */
function modelIndex(models: NonNullable<Settled['models']>, name: string | null): number {
  const exact = models.findIndex(({ model }) => model === name)
  if (exact >= 0) return exact
  const plain = withoutBracket(name)
  const alike = models.findIndex(({ model }) => withoutBracket(model) === plain)
  if (alike >= 0) return alike
  let most = 0
  for (const [i, { tokens }] of models.entries()) {
    if (totalTokens(tokens) > totalTokens(models[most]?.tokens ?? NO_TOKENS)) most = i
  }
  return most
}

function withoutBracket(name: string | null): string | null {
  return name?.replace(/\[[^[\]]*\]$/, '') ?? null
}
