import { type CensusReport, requestsByModel } from '../report/census-report.ts'
import type { ReportNotice } from '../report/notice.ts'
import type { ExplanationReport } from '../report/explanation-report.ts'
import { priceNotices, type UsageReport } from '../report/usage-report.ts'
import type { Census } from '../sink/census-counts.ts'
import type { SourceError } from '../source/source-error.ts'
import { Calendar, type DaySpan } from '../usage/calendar.ts'
import { explainUsage } from '../usage/explain.ts'
import { type GroupKey, groupUsage } from '../usage/group.ts'
import { readOwnPrices } from '../usage/price-file.ts'
import { PriceTable } from '../usage/prices.ts'
import type { Pricer } from '../usage/pricing.ts'
import { withoutRepeated } from './census-once.ts'
import { findCopies } from './copies.ts'
import { type CorpusLineage, resolveCorpus } from './corpus.ts'
import { findInputs } from './inputs.ts'
import type { TranscriptResult } from './job.ts'
import type { Listed } from './listed.ts'
import { corpusDigest } from './manifest.ts'
import { jobOptions, type ReadOptions } from './options.ts'
import { runJobs, type RunSettings } from './run.ts'

/** What to count: files, folders, globs, `-`. */
export interface CountRequest extends ReadOptions {
  readonly paths: readonly string[]
  /** Compute the digest of the corpus; costs about as much as all the rest. */
  readonly digest?: boolean
  readonly jobs?: number
  readonly progress?: RunSettings['progress']
  readonly signal?: AbortSignal
}

/** What every count of a corpus comes with. */
export interface Counted {
  /** In byte order of their paths; what was no transcript is left out. */
  readonly results: Listed<TranscriptResult>
  readonly failures: readonly SourceError[]
  readonly skipped: number
}

/** As `CountRequest`; how usage is grouped, priced and explained. */
export interface UsageRequest extends CountRequest {
  readonly by?: readonly GroupKey[]
  /** IANA zone of days and hours; default that of this machine. */
  readonly zone?: string
  readonly span?: DaySpan
  /** Prices to use instead of our own. */
  readonly pricer?: Pricer
  /** Explain this number too: a day, a model, an id (`src/usage/explain.ts`). Memory then grows with the records of usage. */
  readonly explain?: string
}

/** What was counted, and what it sums up to. */
export interface CountedUsage extends Counted {
  readonly report: UsageReport
  /** Null when none was asked for, or nothing has that name. */
  readonly explanation: ExplanationReport | null
}

/** Count what transcripts used and cost, each request once over the whole corpus. */
export async function countUsage(request: UsageRequest): Promise<CountedUsage> {
  const traced = request.explain !== undefined
  const { counted, resolved } = await count(request, { usage: true, census: false, traced })
  const calendar = new Calendar(request.zone ?? null)
  const pricer = request.pricer ?? new PriceTable(await readOwnPrices())
  const { lineage, notices, transcripts } = resolved
  const told = toldBy(counted.results, resolved.repeated)
  const by = request.by ?? ['model']
  const span = request.span ?? { since: null, until: null }
  const grouping = { by, calendar, span, pricer }
  const usage = groupUsage(lineage.entries, transcripts, grouping)
  const report: UsageReport = {
    get zone() {
      return calendar.zone
    },
    prices: { source: pricer.source, asOf: pricer.asOf },
    usage,
    corpus: {
      transcripts: counted.results.length,
      sessions: told.sessions,
      subagentTranscripts: told.subagents,
      replayedRecords: lineage.replayed,
      duplicateResponses: lineage.duplicateResponses,
      digest: request.digest === true ? corpusDigest(counted.results) : null,
    },
    notices: [...told.notices, ...notices, ...priceNotices(usage)],
  }
  const explanation =
    request.explain === undefined
      ? null
      : explainUsage(request.explain, lineage.entries, lineage.leftOut, transcripts, grouping)
  if (explanation === null) return { ...counted, report, explanation }
  const paths = transcripts.map(({ path }) => path)
  return {
    ...counted,
    report,
    explanation: { zone: calendar.zone, prices: report.prices, explanation, paths },
  }
}

/** Count what transcripts hold: records, events, tools, decisions, models, sessions. */
export async function countRecords(
  request: CountRequest,
): Promise<Counted & { readonly report: CensusReport }> {
  const { census, counted, resolved } = await count(request, { usage: true, census: true })
  const report: CensusReport = {
    census,
    models: requestsByModel(resolved.lineage.entries),
    digest: request.digest === true ? corpusDigest(counted.results) : null,
    notices: [...toldBy(counted.results, resolved.repeated).notices, ...resolved.notices],
  }
  return { ...counted, report }
}

/** Read transcripts for what is to be said of each. */
export async function inspect(request: CountRequest): Promise<Counted> {
  return (await count(request, { usage: false, census: false })).counted
}

async function count(
  request: CountRequest,
  wants: { readonly usage: boolean; readonly census: boolean; readonly traced?: boolean },
): Promise<{ readonly census: Census; readonly counted: Counted; readonly resolved: CorpusLineage }> {
  const inputs = await findInputs(request.paths)
  const options = { ...jobOptions(request), ...wants, digest: request.digest ?? false }
  const settings = {
    jobs: request.jobs ?? null,
    ...(request.signal === undefined ? {} : { signal: request.signal }),
  }
  const {
    results,
    skipped,
    census: taken,
  } = await runJobs(inputs.jobs, options, {
    ...settings,
    stream: null,
    ...(request.progress === undefined ? {} : { progress: request.progress }),
  })
  const copies = wants.usage
    ? await findCopies(results, inputs.jobs, options, settings)
    : new Map<number, number>()
  const resolved = resolveCorpus(results, copies, options.traced)
  const census = wants.census
    ? await withoutRepeated(taken, results, resolved.repeated, inputs.jobs, options)
    : taken
  const counted = { results, failures: inputs.failures, skipped: skipped + inputs.sidecars }
  return { census, counted, resolved }
}

/** What results say of themselves, beside what they billed. */
interface Told {
  readonly notices: readonly ReportNotice[]
  readonly sessions: number
  readonly subagents: number
}

/** @param repeated places of transcripts that only tell sessions again, it may be by another name */
function toldBy(results: Listed<TranscriptResult>, repeated: ReadonlySet<number>): Told {
  const notices: ReportNotice[] = []
  const ids = new Set<string>()
  let subagents = 0
  let place = 0
  for (const { path, sessions, subagent, notices: own, error } of results) {
    if (!repeated.has(place++)) {
      for (const session of sessions) ids.add(session)
      if (subagent) subagents++
    }
    for (const notice of own) notices.push({ ...notice, path })
    if (error !== null) notices.push({ code: error.code, path, line: null, count: 1, message: error.message })
  }
  return { notices, sessions: ids.size, subagents }
}
