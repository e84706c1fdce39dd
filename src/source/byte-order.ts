const FIRST_SURROGATE = 0xd800
const LAST_SURROGATE = 0xdfff

/** Compare two strings by their UTF-8 bytes: the order of paths everywhere. Negative, zero or positive. */
export function byteOrder(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

/** Surrogates stand for code points above all others, but below U+E000 as code units. */
function rank(unit: number): number {
  return unit >= FIRST_SURROGATE && unit <= LAST_SURROGATE ? unit + 0x10000 : unit
}
