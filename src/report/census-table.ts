import { EVENT_NAMES } from '../event/events.ts'
import { type CensusReport, decisionNotices, recordCount, transcriptCount } from './census-report.ts'
import { type Column, type TableStyle, columnsText, printable } from './columns.ts'
import { sortedEntries } from './json-text.ts'
import { groupedInteger } from './money.ts'

/** The census for a terminal: a short table a subject, empty subjects left out, notices last. Ends in a line feed. */
export function censusTable(report: CensusReport, style: TableStyle): string {
  const { census, models, notices } = report
  const counts = (title: string, entries: readonly (readonly [string, number])[]): string => {
    const seen = entries.filter(([, n]) => n > 0)
    const rows = seen.map(([name, n]) => [name, groupedInteger(n)])
    return rows.length === 0 ? '' : columnsText(countColumns(title), rows, style).text
  }
  const { byDialect, completeness, closed } = census.transcripts
  const tables = [
    counts('seen', [
      ['transcripts', transcriptCount(census)],
      ['sessions', census.sessions.size],
      ['subagent transcripts', census.subagentTranscripts],
      ['subagents', census.subagents],
      ['human turns', census.humanTurns],
      ['lines', census.lines],
      ['bytes', census.bytes],
    ]),
    counts('dialects', sortedEntries(byDialect)),
    counts('transcripts are', Object.entries(completeness)),
    counts('streams closed as', Object.entries(closed)),
    counts('records', [['read', recordCount(census)], ...Object.entries(census.records)]),
    counts(
      'events',
      EVENT_NAMES.map((name, i) => [name, census.events[i] ?? 0] as const),
    ),
    toolTable(report, style),
    counts('requests by model', mostFirst(models)),
    counts('decisions of the seam', decisionCounts(report)),
    counts('denials', [['listed by vendors', census.permissionDenials]]),
    counts('warnings', mostFirst(census.warnings)),
    counts('rate limits', mostFirst(census.rateLimits)),
    counts('authentication', [['expired', census.authExpired]]),
    counts('opaque', mostFirst(census.opaque)),
    counts('unparsed', mostFirst(census.unparsed)),
  ]
  const said = [...decisionNotices(census), ...notices].map(
    ({ code, path, line, count, message }) =>
      `${code}${count > 1 ? ` (${count} times)` : ''}: ${place(path, line)}${printable(message)}\n`,
  )
  return [...tables, said.join('')].filter((part) => part !== '').join('\n')
}

function place(path: string | null, line: number | null): string {
  if (path === null) return ''
  return line === null ? `${printable(path)}: ` : `${printable(path)}:${line}: `
}

function countColumns(title: string): Column[] {
  return [
    { title, align: 'left', dispensable: 0 },
    { title: 'count', align: 'right', dispensable: 0 },
  ]
}

const TOOL_COLUMNS: readonly Column[] = [
  { title: 'tools', align: 'left', dispensable: 0 },
  { title: 'offered', align: 'right', dispensable: 2 },
  { title: 'withheld', align: 'right', dispensable: 3 },
  { title: 'requested', align: 'right', dispensable: 0 },
  { title: 'results', align: 'right', dispensable: 1 },
  { title: 'errors', align: 'right', dispensable: 0 },
  { title: 'denied', align: 'right', dispensable: 0 },
]

/** Tools that were asked for; those that were only offered are in the JSON. */
function toolTable({ census }: CensusReport, style: TableStyle): string {
  const rows = sortedEntries(census.tools)
    .filter(([, tool]) => tool.requested + tool.results + tool.denied > 0)
    .toSorted(([, a], [, b]) => b.requested - a.requested)
    .map(([name, { offered, withheld, requested, results, errors, denied }]) => [
      name,
      ...[offered, withheld, requested, results, errors, denied].map(groupedInteger),
    ])
  return rows.length === 0 ? '' : columnsText(TOOL_COLUMNS, rows, style).text
}

function decisionCounts({ census }: CensusReport): (readonly [string, number])[] {
  const { allowed, denied, replaced, abstained, bySeam, byDecider } = census.decisions
  return [
    ['allowed', allowed],
    ['denied', denied],
    ['replaced', replaced],
    ['abstained', abstained],
    ...sortedEntries(bySeam).map(([seam, n]) => [`by seam ${seam}`, n] as const),
    ...sortedEntries(byDecider).map(([decider, n]) => [`by decider ${decider}`, n] as const),
  ]
}

function mostFirst(counts: ReadonlyMap<string, number>): [string, number][] {
  return sortedEntries(counts).toSorted(([, a], [, b]) => b - a)
}
