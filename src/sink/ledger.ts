import type { Billed, Place, Settled } from '../event/billing.ts'
import {
  type LedgerEntry,
  type ProcessTotal,
  type TranscriptLedger,
  requestEntry,
  together,
} from '../usage/entry.ts'
import { remainder, settle } from '../usage/settle.ts'
import { QuietSink } from './quiet.ts'

/**
 * Collects what one transcript bills: each key once, and process totals in place of the requests of their process.
 *
 * Records must come in order: of two equal ones the later counts. Memory grows with the number of requests.
 */
export class LedgerSink extends QuietSink {
  private readonly keyed = new Map<string, LedgerEntry>()
  private readonly keyless: LedgerEntry[] = []
  private readonly totals = new Map<string, Settled>()
  private readonly echoes: Place[] = []
  private repeats = 0

  override billed(billed: Billed): void {
    if (billed.place?.kind === 'echo') {
      this.echoes.push(billed.place)
      return
    }
    const entry = this.entryOf(billed)
    if (entry.key === null) {
      this.keyless.push(entry)
      return
    }
    const known = this.keyed.get(entry.key)
    if (known === undefined) {
      this.keyed.set(entry.key, entry)
      return
    }
    this.repeats++
    const kept = together(known, entry)
    this.keyed.set(entry.key, kept)
    this.displaced(known, entry, kept)
  }

  override settled(total: Settled): void {
    this.totals.set(total.process, total)
  }

  /** The transcript's ledger, once everything was seen. */
  finish(): TranscriptLedger {
    const requests = [...this.keyed.values(), ...this.keyless]
    const { repeats, echoes } = this
    if (this.totals.size === 0) return { entries: requests, totals: [], repeats, echoes }
    const entries: LedgerEntry[] = []
    const ofProcess = new Map<string, LedgerEntry[]>()
    for (const process of this.totals.keys()) ofProcess.set(process, [])
    for (const request of requests) {
      const settledRequests = request.process === null ? undefined : ofProcess.get(request.process)
      ;(settledRequests ?? entries).push(request)
    }
    const totals: ProcessTotal[] = []
    for (const [process, total] of this.totals) {
      const covered = ofProcess.get(process) ?? []
      if (total.models !== null && total.models.length > 0) {
        const settled = settle(total, covered)
        totals.push(settled)
        this.covered(covered, settled)
        continue
      }
      entries.push(...covered)
      const rest = remainder(total, covered)
      if (rest !== null) entries.push(rest)
    }
    return { entries, totals, repeats, echoes }
  }

  // What a trace wants to know (`ledger-trace.ts`).

  protected entryOf(billed: Billed): LedgerEntry {
    return requestEntry(billed)
  }

  /** Of two entries with one key, `kept` was made. */
  protected displaced(_earlier: LedgerEntry, _later: LedgerEntry, _kept: LedgerEntry): void {}

  /** A total took the place of these requests. */
  protected covered(_requests: readonly LedgerEntry[], _total: ProcessTotal): void {}
}
