import type { Billed } from '../event/billing.ts'
import type { LedgerEntry } from './entry.ts'
import {
  BLOCK_ROWS,
  type EntryRows,
  FIRST_INSTANT,
  Flag,
  FLAGS,
  floatsOf,
  INSTANT,
  type Odd,
  oddIndex,
  readEntry,
  ROW_WORDS,
  SETTING,
  writeCounts,
  writeOdd,
} from './entry-row.ts'
import { hashText, IDENTITY_WORDS } from './identity.ts'
import { instantOf } from './instant.ts'
import { Settings } from './settings.ts'
import type { Origin } from './trace.ts'

const FIRST_ROWS = 16
/** Rows of another store that are taken over as they lie, without being copied. */
const ADOPTED_ROWS = BLOCK_ROWS / 4
const COUNTERS_SEED = 0x2545f491
/** Used and forgotten within a call. */
const step = new Uint32Array(IDENTITY_WORDS)

/**
 * Memory that a finished store leaves to the next one of this thread: fresh memory costs more than all that is written into it.
 * Whoever takes it writes every word that is read.
 */
let spare: Uint32Array<ArrayBuffer> | null = null

export interface Block {
  words: Uint32Array<ArrayBuffer>
  floats: Float64Array<ArrayBuffer>
  rows: number
}

/** What a traced entry has beside its figures. */
export interface Trace {
  readonly key: string | null
  readonly origin: Origin
}

/**
 * Entries of ledgers in blocks of typed arrays, about 90 bytes each, however many there are: no objects for the collector to
 * walk, and nothing is copied when there are more.
 */
export class EntryStore {
  readonly blocks: Block[] = []
  readonly settings = new Settings()
  readonly odd: Odd[] = []
  /** Number of the block that takes new rows; -1 when there is none yet. */
  private tail = -1
  private readonly firstRows: number

  /** @param firstRows rows to have room for at first; the whole block for a store that adopts */
  constructor(firstRows: number = FIRST_ROWS) {
    this.firstRows = firstRows
  }

  /** Add what was billed, or what is no more than a step of its thread. Returns its reference. */
  add(billed: Billed, identity: Uint32Array | null, trace: Trace | null): number {
    const row = this.reserve()
    this.write(row, billed, identity, trace)
    return row
  }

  /** Put another record of the same request into a row; the earliest time stays. */
  write(row: number, billed: Billed, identity: Uint32Array | null, trace: Trace | null): void {
    const { words, floats, at } = this.find(row)
    const instant = instantOf(billed.at) ?? Number.NaN
    this.fill(words, floats, at, billed, this.settings.of(billed), trace)
    floats[(at >> 1) + INSTANT] = instant
    floats[(at >> 1) + FIRST_INSTANT] = instant
    const { place } = billed
    if (place !== undefined)
      words[at + FLAGS]! |= place.kind === 'echo' ? Flag.Placed | Flag.Echo : Flag.Placed
    if (identity !== null) {
      words[at + FLAGS]! |= Flag.Keyed
      words.set(identity, at)
    } else if (place !== undefined) {
      this.writeStep(words, at, place.step, place.counters)
    } else words.fill(0, at, at + IDENTITY_WORDS)
  }

  /** The reference that the next added row will have. */
  next(): number {
    const tail = this.blocks[this.tail]
    if (tail === undefined || tail.rows === BLOCK_ROWS) return this.blocks.length * BLOCK_ROWS
    return this.tail * BLOCK_ROWS + tail.rows
  }

  /** Another record of the request says that it began at this time, or earlier. */
  begin(row: number, iso: string | null): void {
    const { floats, at } = this.find(row)
    const first = (at >> 1) + FIRST_INSTANT
    const instant = instantOf(iso) ?? Number.NaN
    // A comparison with an unknown time is false.
    if (!(floats[first]! <= instant) && instant === instant) floats[first] = instant
  }

  /** Leave out rows, in place. References change. Only for a store that adopted nothing. */
  keep(isKept: (words: Uint32Array, at: number) => boolean): void {
    let into = 0
    for (const row of this.rows()) {
      const { words, at } = this.find(row)
      if (!isKept(words, at)) continue
      const target = this.find(into)
      if (into !== row) target.words.set(words.subarray(at, at + ROW_WORDS), target.at)
      into++
    }
    this.tail = Math.floor(into / BLOCK_ROWS)
    this.blocks.length = Math.min(this.blocks.length, this.tail + 1)
    const last = this.blocks[this.tail]
    if (last === undefined) this.tail = this.blocks.length - 1
    else last.rows = into % BLOCK_ROWS
  }

  /** Add an entry that is no request of a transcript but was made from what it says. */
  addMade(entry: LedgerEntry): void {
    const { words, floats, at } = this.find(this.reserve())
    const { process, session, model, serviceTier, speed, geo, scope, requests } = entry
    const place = { thread: null, parent: null, kind: null }
    const setting = { process, session, model, serviceTier, speed, geo, scope, requests, ...place }
    const trace = entry.origin === undefined ? null : { key: null, origin: entry.origin }
    this.fill(words, floats, at, entry, this.settings.add(setting), trace)
    floats[(at >> 1) + INSTANT] = entry.instant ?? Number.NaN
    floats[(at >> 1) + FIRST_INSTANT] = entry.firstInstant ?? Number.NaN
    words.fill(0, at, at + IDENTITY_WORDS)
  }

  /** Words and doubles of the block that a row lies in, and the word at which it begins. */
  find(row: number): { readonly words: Uint32Array; readonly floats: Float64Array; readonly at: number } {
    const { words, floats } = this.blocks[(row / BLOCK_ROWS) | 0]!
    return { words, floats, at: (row % BLOCK_ROWS) * ROW_WORDS }
  }

  read(row: number): LedgerEntry {
    const { words, floats, at } = this.find(row)
    return readEntry(words, floats, at, this.settings.all, this.odd)
  }

  /** All rows, in the order they were added. */
  *rows(): Generator<number, void, undefined> {
    for (const [i, block] of this.blocks.entries()) {
      for (let row = 0; row < block.rows; row++) yield i * BLOCK_ROWS + row
    }
  }

  /** What is in here, as plain data with no room left over. The store must not be used afterwards. */
  finish(): EntryRows {
    const blocks: Uint32Array<ArrayBuffer>[] = []
    for (const { words, rows } of this.blocks) {
      if (rows * ROW_WORDS === words.length) {
        blocks.push(words)
        continue
      }
      if (rows > 0) blocks.push(words.slice(0, rows * ROW_WORDS))
      if (spare === null || spare.length < words.length) spare = words
    }
    return { blocks, settings: this.settings.all, odd: this.odd }
  }

  /** Take over all entries of another store, and return where they are in this one. Large blocks are not copied. */
  adopt(from: EntryRows): EntryRows {
    const settings = this.settings.all.length
    const odd = this.odd.length
    for (const setting of from.settings) this.settings.add(setting)
    for (const one of from.odd) this.odd.push(one)
    const blocks = from.blocks.flatMap((words) =>
      words.length < ADOPTED_ROWS * ROW_WORDS ? this.copied(words) : [this.takenOver(words)],
    )
    for (const words of blocks) shift(words, settings, odd)
    return { blocks, settings: this.settings.all, odd: this.odd }
  }

  /** Copies of rows at the end of this store. */
  private copied(words: Uint32Array): Uint32Array<ArrayBuffer>[] {
    const parts: Uint32Array<ArrayBuffer>[] = []
    for (let done = 0; done < words.length;) {
      const tail = this.tailBlock()
      const start = tail.rows * ROW_WORDS
      const fits = Math.min(words.length - done, tail.words.length - start)
      tail.words.set(words.subarray(done, done + fits), start)
      tail.rows += fits / ROW_WORDS
      parts.push(tail.words.subarray(start, start + fits))
      done += fits
    }
    return parts
  }

  private takenOver(words: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
    this.blocks.push({ words, floats: floatsOf(words), rows: words.length / ROW_WORDS })
    return words
  }

  private fill(
    words: Uint32Array,
    floats: Float64Array,
    at: number,
    counts: Pick<Billed, 'tokens' | 'webSearches' | 'reportedPicoUsd' | 'final' | 'sidechain'>,
    setting: number,
    trace: Trace | null,
  ): void {
    words[at + SETTING] = setting
    if (writeCounts(words, floats, at, counts) && trace === null) return
    const { tokens, webSearches, reportedPicoUsd } = counts
    writeOdd(words, floats, at, this.odd.length)
    this.odd.push({
      tokens,
      webSearches,
      reportedPicoUsd,
      key: trace?.key ?? null,
      origin: trace?.origin ?? null,
    })
  }

  /** Equal counters are compared by 96 bits of hash, and only where a parent is declared. */
  private writeStep(words: Uint32Array, at: number, number: number | null, counters: string | null): void {
    if (counters === null) step.fill(0)
    else hashText(counters, 0, counters.length, COUNTERS_SEED, step)
    step[0] = number ?? 0
    words.set(step, at)
  }

  private reserve(): number {
    const { rows } = this.tailBlock()
    this.blocks[this.tail]!.rows++
    return this.tail * BLOCK_ROWS + rows
  }

  /** A block that has room. The first one grows, as most transcripts are short. */
  private tailBlock(): Block {
    const tail = this.blocks[this.tail]
    if (tail !== undefined && tail.rows * ROW_WORDS < tail.words.length) return tail
    if (tail === undefined || tail.rows === BLOCK_ROWS) {
      const made = this.tail < 0 ? firstBlock(this.firstRows) : blockOf(BLOCK_ROWS)
      this.tail = this.blocks.length
      this.blocks.push(made)
      return made
    }
    const words = new Uint32Array(Math.min(BLOCK_ROWS, 4 * tail.rows) * ROW_WORDS)
    words.set(tail.words)
    tail.words = words
    tail.floats = floatsOf(words)
    return tail
  }
}

function firstBlock(rows: number): Block {
  if (spare === null || rows > FIRST_ROWS) return blockOf(rows)
  const words = spare
  spare = null
  return { words, floats: floatsOf(words), rows: 0 }
}

function blockOf(rows: number): Block {
  const words = new Uint32Array(rows * ROW_WORDS)
  return { words, floats: floatsOf(words), rows: 0 }
}

/** Let rows that came from elsewhere refer to the settings and odd ones of where they are now. */
function shift(words: Uint32Array<ArrayBuffer>, settings: number, odd: number): void {
  if (settings === 0 && odd === 0) return
  const floats = floatsOf(words)
  for (let at = 0; at < words.length; at += ROW_WORDS) {
    words[at + SETTING]! += settings
    const index = odd === 0 ? undefined : oddIndex(words, floats, at)
    if (index !== undefined) writeOdd(words, floats, at, index + odd)
  }
}
