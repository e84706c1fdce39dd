import type { Census } from '../sink/census-counts.ts'
import type { OwnedEntry } from '../usage/entry.ts'
import type { ReportNotice } from './notice.ts'

/** A census before it is given a form. */
export interface CensusReport {
  readonly census: Census
  /** Requests by model, each counted once over the whole corpus (`requestsByModel`). */
  readonly models: ReadonlyMap<string, number>
  readonly digest: string | null
  readonly notices: readonly ReportNotice[]
}

/** Requests by model, of entries that lineage has resolved. */
export function requestsByModel(entries: Iterable<OwnedEntry>): Map<string, number> {
  const models = new Map<string, number>()
  for (const { entry } of entries) {
    const model = entry.model ?? 'unknown'
    if (entry.requests > 0) models.set(model, (models.get(model) ?? 0) + entry.requests)
  }
  return models
}

/** Transcripts of every completeness, those that could not be read included. */
export function transcriptCount({ transcripts }: Census): number {
  const { complete, truncated, inconsistent, failed } = transcripts.completeness
  return complete + truncated + inconsistent + failed
}

/** Records in all bins. Blank lines are no records. */
export function recordCount({ records }: Census): number {
  return records.translated + records.folded + records.bookkeeping + records.opaque + records.unparsed
}

/**
 * Says so when three counts that are easily taken for one another differ: the vendors' lists of denials, what
 * metaharness' seam says it decided, and the decisions in the streams. None is corrected by another.
 */
export function decisionNotices({ permissionDenials, decisions, statedDecisions }: Census): ReportNotice[] {
  const { allowed, denied, replaced, abstained } = decisions
  const same =
    allowed === statedDecisions.allowed &&
    denied === statedDecisions.denied &&
    replaced === statedDecisions.replaced &&
    abstained === statedDecisions.abstained &&
    denied === permissionDenials
  if (same) return []
  const stated = Object.values(statedDecisions).reduce((sum, n) => sum + n, 0)
  const counted = allowed + denied + replaced + abstained
  const message =
    `three counts that are not the same thing: permission_denials has ${permissionDenials}, ` +
    `the seam's census ${statedDecisions.denied} denied of ${stated} decisions, ` +
    `the tool.decided events ${denied} denied of ${counted}`
  return [{ code: 'decision-counts-differ', path: null, line: null, count: 1, message }]
}
