import { IDENTITY_WORDS } from './identity.ts'

/** The set is made larger when it is three quarters full. */
const MOST_FULL = 0.75
const FIRST_SLOTS = 64
const NONE = 0xffff_ffff

/**
 * A set of identities (`identity.ts`), or of their first words, each with a number. Open addressing in typed arrays: 20
 * bytes a slot and no objects.
 */
export class IdentityMap {
  /** Identities that were put in. */
  size = 0
  private readonly width: number
  private words: Uint32Array
  private values: Uint32Array
  private slots = FIRST_SLOTS

  /** @param width words that count: 4, or 2 for the message alone */
  constructor(width: 2 | typeof IDENTITY_WORDS = IDENTITY_WORDS) {
    this.width = width
    this.words = new Uint32Array(FIRST_SLOTS * width)
    this.values = new Uint32Array(FIRST_SLOTS).fill(NONE)
  }

  /** The number of the identity at `from[at]`, null when it is not here. */
  get(from: Uint32Array, at: number): number | null {
    const value = this.values[this.slotOf(from, at)]!
    return value === NONE ? null : value
  }

  has(from: Uint32Array, at: number): boolean {
    return this.values[this.slotOf(from, at)] !== NONE
  }

  /** Put it in with `value`, which is below 2^32 - 1, if it is not here. Returns whether it was put in. */
  add(from: Uint32Array, at: number, value = 0): boolean {
    if (this.size >= this.slots * MOST_FULL) this.grow()
    const slot = this.slotOf(from, at)
    if (this.values[slot] !== NONE) return false
    for (let i = 0; i < this.width; i++) this.words[slot * this.width + i] = from[at + i]!
    this.values[slot] = value
    this.size++
    return true
  }

  /** Where it is, or would be put. */
  private slotOf(from: Uint32Array, at: number): number {
    const { words, values, width } = this
    const mask = this.slots - 1
    for (let slot = from[at]! & mask; ; slot = (slot + 1) & mask) {
      if (values[slot] === NONE) return slot
      let i = 0
      while (i < width && words[slot * width + i] === from[at + i]) i++
      if (i === width) return slot
    }
  }

  private grow(): void {
    const { words, values, slots, width } = this
    this.slots = 2 * slots
    this.words = new Uint32Array(this.slots * width)
    this.values = new Uint32Array(this.slots).fill(NONE)
    this.size = 0
    for (let slot = 0; slot < slots; slot++) {
      if (values[slot] !== NONE) this.add(words, slot * width, values[slot])
    }
  }
}
