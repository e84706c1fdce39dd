// What the host asks of tapes and of memory beside the scan.

import { escapeCode, isHigh, isLow, mask64 } from './bytes'
import { BIT_KEY_ESCAPED, KIND_ARRAY, KIND_OBJECT, NODE_BYTES, RECORD_BYTES } from './layout'

/** Write the pieces of `list` (address, length; address 0: the length in decimal digits) one after the other at `to`; returns the end. */
export function gather(list: u32, count: u32, to: u32): u32 {
  const end = list + (count << 3)
  while (list < end) {
    const from = load<u32>(list)
    const length = load<u32>(list, 4)
    list += 8
    if (from == 0) {
      to = putDecimal(to, length)
      continue
    }
    if (length <= 128) {
      // Copies whole vectors: what is written too much is overwritten by the next piece.
      let done: u32 = 0
      do {
        v128.store(to + done, v128.load(from + done))
        done += 16
      } while (done < length)
    } else {
      memory.copy(to, from, length)
    }
    to += length
  }
  return to
}

/** The first of the records from `record` up to `end` whose object has a key with this hash, or one spelled with escapes; else `end`. */
export function nextWith(record: u32, end: u32, hash: u32): u32 {
  for (; record < end; record += RECORD_BYTES) {
    const root = load<u32>(record, 8) << 2
    if ((load<u32>(root, 12) & 0xf) != KIND_OBJECT) continue
    const behind = load<u32>(root, 8) << 2
    let child = root + NODE_BYTES
    while (child < behind) {
      const meta = load<u32>(child, 12)
      if (meta >> 8 == hash || (meta & BIT_KEY_ESCAPED) != 0) return record
      child = (meta & 0xf) <= KIND_ARRAY ? load<u32>(child, 8) << 2 : child + NODE_BYTES
    }
  }
  return end
}

/** UTF-8 length of the string whose valid JSON spelling is `[start, end)`, quotes left out. */
export function decodedLength(start: u32, end: u32): u32 {
  const slashBytes = i8x16.splat(0x5c)
  const letterU = i8x16.splat(0x75)
  let length = end - start
  let carry: u64 = 0
  let paired: u32 = 0
  for (let p = start; p < end; p += 64) {
    const v0 = v128.load(p)
    const v1 = v128.load(p, 16)
    const v2 = v128.load(p, 32)
    const v3 = v128.load(p, 48)
    const b0 = i8x16.eq(v0, slashBytes)
    const b1 = i8x16.eq(v1, slashBytes)
    const b2 = i8x16.eq(v2, slashBytes)
    const b3 = i8x16.eq(v3, slashBytes)
    if (carry == 0 && !v128.any_true(v128.or(v128.or(b0, b1), v128.or(b2, b3)))) continue
    const slashes = mask64(b0, b1, b2, b3)
    const code = escapeCode(slashes & ~carry)
    let escaped = code ^ (slashes | carry)
    carry = (code & slashes) >> 63
    if (end - p < 64) escaped &= ((<u64>1) << (end - p)) - 1
    length -= <u32>popcnt(escaped)
    let units =
      mask64(i8x16.eq(v0, letterU), i8x16.eq(v1, letterU), i8x16.eq(v2, letterU), i8x16.eq(v3, letterU)) & escaped
    while (units != 0) {
      const at = p + <u32>ctz(units)
      units &= units - 1
      // Five characters are left of the escape: they become one, two or three bytes, and two for half of a pair.
      const digits = load<u32>(at + 1)
      if ((digits & 0xff) == 0x30 && (digits >> 8 & 0xff) < 0x38) {
        // Below 0800, and below 0080.
        length -= (digits >> 8 & 0xff) == 0x30 && (digits >> 16 & 0xff) < 0x38 ? 4 : 3
      } else if (at == paired) length -= 3
      else if (isHigh(digits) && load<u16>(at + 5) == 0x755c && isLow(load<u32>(at + 7))) {
        paired = at + 6
        length -= 3
      } else length -= 2
    }
  }
  return length
}

function putDecimal(to: u32, value: u32): u32 {
  let digits: u32 = 1
  let rest = value
  while (rest >= 10) {
    rest /= 10
    digits++
  }
  const end = to + digits
  let at = end
  do {
    store<u8>(--at, 0x30 + (value % 10))
    value /= 10
  } while (at > to)
  return end
}
