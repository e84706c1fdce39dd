import { type Calendar, type DaySpan, inSpan } from './calendar.ts'
import { type LedgerEntry, type OwnedEntry, partlyUnknown, totalTokens } from './entry.ts'
import { type Figures, type TokenSums, addEntry, addTokens, emptyFigures, emptySums } from './figures.ts'
import type { Checked } from './checked.ts'
import type { PriceCaveat, Pricer } from './pricing.ts'

/** What `--by` takes. */
export const GROUP_KEYS = [
  'day',
  'hour',
  'week',
  'month',
  'model',
  'harness',
  'dialect',
  'project',
  'session',
  'run',
  'transcript',
] as const
export type GroupKey = (typeof GROUP_KEYS)[number]

/** What all entries of one transcript share. */
export interface LedgerTranscript {
  /** Path as in the manifest. */
  readonly path: string
  readonly run: string
  readonly dialect: string
  readonly harness: string
  readonly project: string | null
}

export interface GroupRequest {
  /** Keys from the outermost to the innermost; none gives totals only. */
  readonly by: readonly GroupKey[]
  /** The zone of days, both of the rows and of `span`. */
  readonly calendar: Calendar
  readonly span: DaySpan
  readonly pricer: Pricer
}

interface UsageRow {
  /** One value for each of `by`; null is unknown. */
  readonly keys: readonly (string | null)[]
  readonly figures: Figures
}

interface Unpriced {
  readonly model: string | null
  readonly requests: number
  readonly tokens: TokenSums
}

export interface GroupedUsage {
  readonly by: readonly GroupKey[]
  /** Sorted by their keys, null last. */
  readonly rows: readonly UsageRow[]
  readonly totals: Figures
  /** What has no computed price, sorted by model, null last. */
  readonly unpriced: readonly Unpriced[]
  /** Entries whose price had to leave something open. */
  readonly caveats: ReadonlyMap<PriceCaveat, number>
}

/** Read a list such as `day,model`. */
export function parseGroupKeys(text: string): Checked<GroupKey[]> {
  const keys: GroupKey[] = []
  for (const word of text.split(',').map((part) => part.trim())) {
    const key = GROUP_KEYS.find((known) => known === word)
    if (key === undefined) {
      return {
        ok: false,
        message: `cannot group by ${JSON.stringify(word)}; known are ${GROUP_KEYS.join(', ')}`,
      }
    }
    if (keys.includes(key)) return { ok: false, message: `${key} is named twice` }
    keys.push(key)
  }
  return { ok: true, value: keys }
}

/**
 * Sum entries into rows. Each is priced by itself, so every grouping gives the same totals to the last digit, and the
 * order of entries does not matter.
 *
 * @param transcripts by the numbers the entries carry
 */
export function groupUsage(
  entries: Iterable<OwnedEntry>,
  transcripts: readonly LedgerTranscript[],
  { by, calendar, span, pricer }: GroupRequest,
): GroupedUsage {
  const root: Branch = { children: new Map(), figures: null }
  const totals = emptyFigures()
  const unpriced = new Map<string | null, UnpricedSums>()
  const caveats = new Map<PriceCaveat, number>()
  const bounded = span.since !== null || span.until !== null
  for (const { entry, transcript } of entries) {
    if (bounded && !inSpan(span, calendar.keyAt('day', entry.instant))) continue
    const picoUsd = computedPrice(entry, pricer, caveats)
    if (picoUsd === null && entry.scope !== 'price') addUnpriced(unpriced, entry)
    const figures = figuresAt(root, by, entry, transcripts[transcript], calendar)
    addEntry(figures, entry, picoUsd)
    addEntry(totals, entry, picoUsd)
  }
  const rows = by.length === 0 ? [] : rowsBelow(root, [])
  return {
    by,
    rows: rows.toSorted((a, b) => compareRows(by, a, b)),
    totals,
    unpriced: [...unpriced]
      .map(([model, sums]) => ({ model, ...sums }))
      .toSorted((a, b) => compareText(a.model, b.model)),
    caveats,
  }
}

interface UnpricedSums {
  requests: number
  readonly tokens: TokenSums
}

/** Rows as a tree: one level a key, so that no value can be mistaken for another. */
interface Branch {
  readonly children: Map<string | null, Branch>
  figures: Figures | null
}

function figuresAt(
  root: Branch,
  by: readonly GroupKey[],
  entry: LedgerEntry,
  transcript: LedgerTranscript | undefined,
  calendar: Calendar,
): Figures {
  let branch = root
  for (const key of by) {
    const value = keyValue(key, entry, transcript, calendar)
    let next = branch.children.get(value)
    if (next === undefined) {
      next = { children: new Map(), figures: null }
      branch.children.set(value, next)
    }
    branch = next
  }
  branch.figures ??= emptyFigures()
  return branch.figures
}

function keyValue(
  key: GroupKey,
  entry: LedgerEntry,
  transcript: LedgerTranscript | undefined,
  calendar: Calendar,
): string | null {
  switch (key) {
    case 'model':
      return entry.model
    case 'session':
      // A run whose harness names no session is one, as in the census.
      return entry.session ?? transcript?.run ?? null
    case 'harness':
    case 'dialect':
    case 'project':
    case 'run':
      return transcript?.[key] ?? null
    case 'transcript':
      return transcript?.path ?? null
    default:
      return calendar.keyAt(key, entry.instant)
  }
}

/** What one entry costs at our prices; what they had to leave open is added to `caveats`. */
export function computedPrice(
  entry: LedgerEntry,
  pricer: Pricer,
  caveats: Map<PriceCaveat, number>,
): bigint | null {
  if (entry.scope === 'price') return null
  const priced = pricer.price(entry)
  for (const caveat of priced.caveats) caveats.set(caveat, (caveats.get(caveat) ?? 0) + 1)
  if (priced.picoUsd !== null) return priced.picoUsd
  // Nothing at all was used: no price is needed to know what that costs.
  const nothing = totalTokens(entry.tokens) === 0 && !partlyUnknown(entry.tokens)
  return nothing && entry.webSearches === 0 ? 0n : null
}

function addUnpriced(unpriced: Map<string | null, UnpricedSums>, entry: LedgerEntry): void {
  let sums = unpriced.get(entry.model)
  if (sums === undefined) {
    sums = { requests: 0, tokens: emptySums() }
    unpriced.set(entry.model, sums)
  }
  sums.requests += entry.requests
  addTokens(sums.tokens, entry.tokens)
}

function rowsBelow(branch: Branch, keys: readonly (string | null)[]): UsageRow[] {
  if (branch.figures !== null) return [{ keys, figures: branch.figures }]
  return [...branch.children].flatMap(([value, child]) => rowsBelow(child, [...keys, value]))
}

function compareRows(by: readonly GroupKey[], a: UsageRow, b: UsageRow): number {
  for (const [i, key] of by.entries()) {
    const [left, right] = [a.keys[i] ?? null, b.keys[i] ?? null]
    const order = key === 'hour' ? compareHours(left, right) : compareText(left, right)
    if (order !== 0) return order
  }
  return 0
}

function compareText(a: string | null, b: string | null): number {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? 1 : -1
  return a < b ? -1 : 1
}

/** Hours in the order in which they passed: one that the clocks repeat has two offsets. */
function compareHours(a: string | null, b: string | null): number {
  if (a === null || b === null) return compareText(a, b)
  return Date.parse(a) - Date.parse(b)
}
