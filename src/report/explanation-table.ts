import { isoOf } from '../usage/instant.ts'
import type { OwnedEntry } from '../usage/entry.ts'
import type { LeftOut } from '../usage/witness.ts'
import { addEntry, emptyFigures } from '../usage/figures.ts'
import { type Column, columnsText, printable, type TableStyle } from './columns.ts'
import { type ExplanationReport, LEFT_OUT_WORDS } from './explanation-report.ts'
import { groupedInteger } from './money.ts'
import { figureCells, figureColumns } from './usage-table.ts'

/** Rows that a person may still read; all of them are in the JSON. */
const MOST_ROWS = 1000
/** Decimals of prices of single requests. */
const DECIMALS = 6

/** The explanation for a terminal: what counts, its sum, and what was left out for what. Ends in a line feed. */
export function explanationTable(report: ExplanationReport, style: TableStyle): string {
  const { subject, counted, leftOut, totals } = report.explanation
  const heading = `${subject.kind} ${printable(subject.value)}${subject.kind === 'day' ? ` in ${report.zone}` : ''}`
  const isReported = totals.reportedPicoUsd !== null
  const rows = counted.slice(0, MOST_ROWS).map(({ owned, picoUsd }) => {
    const figures = emptyFigures()
    addEntry(figures, owned.entry, picoUsd)
    const { instant, model } = owned.entry
    return [
      whereCounted(owned, report.paths),
      isoOf(instant) ?? '-',
      model ?? '-',
      ...figureCells(figures, DECIMALS, isReported),
    ]
  })
  const sum = ['total', '', '', ...figureCells(totals, DECIMALS, isReported)]
  const columns = [WHERE, AT, MODEL, ...figureColumns(isReported)]
  const parts = [`${heading}\n`, columnsText(columns, [...rows, sum], style, 1).text, more(counted.length)]
  if (leftOut.length > 0) {
    const lines = leftOut
      .slice(0, MOST_ROWS)
      .map((left) => [
        where(left, report.paths),
        LEFT_OUT_WORDS[left.reason],
        whatCounts(left, report.paths),
        left.entry.model ?? '-',
        groupedInteger(left.entry.requests),
        left.entry.tokens.output === null ? '-' : groupedInteger(left.entry.tokens.output),
      ])
    parts.push('\nleft out\n', columnsText(LEFT_OUT_COLUMNS, lines, style).text, more(leftOut.length))
  }
  return parts.join('')
}

const WHERE: Column = { title: 'told at', align: 'left', dispensable: 0 }
const AT: Column = { title: 'time', align: 'left', dispensable: 5 }
const MODEL: Column = { title: 'model', align: 'left', dispensable: 5 }
const LEFT_OUT_COLUMNS: readonly Column[] = [
  WHERE,
  { title: 'why', align: 'left', dispensable: 0 },
  { title: 'what counts', align: 'left', dispensable: 0 },
  MODEL,
  { title: 'requests', align: 'right', dispensable: 4 },
  { title: 'output', align: 'right', dispensable: 4 },
]

/** Path and lines, the one that was taken first; after an arrow, where its numbers are from when that is a copy. */
function whereCounted(owned: OwnedEntry, paths: readonly string[]): string {
  const { numbersOf } = owned
  return where(owned, paths) + (numbersOf === undefined ? '' : ` ← ${where(numbersOf, paths)}`)
}

function whatCounts({ by, to }: LeftOut, paths: readonly string[]): string {
  if (by !== null) return where(by, paths)
  return to === undefined ? '-' : (paths[to] ?? '-')
}

function where({ entry, transcript }: OwnedEntry, paths: readonly string[]): string {
  const { line, foldedLines } = entry.origin ?? { line: null, foldedLines: [] }
  return `${paths[transcript] ?? '?'}:${[line ?? '?', ...foldedLines].join(',')}`
}

function more(rows: number): string {
  return rows > MOST_ROWS ? `… and ${groupedInteger(rows - MOST_ROWS)} more (--json has all)\n` : ''
}
