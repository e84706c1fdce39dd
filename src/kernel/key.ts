/** An object key an adapter asks for: its bytes, and the hash under which the scanner files keys. */
export interface Key {
  readonly name: string
  readonly bytes: Uint8Array
  /** 24 bits. */
  readonly hash: number
}

/** Prepare a key for `RecordView.get`. Done once, at load time. `name` needs no escapes in JSON. */
export function key(name: string): Key {
  const bytes = new TextEncoder().encode(name)
  return { name, bytes, hash: keyHash(bytes) }
}

/** Prepare several keys at once: `keys('type', 'message').message`. */
export function keys<Name extends string>(...names: readonly Name[]): { readonly [N in Name]: Key } {
  const table: Partial<Record<Name, Key>> = {}
  for (const name of names) table[name] = key(name)
  return table as Record<Name, Key>
}

/**
 * The scanner's hash: the first and the last eight bytes and the length, mixed. Long keys that agree
 * there collide, which costs a comparison and nothing else: every match is confirmed by bytes.
 */
function keyHash(bytes: Uint8Array): number {
  const word = (from: number): bigint => {
    let value = 0n
    for (let i = 0; i < 8; i++) value |= BigInt(bytes[from + i] ?? 0) << BigInt(8 * i)
    return value
  }
  const head = word(0)
  const tail = bytes.length > 8 ? word(bytes.length - 8) : 0n
  const mixed = BigInt.asUintN(64, (head ^ (tail << 1n) ^ BigInt(bytes.length)) * 0x9e3779b97f4a7c15n)
  return Number(mixed >> 40n)
}

/** True when the key at `start` (after its opening quote) is `key`, quote included. */
export function keyEquals(bytes: Uint8Array, start: number, wanted: Key): boolean {
  const length = wanted.bytes.length
  for (let i = 0; i < length; i++) if (bytes[start + i] !== wanted.bytes[i]) return false
  return bytes[start + length] === 0x22
}
