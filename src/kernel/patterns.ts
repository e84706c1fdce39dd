/** Bytes of a text that a pattern has room for. */
export const LONGEST_TEXT = 40

/** Words of a pattern that are kept for one way a text can lie. */
const PATTERN_WORDS = 24

/**
 * Short texts as they stand in a transcript, to be compared four bytes at a time. A text and its closing quote touch words
 * in one of four ways, by where in a word it begins:
 *
 *     |"typ|e"..|    |.."t|ype"|    …    each a list of masks and of what is below them
 */
export class Patterns {
  private readonly patterns: Int32Array

  /** @param texts of at most 40 bytes, without escapes in JSON */
  constructor(texts: readonly Uint8Array[]) {
    this.patterns = new Int32Array(texts.length * 4 * PATTERN_WORDS)
    for (const [i, bytes] of texts.entries()) {
      for (let lies = 0; lies < 4; lies++) {
        this.patterns.set(patternOf(bytes, lies), (i * 4 + lies) * PATTERN_WORDS)
      }
    }
  }

  /** Does the text of this index stand at the address `start`, behind its opening quote? */
  match(words: Uint32Array, start: number, index: number): boolean {
    const { patterns } = this
    let pattern = (index * 4 + (start & 3)) * PATTERN_WORDS
    const last = pattern + patterns[pattern]!
    for (let at = start >>> 2; pattern < last; at++, pattern += 2) {
      if ((words[at]! & patterns[pattern + 1]!) !== patterns[pattern + 2]) return false
    }
    return true
  }
}

/**
 * What a text and its closing quote look like in the four-byte words they touch, when the text begins at byte `lies` of
 * the first: twice the number of words, then mask and value of each.
 */
function patternOf(bytes: Uint8Array, lies: number): Int32Array {
  const length = bytes.length + 1
  const count = Math.ceil((lies + length) / 4)
  if (bytes.length > LONGEST_TEXT) throw new RangeError('a text to be compared is too long')
  const masks = new Uint8Array(count * 4)
  const values = new Uint8Array(count * 4)
  masks.fill(0xff, lies, lies + length)
  values.set(bytes, lies)
  values[lies + bytes.length] = 0x22
  const [mask, value] = [new DataView(masks.buffer), new DataView(values.buffer)]
  const pattern = new Int32Array(1 + count * 2)
  pattern[0] = count * 2
  for (let i = 0; i < count; i++) {
    pattern[1 + 2 * i] = mask.getInt32(4 * i, true)
    pattern[2 + 2 * i] = value.getInt32(4 * i, true)
  }
  return pattern
}
