import { BACKSLASH } from './bytes'
import { BIT_KEY_ESCAPED } from './layout'

/** The hash of src/kernel/key.ts (first and last eight bytes and the length, mixed; 24 bits) and whether escapes are in it. */
@inline
export function keyWord(start: u32, length: u32): u32 {
  let head = load<u64>(start)
  let tail: u64 = 0
  if (length < 8) head &= ((<u64>1) << (length << 3)) - 1
  else if (length > 8) tail = load<u64>(start + length - 8)
  let word = <u32>(((head ^ (tail << 1) ^ length) * 0x9e3779b97f4a7c15) >> 40) << 8
  const slashes = i8x16.bitmask(i8x16.eq(v128.load(start), i8x16.splat(0x5c)))
  if (<u32>ctz(slashes | 0x10000) < length) {
    if (length <= 16 || slashes != 0) word |= BIT_KEY_ESCAPED
    else {
      for (let i: u32 = 16; i < length; i++) {
        if (load<u8>(start + i) != BACKSLASH) continue
        word |= BIT_KEY_ESCAPED
        break
      }
    }
  }
  return word
}
