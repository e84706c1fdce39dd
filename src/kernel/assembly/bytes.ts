// What a byte is, or 64 of them at once.

export const LF: u32 = 0x0a
export const CR: u32 = 0x0d
export const QUOTE: u32 = 0x22
export const COMMA: u32 = 0x2c
export const COLON: u32 = 0x3a
export const BACKSLASH: u32 = 0x5c
export const OPEN_ARRAY: u32 = 0x5b
export const CLOSE_ARRAY: u32 = 0x5d
export const OPEN_OBJECT: u32 = 0x7b
export const CLOSE_OBJECT: u32 = 0x7d
export const BOM: u32 = 0x00bfbbef
const ODD_BITS: u64 = 0xaaaaaaaaaaaaaaaa

@inline
export function mask64(a: v128, b: v128, c: v128, d: v128): u64 {
  return (
    <u64>(<u32>i8x16.bitmask(a)) |
    ((<u64>(<u32>i8x16.bitmask(b))) << 16) |
    ((<u64>(<u32>i8x16.bitmask(c))) << 32) |
    ((<u64>(<u32>i8x16.bitmask(d))) << 48)
  )
}

/**
 * What tells escapes, of the backslashes of a block that are not escaped by the block before (`carry`). A run of them escapes the
 * byte behind it when its length is odd: `result ^ (backslashes | carry)` are the escaped bytes, and the highest bit of
 * `result & backslashes` is the carry into the next block.
 */
@inline
export function escapeCode(candidates: u64): u64 {
  return (((candidates << 1) | ODD_BITS) - candidates) ^ ODD_BITS
}

@inline
export function classes(v: v128, low: v128, high: v128, nibble: v128): v128 {
  return v128.and(i8x16.swizzle(low, v128.and(v, nibble)), i8x16.swizzle(high, i8x16.shr_u(v, 4)))
}

@inline
export function prefixXor(bits: u64): u64 {
  bits ^= bits << 1
  bits ^= bits << 2
  bits ^= bits << 4
  bits ^= bits << 8
  bits ^= bits << 16
  bits ^= bits << 32
  return bits
}

/**
 * The four hex digits at `at` as a number, negative when one of them is none. All four at once: below 0x80 a sum stays in its
 * byte, and its highest bit says whether the byte reached what was added up to.
 */
@inline
export function hex4(at: u32): i32 {
  const four = load<u32>(at)
  const low = four | 0x20202020
  const digits = (four + 0x50505050) & ~(four + 0x46464646)
  const letters = (low + 0x1f1f1f1f) & ~(low + 0x19191919) & 0x80808080
  if (((digits | letters) & 0x80808080) != 0x80808080 || (four & 0x80808080) != 0) return -1
  const nibbles = (four & 0x0f0f0f0f) + (letters >> 7) * 9
  return <i32>(((nibbles & 0xf) << 12) | (nibbles & 0xf00) | ((nibbles >> 12) & 0xf0) | (nibbles >> 24))
}

/** Of the digits of an escape, which are valid: whether they are half of a surrogate pair, the first or the second. */
@inline
export function isHigh(digits: u32): bool {
  return (digits & 0xff | 0x20) == 0x64 && ((digits >> 8 & 0xfe) == 0x38 || ((digits >> 8 & 0xff | 0x20) - 0x61) < 2)
}

@inline
export function isLow(digits: u32): bool {
  return (digits & 0xff | 0x20) == 0x64 && ((digits >> 8 & 0xff | 0x20) - 0x63) < 4
}

@inline
export function isStructural(byte: u32): bool {
  const folded = byte | 0x20
  return folded == OPEN_OBJECT || folded == CLOSE_OBJECT || byte == COMMA || byte == COLON
}

@inline
export function endsScalar(byte: u32): bool {
  return byte == COMMA || byte == CLOSE_OBJECT || byte == CLOSE_ARRAY || byte == LF || byte == 0x20 || byte == CR || byte == 0x09 || byte == COLON || byte == OPEN_OBJECT || byte == OPEN_ARRAY
}

@inline
export function isSpace(byte: u32): bool {
  return byte == 0x20 || byte == LF || byte == CR || byte == 0x09
}

/** Address after the run of NUL bytes and byte order marks at `at`. */
export function paddingEnd(at: u32): u32 {
  while (true) {
    if (load<u8>(at) == 0) at++
    else if ((load<u32>(at) & 0x00ffffff) == BOM) at += 3
    else return at
  }
}

/** True when NUL bytes and byte order marks are all that is left of the run of bytes at `at`. */
export function onlyPadding(at: u32): bool {
  const end = paddingEnd(at)
  return end != at && endsScalar(load<u8>(end))
}

/** The closing quote of a string is the last byte but white space before the token that follows. */
@inline
export function stringEnd(next: u32): u32 {
  while (load<u8>(next - 1) != QUOTE) next--
  return next
}
