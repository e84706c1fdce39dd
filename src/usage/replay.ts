import type { CorpusRows } from './corpus-rows.ts'
import { totalTokens } from './entry.ts'
import { Flag, TRANSCRIPT } from './entry-row.ts'
import { chainIdentity, IDENTITY_WORDS } from './identity.ts'
import { IdentityMap } from './identity-map.ts'
import type { Witness } from './witness.ts'

/** Rows that bill nothing: they are only steps. */
const ONLY_STEP = Flag.Echo | Flag.GivesWay

/** What became of placed entries once copied history was told apart. Those that are left are marked as kept. */
interface Unreplayed {
  /** Entries left out because the parent, or an earlier sibling, has them. */
  readonly replayed: number
  /** Entries left out because the same thread is in another transcript. */
  readonly duplicates: number
  /** Threads that share history while the transcript of their parent is missing. */
  readonly orphans: readonly Orphan[]
}

export interface Orphan {
  readonly transcript: number
  readonly parent: string
}

/** One thread as one transcript has it. */
interface Recorded {
  readonly thread: string
  readonly parent: string | null
  readonly transcript: number
  /** Rows in the order of the transcript. */
  readonly steps: number[]
  total: boolean
}

/**
 * Leave out history that was copied from one thread's transcript into another's (spec vendor-transcripts §4.5).
 *
 * Of several transcripts of one thread the one with the most steps counts. A thread that begins with the same counters as
 * its declared parent has copied them; times are not compared, for copies are stamped anew. Threads whose parent is not
 * here may have copied the same beginning: it counts for the earliest. Nothing is decided by equal counters elsewhere:
 * two subagents may well do first turns of the same size.
 *
 * @param steps rows that have a place and no key: records of running totals, and what they bill
 * @param known threads of which other requests are known than those in `steps`
 * @param rank of a transcript: of two equal copies the one with the lower rank counts
 * @param witness told of what is left out
 */
export function withoutReplays(
  rows: CorpusRows,
  steps: readonly number[],
  known: ReadonlySet<string>,
  rank: (transcript: number) => number,
  witness: Witness,
): Unreplayed {
  const recorded = recordedThreads(rows, steps)
  const { chosen, duplicates } = chooseCopies(rows, recorded, known, rank)
  for (const one of recorded) {
    const other = chosen.get(one.thread)
    if (other === one) continue
    for (const row of one.steps) {
      if (!isEntry(rows, row)) continue
      witness(row, one.total && !other?.total ? 'thread-total' : 'same-thread', firstOf(rows, other))
    }
  }
  const verdict: Verdict = { rows, replayed: 0, orphans: [], witness }
  const families = new Map<string, Recorded[]>()
  const heads = ringHeads(chosen)
  for (const one of chosen.values()) {
    const parent = heads.has(one.thread) ? null : one.parent
    const original = parent === null ? undefined : chosen.get(parent)
    if (one.total || parent === null) keepFrom(one, 0, verdict)
    else if (original === undefined || original.total) addTo(families, parent, one)
    else keepFrom(one, sharedSteps(rows, one, original), verdict, original)
  }
  for (const [parent, siblings] of families) keepOrphans(parent, siblings, rank, verdict)
  const { replayed, orphans } = verdict
  return { replayed, orphans, duplicates }
}

interface Verdict {
  readonly rows: CorpusRows
  replayed: number
  readonly orphans: Orphan[]
  readonly witness: Witness
}

function firstOf(rows: CorpusRows, one: Recorded | undefined): number | null {
  return one?.steps.find((row) => isEntry(rows, row)) ?? null
}

/** The row bills something. */
function isEntry(rows: CorpusRows, row: number): boolean {
  return (rows.flags(row) & ONLY_STEP) === 0
}

/** Steps put together by thread and transcript. */
function recordedThreads(rows: CorpusRows, steps: readonly number[]): Recorded[] {
  const found = new Map<string, Recorded>()
  for (const row of steps) {
    const { thread, parent, kind } = rows.setting(row)
    const transcript = rows.word(row, TRANSCRIPT)
    const key = `${transcript} ${thread}`
    let one = found.get(key)
    if (one === undefined) {
      one = { thread: thread ?? '', parent, transcript, steps: [], total: false }
      found.set(key, one)
    }
    // An echo does not know what it is an echo of.
    if (kind === 'total') one.total = true
    one.steps.push(row)
  }
  for (const one of found.values()) one.steps.sort((a, b) => rows.word(a, 0) - rows.word(b, 0))
  return [...found.values()]
}

/** One transcript for each thread. Totals give way to the thread's own records; of totals the largest covers the others. */
function chooseCopies(
  rows: CorpusRows,
  recorded: readonly Recorded[],
  known: ReadonlySet<string>,
  rank: (transcript: number) => number,
): { readonly chosen: ReadonlyMap<string, Recorded>; readonly duplicates: number } {
  const chosen = new Map<string, Recorded>()
  let duplicates = 0
  for (const one of recorded) {
    if (one.total && known.has(one.thread)) {
      duplicates += entriesOf(rows, one)
      continue
    }
    const other = chosen.get(one.thread)
    if (other === undefined) {
      chosen.set(one.thread, one)
      continue
    }
    const better = compareCopies(rows, one, other, rank) < 0
    duplicates += entriesOf(rows, better ? other : one)
    if (better) chosen.set(one.thread, one)
  }
  return { chosen, duplicates }
}

function compareCopies(
  rows: CorpusRows,
  a: Recorded,
  b: Recorded,
  rank: (transcript: number) => number,
): number {
  return (
    Number(a.total) - Number(b.total) ||
    (a.total ? tokensOf(rows, b) - tokensOf(rows, a) : 0) ||
    b.steps.length - a.steps.length ||
    rank(a.transcript) - rank(b.transcript) ||
    a.transcript - b.transcript
  )
}

function entriesOf(rows: CorpusRows, { steps }: Recorded): number {
  return steps.reduce((sum, row) => sum + Number(isEntry(rows, row)), 0)
}

function tokensOf(rows: CorpusRows, { steps }: Recorded): number {
  return steps.reduce((sum, row) => sum + (isEntry(rows, row) ? totalTokens(rows.entry(row).tokens) : 0), 0)
}

/**
 * Threads that begin their family although they declare a parent: of a ring of parents nobody is first, so its least id stands
 * for the one that began. Each thread is visited once.
 */
function ringHeads(chosen: ReadonlyMap<string, Recorded>): ReadonlySet<string> {
  const heads = new Set<string>()
  const visited = new Map<string, string>()
  for (const start of chosen.keys()) {
    let thread: string | null = start
    while (thread !== null && !visited.has(thread)) {
      visited.set(thread, start)
      thread = chosen.get(thread)?.parent ?? null
    }
    // A thread seen on this very walk closes a ring.
    if (thread !== null && visited.get(thread) === start) heads.add(leastOfRing(thread, chosen))
  }
  return heads
}

function leastOfRing(inRing: string, chosen: ReadonlyMap<string, Recorded>): string {
  let least = inRing
  let next = chosen.get(inRing)?.parent ?? inRing
  while (next !== inRing) {
    if (next < least) least = next
    next = chosen.get(next)?.parent ?? inRing
  }
  return least
}

/** Steps at the beginning that are the same in both. */
function sharedSteps(rows: CorpusRows, a: Recorded, b: Recorded): number {
  const most = Math.min(a.steps.length, b.steps.length)
  let shared = 0
  while (shared < most && hasSameCounters(rows, a.steps[shared]!, b.steps[shared]!)) shared++
  return shared
}

function hasSameCounters(rows: CorpusRows, a: number, b: number): boolean {
  for (let i = 1; i < IDENTITY_WORDS; i++) if (rows.word(a, i) !== rows.word(b, i)) return false
  return true
}

/** @param original whose steps those before `start` are copies of; undefined when it is one of several siblings */
function keepFrom({ steps }: Recorded, start: number, verdict: Verdict, original?: Recorded): void {
  const { rows } = verdict
  for (const [i, row] of steps.entries()) {
    if (!isEntry(rows, row)) continue
    if (i >= start) {
      rows.mark(row, Flag.Kept)
      continue
    }
    verdict.replayed++
    const by = original?.steps[i]
    verdict.witness(row, 'replayed', by !== undefined && isEntry(rows, by) ? by : null)
  }
}

/** Each beginning counts once, for the earliest thread that has it. */
function keepOrphans(
  parent: string,
  siblings: Recorded[],
  rank: (transcript: number) => number,
  verdict: Verdict,
): void {
  const [only, ...more] = siblings
  if (only !== undefined && more.length === 0) {
    keepFrom(only, 0, verdict)
    return
  }
  const { rows } = verdict
  const inOrder = siblings.toSorted((a, b) => compareBegun(rows, a, b, rank))
  const seen = new IdentityMap()
  for (const one of inOrder) {
    const shared = walk(rows, seen, one)
    if (shared > 0) verdict.orphans.push({ transcript: one.transcript, parent })
    keepFrom(one, shared, verdict)
  }
}

/**
 * Put all beginnings of the thread's sequence into `seen`; returns how long the longest is that was there. Siblings can be many
 * and long, so that comparing each with each would not do.
 */
function walk(rows: CorpusRows, seen: IdentityMap, { steps }: Recorded): number {
  const beginning = new Uint32Array(IDENTITY_WORDS)
  let shared = 0
  for (const row of steps) {
    const { words, at } = rows.find(row)
    chainIdentity(beginning, words, at + 1, IDENTITY_WORDS - 1)
    if (!seen.add(beginning, 0)) shared++
  }
  return shared
}

function compareBegun(
  rows: CorpusRows,
  a: Recorded,
  b: Recorded,
  rank: (transcript: number) => number,
): number {
  return (
    begunAt(rows, a) - begunAt(rows, b) ||
    rank(a.transcript) - rank(b.transcript) ||
    a.transcript - b.transcript ||
    (a.thread < b.thread ? -1 : 1)
  )
}

function begunAt(rows: CorpusRows, one: Recorded): number {
  const first = firstOf(rows, one)
  return first === null ? Number.MAX_VALUE : rows.firstInstant(first)
}

function addTo(groups: Map<string, Recorded[]>, key: string, one: Recorded): void {
  const group = groups.get(key)
  if (group === undefined) groups.set(key, [one])
  else group.push(one)
}
