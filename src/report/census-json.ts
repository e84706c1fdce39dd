import { EVENT_NAMES } from '../event/events.ts'
import type { ToolCounts } from '../sink/census-counts.ts'
import { type CensusReport, decisionNotices, recordCount, transcriptCount } from './census-report.ts'
import { countsText, objectText, sortedEntries } from './json-text.ts'
import { noticeJson } from './notice.ts'

/** The census as `millrace.census/1`: one line, keys in the published order, no line feed at its end. */
export function censusJson({ census, models, digest, notices }: CensusReport): string {
  const { completeness, closed, byDialect } = census.transcripts
  const { translated, folded, bookkeeping, opaque, unparsed, blank } = census.records
  const { allowed, denied, replaced, abstained, bySeam, byDecider } = census.decisions
  const fields: [string, string][] = [
    ['format', '"millrace.census/1"'],
    [
      'transcripts',
      objectText([
        ['total', String(transcriptCount(census))],
        ['by_dialect', countsText(byDialect)],
        ['complete', String(completeness.complete)],
        ['truncated', String(completeness.truncated)],
        ['inconsistent', String(completeness.inconsistent)],
        ['failed', String(completeness.failed)],
        ['closed', JSON.stringify(closed)],
      ]),
    ],
    ['sessions', String(census.sessions.size)],
    ['subagent_transcripts', String(census.subagentTranscripts)],
    ['human_turns', String(census.humanTurns)],
    [
      'records',
      JSON.stringify({ read: recordCount(census), translated, folded, bookkeeping, opaque, unparsed, blank }),
    ],
    ['events', objectText(EVENT_NAMES.map((name, i) => [name, String(census.events[i] ?? 0)]))],
    ['tools', objectText(sortedEntries(census.tools).map(([name, tool]) => [name, toolText(tool)]))],
    [
      'decisions',
      objectText([
        ['allowed', String(allowed)],
        ['denied', String(denied)],
        ['replaced', String(replaced)],
        ['abstained', String(abstained)],
        ['by_seam', countsText(bySeam)],
        ['by_decider', countsText(byDecider)],
      ]),
    ],
    ['permission_denials', String(census.permissionDenials)],
    ['warnings', countsText(census.warnings)],
    ['opaque', countsText(census.opaque)],
    ['unparsed', countsText(census.unparsed)],
    ['models', countsText(models)],
    ['subagents', String(census.subagents)],
    ['auth_expired', String(census.authExpired)],
    ['rate_limits', countsText(census.rateLimits)],
    ['bytes', String(census.bytes)],
    ['lines', String(census.lines)],
    ['digest', JSON.stringify(digest)],
    ['notices', `[${[...decisionNotices(census), ...notices].map(noticeJson).join(',')}]`],
  ]
  return objectText(fields)
}

function toolText({ offered, withheld, requested, results, errors, denied }: ToolCounts): string {
  return JSON.stringify({ offered, withheld, requested, results, errors, denied })
}
