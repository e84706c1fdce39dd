import type { Billed, Settled } from '../event/billing.ts'
import type { Usage } from '../event/events.ts'
import type { RecordView } from '../kernel/record.ts'
import type { LedgerEntry, OwnLeftOut, ProcessTotal, TranscriptLedger } from '../usage/entry.ts'
import { settle } from '../usage/settle.ts'
import type { Origin } from '../usage/trace.ts'
import { LedgerSink } from './ledger.ts'
import { textIn } from './words.ts'

const NO_LINES: readonly number[] = []

/**
 * The same ledger, which also remembers on which line each entry was told, and what was left out for what. For explanations:
 * memory grows with the number of records that tell of usage.
 */
export class TracedLedgerSink extends LedgerSink {
  private current: RecordView | null = null
  /** Of the `usage` events of this record that nothing was billed for yet: they come first, in the same order. */
  private told: Origin[] = []
  private readonly left: { entry: LedgerEntry; reason: OwnLeftOut['reason']; by: LedgerEntry | null }[] = []
  /** Where the last total of each process was told, and the total itself. */
  private readonly settledAt = new Map<string, { readonly total: Settled; readonly origin: Origin }>()

  override record(record: RecordView): void {
    this.current = record
    if (this.told.length > 0) this.told = []
  }

  override usage(event: Usage): void {
    this.told.push({
      line: event.line ?? this.line(),
      foldedLines: event.foldedLines ?? NO_LINES,
      requestId: textIn(this.current, event.requestId),
    })
  }

  override settled(total: Settled): void {
    const before = this.settledAt.get(total.process)
    if (before !== undefined) {
      const { entries } = settle(before.total, [])
      for (const entry of entries) {
        this.left.push({ entry: { ...entry, origin: before.origin }, reason: 'earlier-total', by: null })
      }
    }
    this.settledAt.set(total.process, { total, origin: this.here() })
    super.settled(total)
  }

  override finish(): TranscriptLedger {
    const ledger = super.finish()
    const entries = ledger.entries.map((entry) => this.placed(entry))
    const totals = ledger.totals.map((total) => this.placedTotal(total))
    const kept = new Map<string, LedgerEntry>()
    for (const entry of entries) if (entry.key !== null) kept.set(entry.key, entry)
    const ofProcess = new Map<string, LedgerEntry>()
    for (const entry of [...entries, ...totals.flatMap((total) => total.entries)].toReversed()) {
      if (entry.process !== null && entry.scope !== 'request') ofProcess.set(entry.process, entry)
    }
    const leftOut = this.left.map((left): OwnLeftOut => {
      const { key, process } = left.entry
      if (left.reason === 'repeated') return { ...left, by: (key === null ? null : kept.get(key)) ?? left.by }
      return { ...left, by: (process === null ? null : ofProcess.get(process)) ?? null }
    })
    return { ...ledger, entries, totals, leftOut }
  }

  protected override entryOf(billed: Billed): LedgerEntry {
    const entry = super.entryOf(billed)
    const event = this.told.shift() ?? this.here()
    const { told } = billed
    // Lines of a message tell of an advisor what they tell of it last.
    if (told === undefined || billed.key?.includes(':advisor:') === true) return { ...entry, origin: event }
    // Where none was taken as it stands, a record of its own told the final count.
    const line = told.find(({ tokens }) => tokens === billed.tokens)?.line ?? event.line
    const foldedLines = event.foldedLines.filter((folded) => !told.some((one) => one.line === folded))
    const kept = { ...entry, origin: { ...event, line, foldedLines } }
    for (const { line: other, tokens } of told) {
      if (tokens === billed.tokens) continue
      const origin = { ...event, line: other, foldedLines: NO_LINES }
      this.left.push({ entry: { ...entry, tokens, origin }, reason: 'repeated', by: kept })
    }
    return kept
  }

  protected override displaced(earlier: LedgerEntry, later: LedgerEntry, kept: LedgerEntry): void {
    const entry = kept.origin === earlier.origin ? later : earlier
    this.left.push({ entry, reason: 'repeated', by: kept })
  }

  protected override covered(requests: readonly LedgerEntry[], _total: ProcessTotal): void {
    for (const entry of requests) this.left.push({ entry, reason: 'in-process-total', by: null })
  }

  private placedTotal(total: ProcessTotal): ProcessTotal {
    return { ...total, entries: total.entries.map((entry) => this.placed(entry)) }
  }

  /** A total, or what a price exceeds its requests by, was told by the record that settled its process. */
  private placed(entry: LedgerEntry): LedgerEntry {
    if (entry.origin !== undefined) return entry
    const settled = entry.process === null ? undefined : this.settledAt.get(entry.process)
    return settled === undefined ? entry : { ...entry, origin: settled.origin }
  }

  private here(): Origin {
    return { line: this.line(), foldedLines: NO_LINES, requestId: null }
  }

  private line(): number {
    return this.current?.line ?? 1
  }
}
