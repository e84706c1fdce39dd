import type { Billed, Settled } from '../event/billing.ts'
import type { Usage } from '../event/events.ts'
import type { RecordView } from '../kernel/record.ts'
import { type LedgerEntry, requestEntry } from '../usage/entry.ts'
import type { OwnLeftOut, TranscriptLedger } from '../usage/transcript-ledger.ts'
import { entriesIn } from '../usage/entry-row.ts'
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

  override billed(billed: Billed): void {
    if (billed.place?.kind === 'echo') super.billed(billed)
    else this.take(billed, { key: billed.key, origin: this.originOf(billed) })
  }

  override finish(): TranscriptLedger {
    const ledger = super.finish()
    const kept = new Map<string, LedgerEntry>()
    const ofProcess = new Map<string, LedgerEntry>()
    const made = ledger.totals.flatMap((total) => total.entries).toReversed()
    for (const entry of entriesIn(ledger.entries)) {
      if (entry.key !== null && entry.key !== undefined) kept.set(entry.key, entry)
      if (entry.scope !== 'request') made.push(entry)
    }
    for (const entry of made) if (entry.process !== null) ofProcess.set(entry.process, entry)
    const leftOut = this.left.map((left): OwnLeftOut => {
      const { key = null, process } = left.entry
      if (left.reason === 'repeated') return { ...left, by: (key === null ? null : kept.get(key)) ?? left.by }
      return { ...left, by: (process === null ? null : ofProcess.get(process)) ?? null }
    })
    return { ...ledger, leftOut }
  }

  /** Where a request was told; lines that told other numbers of it are left out for it. */
  private originOf(billed: Billed): Origin {
    const event = this.told.shift() ?? this.here()
    const { told } = billed
    // Lines of a message tell of an advisor what they tell of it last.
    if (told === undefined || billed.key?.includes(':advisor:') === true) return event
    // Where none was taken as it stands, a record of its own told the final count.
    const line = told.find(({ tokens }) => tokens === billed.tokens)?.line ?? event.line
    const foldedLines = event.foldedLines.filter((folded) => !told.some((one) => one.line === folded))
    const kept = { ...event, line, foldedLines }
    const entry = { ...requestEntry(billed), key: billed.key }
    for (const { line: other, tokens } of told) {
      if (tokens === billed.tokens) continue
      const origin = { ...event, line: other, foldedLines: NO_LINES }
      const by = { ...entry, origin: kept }
      this.left.push({ entry: { ...entry, tokens, origin }, reason: 'repeated', by })
    }
    return kept
  }

  protected override displaced(entry: LedgerEntry, by: LedgerEntry): void {
    this.left.push({ entry, reason: 'repeated', by })
  }

  protected override covered(process: string): void {
    for (const entry of this.requestsOf(process)) {
      this.left.push({ entry, reason: 'in-process-total', by: null })
    }
  }

  /** A total, or what a price exceeds its requests by, was told by the record that settled its process. */
  protected override placed(entry: LedgerEntry): LedgerEntry {
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
