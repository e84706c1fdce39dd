import { Claims, isClaim } from './claims.ts'
import { CorpusRows, type RowSpan } from './corpus-rows.ts'
import type { OwnedEntry } from './entry.ts'
import { Flag, FLAGS, ROW_WORDS, SETTING } from './entry-row.ts'
import { hasMessage } from './identity.ts'
import { IdentityMap } from './identity-map.ts'
import type { GivenWay, GivesWay, Lineage, LineagePart } from './lineage.ts'
import { type ResolvedTotals, resolveTotals } from './process-totals.ts'
import { type Orphan, withoutReplays } from './replay.ts'
import type { LeftOutReason } from './trace.ts'
import type { LeftOut } from './witness.ts'

/** What is left when every request counts once. */
export interface ResolvedLineage {
  /**
   * In no particular order, as often as asked for. They are read when they are asked for, and no more once their ledgers are
   * resolved again.
   */
  readonly entries: Iterable<OwnedEntry>
  /** Requests left out because another transcript has them too. */
  readonly duplicateResponses: number
  /** Records that repeated a request of their own transcript. */
  readonly repeats: number
  /** Requests left out because their transcript only replays the history of another thread. */
  readonly replayed: number
  /** Threads that replay the same history of a parent that is not here. */
  readonly orphans: readonly Orphan[]
  /** Empty unless asked for. */
  readonly leftOut: readonly LeftOut[]
}

/**
 * Count every request once. The owner is who had the key first, then the main conversation before a side chain, then
 * the first path; the numbers are those with the largest output (final ones, then the owner's, on a tie).
 */
export function resolveLineage(lineage: Lineage): ResolvedLineage {
  return new Resolution(lineage).resolve()
}

/** One resolution: what is decided of a row is marked in it. */
class Resolution {
  private readonly lineage: Lineage
  private readonly rows: CorpusRows
  private readonly spans: RowSpan[] = []
  private readonly leftOut: LeftOut[] | null
  private duplicates: number

  constructor(lineage: Lineage) {
    this.lineage = lineage
    this.leftOut = lineage.leftOut === null ? null : [...lineage.leftOut]
    this.rows = new CorpusRows(this.leftOut !== null)
    this.duplicates = lineage.givenWay
  }

  resolve(): ResolvedLineage {
    const { lineage, rows, leftOut } = this
    let keyed = 0
    for (const part of lineage.parts) keyed += this.enter(part)
    const claims = new Claims(rows, keyed, leftOut !== null)
    const steps = this.sortOut(claims)
    const known = steps.length === 0 ? new Set<string>() : this.knownThreads(claims)
    const rank = (transcript: number): number => Number(lineage.yielding.has(transcript))
    const { replayed, orphans, duplicates } = withoutReplays(rows, steps, known, rank, this.witness)
    this.duplicates += duplicates
    const totals = resolveTotals(lineage.totals, leftOut)
    this.duplicates += totals.duplicates
    claims.joinNameless(() => this.claimsOf())
    this.keepOrLeave(claims, keyed, totals)
    return {
      entries: { [Symbol.iterator]: () => this.entries(claims, totals) },
      duplicateResponses: this.duplicates,
      repeats: lineage.repeats,
      replayed,
      orphans,
      leftOut: leftOut ?? [],
    }
  }

  private readonly witness = (row: number, reason: LeftOutReason, by: number | null): void => {
    this.leave(row, reason, by === null ? null : this.rows.owned(by))
  }

  private leave(row: number, reason: LeftOutReason, by: OwnedEntry | null): void {
    this.leftOut?.push({ ...this.rows.owned(row), reason, by })
  }

  /** Take in the rows of one ledger, of which some may give way. Returns how many with a key do not. */
  private enter({ entries, transcript, givesWay }: LineagePart): number {
    const bySetting = givesWay === null ? null : new Map<number, GivenWay | null>()
    let keyed = 0
    for (const span of this.rows.enter(entries, transcript)) {
      this.spans.push(span)
      const { words, at: first } = this.rows.find(span.start)
      for (let row = span.start, at = first; row < span.end; row++, at += ROW_WORDS) {
        const given = givesWay === null || bySetting === null ? null : this.givenWay(row, givesWay, bySetting)
        if (given !== null) this.giveWay(row, given)
        else if ((words[at + FLAGS]! & Flag.Keyed) !== 0) keyed++
      }
    }
    return keyed
  }

  private givenWay(
    row: number,
    givesWay: GivesWay,
    bySetting: Map<number, GivenWay | null>,
  ): GivenWay | null {
    const setting = this.rows.word(row, SETTING)
    const known = bySetting.get(setting)
    if (known !== undefined) return known
    const given = givesWay(this.rows.setting(row).session)
    bySetting.set(setting, given)
    return given
  }

  /** Leave an entry out for another transcript. Its place in its thread stays: copies of its history are told by it. */
  private giveWay(row: number, { reason, to }: GivenWay): void {
    if ((this.rows.flags(row) & Flag.Echo) === 0) {
      this.duplicates += this.rows.setting(row).requests
      this.leftOut?.push({ ...this.rows.owned(row), reason, by: null, to })
    }
    this.rows.mark(row, Flag.GivesWay)
  }

  /** Claims for what has a key; what has no place either stays. Returns the steps of threads. */
  private sortOut(claims: Claims): number[] {
    const steps: number[] = []
    this.eachRow((row, words, at) => {
      const flags = words[at + FLAGS]!
      if ((flags & Flag.Keyed) !== 0) {
        if ((flags & Flag.GivesWay) === 0) claims.add(row, words, at)
      } else if ((flags & Flag.Placed) !== 0) steps.push(row)
      else if ((flags & Flag.GivesWay) === 0) words[at + FLAGS] = flags | Flag.Kept
    })
    return steps
  }

  /** Threads of which requests are known by their keys. */
  private knownThreads(claims: Claims): Set<string> {
    const known = new Set<string>()
    for (const claim of this.claimsOf()) {
      const { kind, thread } = this.rows.setting(claims.owner(claim))
      if (kind === 'request' && thread !== null) known.add(thread)
    }
    return known
  }

  /** Of each claim: it is kept, or a total or the main conversation has it. */
  private keepOrLeave(claims: Claims, keyed: number, { covered, covering }: ResolvedTotals): void {
    const repeated = this.repeatedMessages(claims)
    let kept = 0
    this.eachRow((claim, words, at) => {
      if (!isClaim(words[at + FLAGS]!)) return
      const by = covered.by(words, at)
      if (by !== null || (repeated.size > 0 && claims.isSidechain(claim) && repeated.has(words, at))) {
        const total = by === null ? null : (covering[by] ?? null)
        const reason = by === null ? 'side-question' : 'same-process'
        for (const copy of claims.copiesOf(claim)) this.leave(copy, reason, total)
        return
      }
      kept++
      words[at + FLAGS]! |= Flag.Kept
      if (this.leftOut !== null) this.witnessCopies(claims, claim)
    })
    this.duplicates += keyed - kept
  }

  private witnessCopies(claims: Claims, claim: number): void {
    const [owner, values] = [claims.owner(claim), claims.values(claim)]
    for (const copy of claims.copiesOf(claim)) {
      if (copy !== owner && copy !== values) this.witness(copy, 'same-request', values)
    }
  }

  /**
   * Claude's side questions repeat messages of the main conversation, sometimes under another request id: messages of keys that
   * are only in side chains, which are also in a main conversation.
   */
  private repeatedMessages(claims: Claims): IdentityMap {
    const side = new IdentityMap(2)
    const repeated = new IdentityMap(2)
    if (!claims.hasSidechains) return repeated
    for (const claim of this.claimsOf()) {
      const { words, at } = this.rows.find(claim)
      if (claims.isSidechain(claim) && hasMessage(words, at)) side.add(words, at)
    }
    if (side.size === 0) return repeated
    for (const claim of this.claimsOf()) {
      const { words, at } = this.rows.find(claim)
      if (!claims.isSidechain(claim) && hasMessage(words, at) && side.has(words, at)) repeated.add(words, at)
    }
    return repeated
  }

  private eachRow(call: (row: number, words: Uint32Array, at: number) => void): void {
    for (const { start, end } of this.spans) {
      const place = this.rows.find(start)
      let { at } = place
      for (let row = start; row < end; row++, at += ROW_WORDS) call(row, place.words, at)
    }
  }

  private *allRows(): Generator<number, void, undefined> {
    for (const { start, end } of this.spans) for (let row = start; row < end; row++) yield row
  }

  private *claimsOf(): Generator<number, void, undefined> {
    for (const row of this.allRows()) if (isClaim(this.rows.flags(row))) yield row
  }

  private *entries(claims: Claims, { counted }: ResolvedTotals): Generator<OwnedEntry, void, undefined> {
    for (const row of this.allRows()) {
      const flags = this.rows.flags(row)
      if ((flags & Flag.Kept) === 0) continue
      yield (flags & Flag.Keyed) === 0 ? this.rows.owned(row) : claims.resolved(row)
    }
    yield* counted
  }
}
