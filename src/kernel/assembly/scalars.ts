import { KIND_FALSE, KIND_NULL, KIND_NUMBER, KIND_TRUE } from './layout'

/** A number may exceed a double. Stays until it is forgotten. */
export let numberIsHuge: bool = false

@inline
export function forgetHuge(): void {
  numberIsHuge = false
}

@inline
export function scalarKind(byte: u32): u32 {
  return byte == 0x74 ? KIND_TRUE : byte == 0x66 ? KIND_FALSE : byte == 0x6e ? KIND_NULL : KIND_NUMBER
}

/** End of the literal or number at `at`, 0 when it is none; what stands behind it is not looked at. */
export function scalarEnd(at: u32, byte: u32): u32 {
  let end: u32 = 0
  if (byte == 0x74) {
    if (load<u32>(at) == 0x65757274) end = at + 4
  } else if (byte == 0x66) {
    if (load<u32>(at, 1) == 0x65736c61) end = at + 5
  } else if (byte == 0x6e) {
    if (load<u32>(at) == 0x6c6c756e) end = at + 4
  } else {
    end = numberEnd(at, byte)
  }
  return end
}

/** End of the number at `at`, 0 when it is none (RFC 8259 §6). Notes numbers that may exceed a double. */
@inline
function numberEnd(at: u32, byte: u32): u32 {
  if (byte == 0x2d) byte = load<u8>(++at)
  const first = at
  if (byte == 0x30) {
    at++
    byte = load<u8>(at)
  } else {
    while (byte - 0x30 < 10) byte = load<u8>(++at)
    if (at == first) return 0
  }
  // Most numbers are integers of a few digits.
  if (byte != 0x2e && (byte | 0x20) != 0x65) {
    if (at - first > 300) numberIsHuge = true
    return at
  }
  let magnitude = at - first
  if (byte == 0x2e) {
    const point = ++at
    while (<u32>load<u8>(at) - 0x30 < 10) at++
    if (at == point) return 0
  }
  if ((load<u8>(at) | 0x20) == 0x65) {
    at++
    byte = load<u8>(at)
    const negative = byte == 0x2d
    if (negative || byte == 0x2b) at++
    const power = at
    let exponent: u32 = 0
    while (<u32>load<u8>(at) - 0x30 < 10) {
      if (exponent < 100000) exponent = exponent * 10 + (load<u8>(at) - 0x30)
      at++
    }
    if (at == power) return 0
    if (!negative) magnitude += exponent
  }
  if (magnitude > 300) numberIsHuge = true
  return at
}
