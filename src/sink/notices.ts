/** Something odd that was dealt with, and how often. Plain data. */
export interface Notice {
  readonly code: string
  /** 1-based line of the first time; null when it is about the transcript as a whole. */
  readonly line: number | null
  readonly count: number
  readonly message: string
}

/** Codes one transcript may bring; further ones are counted together. */
const MOST_CODES = 200
const OTHER = 'other-notices'

/** Collects what adapters and readers have to say about one transcript: each code once, with its first line and a count. */
export class Notices {
  private readonly byCode = new Map<string, Notice>()

  add(code: string, line: number | null, message: string): void {
    const known = this.byCode.get(code)
    if (known !== undefined) {
      this.byCode.set(code, { ...known, count: known.count + 1 })
    } else if (this.byCode.size < MOST_CODES || code === OTHER) {
      this.byCode.set(code, { code, line, count: 1, message })
    } else {
      this.add(OTHER, line, 'more kinds of notices than are kept')
    }
  }

  /** In the order in which they first came. */
  list(): Notice[] {
    return [...this.byCode.values()]
  }
}
