import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import {
  calcPrice,
  type ConditionalPrice,
  findProvider,
  type MatchLogic,
  type ModelInfo,
  type ModelPrice,
} from '@pydantic/genai-prices'
import type {
  Factors,
  LongRates,
  ModelPrices,
  PeriodRates,
  PriceFile,
  Rates,
} from '../src/usage/price-file.ts'

const usage = `Write src/usage/prices.json from @pydantic/genai-prices and src/usage/price-overrides.json.

Usage: tsx scripts/refresh-prices.ts --as-of 2026-09-23

      --as-of <day>  day on which the installed genai-prices was published
                     (npm view @pydantic/genai-prices time)

It reads what is installed and touches no network: to get newer prices, install a newer version first.
`

/** Vendors that sell their own models; of a name that several list, the first one's price counts. */
const PROVIDERS = [
  'anthropic',
  'openai',
  'google',
  'x-ai',
  'moonshotai',
  'deepseek',
  'zai',
  'zhipuai',
  'minimax',
  'mistral',
  'cursor',
]

interface ProviderOverride {
  readonly factors?: Factors
  readonly web_search_usd?: number
}

interface ModelOverride {
  readonly factors?: Factors
  readonly names?: readonly string[]
  /** USD per million tokens. */
  readonly long?: readonly LongRates[]
}

interface Overrides {
  readonly reviewed: string
  readonly providers: Readonly<Record<string, ProviderOverride>>
  readonly models: Readonly<Record<string, ModelOverride>>
}

main()

function main(): void {
  const { values } = parseArgs({ options: { 'as-of': { type: 'string' }, help: { type: 'boolean' } } })
  const asOf = values['as-of']
  if (values.help === true || asOf === undefined || !/^\d{4}-\d\d-\d\d$/.test(asOf)) {
    process.stderr.write(usage)
    process.exitCode = values.help === true ? 0 : 2
    return
  }
  const overrides: Overrides = readJson('../src/usage/price-overrides.json')
  const models = withoutTakenNames(PROVIDERS.flatMap((provider) => providerModels(provider, overrides)))
  const unknown = Object.keys(overrides.models).filter((id) => !models.some(({ names }) => names[0] === id))
  if (unknown.length > 0)
    throw new Error(`price-overrides.json names models without prices: ${unknown.join(', ')}`)
  const version: { version: string } = readJson('../node_modules/@pydantic/genai-prices/package.json')
  const source = `@pydantic/genai-prices ${version.version}, overrides of ${overrides.reviewed}`
  const path = fileURLToPath(new URL('../src/usage/prices.json', import.meta.url))
  writeFileSync(path, formatFile({ format: 'millrace.prices/1', source, as_of: asOf, models }))
  process.stdout.write(
    `${path}: ${models.length} models, ${models.flatMap(({ names }) => names).length} names\n`,
  )
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))
}

/** One model a line, so that a refresh can be read as a diff. */
function formatFile({ models, ...head }: PriceFile): string {
  const lines = models.map((model) => `    ${JSON.stringify(model)}`).join(',\n')
  return `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "models": [\n${lines}\n  ]\n}\n`
}

/** Leave each name to the first model that has it. */
function withoutTakenNames(models: readonly ModelPrices[]): ModelPrices[] {
  const taken = new Set<string>()
  return models.flatMap((model) => {
    const names = model.names.filter((name) => !taken.has(name.toLowerCase()))
    for (const name of names) taken.add(name.toLowerCase())
    return names.length === 0 ? [] : [{ ...model, names }]
  })
}

function providerModels(providerId: string, overrides: Overrides): ModelPrices[] {
  const provider = findProvider({ providerId })
  if (provider === undefined) throw new Error(`genai-prices has no provider ${providerId}`)
  const own = overrides.providers[providerId] ?? {}
  return provider.models.flatMap((model): ModelPrices[] => {
    // Cloud providers resell other vendors' models under the same names.
    if (providerId === 'google' && model.id.startsWith('claude')) return []
    const rates = periods(model, own.web_search_usd)
    const names = exactNames(model, providerId)
    if (rates === null || names.length === 0) return []
    const override = overrides.models[model.id] ?? {}
    const factors = { ...own.factors, ...override.factors }
    return [
      {
        names: [...new Set([...names, ...(override.names ?? [])])],
        ...(hasSnapshots(model.match, names) ? { snapshots: true } : {}),
        ...(Object.keys(factors).length > 0 ? { factors } : {}),
        rates:
          override.long === undefined ? rates : rates.map((period) => withLong(period, override.long ?? [])),
      },
    ]
  })
}

/**
 * The model's id and every whole name its match spells out. A beginning or a part of a name counts as a name only when
 * genai-prices itself finds this model by it.
 */
function exactNames(model: ModelInfo, providerId: string): string[] {
  const spelled = spelledNames(model.match).filter(
    (name) => !/(?:[-@.]|-20\d\d|-0)$/.test(name) || name === model.id,
  )
  const known = [model.id, ...spelled, ...alsoKnown(model.match)].filter((name) =>
    isNameOf(name, model, providerId),
  )
  const seen = new Set<string>()
  return known.filter((name) => !seen.has(name.toLowerCase()) && seen.add(name.toLowerCase()))
}

/** Names that end like a cut one and are not. */
function alsoKnown(match: MatchLogic): string[] {
  return spelledNames(match).filter((name) => /^claude-[a-z]+-\d-0$/.test(name))
}

function spelledNames(match: MatchLogic): string[] {
  if ('or' in match) return match.or.flatMap(spelledNames)
  if ('and' in match) return match.and.flatMap(spelledNames)
  if ('equals' in match) return [match.equals]
  if ('starts_with' in match) return [match.starts_with]
  if ('contains' in match) return [match.contains]
  if ('ends_with' in match) return [match.ends_with]
  // A pattern for one name only, such as ^composer-2\.5\[fast=true\]$
  const literal = /^\^((?:[\w./=-]|\\[.[\]])+)\$$/.exec(match.regex)?.[1]?.replaceAll('\\', '')
  return literal === undefined || /d\{/.test(match.regex) ? [] : [literal]
}

function isNameOf(name: string, model: ModelInfo, providerId: string): boolean {
  return calcPrice({}, name, { providerId })?.model.id === model.id
}

/** Whether the match says that a date behind the name changes nothing. */
function hasSnapshots(match: MatchLogic, names: readonly string[]): boolean {
  if ('or' in match) return match.or.some((part) => hasSnapshots(part, names))
  if ('and' in match) return match.and.some((part) => hasSnapshots(part, names))
  if ('starts_with' in match) return names.includes(match.starts_with.replace(/-$/, ''))
  return 'regex' in match && match.regex.includes('\\d{')
}

/** Null when the model has no price for input or output tokens: a price per image or hour is not ours to guess. */
function periods(model: ModelInfo, webSearchUsd: number | undefined): PeriodRates[] | null {
  const list: readonly ConditionalPrice[] = Array.isArray(model.prices)
    ? model.prices
    : [{ prices: model.prices }]
  const rates: PeriodRates[] = []
  for (const { constraint, prices } of list) {
    const base = ratesAbove(prices, -1)
    if (
      base === null ||
      Object.keys(prices).some((key) => /^output_(?:audio|image|video)|hours|requests/.test(key))
    ) {
      return null
    }
    const long = longRates(prices)
    const search =
      typeof prices['web_searches_kcount'] === 'number' ? prices['web_searches_kcount'] / 1000 : webSearchUsd
    rates.push({
      ...(constraint?.type === 'start_date' ? { from: constraint.start_date } : {}),
      ...(constraint?.type === 'time_of_date'
        ? { hours: [secondOfDay(constraint.start_time), secondOfDay(constraint.end_time)] as const }
        : {}),
      ...base,
      ...(long.length > 0 ? { long } : {}),
      ...(search === undefined ? {} : { web_search: pico(search, 12) }),
    })
  }
  return rates
}

function longRates(prices: ModelPrice): LongRates[] {
  const starts = Object.values(prices).flatMap((price) =>
    typeof price === 'object' ? price.tiers.map(({ start }) => start) : [],
  )
  return [...new Set(starts)]
    .toSorted((a, b) => a - b)
    .flatMap((above) => {
      const rates = ratesAbove(prices, above)
      return rates === null ? [] : [{ above, ...rates }]
    })
}

/** The rates of a prompt just above `above` tokens. */
function ratesAbove(prices: ModelPrice, above: number): Rates | null {
  const rate = (key: string): number | undefined => {
    const price = prices[key]
    if (price === undefined) return undefined
    if (typeof price === 'number') return pico(price, 6)
    const tiers = price.tiers.filter(({ start }) => start <= above).toSorted((a, b) => a.start - b.start)
    return pico(tiers.at(-1)?.price ?? price.base, 6)
  }
  const [input, output] = [rate('input_mtok'), rate('output_mtok')]
  if (input === undefined || output === undefined || input === 0 || output === 0) return null
  const [read, write5m, write1h] = ['cache_read_mtok', 'cache_write_mtok', 'cache_write_1h_mtok'].map(rate)
  return {
    input,
    output,
    ...(read === undefined ? {} : { cache_read: read }),
    ...(write5m === undefined ? {} : { cache_write_5m: write5m }),
    ...(write1h === undefined ? {} : { cache_write_1h: write1h }),
  }
}

function withLong(period: PeriodRates, usdPerMillion: readonly LongRates[]): PeriodRates {
  const long = usdPerMillion.map(({ above, input, output, cache_read, cache_write_5m, cache_write_1h }) => ({
    above,
    input: pico(input, 6),
    output: pico(output, 6),
    ...(cache_read === undefined ? {} : { cache_read: pico(cache_read, 6) }),
    ...(cache_write_5m === undefined ? {} : { cache_write_5m: pico(cache_write_5m, 6) }),
    ...(cache_write_1h === undefined ? {} : { cache_write_1h: pico(cache_write_1h, 6) }),
  }))
  return { ...period, long }
}

/** `usd` times 10 to the `power`, which must come out whole. */
function pico(usd: number, power: number): number {
  const value = Number(`${usd}e${power}`)
  if (!Number.isSafeInteger(value)) throw new Error(`${usd} USD is no whole number of 10^-12 USD`)
  return value
}

function secondOfDay(time: string): number {
  const [hour = 0, minute = 0, second = 0] = time.replace('Z', '').split(':').map(Number)
  return (hour * 60 + minute) * 60 + second
}
