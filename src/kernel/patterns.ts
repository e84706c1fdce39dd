/** Bytes of a text that a pattern has room for. */
export const LONGEST_TEXT = 40

/** Numbers of one pattern. */
const ROW = 16

/**
 * Short texts as they stand in a transcript, to be compared four bytes at a time, their quotes with them. The last four
 * bytes overlap those before, so that a text takes as many comparisons wherever in memory it lies:
 *
 *     "usage"       |"usa|  |age"|
 *     "type"        |"typ|  |pe"|…  no: |"typ|  |ype"|
 */
export class Patterns {
  private readonly patterns: Int32Array

  /** @param texts of at most 40 bytes, without escapes in JSON */
  constructor(texts: readonly Uint8Array[]) {
    this.patterns = new Int32Array(texts.length * ROW)
    for (const [i, bytes] of texts.entries()) this.patterns.set(patternOf(bytes), i * ROW)
  }

  /** Does the text of this index stand at the address `start`, behind its opening quote? */
  match(data: DataView, start: number, index: number): boolean {
    const { patterns } = this
    const pattern = index * ROW
    if ((data.getInt32(start - 1, true) & patterns[pattern + 1]!) !== patterns[pattern + 2]) return false
    const last = patterns[pattern]!
    if (last >= 0 && data.getInt32(start + last, true) !== patterns[pattern + 3]) return false
    for (let at = 3; at < last; at += 4) {
      if (data.getInt32(start + at, true) !== patterns[pattern + 4 + ((at - 3) >>> 2)]) return false
    }
    return true
  }
}

function patternOf(bytes: Uint8Array): Int32Array {
  if (bytes.length > LONGEST_TEXT) throw new RangeError('a text to be compared is too long')
  const quoted = Buffer.from([0x22, ...bytes, 0x22, 0, 0])
  const size = bytes.length + 2
  const pattern = new Int32Array(ROW)
  pattern[1] = size >= 4 ? -1 : (1 << (8 * size)) - 1
  pattern[2] = quoted.readInt32LE(0) & pattern[1]
  const last = Math.max(0, size - 4)
  pattern[0] = last - 1
  pattern[3] = quoted.readInt32LE(last)
  for (let at = 4; at < last; at += 4) pattern[4 + (at - 4) / 4] = quoted.readInt32LE(at)
  return pattern
}
