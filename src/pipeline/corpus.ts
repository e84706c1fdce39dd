import type { ReportNotice } from '../report/notice.ts'
import { type Forms, sameRuns } from '../usage/forms.ts'
import { addLedger, emptyLineage, type Standing } from '../usage/lineage.ts'
import { type ResolvedLineage, resolveLineage } from '../usage/resolution.ts'
import { type FormTranscript, sessionIdOf } from '../usage/session-part.ts'
import type { TranscriptResult } from './job.ts'

/** The requests of a corpus, each counted once. */
export interface CorpusLineage {
  readonly lineage: ResolvedLineage
  /** What is in the corpus more than once as a whole, and threads whose parent is missing. */
  readonly notices: readonly ReportNotice[]
  /** Places of results that tell only what others tell too. */
  readonly repeated: ReadonlySet<number>
}

/**
 * Count every request of a corpus once: transcripts of equal bytes, other forms of the same run, then requests one by one.
 *
 * @param results in byte order of their paths
 * @param copies by place of a result: the place of the one with the same bytes that counts
 */
export function resolveCorpus(
  results: readonly TranscriptResult[],
  copies: ReadonlyMap<number, number>,
  explained = false,
): CorpusLineage {
  const transcripts = results.map((result, i) => formTranscript(result, copies.has(i)))
  const forms = sameRuns(transcripts)
  const lineage = emptyLineage(explained)
  for (const [i, { ledger, path }] of results.entries()) {
    if (ledger !== null) addLedger(lineage, ledger, i, standing(i, path, transcripts, forms, copies))
  }
  const resolved = resolveLineage(lineage)
  const notices = [
    ...copyNotices(results, copies),
    ...formNotices(results, forms),
    ...orphanNotices(results, resolved.orphans),
  ]
  return { lineage: resolved, notices, repeated: new Set([...copies.keys(), ...forms.repeated]) }
}

function formTranscript(result: TranscriptResult, isCopy: boolean): FormTranscript {
  const { path, dialect, adapterSlug, run, cut, broken, ledger } = result
  return {
    path,
    dialect: dialect ?? 'unknown',
    harness: adapterSlug ?? 'unknown',
    run: run ?? path,
    cut: cut || broken,
    ledger: isCopy ? null : ledger,
  }
}

function standing(
  i: number,
  path: string,
  transcripts: readonly FormTranscript[],
  { givingWay }: Forms,
  copies: ReadonlyMap<number, number>,
): Standing {
  const yields = isArchived(path)
  const original = copies.get(i)
  if (original !== undefined) return { yields, givesWay: () => ({ reason: 'same-bytes', to: original }) }
  const ids = givingWay.get(i)
  const transcript = transcripts[i]
  if (ids === undefined || transcript === undefined) return { yields }
  return {
    yields,
    givesWay: (session) => {
      const to = ids.get(sessionIdOf(session, transcript))
      return to === undefined ? null : { reason: 'other-form', to }
    },
  }
}

/** Where Codex moves sessions to; for a moment they may be in both places. */
export function isArchived(path: string): boolean {
  return /(?:^|\/)archived_sessions\//.test(path)
}

function copyNotices(
  results: readonly TranscriptResult[],
  copies: ReadonlyMap<number, number>,
): ReportNotice[] {
  return [...copies].map(([copy, original]) => ({
    code: 'same-bytes',
    path: results[copy]?.path ?? null,
    line: null,
    count: 1,
    message: `it has the same bytes as ${results[original]?.path}, which was counted`,
  }))
}

function formNotices(results: readonly TranscriptResult[], { same }: Forms): ReportNotice[] {
  return same.map(({ transcript, by, requests }) => ({
    code: 'same-run-twice',
    path: results[transcript]?.path ?? null,
    line: null,
    count: requests,
    message: `requests of the same run are in ${results[by]?.path} too; those were counted`,
  }))
}

function orphanNotices(
  results: readonly TranscriptResult[],
  orphans: ResolvedLineage['orphans'],
): ReportNotice[] {
  return orphans.map(({ transcript }) => ({
    code: 'parent-missing',
    path: results[transcript]?.path ?? null,
    line: null,
    count: 1,
    message: 'it replays history that another transcript has too; the transcript of their parent is not here',
  }))
}
