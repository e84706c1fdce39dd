const UNPREPARED = -1
const NO_BYTES = new Uint8Array(0)

/**
 * An object key an adapter asks for: its bytes, and the hash under which the scanner files keys. Both are made at the first
 * use: every thread loads the keys of all dialects, and a run meets few of them.
 */
export class Key {
  readonly name: string
  bytes: Uint8Array = NO_BYTES
  /** 24 bits; -1 until the key is prepared. */
  hash = UNPREPARED

  /** @param name needs no escapes in JSON */
  constructor(name: string) {
    this.name = name
  }

  /** To be called before `bytes` and `hash` are looked at. */
  prepare(): this {
    if (this.hash === UNPREPARED) {
      this.bytes = new TextEncoder().encode(this.name)
      this.hash = keyHash(this.bytes)
    }
    return this
  }
}

/** A key for `RecordView.get`. `name` needs no escapes in JSON. */
export function key(name: string): Key {
  return new Key(name)
}

/** Several keys at once: `keys('type', 'message').message`. */
export function keys<Name extends string>(...names: readonly Name[]): { readonly [N in Name]: Key } {
  const table: Partial<Record<Name, Key>> = {}
  for (const name of names) table[name] = key(name)
  return table as Record<Name, Key>
}

/**
 * The scanner's hash: the first and the last eight bytes and the length, mixed. Long keys that agree
 * there collide, which costs a comparison and nothing else: every match is confirmed by bytes.
 *
 *     (head ^ tail << 1 ^ length) * 0x9e3779b97f4a7c15, of 64 bits the upper 24
 *
 * Worked out in halves of 32 bits, as big integers are slow.
 */
function keyHash(bytes: Uint8Array): number {
  const { length } = bytes
  const tailLow = length > 8 ? word(bytes, length - 8) : 0
  const tailHigh = length > 8 ? word(bytes, length - 4) : 0
  const low = (word(bytes, 0) ^ (tailLow << 1) ^ length) >>> 0
  const high = word(bytes, 4) ^ ((tailHigh << 1) | (tailLow >>> 31))
  // The upper half of low * 0x7f4a7c15, which needs 64 bits: by 16 bits of `low` at a time, each product below 2^53.
  const carried = (low & 0xffff) * 0x7f4a7c15
  const upper = Math.floor((Math.floor(carried / 0x10000) + (low >>> 16) * 0x7f4a7c15) / 0x10000)
  return ((upper + Math.imul(low, 0x9e3779b9) + Math.imul(high, 0x7f4a7c15)) >>> 8) & 0xffffff
}

/** Four bytes from the lowest on; beyond the end there are zeros. */
function word(bytes: Uint8Array, from: number): number {
  return (
    (bytes[from] ?? 0) |
    ((bytes[from + 1] ?? 0) << 8) |
    ((bytes[from + 2] ?? 0) << 16) |
    ((bytes[from + 3] ?? 0) << 24)
  )
}

/** True when the key at `start` (after its opening quote) is `wanted`, quote included. */
export function keyEquals(bytes: Uint8Array, start: number, wanted: Uint8Array): boolean {
  const { length } = wanted
  for (let i = 0; i < length; i++) if (bytes[start + i] !== wanted[i]) return false
  return bytes[start + length] === 0x22
}
