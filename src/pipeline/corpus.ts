import type { ReportNotice } from '../report/notice.ts'
import { type Forms, sameRuns } from '../usage/forms.ts'
import type { LedgerTranscript } from '../usage/group.ts'
import { addLedger, emptyLineage, type Standing } from '../usage/lineage.ts'
import { type ResolvedLineage, resolveLineage } from '../usage/resolution.ts'
import { type FormTranscript, sessionIdOf } from '../usage/session-part.ts'
import type { TranscriptResult } from './job.ts'
import type { Listed } from './listed.ts'

/** What counting wants to know of a transcript. */
export type CorpusTranscript = FormTranscript & LedgerTranscript

/** The requests of a corpus, each counted once. */
export interface CorpusLineage {
  readonly lineage: ResolvedLineage
  /** By place of a result. */
  readonly transcripts: readonly CorpusTranscript[]
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
  results: Listed<TranscriptResult>,
  copies: ReadonlyMap<number, number>,
  explained = false,
): CorpusLineage {
  const transcripts = Array.from(results, corpusTranscript)
  const forms = sameRuns(
    copies.size === 0 ? transcripts : transcripts.map((one, i) => withoutCopy(one, copies.has(i))),
  )
  const lineage = emptyLineage(explained)
  for (const [i, { ledger, path }] of transcripts.entries()) {
    if (ledger !== null) addLedger(lineage, ledger, i, standing(i, path, transcripts, forms, copies))
  }
  const resolved = resolveLineage(lineage)
  const notices = [
    ...copyNotices(transcripts, copies),
    ...formNotices(transcripts, forms),
    ...orphanNotices(transcripts, resolved.orphans),
  ]
  return { lineage: resolved, transcripts, notices, repeated: new Set([...copies.keys(), ...forms.repeated]) }
}

function corpusTranscript(result: TranscriptResult): CorpusTranscript {
  const { path, dialect, adapterSlug, run, project, cut, broken, ledger } = result
  return {
    path,
    dialect: dialect ?? 'unknown',
    harness: adapterSlug ?? 'unknown',
    run: run ?? path,
    project,
    cut: cut || broken,
    ledger,
  }
}

/** A copy is no form of its run beside the one with the same bytes. */
function withoutCopy(transcript: FormTranscript, isCopy: boolean): FormTranscript {
  return isCopy ? { ...transcript, ledger: null } : transcript
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
  transcripts: readonly CorpusTranscript[],
  copies: ReadonlyMap<number, number>,
): ReportNotice[] {
  return [...copies].map(([copy, original]) => ({
    code: 'same-bytes',
    path: transcripts[copy]?.path ?? null,
    line: null,
    count: 1,
    message: `it has the same bytes as ${transcripts[original]?.path}, which was counted`,
  }))
}

function formNotices(transcripts: readonly CorpusTranscript[], { same }: Forms): ReportNotice[] {
  return same.map(({ transcript, by, requests }) => ({
    code: 'same-run-twice',
    path: transcripts[transcript]?.path ?? null,
    line: null,
    count: requests,
    message: `requests of the same run are in ${transcripts[by]?.path} too; those were counted`,
  }))
}

function orphanNotices(
  transcripts: readonly CorpusTranscript[],
  orphans: ResolvedLineage['orphans'],
): ReportNotice[] {
  return orphans.map(({ transcript }) => ({
    code: 'parent-missing',
    path: transcripts[transcript]?.path ?? null,
    line: null,
    count: 1,
    message: 'it replays history that another transcript has too; the transcript of their parent is not here',
  }))
}
