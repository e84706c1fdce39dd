import type { Billed, Settled } from '../event/billing.ts'
import { type LedgerEntry, requestEntry } from '../usage/entry.ts'
import type { ProcessTotal, TranscriptLedger } from '../usage/transcript-ledger.ts'
import { FIRST_INSTANT, Flag, FLAGS, outputOf, SETTING } from '../usage/entry-row.ts'
import { EntryStore, type Trace } from '../usage/entry-store.ts'
import { IDENTITY_WORDS, writeIdentity } from '../usage/identity.ts'
import { KeyIndex } from '../usage/key-index.ts'
import { settle, statedPrices } from '../usage/settle.ts'
import { QuietSink } from './quiet.ts'

/**
 * Collects what one transcript bills: each key once, and process totals in place of the requests of their process.
 *
 * Records must come in order: of two equal ones the later counts. Memory grows with the number of requests.
 */
export class LedgerSink extends QuietSink {
  override readonly takesBills = true
  private readonly store = new EntryStore()
  private readonly index = new KeyIndex(this.store)
  private readonly totals = new Map<string, Settled>()
  private readonly identity = new Uint32Array(IDENTITY_WORDS)
  private repeats = 0

  override billed(billed: Billed): void {
    this.take(billed, null)
  }

  override settled(total: Settled): void {
    this.totals.set(total.process, total)
  }

  /** The transcript's ledger, once everything was seen. */
  finish(): TranscriptLedger {
    const { repeats, store } = this
    if (this.totals.size === 0) return { entries: store.finish(), totals: [], repeats }
    const made: LedgerEntry[] = []
    const totals: ProcessTotal[] = []
    const settled = new Set<string>()
    for (const [process, total] of this.totals) {
      if (total.models === null || total.models.length === 0) {
        made.push(...statedPrices(total, this.requestsOf(process)))
        continue
      }
      totals.push(settle(total, this.requestsOf(process), this.identitiesOf(process)))
      this.covered(process)
      settled.add(process)
    }
    if (settled.size > 0) this.leaveOut(settled)
    for (const entry of made) store.addMade(this.placed(entry))
    return { entries: store.finish(), totals: totals.map((total) => this.placedTotal(total)), repeats }
  }

  /** Add what was billed; `trace` is kept with it. */
  protected take(billed: Billed, trace: Trace | null): void {
    if (billed.key === null || billed.place?.kind === 'echo') {
      this.store.add(billed, null, trace)
      return
    }
    const { store, identity } = this
    writeIdentity(identity, 0, billed.key)
    const next = store.next()
    const known = this.index.findOrPut(identity, 0, next)
    if (known === next) {
      store.add(billed, identity, trace)
      return
    }
    this.repeats++
    this.join(known, billed, trace)
  }

  /**
   * Which of two records of a request has the numbers: the one with the largest output, whole; on a tie one that is final, else
   * the later. Whether the request became final, was a side chain and when it began is known from both.
   */
  private join(row: number, later: Billed, trace: Trace | null): void {
    const { store, identity } = this
    const { words, floats, at } = store.find(row)
    const flags = words[at + FLAGS]!
    const first = floats[(at >> 1) + FIRST_INSTANT]!
    const output = outputOf(words, floats, at, store.odd)
    const more = output - (later.tokens.output ?? -1)
    const isEarlier = more === 0 ? (flags & Flag.Final) !== 0 && !later.final : more > 0
    let left: LedgerEntry | null = null
    if (trace !== null) left = isEarlier ? { ...requestEntry(later), ...trace } : store.read(row)
    if (isEarlier) {
      if (later.final) words[at + FLAGS]! |= Flag.Final
      if (!later.sidechain) words[at + FLAGS]! &= ~Flag.Sidechain
      store.begin(row, later.at)
    } else {
      store.write(row, later, identity, trace)
      if ((flags & Flag.Final) !== 0) words[at + FLAGS]! |= Flag.Final
      if ((flags & Flag.Sidechain) === 0) words[at + FLAGS]! &= ~Flag.Sidechain
      if (!(floats[(at >> 1) + FIRST_INSTANT]! < first) && first === first)
        floats[(at >> 1) + FIRST_INSTANT] = first
    }
    if (left !== null) this.displaced(left, store.read(row))
  }

  /** Requests of a process, whoever asks walks the rows again: a list could be as long as the ledger. */
  private *rowsOf(process: string): Generator<number, void, undefined> {
    const { store } = this
    const isOf = store.settings.all.map(
      (setting) => setting.process === process && setting.scope === 'request',
    )
    for (const row of store.rows()) {
      const { words, at } = store.find(row)
      if (isOf[words[at + SETTING]!] === true && (words[at + FLAGS]! & Flag.Echo) === 0) yield row
    }
  }

  protected *requestsOf(process: string): Generator<LedgerEntry, void, undefined> {
    for (const row of this.rowsOf(process)) yield this.store.read(row)
  }

  private identitiesOf(process: string): Uint32Array {
    let size = 0
    for (const _ of this.rowsOf(process)) size += IDENTITY_WORDS
    const keys = new Uint32Array(size)
    let end = 0
    for (const row of this.rowsOf(process)) {
      const { words, at } = this.store.find(row)
      if ((words[at + FLAGS]! & Flag.Keyed) === 0) continue
      keys.set(words.subarray(at, at + IDENTITY_WORDS), end)
      end += IDENTITY_WORDS
    }
    return end === size ? keys : keys.slice(0, end)
  }

  private leaveOut(processes: ReadonlySet<string>): void {
    const { settings } = this.store
    const isOut = settings.all.map(({ process }) => process !== null && processes.has(process))
    this.store.keep(
      (words, at) => isOut[words[at + SETTING]!] !== true || (words[at + FLAGS]! & Flag.Echo) !== 0,
    )
  }

  // What a trace wants to know (`ledger-trace.ts`).

  /** Of two records of one request, `left` does not count. */
  protected displaced(_left: LedgerEntry, _kept: LedgerEntry): void {}

  /** A total took the place of these requests. */
  protected covered(_process: string): void {}

  /** An entry that was made from what a total says. */
  protected placed(entry: LedgerEntry): LedgerEntry {
    return entry
  }

  private placedTotal(total: ProcessTotal): ProcessTotal {
    return { ...total, entries: total.entries.map((entry) => this.placed(entry)) }
  }
}
