import * as v from 'valibot'
import type { ModelPrices, PriceFile } from './price-file.ts'
import type { Checked } from './checked.ts'

/** This module loads valibot; import it only when there is a file to check. */

const pico = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const usd = v.pipe(v.number(), v.finite(), v.minValue(0))
const factor = v.optional(v.pipe(v.number(), v.finite(), v.minValue(0)))
const day = v.pipe(v.string(), v.isoDate())

const rates = {
  input: pico,
  output: pico,
  cache_read: v.optional(pico),
  cache_write_5m: v.optional(pico),
  cache_write_1h: v.optional(pico),
}
const second = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(86_400))
const period = v.strictObject({
  ...rates,
  from: v.optional(day),
  hours: v.optional(v.strictTuple([second, second])),
  long: v.optional(v.array(v.strictObject({ above: pico, ...rates }))),
  web_search: v.optional(pico),
})
const longForm = v.strictObject({
  format: v.literal('millrace.prices/1'),
  source: v.string(),
  as_of: v.optional(day),
  models: v.array(
    v.strictObject({
      names: v.pipe(v.array(v.string()), v.minLength(1)),
      snapshots: v.optional(v.boolean()),
      factors: v.optional(
        v.strictObject({ fast: factor, batch: factor, flex: factor, priority: factor, geo_us: factor }),
      ),
      rates: v.pipe(v.array(period), v.minLength(1)),
    }),
  ),
})

const usdRates = {
  input: usd,
  output: usd,
  cache_read: v.optional(usd),
  cache_write_5m: v.optional(usd),
  cache_write_1h: v.optional(usd),
}
const shortModel = v.strictObject({
  ...usdRates,
  long_context: v.optional(v.strictObject({ limit_tokens: pico, ...usdRates })),
  fast_multiplier: factor,
  web_search_per_request: v.optional(usd),
})
const shortForm = v.strictObject({
  unit: v.literal('usd_per_million_tokens'),
  source: v.optional(v.string()),
  as_of: v.optional(day),
  models: v.record(v.string(), shortModel),
})

type ShortForm = v.InferOutput<typeof shortForm>
type ShortModel = v.InferOutput<typeof shortModel>
type UsdRates = Pick<ShortModel, keyof typeof usdRates>

/** Check a parsed price file and bring it into the long form. */
export function parsePriceValue(value: unknown): Checked<PriceFile> {
  const isShort = typeof value === 'object' && value !== null && 'unit' in value
  if (isShort) {
    const result = v.safeParse(shortForm, value)
    return result.success ? { ok: true, value: lengthened(result.output) } : refusal(result.issues)
  }
  const result = v.safeParse(longForm, value)
  return result.success ? { ok: true, value: result.output } : refusal(result.issues)
}

function refusal(issues: readonly v.BaseIssue<unknown>[]): { ok: false; message: string } {
  const [first] = issues
  if (first === undefined) return { ok: false, message: 'not a price file' }
  return { ok: false, message: `${v.getDotPath(first) ?? 'price file'}: ${first.message}` }
}

function lengthened({ source, as_of, models }: ShortForm): PriceFile {
  return {
    format: 'millrace.prices/1',
    source: source ?? 'prices given by the user',
    as_of,
    models: Object.entries(models).map(([name, model]) => lengthenedModel(name, model)),
  }
}

function lengthenedModel(name: string, model: ShortModel): ModelPrices {
  const { long_context: long, fast_multiplier: fast, web_search_per_request: search } = model
  return {
    names: [name],
    factors: { fast },
    rates: [
      {
        ...perToken(model),
        long:
          long === undefined
            ? undefined
            : [{ above: long.limit_tokens, ...perToken(withCache(long, model)) }],
        web_search: search === undefined ? undefined : picoUsd(search, 12),
      },
    ],
  }
}

/** Cache prices that a long context leaves out rise as its input price does. */
function withCache(long: UsdRates, base: UsdRates): UsdRates {
  const scaled = (price: number | undefined): number | undefined =>
    price === undefined || base.input === 0 ? price : (price * long.input) / base.input
  return {
    ...long,
    cache_read: long.cache_read ?? scaled(base.cache_read),
    cache_write_5m: long.cache_write_5m ?? scaled(base.cache_write_5m),
    cache_write_1h: long.cache_write_1h ?? scaled(base.cache_write_1h),
  }
}

function perToken({ input, output, cache_read, cache_write_5m, cache_write_1h }: UsdRates) {
  return {
    input: picoUsd(input, 6),
    output: picoUsd(output, 6),
    cache_read: cache_read === undefined ? undefined : picoUsd(cache_read, 6),
    cache_write_5m: cache_write_5m === undefined ? undefined : picoUsd(cache_write_5m, 6),
    cache_write_1h: cache_write_1h === undefined ? undefined : picoUsd(cache_write_1h, 6),
  }
}

/** Times 10 to the `power`, by its decimal digits; what is finer than 10^-12 USD is rounded. */
function picoUsd(value: number, power: number): number {
  const [digits, exponent = '0'] = String(value).split('e')
  return Math.round(Number(`${digits}e${Number(exponent) + power}`))
}
