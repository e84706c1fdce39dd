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
  const slot = slotOf(bytes, start, length)
  const known = words[slot]
  // Words are clean, so that what is spelled alike needs no look for escapes.
  if (known !== undefined && spells(known, bytes, start, length)) return known
  for (let i = start; i < end; i++) if (bytes[i] === 0x5c || bytes[i]! > 0x7f) return null
  const made = bytes.latin1Slice(start, end)
  words[slot] = made
  return made
}

/** By the length and six of the bytes: what is found is compared whole anyway. */
function slotOf(bytes: Buffer, start: number, length: number): number {
  const middle = start + (length >>> 1)
  const last = start + length - 1
  let hash = length
  hash = Math.imul(hash, 31) + bytes[start]!
  hash = Math.imul(hash, 31) + bytes[middle - 1]!
  hash = Math.imul(hash, 31) + bytes[middle]!
  hash = Math.imul(hash, 31) + bytes[middle + 1]!
  hash = Math.imul(hash, 31) + bytes[last - 1]!
  hash = Math.imul(hash, 31) + bytes[last]!
  return (hash ^ (hash >>> 12)) & (SLOTS - 1)
}

function spells(word: string, bytes: Buffer, start: number, length: number): boolean {
  if (word.length !== length) return false
  for (let i = 0; i < length; i++) if (word.charCodeAt(i) !== bytes[start + i]) return false
  return true
}
