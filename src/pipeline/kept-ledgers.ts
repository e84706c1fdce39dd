import { BLOCK_ROWS, type EntryRows, type Odd, ROW_WORDS } from '../usage/entry-row.ts'
import { EntryStore } from '../usage/entry-store.ts'
import type { Setting } from '../usage/settings.ts'
import type { TranscriptLedger } from '../usage/transcript-ledger.ts'
import { SharedValues } from './shared-values.ts'

/** Models, tiers and the like that are kept once. */
const MOST_WORDS = 10_000
/** The count of a ledger that is none. */
const NONE = -1

/**
 * The ledgers of a run, their entries in one store: one by one they would take several times the room. Of most ledgers there
 * is no more to keep than where their entries lie.
 */
export class KeptLedgers {
  private readonly store = new EntryStore(BLOCK_ROWS)
  private readonly words = new SharedValues<string>(MOST_WORDS)
  private readonly buffers: ArrayBuffer[] = []
  private readonly numbers = new Map<ArrayBuffer, number>()
  /** By number of a ledger: its first row, as the number of a buffer times `BLOCK_ROWS` and the row in it; how many rows. */
  private readonly starts: number[] = []
  private readonly counts: number[] = []
  /** Records that repeated a key. */
  private readonly repeats: number[] = []
  /** By number: ledgers that are more than entries which lie in one piece. */
  private readonly others = new Map<number, TranscriptLedger>()

  /** Keep a ledger under the next number, counted from 0. Its rows are taken over or copied. */
  add(ledger: TranscriptLedger | null): void {
    if (ledger === null) {
      this.put(0, NONE, 0)
      return
    }
    const { blocks, settings, odd } = ledger.entries
    const entries = this.store.adopt({ blocks, settings: settings.map(this.sharing), odd })
    const [words] = entries.blocks
    if (entries.blocks.length > 1 || ledger.totals.length > 0 || ledger.leftOut !== undefined) {
      this.others.set(this.counts.length, { ...ledger, entries })
      this.put(0, 0, 0)
    } else if (words === undefined) this.put(0, 0, ledger.repeats)
    else {
      const row = words.byteOffset / words.BYTES_PER_ELEMENT / ROW_WORDS
      this.put(this.numberOf(words.buffer) * BLOCK_ROWS + row, words.length / ROW_WORDS, ledger.repeats)
    }
  }

  /** The ledger of a number; null when there was none. */
  at(number: number): TranscriptLedger | null {
    const count = this.counts[number] ?? NONE
    if (count === NONE) return null
    const other = this.others.get(number)
    if (other !== undefined) return other
    const rows = new KeptRows(this.store, this.buffers, this.starts[number] ?? 0, count)
    return { entries: rows, totals: NO_TOTALS, repeats: this.repeats[number] ?? 0 }
  }

  private put(start: number, count: number, repeats: number): void {
    this.starts.push(start)
    this.counts.push(count)
    this.repeats.push(repeats)
  }

  private numberOf(buffer: ArrayBuffer): number {
    const known = this.numbers.get(buffer)
    if (known !== undefined) return known
    this.numbers.set(buffer, this.buffers.length)
    return this.buffers.push(buffer) - 1
  }

  /** A setting that came out of a thread has strings of its own, and a shape that takes twice the room. */
  private readonly sharing = (setting: Setting): Setting => {
    const { process, session, model, serviceTier, speed, geo, scope, requests, thread, parent, kind } =
      setting
    const own = (name: string | null): string | null => (name === session ? session : name)
    return {
      process: own(process),
      session,
      model: this.shared(model),
      serviceTier: this.shared(serviceTier),
      speed: this.shared(speed),
      geo: this.shared(geo),
      scope,
      requests,
      thread: own(thread),
      parent: own(parent),
      kind,
    }
  }

  private shared(word: string | null): string | null {
    return word === null ? null : this.words.get(this.words.put(word, word))
  }
}

const NO_TOTALS: readonly never[] = []

/** Rows where they lie: all ledgers of a corpus may be looked at together, and the view of each would be larger than this. */
class KeptRows implements EntryRows {
  readonly settings: readonly Setting[]
  readonly odd: readonly Odd[]
  private readonly buffers: readonly ArrayBuffer[]
  private readonly start: number
  private readonly count: number

  constructor(store: EntryStore, buffers: readonly ArrayBuffer[], start: number, count: number) {
    this.settings = store.settings.all
    this.odd = store.odd
    this.buffers = buffers
    this.start = start
    this.count = count
  }

  get blocks(): readonly Uint32Array<ArrayBuffer>[] {
    const buffer = this.buffers[Math.floor(this.start / BLOCK_ROWS)]
    if (buffer === undefined || this.count === 0) return []
    const first = (this.start % BLOCK_ROWS) * ROW_WORDS
    return [new Uint32Array(buffer, first * Uint32Array.BYTES_PER_ELEMENT, this.count * ROW_WORDS)]
  }
}
