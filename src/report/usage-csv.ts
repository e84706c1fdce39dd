import { type Figures, shown } from '../usage/figures.ts'
import { decimalUsd } from './money.ts'
import { shownTokens } from './usage-json.ts'
import type { UsageReport } from './usage-report.ts'

/**
 * The rows as CSV (RFC 4180, lines end in LF): one header, one line a row, the names of the JSON joined with `_`.
 * Unknown is an empty cell. Totals are left out, so that a column may be summed.
 */
export function usageCsv({ usage }: UsageReport): string {
  const lines = [[...usage.by, ...FIGURE_NAMES].join(',')]
  for (const { keys, figures } of usage.rows) {
    lines.push([...keys.map((key) => csvText(key)), ...figureCells(figures)].join(','))
  }
  return `${lines.join('\n')}\n`
}

/**
 * A text as a cell. What a spreadsheet would run as a formula gets an apostrophe in front, which spreadsheets hide;
 * what separates cells somewhere is quoted.
 */
export function csvText(text: string | null): string {
  if (text === null) return ''
  const inert = /^[\s\0]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/.test(text) ? `'${text}` : text
  return /[",;\t\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}

const FIGURE_NAMES = [
  'requests',
  'tokens_input',
  'tokens_cache_read',
  'tokens_cache_write_5m',
  'tokens_cache_write_1h',
  'tokens_cache_write',
  'tokens_output',
  'tokens_reasoning',
  'tokens_total',
  'web_search_requests',
  'cost_reported_usd',
  'cost_reported_pico_usd',
  'cost_computed_usd',
  'cost_computed_pico_usd',
  'lower_bound',
  'partial_cost',
]

/** Cells in the order of `FIGURE_NAMES`. Money in full, as a spreadsheet would round it by itself. */
function figureCells(figures: Figures): string[] {
  const { requests, webSearches, lowerBound, partialCost } = figures
  const reported = shown(figures.reportedPicoUsd, 0n, requests)
  const computed = shown(figures.computedPicoUsd, 0n, requests)
  const cells = [
    requests,
    ...Object.values(shownTokens(figures.tokens, requests)),
    shown(webSearches, 0, requests),
    reported === null ? null : decimalUsd(reported),
    reported,
    computed === null ? null : decimalUsd(computed),
    computed,
    lowerBound,
    partialCost,
  ]
  return cells.map((cell) => (cell === null ? '' : String(cell)))
}
