import { type Figures, type TokenSums, shown, shownTotal } from '../usage/figures.ts'
import { objectText } from './json-text.ts'
import { usdNumber } from './money.ts'
import { noticeJson } from './notice.ts'
import type { UsageReport } from './usage-report.ts'

export type Field = readonly [name: string, json: string]

/** The report as `millrace.usage/1`: one line, keys in the published order, no line feed at its end. */
export function usageJson({ zone, prices, usage, corpus, notices }: UsageReport): string {
  const rows = usage.rows.map(({ keys, figures }) => {
    const named = usage.by.map((key, i): Field => [key, JSON.stringify(keys[i] ?? null)])
    return objectText([...named, ...figureFields(figures)])
  })
  const unpriced = usage.unpriced.map(({ model, requests, tokens }) =>
    JSON.stringify({ model, tokens: shownTokens(tokens, requests) }),
  )
  const { transcripts, sessions, subagentTranscripts, replayedRecords, duplicateResponses, digest } = corpus
  return objectText([
    ['format', '"millrace.usage/1"'],
    ['zone', JSON.stringify(zone)],
    ['by', JSON.stringify(usage.by)],
    ['prices', JSON.stringify({ source: prices.source, as_of: prices.asOf })],
    ['rows', `[${rows.join(',')}]`],
    ['totals', objectText(figureFields(usage.totals))],
    ['unpriced', `[${unpriced.join(',')}]`],
    [
      'corpus',
      JSON.stringify({
        transcripts,
        sessions,
        subagent_transcripts: subagentTranscripts,
        replayed_records: replayedRecords,
        duplicate_responses: duplicateResponses,
        digest,
      }),
    ],
    ['notices', `[${notices.map(noticeJson).join(',')}]`],
  ])
}

/** Figures under their published names. */
export function figureFields(figures: Figures): Field[] {
  const { requests, tokens, webSearches, lowerBound, partialCost } = figures
  return [
    ['requests', String(requests)],
    ['tokens', JSON.stringify(shownTokens(tokens, requests))],
    ['web_search_requests', JSON.stringify(shown(webSearches, 0, requests))],
    ['cost', JSON.stringify(shownCost(figures))],
    ['lower_bound', String(lowerBound)],
    ['partial_cost', String(partialCost)],
  ]
}

/** Sums of tokens under their published names. */
export function shownTokens(tokens: TokenSums, requests: number) {
  return {
    input: shown(tokens.input, 0, requests),
    cache_read: shown(tokens.cacheRead, 0, requests),
    cache_write_5m: shown(tokens.cacheWrite5m, 0, requests),
    cache_write_1h: shown(tokens.cacheWrite1h, 0, requests),
    cache_write: shown(tokens.cacheWrite, 0, requests),
    output: shown(tokens.output, 0, requests),
    reasoning: shown(tokens.reasoning, 0, requests),
    total: shownTotal(tokens, requests),
  }
}

function shownCost({ requests, reportedPicoUsd, computedPicoUsd }: Figures) {
  const reported = shown(reportedPicoUsd, 0n, requests)
  const computed = shown(computedPicoUsd, 0n, requests)
  return {
    reported_usd: reported === null ? null : usdNumber(reported),
    reported_pico_usd: reported?.toString() ?? null,
    computed_usd: computed === null ? null : usdNumber(computed),
    computed_pico_usd: computed?.toString() ?? null,
  }
}
