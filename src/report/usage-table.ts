import { type Figures, shown, shownTotal } from '../usage/figures.ts'
import { type Column, type TableStyle, columnsText, printable } from './columns.ts'
import { groupedInteger, shortUsd } from './money.ts'
import { shownTokens } from './usage-json.ts'
import type { UsageReport } from './usage-report.ts'

/** Below this total, cents say too little. */
const SMALL_TOTAL_PICO_USD = 10n * 10n ** 12n
const UNKNOWN = '-'

/**
 * The report for a terminal: one line a row, a line of totals, and under it what the marks mean. Ends in a line feed.
 */
export function usageTable(report: UsageReport, style: TableStyle): string {
  const { by, rows, totals } = report.usage
  const computed = totals.computedPicoUsd ?? 0n
  const decimals =
    computed < SMALL_TOTAL_PICO_USD && (totals.reportedPicoUsd ?? 0n) < SMALL_TOTAL_PICO_USD ? 4 : 2
  const reported = totals.reportedPicoUsd !== null
  const columns: Column[] = [
    ...(by.length === 0 ? [''] : by).map((title): Column => ({ title, align: 'left', dispensable: 0 })),
    ...figureColumns(reported),
  ]
  const lines = rows.map(({ keys, figures }) => [
    ...keys.map((key) => key ?? '(unknown)'),
    ...figureCells(figures, decimals, reported),
  ])
  const label = ['total', ...by.slice(1).map(() => '')]
  const table = columnsText(
    columns,
    [...lines, [...label, ...figureCells(totals, decimals, reported)]],
    style,
    1,
  )
  const notes = footnotes(report, table.leftOut).map((note) => `${note}\n`)
  return notes.length === 0 ? table.text : `${table.text}\n${notes.join('')}`
}

const COUNT_COLUMNS: readonly Column[] = [
  { title: 'requests', align: 'right', dispensable: 2 },
  { title: 'input', align: 'right', dispensable: 1 },
  { title: 'cache read', align: 'right', dispensable: 3 },
  { title: 'cache write', align: 'right', dispensable: 4 },
  { title: 'output', align: 'right', dispensable: 1 },
  { title: 'tokens', align: 'right', dispensable: 0 },
]
const REPORTED_COLUMN: Column = { title: 'reported USD', align: 'right', dispensable: 2 }
const COST_COLUMN: Column = { title: 'cost USD', align: 'right', dispensable: 0 }

/** @param reported some harness wrote a price */
export function figureColumns(reported: boolean): readonly Column[] {
  return [...COUNT_COLUMNS, ...(reported ? [REPORTED_COLUMN] : []), COST_COLUMN]
}

/** Cells under `figureColumns`. */
export function figureCells(figures: Figures, decimals: number, reported: boolean): string[] {
  const { requests } = figures
  const tokens = shownTokens(figures.tokens, requests)
  const writes = [tokens.cache_write_5m, tokens.cache_write_1h, tokens.cache_write].filter((n) => n !== null)
  const total = shownTotal(figures.tokens, requests)
  return [
    groupedInteger(requests),
    countCell(tokens.input),
    countCell(tokens.cache_read),
    countCell(writes.length === 0 ? null : writes.reduce((sum, n) => sum + n, 0)),
    countCell(tokens.output),
    total !== null && figures.lowerBound ? `≥${countCell(total)}` : countCell(total),
    ...(reported ? [costCell(shown(figures.reportedPicoUsd, 0n, requests), decimals)] : []),
    (figures.partialCost && figures.computedPicoUsd !== null ? '~' : '') +
      costCell(shown(figures.computedPicoUsd, 0n, requests), decimals),
  ]
}

function countCell(count: number | null): string {
  return count === null ? UNKNOWN : groupedInteger(count)
}

function costCell(picoUsd: bigint | null, decimals: number): string {
  return picoUsd === null ? UNKNOWN : shortUsd(picoUsd, decimals)
}

function footnotes(report: UsageReport, leftOut: readonly string[]): string[] {
  const { prices, usage } = report
  const { totals, unpriced, by } = usage
  const rows = [totals, ...usage.rows.map(({ figures }) => figures)]
  const calendarKeys = by.filter(
    (key) => key === 'day' || key === 'hour' || key === 'week' || key === 'month',
  )
  const notes: string[] = []
  if (totals.lowerBound) {
    notes.push('≥ a lower bound: some counts are unknown, or their harness never wrote the final ones')
  }
  if (totals.partialCost) {
    const models = unpriced.map(({ model }) => printable(model ?? '(unknown)')).join(', ')
    notes.push(`~ a partial cost: without the requests that have no price, of ${models}`)
  }
  if (rows.some(({ computedPicoUsd, requests }) => computedPicoUsd === null && requests > 0)) {
    notes.push(`${UNKNOWN} unknown, which is not zero`)
  }
  if (leftOut.length > 0) notes.push(`no room for: ${leftOut.join(', ')} (--json and --csv have everything)`)
  const asOf = prices.asOf === null ? '' : ` as of ${prices.asOf}`
  const inZone = calendarKeys.length === 0 ? '' : `; ${calendarKeys.join(' and ')} in ${report.zone}`
  notes.push(`cost at the list prices of ${printable(prices.source)}${asOf}${inZone}`)
  return notes
}
