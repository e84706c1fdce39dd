/** Slots of the table; a power of two. A word that finds its slot taken replaces what is there. */
const SLOTS = 4096
const LONGEST = 64

const words: (string | undefined)[] = new Array<string | undefined>(SLOTS)

/**
 * The string spelled by `bytes[start, end)`. Short ASCII strings seen before are handed out again instead of
 * being made anew, so that comparing and counting them costs no memory. Null for long strings, those with escapes and
 * those beyond ASCII, whose bytes are not their units.
 */
export function wordOf(bytes: Buffer, start: number, end: number): string | null {
  const length = end - start
  if (length === 0) return ''
  if (length > LONGEST) return null
  let hash = length
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!
    if (byte === 0x5c || byte > 0x7f) return null
    hash = (Math.imul(hash, 31) + byte) | 0
  }
  const slot = (hash ^ (hash >>> 12)) & (SLOTS - 1)
  const known = words[slot]
  if (known !== undefined && spells(known, bytes, start, length)) return known
  const made = bytes.latin1Slice(start, end)
  words[slot] = made
  return made
}

function spells(word: string, bytes: Buffer, start: number, length: number): boolean {
  if (word.length !== length) return false
  for (let i = 0; i < length; i++) if (word.charCodeAt(i) !== bytes[start + i]) return false
  return true
}
