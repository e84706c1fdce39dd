/**
 * Keys of requests as 128 bits, which is what the ledger keeps of them: words 0 and 1 are a hash of the message (all keys of
 * one message share them), words 2 and 3 one of the whole key. The lowest bits of word 3 say what kind of key it is.
 *
 * Two different keys are taken for one with odds of n² / 2^127: for ten million requests about 10^-24. Messages are compared
 * by 64 bits, side chains with main conversations: for five million of each about 10^-6 that one request is left
 * out. Whoever writes ids so that they collide could as well write equal ids, so the hash has no secret.
 */
export const IDENTITY_WORDS = 4

/** Has a message: a key of Claude. */
const HAS_MESSAGE = 1
/** A message whose request id is not known. */
const WITHOUT_REQUEST = 2

const MESSAGE_KEY = 'claude:'
const ADVISOR = ':advisor:'
const SEED = 0x9747b28c
const hashed = new Uint32Array(IDENTITY_WORDS)

/** Write the identity of `key` at `into[at…]`. */
export function writeIdentity(into: Uint32Array, at: number, key: string): void {
  const idEnd = key.startsWith(MESSAGE_KEY) ? messageEnd(key) : MESSAGE_KEY.length
  if (idEnd === MESSAGE_KEY.length) {
    hashText(key, 0, key.length, SEED, hashed)
    into[at] = hashed[0]!
    into[at + 1] = hashed[1]!
    into[at + 2] = hashed[2]!
    into[at + 3] = hashed[3]! & ~(HAS_MESSAGE | WITHOUT_REQUEST)
    return
  }
  const advisor = advisorStart(key, idEnd)
  // An advisor's usage is not the message's, so its number is a part of the message here.
  hashText(key, MESSAGE_KEY.length, idEnd, 1 + advisorNumber(key, advisor), hashed)
  into[at] = hashed[0]!
  into[at + 1] = hashed[1]!
  // The other half of the message's hash goes on into that of the request, so that all 128 bits tell messages apart.
  const rest = hashed[3]!
  hashText(key, idEnd, advisor, hashed[2]!, hashed)
  into[at + 2] = hashed[0]!
  const kind = advisor - idEnd > 1 ? HAS_MESSAGE : HAS_MESSAGE | WITHOUT_REQUEST
  into[at + 3] = ((hashed[1]! + rest) & ~(HAS_MESSAGE | WITHOUT_REQUEST)) | kind
}

function messageEnd(key: string): number {
  const end = key.indexOf(':', MESSAGE_KEY.length)
  return end < 0 ? key.length : end
}

/** The key is one of a message of Claude. */
export function hasMessage(words: Uint32Array, at: number): boolean {
  return (words[at + 3]! & HAS_MESSAGE) !== 0
}

/** The key names a message but not its request: captures of older versions. */
export function isWithoutRequest(words: Uint32Array, at: number): boolean {
  return (words[at + 3]! & WITHOUT_REQUEST) !== 0
}

/** Make `sequence`, the identity of what came so far, that of the same with `length` words of `next[at…]` behind it. */
export function chainIdentity(sequence: Uint32Array, next: Uint32Array, at: number, length: number): void {
  let [a, b, c, d] = [sequence[0]!, sequence[1]!, sequence[2]!, sequence[3]!]
  for (let i = 0; i < length; i++) {
    const word = next[at + i]!
    a = mixed(Math.imul(a ^ word, 0x9e3779b1) + d)
    b = mixed(Math.imul(b + word, 0x85ebca77) ^ a)
    c = mixed(Math.imul(c ^ word, 0xc2b2ae3d) + b)
    d = mixed(Math.imul(d + word, 0x27d4eb2f) ^ c)
  }
  sequence[0] = a
  sequence[1] = b
  sequence[2] = c
  sequence[3] = d
}

/** Where `:advisor:<n>` at the end of a key begins, or where the key ends. */
function advisorStart(key: string, from: number): number {
  let digits = key.length
  while (digits > from && isDigit(key.charCodeAt(digits - 1))) digits--
  const start = digits - ADVISOR.length
  return digits < key.length && start >= from && key.startsWith(ADVISOR, start) ? start : key.length
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39
}

function advisorNumber(key: string, start: number): number {
  return start === key.length ? 0 : 1 + Number(key.slice(start + ADVISOR.length))
}

/** 128 bits of `text[start…end)`, after MurmurHash3_x86_128: 16 bytes a step, two UTF-16 units a word. */
export function hashText(text: string, start: number, end: number, seed: number, into: Uint32Array): void {
  let a = seed
  let b = seed
  let c = seed
  let d = seed
  for (let at = start; at < end; at += 8) {
    const whole = at + 8 <= end
    a ^= Math.imul(turned(Math.imul(whole ? two(text, at) : last(text, at, end), 0x239b961b), 15), 0xab0e9789)
    a = (Math.imul(turned(a, 19) + b, 5) + 0x561ccd1b) | 0
    b ^= Math.imul(
      turned(Math.imul(whole ? two(text, at + 2) : last(text, at + 2, end), 0xab0e9789), 16),
      0x38b34ae5,
    )
    b = (Math.imul(turned(b, 17) + c, 5) + 0x0bcaa747) | 0
    c ^= Math.imul(
      turned(Math.imul(whole ? two(text, at + 4) : last(text, at + 4, end), 0x38b34ae5), 17),
      0xa1e38b93,
    )
    c = (Math.imul(turned(c, 15) + d, 5) + 0x96cd1c35) | 0
    d ^= Math.imul(
      turned(Math.imul(whole ? two(text, at + 6) : last(text, at + 6, end), 0xa1e38b93), 18),
      0x239b961b,
    )
    d = (Math.imul(turned(d, 13) + a, 5) + 0x32ac3b17) | 0
  }
  const length = end - start
  a ^= length
  b ^= length
  c ^= length
  d ^= length
  a = (a + b + c + d) | 0
  b = mixed(b + a)
  c = mixed(c + a)
  d = mixed(d + a)
  a = mixed(a)
  a = (a + b + c + d) | 0
  into[0] = a
  into[1] = b + a
  into[2] = c + a
  into[3] = d + a
}

/** Two units as one word. */
function two(text: string, at: number): number {
  return text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16)
}

/** The same near the end; past it there are zeros, which the length tells from units that are zero. */
function last(text: string, at: number, end: number): number {
  if (at + 1 < end) return two(text, at)
  return at < end ? text.charCodeAt(at) : 0
}

function turned(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits))
}

/** Every bit of `word` has a part in every bit of the result. */
function mixed(word: number): number {
  let mix = word ^ (word >>> 16)
  mix = Math.imul(mix, 0x85ebca6b)
  mix ^= mix >>> 13
  mix = Math.imul(mix, 0xc2b2ae35)
  return mix ^ (mix >>> 16)
}
