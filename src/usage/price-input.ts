import type { Checked } from './checked.ts'
import type { PriceFile } from './price-file.ts'

/**
 * Read the text of a `--prices` file: the form of `prices.json`, or the short form in USD per million tokens:
 *
 * ```json
 * {"unit": "usd_per_million_tokens", "source": "our contract", "as_of": "2026-11-30",
 *  "models": {"my-model": {"input": 3, "output": 15, "cache_read": 0.3, "cache_write_5m": 3.75, "cache_write_1h": 6,
 *    "long_context": {"limit_tokens": 200000, "input": 6, "output": 22.5},
 *    "fast_multiplier": 6, "web_search_per_request": 0.01}}}
 * ```
 *
 * Both refuse unknown keys. A price of 0 is free: whoever writes it means it.
 */
export async function parsePriceFile(text: string): Promise<Checked<PriceFile>> {
  const { parsePriceValue } = await import('./price-schema.ts')
  try {
    const value: unknown = JSON.parse(text)
    return parsePriceValue(value)
  } catch (error) {
    return { ok: false, message: `not JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
}
