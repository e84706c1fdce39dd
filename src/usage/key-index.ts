import { IDENTITY_WORDS } from './identity.ts'

const FIRST_SLOTS = 32
/** The table is made larger when it is this full. */
const MOST_FULL = 0.75
const EMPTY = 0xffff_ffff

/** Where rows are. */
export interface RowPlaces {
  /** Words of the block that a row lies in, and the word at which it begins; its identity comes first. */
  find(row: number): { readonly words: Uint32Array; readonly at: number }
}

/** Finds rows by their identity: 4 bytes a slot, open addressing, the identities themselves stay in the rows. */
export class KeyIndex {
  private readonly places: RowPlaces
  private slots: Uint32Array
  private size = 0

  /** @param expected keys to have room for */
  constructor(places: RowPlaces, expected = 0) {
    this.places = places
    let slots = FIRST_SLOTS
    while (slots * MOST_FULL < expected) slots *= 2
    this.slots = new Uint32Array(slots).fill(EMPTY)
  }

  /**
   * The row with the identity at `words[at]`. Where there is none, `row` is put in and returned; its words must hold the identity
   * before the next call.
   */
  findOrPut(words: Uint32Array, at: number, row: number): number {
    if (this.size >= this.slots.length * MOST_FULL) this.grow()
    const slot = this.slotOf(words, at)
    const known = this.slots[slot]!
    if (known !== EMPTY) return known
    this.slots[slot] = row
    this.size++
    return row
  }

  private slotOf(words: Uint32Array, at: number): number {
    const { slots } = this
    const mask = slots.length - 1
    for (let slot = words[at]! & mask; ; slot = (slot + 1) & mask) {
      const row = slots[slot]!
      if (row === EMPTY || this.isSame(row, words, at)) return slot
    }
  }

  private isSame(row: number, words: Uint32Array, at: number): boolean {
    const known = this.places.find(row)
    for (let i = 0; i < IDENTITY_WORDS; i++) if (known.words[known.at + i] !== words[at + i]) return false
    return true
  }

  private grow(): void {
    const { slots } = this
    this.slots = new Uint32Array(2 * slots.length).fill(EMPTY)
    const mask = this.slots.length - 1
    for (const row of slots) {
      if (row === EMPTY) continue
      const { words, at } = this.places.find(row)
      // All identities differ, so only a free slot is wanted.
      let slot = words[at]! & mask
      while (this.slots[slot] !== EMPTY) slot = (slot + 1) & mask
      this.slots[slot] = row
    }
  }
}
