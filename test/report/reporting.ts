import type { UsageReport } from '../../src/report/usage-report.ts'
import { Calendar } from '../../src/usage/calendar.ts'
import type { LedgerEntry } from '../../src/usage/entry.ts'
import { type GroupKey, groupUsage } from '../../src/usage/group.ts'
import { readOwnPrices } from '../../src/usage/price-file.ts'
import { PriceTable } from '../../src/usage/prices.ts'

const pricer = new PriceTable(await readOwnPrices())

/** The report on one transcript with these entries, at our own prices, in Madrid. Its project would run as a formula. */
export function usageReport(entries: readonly LedgerEntry[], by: readonly GroupKey[]): UsageReport {
  const calendar = new Calendar('Europe/Madrid')
  const usage = groupUsage(
    entries.map((one) => ({ entry: one, transcript: 0 })),
    [{ path: 'a.jsonl', run: 'r', dialect: 'claude-session', harness: 'claude', project: '=cmd' }],
    { by, calendar, span: { since: null, until: null }, pricer },
  )
  return {
    zone: calendar.zone,
    prices: { source: 'list', asOf: '2026-11-20' },
    usage,
    corpus: {
      transcripts: 1,
      sessions: 1,
      subagentTranscripts: 0,
      replayedRecords: 0,
      duplicateResponses: 0,
      digest: null,
    },
    notices: [{ code: 'counter-went-back', path: 'a.jsonl', line: 9, count: 1, message: 'm' }],
  }
}
