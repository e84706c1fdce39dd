import type { LedgerEntry, OwnedEntry } from './entry.ts'
import {
  BLOCK_ROWS,
  type EntryRows,
  FIRST_INSTANT,
  Flag,
  FLAGS,
  floatsOf,
  type Odd,
  outputOf,
  readEntry,
  ROW_WORDS,
  SETTING,
  TRANSCRIPT,
} from './entry-row.ts'
import type { Setting } from './settings.ts'

interface CorpusBlock {
  readonly words: Uint32Array
  readonly floats: Float64Array
  readonly settings: readonly Setting[]
  readonly odd: readonly Odd[]
}

/** Rows from `start` to before `end`, as references. */
export interface RowSpan {
  readonly start: number
  readonly end: number
}

/** The rows of many ledgers under one kind of reference, where they lie: nothing is copied. */
export class CorpusRows {
  private readonly blocks: CorpusBlock[] = []
  private readonly numbers = new Map<ArrayBuffer, number>()
  /** Only when it is to be explained: the same row is always the same entry. */
  private readonly read: Map<number, OwnedEntry> | null

  constructor(explained: boolean) {
    this.read = explained ? new Map() : null
  }

  /** Take in a ledger's entries as those of a transcript. What an earlier lineage wrote into them is forgotten. */
  enter({ blocks, settings, odd }: EntryRows, transcript: number): RowSpan[] {
    return blocks.map((words) => {
      for (let at = 0; at < words.length; at += ROW_WORDS) {
        words[at + TRANSCRIPT] = transcript
        words[at + FLAGS]! &= ~Flag.OfLineage
      }
      const start = this.numberOf(words, settings, odd) * BLOCK_ROWS + words.byteOffset / (4 * ROW_WORDS)
      return { start, end: start + words.length / ROW_WORDS }
    })
  }

  find(row: number): { readonly words: Uint32Array; readonly floats: Float64Array; readonly at: number } {
    const { words, floats } = this.blocks[Math.floor(row / BLOCK_ROWS)]!
    return { words, floats, at: (row % BLOCK_ROWS) * ROW_WORDS }
  }

  flags(row: number): number {
    const { words, at } = this.find(row)
    return words[at + FLAGS]!
  }

  mark(row: number, flag: number): void {
    const { words, at } = this.find(row)
    words[at + FLAGS]! |= flag
  }

  word(row: number, word: number): number {
    const { words, at } = this.find(row)
    return words[at + word]!
  }

  setting(row: number): Setting {
    const { words, settings } = this.blocks[Math.floor(row / BLOCK_ROWS)]!
    return settings[words[(row % BLOCK_ROWS) * ROW_WORDS + SETTING]!]!
  }

  /** Earliest time, after all that are known when it is not. */
  firstInstant(row: number): number {
    const { floats, at } = this.find(row)
    const first = floats[(at >> 1) + FIRST_INSTANT]!
    return first === first ? first : Number.MAX_VALUE
  }

  /** Output tokens, -1 when they are not known. */
  output(row: number): number {
    const { words, floats, odd } = this.blocks[Math.floor(row / BLOCK_ROWS)]!
    return outputOf(words, floats, (row % BLOCK_ROWS) * ROW_WORDS, odd)
  }

  entry(row: number): LedgerEntry {
    const { words, floats, settings, odd } = this.blocks[Math.floor(row / BLOCK_ROWS)]!
    return readEntry(words, floats, (row % BLOCK_ROWS) * ROW_WORDS, settings, odd)
  }

  owned(row: number): OwnedEntry {
    const known = this.read?.get(row)
    if (known !== undefined) return known
    const owned = { entry: this.entry(row), transcript: this.word(row, TRANSCRIPT) }
    this.read?.set(row, owned)
    return owned
  }

  private numberOf(
    words: Uint32Array<ArrayBuffer>,
    settings: readonly Setting[],
    odd: readonly Odd[],
  ): number {
    const known = this.numbers.get(words.buffer)
    if (known !== undefined) return known
    const whole = new Uint32Array(words.buffer)
    this.blocks.push({ words: whole, floats: floatsOf(whole), settings, odd })
    this.numbers.set(words.buffer, this.blocks.length - 1)
    return this.blocks.length - 1
  }
}
