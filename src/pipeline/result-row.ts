import type { TranscriptLedger } from '../usage/transcript-ledger.ts'
import type { TranscriptJob, TranscriptResult } from './job.ts'
import type { Listed } from './listed.ts'
import { RowTexts } from './row-texts.ts'
import { SharedValues } from './shared-values.ts'

type Ending = NonNullable<TranscriptResult['ending']>

/** What a result says, but for its path, its job and its ledger. */
type Row = readonly [texts: Texts, counts: Counts, rest: Rest | null]

/** A value that many results have in common is its number here, or itself where there are too many of them. */
type Texts = readonly [
  run: string | null,
  digest: string | null,
  outputDigest: string | null,
  dialect: number | string | null,
  adapterSlug: number | string | null,
  project: number | string | null,
  ending: number | Ending | null,
]

type Counts = readonly [
  flags: number,
  bytes: number,
  lines: number,
  events: number,
  outputBytes: number,
  opaqueEvents: number,
  read: number,
  translated: number,
  folded: number,
  bookkeeping: number,
  opaque: number,
  unparsed: number,
  blank: number,
]

/** What is mostly as the job says, or empty, and is left out where it is. */
type Rest = Partial<
  Pick<
    TranscriptResult,
    'output' | 'notices' | 'unparsedLines' | 'opaqueTypes' | 'parts' | 'sessions' | 'error'
  >
>

/** Bits of `flags`; the last says that the list of sessions holds the run and nothing else. */
const CUT = 1
const BROKEN = 2
const SUBAGENT = 4
const SESSION_IS_RUN = 8

/** Words that are shared; of projects there may be more. */
const MOST_WORDS = 10_000
/** Most transcripts of a dialect end in the same few ways. */
const MOST_ENDINGS = 1000

/** Results as rows of JSON: about 300 bytes each with two digests. */
export class ResultRows {
  private readonly jobs: Listed<TranscriptJob>
  private readonly texts = new RowTexts()
  private readonly words = new SharedValues<string>(MOST_WORDS)
  private readonly endings = new SharedValues<Ending>(MOST_ENDINGS)

  /** @param jobs those of the results, by their index */
  constructor(jobs: Listed<TranscriptJob>) {
    this.jobs = jobs
  }

  /** Keep a result as the next row. */
  add(job: TranscriptJob, result: TranscriptResult): void {
    const { run, digest, outputDigest, ending, sessions, records } = result
    const texts: Texts = [
      run,
      digest,
      outputDigest,
      this.word(result.dialect),
      this.word(result.adapterSlug),
      this.word(result.project),
      ending === null ? null : this.endings.put(JSON.stringify(ending), ending),
    ]
    const { read, translated, folded, bookkeeping, opaque, unparsed, blank } = records
    const counts: Counts = [
      (result.cut ? CUT : 0) |
        (result.broken ? BROKEN : 0) |
        (result.subagent ? SUBAGENT : 0) |
        (isAlone(run, sessions) ? SESSION_IS_RUN : 0),
      result.bytes,
      result.lines,
      result.events,
      result.outputBytes,
      result.opaque,
      read,
      translated,
      folded,
      bookkeeping,
      opaque,
      unparsed,
      blank,
    ]
    const row: Row = [texts, counts, restOf(job, result)]
    this.texts.add(JSON.stringify(row))
  }

  /** The result in a row. @param index that of its job */
  read(row: number, index: number, path: string, ledger: TranscriptLedger | null): TranscriptResult {
    const parsed: Row = JSON.parse(this.texts.at(row))
    const [texts, counts, rest] = parsed
    const [run, digest, outputDigest, dialect, adapterSlug, project, ending] = texts
    const [flags, bytes, lines, events, outputBytes, opaqueEvents, ...bins] = counts
    const [read, translated, folded, bookkeeping, opaque, unparsed, blank] = bins
    const alone = run === null ? NONE : [run]
    return {
      index,
      path,
      dialect: this.words.get(dialect),
      run,
      digest,
      bytes,
      lines,
      records: { read, translated, folded, bookkeeping, opaque, unparsed, blank },
      events,
      outputDigest,
      outputBytes,
      output: rest?.output === undefined ? (this.jobs.at(index)?.output ?? null) : rest.output,
      ending: this.endings.get(ending),
      cut: (flags & CUT) !== 0,
      broken: (flags & BROKEN) !== 0,
      notices: rest?.notices ?? NONE,
      unparsedLines: rest?.unparsedLines ?? NONE,
      opaque: opaqueEvents,
      opaqueTypes: rest?.opaqueTypes ?? NONE,
      adapterSlug: this.words.get(adapterSlug),
      project: this.words.get(project),
      parts: rest?.parts ?? NONE,
      sessions: (flags & SESSION_IS_RUN) === 0 ? (rest?.sessions ?? NONE) : alone,
      subagent: (flags & SUBAGENT) !== 0,
      census: null,
      ledger,
      skipped: false,
      error: rest?.error ?? null,
    }
  }

  private word(word: string | null): number | string | null {
    return word === null ? null : this.words.put(word, word)
  }
}

const NONE: readonly never[] = []

function isAlone(run: string | null, names: readonly string[]): boolean {
  return run !== null && names.length === 1 && names[0] === run
}

function restOf(job: TranscriptJob, result: TranscriptResult): Rest | null {
  const { run, output, notices, unparsedLines, opaqueTypes, parts, sessions, error } = result
  const rest: Rest = {
    ...(output === job.output ? {} : { output }),
    ...(notices.length === 0 ? {} : { notices }),
    ...(unparsedLines.length === 0 ? {} : { unparsedLines }),
    ...(opaqueTypes.length === 0 ? {} : { opaqueTypes }),
    ...(parts.length === 0 ? {} : { parts }),
    ...(sessions.length === 0 || isAlone(run, sessions) ? {} : { sessions }),
    ...(error === null ? {} : { error }),
  }
  return Object.keys(rest).length === 0 ? null : rest
}
