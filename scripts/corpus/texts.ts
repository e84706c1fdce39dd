import { Random } from './random.ts'

/** Texts as they stand inside a JSON string: escaped, UTF-8, with the places where they may be cut. */
interface Pool {
  readonly bytes: Buffer
  /** Ascending offsets into `bytes` at which no escape and no character is split. */
  readonly cuts: Uint32Array
  /** For each cut, the UTF-8 length of what comes before it once the escapes are undone. */
  readonly plainBytes: Uint32Array
}

/** A piece of a pool: `[start, end)` of `bytes`, ready to be put between two quotes. */
export interface TextSpan {
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
  /** UTF-8 length of the text that the span spells. */
  readonly plainBytes: number
}

/** Where every text of a corpus comes from. Built once; each text is a copy of a slice. */
export interface Texts {
  /** About `length` escaped bytes of prose; about 30 % of the calls give non-ASCII text. */
  prose(random: Random, length: number): TextSpan
  /** About `length` escaped bytes that look like program text; ASCII with many escapes, or 30 % non-ASCII. */
  code(random: Random, length: number): TextSpan
  /** About `length` escaped bytes of short ASCII words without any escape. */
  plain(random: Random, length: number): TextSpan
}

const poolBytes = 1_200_000
const nonAsciiShare = 0.3

const plainWords =
  'water wheel gate stone grain sluice mill pond flow spill weir chute hopper meal sack dust beam gear shaft paddle race'
const proseWords =
  'I will now read the failing test and then change one thing at a time because the parser loses its last line when a chunk ends there so we keep what is left over until more bytes come ok done next check'
const codeWords =
  'const let return function import export from async await if (line) { } [] => === + 1 0 42 null undefined buffer.length parse(chunk) out.push(x) // note'
const codeEscapes = [
  '\\n',
  '\\n  ',
  '\\n    ',
  '\\t',
  '\\"name\\"',
  '\\\\',
  'C:\\\\mill\\\\src',
  '\\/',
  '\\r\\n',
  "'x'",
  '\\"\\"',
]
const proseEscapes = ['\\n', '\\n\\n', '\\"so\\"', '- ', '`mill`', '**', '\\n1. ']
const foreign = [
  'Mühle',
  'größer',
  'naïve',
  'déjà',
  'żaden',
  'мельница',
  'вода',
  '水車',
  '粉挽き',
  '방앗간',
  'مطحنة',
  '→',
  '✓',
  '…',
  '“ja”',
  '–',
  '😀',
  '🌾🚿',
  '\\u00e9t\\u00e9',
  '\\ud83d\\ude00',
  '\\u2028',
  '\u2028',
  '\\u0000',
  '\\u0007',
  '\\u001b[31m',
  '\\u001f',
  '\\b',
  '\\f',
  '\u00a0',
  '\\u00E9',
  'e\u0301',
  '\u200d',
  '\u007f',
]

/** Build the pools. The same for every corpus, so that only the choice of slices depends on the seed. */
export function openTexts(): Texts {
  const random = new Random(0x6d696c6c)
  const plain = buildPool(random, plainWords.split(' '), [])
  const prose = buildPool(random, proseWords.split(' '), proseEscapes)
  const code = buildPool(random, codeWords.split(' '), codeEscapes)
  const foreignProse = buildPool(random, [...proseWords.split(' '), ...foreign], proseEscapes)
  const foreignCode = buildPool(random, [...codeWords.split(' '), ...foreign], codeEscapes)
  return {
    prose: (r, length) => sliceOf(r.chance(nonAsciiShare) ? foreignProse : prose, r, length),
    code: (r, length) => sliceOf(r.chance(nonAsciiShare) ? foreignCode : code, r, length),
    plain: (r, length) => sliceOf(plain, r, length),
  }
}

function buildPool(random: Random, words: readonly string[], escapes: readonly string[]): Pool {
  const tokens = [...words.map((word) => `${word} `), ...escapes]
  const sizes = tokens.map((token) => ({
    token,
    bytes: Buffer.byteLength(token),
    plain: Buffer.byteLength(JSON.parse(`"${token}"`) as string),
  }))
  const parts: string[] = []
  const cuts: number[] = [0]
  const plainBytes: number[] = [0]
  let end = 0
  let plainEnd = 0
  while (end < poolBytes) {
    const { token, bytes, plain } = random.pick(sizes)
    parts.push(token)
    end += bytes
    plainEnd += plain
    cuts.push(end)
    plainBytes.push(plainEnd)
  }
  return {
    bytes: Buffer.from(parts.join('')),
    cuts: Uint32Array.from(cuts),
    plainBytes: Uint32Array.from(plainBytes),
  }
}

function sliceOf(pool: Pool, random: Random, length: number): TextSpan {
  const { bytes, cuts, plainBytes } = pool
  const wanted = Math.min(length, bytes.length)
  const first = cutAt(cuts, random.below(bytes.length - wanted + 1))
  const last = Math.max(first, cutAt(cuts, cuts[first]! + wanted))
  return { bytes, start: cuts[first]!, end: cuts[last]!, plainBytes: plainBytes[last]! - plainBytes[first]! }
}

/** Index of the last cut at or before `offset`. */
function cutAt(cuts: Uint32Array, offset: number): number {
  let low = 0
  let high = cuts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (cuts[middle]! <= offset) low = middle
    else high = middle - 1
  }
  return low
}
