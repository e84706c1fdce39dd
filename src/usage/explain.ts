import { dayName, inSpan } from './calendar.ts'
import type { LedgerEntry, OwnedEntry } from './entry.ts'
import { addEntry, emptyFigures, type Figures } from './figures.ts'
import { computedPrice, type GroupRequest, type LedgerTranscript } from './group.ts'
import type { PriceCaveat } from './pricing.ts'
import type { LeftOut } from './witness.ts'

/** What is to be explained: a day, a model, a session, or whatever has this id. */
export interface Subject {
  readonly kind: 'day' | 'model' | 'session' | 'id'
  readonly value: string
}

/** One entry that counts, and its price. */
export interface CountedEntry {
  readonly owned: OwnedEntry
  readonly picoUsd: bigint | null
}

/** How a number came about. */
export interface Explanation {
  readonly subject: Subject
  /** In the order of transcripts and lines; their sum is `totals`. */
  readonly counted: readonly CountedEntry[]
  readonly totals: Figures
  /** What would have been in it, and was left out; in the order of transcripts and lines. */
  readonly leftOut: readonly LeftOut[]
}

/** How a table names what is not known. */
const UNKNOWN = '(unknown)'

/**
 * Pick out of a resolved ledger what a number of the report is made of, and what was left out of it.
 *
 * @param what a day as `2026-01-31`, the name of a model (`(unknown)` is none), an id of a session, message, request or
 * process, tried in this order
 * @param entries of a ledger that was traced, like `leftOut`
 * @returns null when there is nothing of that name
 */
export function explainUsage(
  what: string,
  entries: Iterable<OwnedEntry>,
  leftOut: readonly LeftOut[],
  transcripts: readonly LedgerTranscript[],
  { calendar, span, pricer }: Pick<GroupRequest, 'calendar' | 'span' | 'pricer'>,
): Explanation | null {
  const all = [...entries]
  const bounded = span.since !== null || span.until !== null
  const isInside = ({ entry }: OwnedEntry): boolean =>
    !bounded || inSpan(span, calendar.keyAt('day', entry.instant))
  for (const kind of KINDS) {
    const subject = { kind, value: what }
    if (kind === 'day' && dayName(what) === null) continue
    const isMeant = (owned: OwnedEntry): boolean => {
      if (!isInside(owned)) return false
      if (kind === 'day') return calendar.keyAt('day', owned.entry.instant) === what
      return MATCHES[kind](owned.entry, what, transcripts[owned.transcript])
    }
    const counted = all.filter(isMeant)
    const left = leftOut.filter(isMeant)
    if (counted.length + left.length === 0) continue
    return { subject, ...summed(counted, pricer), leftOut: left.toSorted(byPlace) }
  }
  return null
}

const KINDS = ['day', 'model', 'session', 'id'] as const

const MATCHES: Readonly<
  Record<
    Exclude<Subject['kind'], 'day'>,
    (entry: LedgerEntry, value: string, transcript: LedgerTranscript | undefined) => boolean
  >
> = {
  model: ({ model }, value) => (model ?? UNKNOWN) === value,
  session: ({ session }, value, transcript) => (session ?? transcript?.run) === value,
  id: ({ key = null, process, origin }, value) =>
    key === value || process === value || origin?.requestId === value || hasPart(key, value),
}

/** An id is one of the parts of a key but the first, which is a word of ours. */
function hasPart(key: string | null, value: string): boolean {
  return key !== null && key.split(':').indexOf(value, 1) > 0
}

function summed(
  counted: readonly OwnedEntry[],
  pricer: GroupRequest['pricer'],
): Pick<Explanation, 'counted' | 'totals'> {
  const totals = emptyFigures()
  const caveats = new Map<PriceCaveat, number>()
  const priced = counted.toSorted(byPlace).map((owned) => {
    const picoUsd = computedPrice(owned.entry, pricer, caveats)
    addEntry(totals, owned.entry, picoUsd)
    return { owned, picoUsd }
  })
  return { counted: priced, totals }
}

/** Entries of one line in the order of their keys, so that threads and merges do not matter. */
function byPlace(a: OwnedEntry, b: OwnedEntry): number {
  return (
    a.transcript - b.transcript ||
    (a.entry.origin?.line ?? 0) - (b.entry.origin?.line ?? 0) ||
    compareText(a.entry.key, b.entry.key) ||
    compareText(a.entry.model, b.entry.model)
  )
}

function compareText(a: string | null | undefined, b: string | null | undefined): number {
  const [left, right] = [a ?? '', b ?? '']
  return left < right ? -1 : Number(left > right)
}
