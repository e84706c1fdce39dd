import type { GroupedUsage } from '../usage/group.ts'
import type { PriceCaveat } from '../usage/pricing.ts'
import type { ReportNotice } from './notice.ts'

/** A usage report before it is given a form. */
export interface UsageReport {
  readonly zone: string
  readonly prices: { readonly source: string; readonly asOf: string | null }
  readonly usage: GroupedUsage
  readonly corpus: {
    readonly transcripts: number
    readonly sessions: number
    readonly subagentTranscripts: number
    readonly replayedRecords: number
    readonly duplicateResponses: number
    readonly digest: string | null
  }
  readonly notices: readonly ReportNotice[]
}

const CAVEAT_MESSAGES: Readonly<Record<PriceCaveat, string>> = {
  'lifetime-assumed': 'cache writes of unknown lifetime were priced as those of 5 minutes',
  'date-unknown': 'requests without a time were priced as on the day of the price table',
  'tier-unknown': 'an unknown service tier was priced as the standard one',
  'speed-unknown': 'an unknown speed was priced as the standard one',
  'region-unknown': 'an unknown inference region was priced as the standard one',
  'tier-unpriced': 'no price is known for the service tier of these requests; they are left unpriced',
  'speed-unpriced': 'no price is known for fast mode of these models; the requests are left unpriced',
  'region-unpriced': 'no price is known for the inference region of these requests; they are left unpriced',
  'search-unpriced': 'no price is known for web searches of these models; the requests are left unpriced',
}

/** What prices had to leave open, as notices of the report, sorted by code. */
export function priceNotices({ caveats }: GroupedUsage): ReportNotice[] {
  return [...caveats]
    .map(([caveat, count]) => ({
      code: `price-${caveat}`,
      path: null,
      line: null,
      count,
      message: CAVEAT_MESSAGES[caveat],
    }))
    .toSorted((a, b) => (a.code < b.code ? -1 : 1))
}
