/** Pairs of hex digits, so that ids are joined from a table instead of formatted. */
const hexPairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/**
 * A small seeded generator (sfc32): the same seed gives the same numbers on every machine.
 *
 * The 128-bit state matters: with 32 bits the sequences of 100,000 files would overlap and
 * give the same message id twice, which would make the facts of a corpus untrue.
 */
export class Random {
  private a = 0
  private b = 0
  private c = 0
  private d = 1

  /** @param seeds any whole numbers, e.g. the seed of the corpus and the number of the file */
  constructor(...seeds: readonly number[]) {
    for (const seed of seeds) {
      this.a = (this.a ^ seed) | 0
      this.b = (this.b + Math.floor(seed / 0x1_0000_0000)) | 0
      for (let i = 0; i < 12; i++) this.next()
    }
  }

  /** The next whole number, 0 to 2^32 - 1. */
  next(): number {
    const sum = (((this.a + this.b) | 0) + this.d) | 0
    this.d = (this.d + 1) | 0
    this.a = this.b ^ (this.b >>> 9)
    this.b = (this.c + (this.c << 3)) | 0
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0
    return sum >>> 0
  }

  /** A fraction in `[0, 1)`. */
  fraction(): number {
    return this.next() / 0x1_0000_0000
  }

  /** A whole number in `[0, limit)`. */
  below(limit: number): number {
    return Math.floor(this.fraction() * limit)
  }

  /** A whole number in `[low, high]`. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1)
  }

  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  /** @throws RangeError when `choices` is empty */
  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.below(choices.length)]
    if (choice === undefined) throw new RangeError('nothing to pick from')
    return choice
  }

  /** A log-normal length around `median`; `spread` 1 puts 1 % above about ten medians. */
  length(median: number, spread: number): number {
    const u = 1 - this.fraction()
    const normal = Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * this.fraction())
    return Math.max(1, Math.round(median * Math.exp(spread * normal)))
  }

  /** Lower-case hex digits. @param digits a multiple of 8 */
  hex(digits: number): string {
    let text = ''
    for (let i = 0; i < digits; i += 8) {
      const n = this.next()
      text += `${hexPairs[n >>> 24]}${hexPairs[(n >>> 16) & 255]}${hexPairs[(n >>> 8) & 255]}${hexPairs[n & 255]}`
    }
    return text
  }

  uuid(): string {
    const h = this.hex(32)
    return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-a${h.slice(17, 20)}-${h.slice(20)}`
  }
}
