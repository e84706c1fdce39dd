import type { Place } from '../event/billing.ts'
import { compareTimes, type OwnedEntry, totalTokens } from './entry.ts'
import type { Witness } from './witness.ts'

/** One record of running totals, and what it bills; `entry` is null for an echo. */
export interface PlacedStep {
  readonly place: Place
  readonly transcript: number
  readonly entry: OwnedEntry | null
}

/** What is left of placed entries once copied history is told apart. */
export interface Unreplayed {
  readonly kept: readonly OwnedEntry[]
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
  /** In the order of the transcript. */
  readonly steps: PlacedStep[]
  readonly total: boolean
}

/**
 * Leave out history that was copied from one thread's transcript into another's (spec vendor-transcripts §4.5).
 *
 * Of several transcripts of one thread the one with the most steps counts. A thread that begins with the same counters as
 * its declared parent has copied them; times are not compared, for copies are stamped anew. Threads whose parent is not
 * here may have copied the same beginning: it counts for the earliest. Nothing is decided by equal counters elsewhere:
 * two subagents may well do first turns of the same size.
 *
 * @param known threads of which other requests are known than those in `steps`
 * @param rank of a transcript: of two equal copies the one with the lower rank counts
 * @param witness told of what is left out
 */
export function withoutReplays(
  steps: readonly PlacedStep[],
  known: ReadonlySet<string>,
  rank: (transcript: number) => number,
  witness: Witness = () => {},
): Unreplayed {
  const recorded = recordedThreads(steps)
  const { chosen, duplicates } = chooseCopies(recorded, known, rank)
  for (const one of recorded) {
    const other = chosen.get(one.thread)
    if (other === one) continue
    for (const { entry } of one.steps) {
      if (entry !== null)
        witness(entry, one.total && !other?.total ? 'thread-total' : 'same-thread', firstOf(other))
    }
  }
  const verdict: Verdict = { kept: [], replayed: 0, orphans: [], witness }
  const families = new Map<string, Recorded[]>()
  const heads = ringHeads(chosen)
  for (const one of chosen.values()) {
    const parent = heads.has(one.thread) ? null : one.parent
    const original = parent === null ? undefined : chosen.get(parent)
    if (one.total || parent === null) keepFrom(one, 0, verdict)
    else if (original === undefined || original.total) addTo(families, parent, one)
    else keepFrom(one, sharedSteps(one, original), verdict, original)
  }
  for (const [parent, siblings] of families) keepOrphans(parent, siblings, rank, verdict)
  const { kept, replayed, orphans } = verdict
  return { kept, replayed, orphans, duplicates }
}

interface Verdict {
  readonly kept: OwnedEntry[]
  replayed: number
  readonly orphans: Orphan[]
  readonly witness: Witness
}

function firstOf(one: Recorded | undefined): OwnedEntry | null {
  return one?.steps.find(({ entry }) => entry !== null)?.entry ?? null
}

/** Steps put together by thread and transcript. Echoes and entries come apart, so they are put in order here. */
function recordedThreads(steps: readonly PlacedStep[]): Recorded[] {
  const found = new Map<string, Recorded>()
  for (const step of steps) {
    const { thread, parent, kind } = step.place
    const key = `${step.transcript} ${thread}`
    let one = found.get(key)
    if (one === undefined) {
      one = { thread, parent, transcript: step.transcript, steps: [], total: kind === 'total' }
      found.set(key, one)
    }
    one.steps.push(step)
  }
  for (const one of found.values()) one.steps.sort((a, b) => numberOf(a) - numberOf(b))
  return [...found.values()]
}

function numberOf(step: PlacedStep): number {
  return step.place.step ?? 0
}

/** One transcript for each thread. Totals give way to the thread's own records; of totals the largest covers the others. */
function chooseCopies(
  recorded: readonly Recorded[],
  known: ReadonlySet<string>,
  rank: (transcript: number) => number,
): { readonly chosen: ReadonlyMap<string, Recorded>; readonly duplicates: number } {
  const chosen = new Map<string, Recorded>()
  let duplicates = 0
  for (const one of recorded) {
    if (one.total && known.has(one.thread)) {
      duplicates += entriesOf(one)
      continue
    }
    const other = chosen.get(one.thread)
    if (other === undefined) {
      chosen.set(one.thread, one)
      continue
    }
    const better = compareCopies(one, other, rank) < 0
    duplicates += entriesOf(better ? other : one)
    if (better) chosen.set(one.thread, one)
  }
  return { chosen, duplicates }
}

function compareCopies(a: Recorded, b: Recorded, rank: (transcript: number) => number): number {
  return (
    Number(a.total) - Number(b.total) ||
    (a.total ? tokensOf(b) - tokensOf(a) : 0) ||
    b.steps.length - a.steps.length ||
    rank(a.transcript) - rank(b.transcript) ||
    a.transcript - b.transcript
  )
}

function entriesOf({ steps }: Recorded): number {
  return steps.reduce((sum, { entry }) => sum + (entry === null ? 0 : 1), 0)
}

function tokensOf({ steps }: Recorded): number {
  return steps.reduce((sum, { entry }) => sum + (entry === null ? 0 : totalTokens(entry.entry.tokens)), 0)
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
function sharedSteps(a: Recorded, b: Recorded): number {
  const most = Math.min(a.steps.length, b.steps.length)
  let shared = 0
  while (shared < most && a.steps[shared]!.place.counters === b.steps[shared]!.place.counters) shared++
  return shared
}

/** @param original whose steps those before `start` are copies of; undefined when it is one of several siblings */
function keepFrom({ steps }: Recorded, start: number, verdict: Verdict, original?: Recorded): void {
  for (const [i, { entry }] of steps.entries()) {
    if (entry === null) continue
    if (i < start) {
      verdict.replayed++
      verdict.witness(entry, 'replayed', original?.steps[i]?.entry ?? null)
    } else verdict.kept.push(entry)
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
  const inOrder = siblings.toSorted((a, b) => compareBegun(a, b, rank))
  const seen: Beginnings = new Map()
  for (const one of inOrder) {
    const shared = walk(seen, one)
    if (shared > 0) verdict.orphans.push({ transcript: one.transcript, parent })
    keepFrom(one, shared, verdict)
  }
}

/** Sequences of counters as a tree: siblings can be many and long, so that comparing each with each would not do. */
type Beginnings = Map<string | null, Beginnings>

/** Put the thread's sequence into the tree; returns how much of its beginning was there. */
function walk(tree: Beginnings, { steps }: Recorded): number {
  let branch = tree
  let shared = 0
  let known = true
  for (const { place } of steps) {
    let next = branch.get(place.counters)
    if (next === undefined) {
      known = false
      next = new Map()
      branch.set(place.counters, next)
    }
    if (known) shared++
    branch = next
  }
  return shared
}

function compareBegun(a: Recorded, b: Recorded, rank: (transcript: number) => number): number {
  return (
    compareTimes(begunAt(a), begunAt(b)) ||
    rank(a.transcript) - rank(b.transcript) ||
    a.transcript - b.transcript ||
    (a.thread < b.thread ? -1 : 1)
  )
}

function begunAt({ steps }: Recorded): string | null {
  return steps.find(({ entry }) => entry !== null)?.entry?.entry.firstAt ?? null
}

function addTo(groups: Map<string, Recorded[]>, key: string, one: Recorded): void {
  const group = groups.get(key)
  if (group === undefined) groups.set(key, [one])
  else group.push(one)
}
