import { LINE_FEED } from '../line-feeds.ts'
import type { FramedInput } from './input.ts'
import { feedLineAt, skipBlanks, SPACE } from './lines.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = 0x7b
const CLOSE = 0x7d
const TAB = 0x09

const STDOUT = Buffer.from('{"stream":"stdout","line":"')
const STDERR = Buffer.from('{"stream":"stderr"')

/** What a letter behind a backslash stands for; 0 for those that stand for nothing. */
const ESCAPES = escapes()

/**
 * Lines of a capture, `{"stream","line"}`: where the line is JSON of a harness, it takes the place of the object around it,
 * decoded. It is never longer than it was. Lines of stderr, blank lines and other text stay as they are.
 */
export function unframeCapture({ bytes, from, to, ended, limit }: FramedInput): number {
  let at = from
  while (at < to) {
    const [end, next] = feedLineAt(bytes, at, to, ended)
    if (next < 0) return at
    if (end - at <= limit) unframeLine(bytes, at, end)
    at = next
  }
  return at
}

function unframeLine(bytes: Buffer, start: number, end: number): void {
  if (beginsWith(bytes, start, end, STDERR)) return
  const value = start + STDOUT.length
  if (beginsWith(bytes, start, end, STDOUT) && bytes[skipBlanks(bytes, value, end)] === OPEN) {
    const quote = closingQuote(bytes, value, end)
    if (quote < 0) return
    const close = skipBlanks(bytes, quote + 1, end)
    if (bytes[close] === CLOSE && skipBlanks(bytes, close + 1, end) === end) {
      bytes.fill(SPACE, decode(bytes, value, quote, start), end)
      return
    }
  }
  slowly(bytes, start, end)
}

/** The fields of a line of a capture, null when it is none. */
export function readCapture(line: string): { readonly stream: string; readonly line: string } | null {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value !== 'object' || value === null || !('stream' in value) || !('line' in value)) return null
    const { stream, line: inner } = value
    if ((stream !== 'stdout' && stream !== 'stderr') || typeof inner !== 'string') return null
    return { stream, line: inner }
  } catch {
    return null
  }
}

/** Keys in another order, white space between, fields besides, or a line that may or may not be JSON. */
function slowly(bytes: Buffer, start: number, end: number): void {
  const read = readCapture(bytes.utf8Slice(start, end))
  if (read === null || read.stream !== 'stdout') return
  const { line } = read
  if (!line.trimStart().startsWith('{') && !isJson(line)) return
  // Half a surrogate pair has no bytes of its own: as a line it would be longer than its escape.
  const inner = Buffer.from(line.replaceAll('\n', '\t'))
  if (inner.length > end - start) return
  inner.copy(bytes, start)
  bytes.fill(SPACE, start + inner.length, end)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function beginsWith(bytes: Buffer, start: number, end: number, prefix: Buffer): boolean {
  const after = start + prefix.length
  return after <= end && bytes.compare(prefix, 0, prefix.length, start, after) === 0
}

/** Address of the quote that ends the string; -1 when it does not end or holds what no JSON string holds. */
function closingQuote(bytes: Buffer, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0
    if (byte === QUOTE) return at
    if (byte < SPACE) return -1
    if (byte !== BACKSLASH) continue
    const letter = bytes[++at] ?? 0
    if (letter === 0x75) {
      if (unit(bytes, at + 1) < 0) return -1
      at += 4
    } else if (ESCAPES[letter] === 0) {
      return -1
    }
  }
  return -1
}

/** Write the characters that the escaped string `[from, quote)` spells from `to` on, which is before it. Returns their end. */
function decode(bytes: Buffer, from: number, quote: number, to: number): number {
  let at = from
  let out = to
  while (at < quote) {
    const byte = bytes[at]!
    if (byte !== BACKSLASH) {
      bytes[out++] = byte
      at++
      continue
    }
    const letter = bytes[at + 1]!
    if (letter !== 0x75) {
      const made = ESCAPES[letter]!
      // A line feed would end the record; a tab is as good between tokens, and as bad inside a string.
      bytes[out++] = made === LINE_FEED ? TAB : made
      at += 2
      continue
    }
    const high = unit(bytes, at + 2)
    const low =
      isHigh(high) && bytes[at + 6] === BACKSLASH && bytes[at + 7] === 0x75 ? unit(bytes, at + 8) : -1
    if (low >= 0xdc00 && low <= 0xdfff) {
      out += bytes.utf8Write(String.fromCharCode(high, low), out)
      at += 12
    } else if (high >= 0xd800 && high <= 0xdfff) {
      // Half a surrogate pair: the escape stays, and is seen to as such by whoever writes it.
      bytes.copyWithin(out, at, at + 6)
      out += 6
      at += 6
    } else {
      out += bytes.utf8Write(high === LINE_FEED ? '\t' : String.fromCharCode(high), out)
      at += 6
    }
  }
  return out
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

/** Four hex digits as a number, -1 when they are none. */
function unit(bytes: Buffer, at: number): number {
  let value = 0
  for (let i = 0; i < 4; i++) {
    const byte = bytes[at + i] ?? 0
    const lower = byte | 0x20
    const digit =
      byte >= 0x30 && byte <= 0x39 ? byte - 0x30 : lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
    if (digit < 0) return -1
    value = value * 16 + digit
  }
  return value
}

function escapes(): Uint8Array {
  const table = new Uint8Array(256)
  for (const [letter, byte] of Object.entries({
    '"': 0x22,
    '\\': 0x5c,
    '/': 0x2f,
    b: 8,
    f: 12,
    n: 10,
    r: 13,
    t: 9,
  })) {
    table[letter.charCodeAt(0)] = byte
  }
  return table
}
