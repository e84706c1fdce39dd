const QUOTE = 0x22
const BACKSLASH = 0x5c

/** A copy of the bytes of a JSON value without the white space between its tokens, everything else as it is spelled. */
export function withoutSpace(json: Uint8Array): Uint8Array {
  const compact = new Uint8Array(json.length)
  let length = 0
  let isInside = false
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]!
    if (isInside) {
      compact[length++] = byte
      if (byte === BACKSLASH) compact[length++] = json[++at]!
      else if (byte === QUOTE) isInside = false
    } else if (byte > 0x20) {
      compact[length++] = byte
      isInside = byte === QUOTE
    }
  }
  return compact.slice(0, length)
}
