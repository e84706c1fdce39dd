import { Batch, markLones, markSpoils } from './batch'
import { classes, escapeCode, hex4, mask64, prefixXor } from './bytes'

// What the index pass carries from batch to batch.
let documents: bool = false // line feeds are white space
let inString: u64 = 0 // all ones while the next block begins inside a string
let escapeCarry: u64 = 0 // 1 when the next block's first byte is escaped
let scalarCarry: u64 = 0 // 1 when the byte before the next block belongs to a scalar
let pairedLow: u32 = 0 // address of the `u` of a low surrogate whose high half came before it

export function beginIndex(isDocument: bool): void {
  documents = isDocument
  inString = 0
  escapeCarry = 0
  scalarCarry = 0
  pairedLow = 0
}

/** The index pass: append the tokens and marks of the blocks from `Batch.position` to `upTo`, of an input that ends at `end`. */
export function index(upTo: u32, end: u32): void {
  const quoteBytes = i8x16.splat(0x22)
  const slashBytes = i8x16.splat(0x5c)
  const firstPrintable = i8x16.splat(0x20)
  const lowNibble = i8x16.splat(0x0f)
  // Classes by nibbles: 1 comma, 2 colon, 4 brackets, 8 tab LF CR, 16 space.
  const lowTable = i8x16(16, 0, 0, 0, 0, 0, 0, 0, 0, 8, 10, 4, 1, 12, 0, 0)
  const highTable = i8x16(8, 0, 17, 2, 0, 4, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0)
  const zero = i8x16.splat(0)

  let p = Batch.position
  let tokens = Batch.tokenEnd
  let string = inString
  let escapeIn = escapeCarry
  let scalarIn = scalarCarry

  while (p < upTo) {
    const v0 = v128.load(p)
    const v1 = v128.load(p, 16)
    const v2 = v128.load(p, 32)
    const v3 = v128.load(p, 48)
    const q0 = i8x16.eq(v0, quoteBytes)
    const q1 = i8x16.eq(v1, quoteBytes)
    const q2 = i8x16.eq(v2, quoteBytes)
    const q3 = i8x16.eq(v3, quoteBytes)
    const b0 = i8x16.eq(v0, slashBytes)
    const b1 = i8x16.eq(v1, slashBytes)
    const b2 = i8x16.eq(v2, slashBytes)
    const b3 = i8x16.eq(v3, slashBytes)
    const slashAny = v128.or(v128.or(b0, b1), v128.or(b2, b3))
    const quoteAny = v128.or(v128.or(q0, q1), v128.or(q2, q3))
    const controlAny = i8x16.lt_u(i8x16.min_u(i8x16.min_u(v0, v1), i8x16.min_u(v2, v3)), firstPrintable)

    // Plain text inside a string: nothing to see.
    if ((string & (escapeIn ^ 1)) != 0 && !v128.any_true(v128.or(v128.or(slashAny, quoteAny), controlAny))) {
      p += 64
      continue
    }

    let valid: u64 = ~0
    if (end - p < 64) valid = ((<u64>1) << (end - p)) - 1

    const quoteBits: u64 = v128.any_true(quoteAny) ? mask64(q0, q1, q2, q3) : 0
    let slashes: u64 = 0
    let escaped: u64 = escapeIn
    let spoils: u64 = 0
    let lones: u64 = 0
    if (v128.any_true(slashAny)) {
      slashes = mask64(b0, b1, b2, b3)
      // An escape ends a run of backslashes of odd length; the byte behind it is escaped.
      const code = escapeCode(slashes & ~escapeIn)
      escaped = code ^ (slashes | escapeIn)
      escapeIn = (code & slashes) >> 63
    } else {
      escapeIn = 0
    }
    escaped &= valid
    // Nearly all escapes are \" \\ and \n; the others are looked at one by one.
    let unusual = escaped & ~(quoteBits | slashes)
    if (unusual != 0) {
      unusual &= ~mask64(
        i8x16.eq(v0, i8x16.splat(0x6e)),
        i8x16.eq(v1, i8x16.splat(0x6e)),
        i8x16.eq(v2, i8x16.splat(0x6e)),
        i8x16.eq(v3, i8x16.splat(0x6e)),
      )
    }
    if (unusual != 0) {
      let left = unusual
      while (left != 0) {
        const at = p + <u32>ctz(left)
        const bit = left & (0 - left)
        left ^= bit
        const byte: u32 = load<u8>(at)
        if (byte == 0x75) {
          const unit = hex4(at + 1)
          if (unit < 0) spoils |= bit
          else if ((unit & 0xf800) == 0xd800) {
            if (unit < 0xdc00) {
              const low = load<u16>(at + 5) == 0x755c ? hex4(at + 7) : -1
              if (low >= 0xdc00 && low < 0xe000) pairedLow = at + 6
              else lones |= bit
            } else if (at != pairedLow) lones |= bit
          }
        } else if (byte != 0x74 && byte != 0x72 && byte != 0x2f && byte != 0x62 && byte != 0x66) spoils |= bit
      }
    }
    const quotes = quoteBits & ~escaped & valid
    const controls = v128.any_true(controlAny)
      ? mask64(
          i8x16.lt_u(v0, firstPrintable),
          i8x16.lt_u(v1, firstPrintable),
          i8x16.lt_u(v2, firstPrintable),
          i8x16.lt_u(v3, firstPrintable),
        ) & valid
      : 0
    if ((string & (quotes == 0 ? 1 : 0)) != 0 && (controls | spoils | lones) == 0) {
      // Text with escapes inside a string.
      p += 64
      continue
    }
    const inside = prefixXor(quotes) ^ string

    let feeds: u64 = 0
    let restart: u32 = 0
    if (controls != 0) {
      if (!documents) {
        const lineFeeds = i8x16.splat(0x0a)
        feeds =
          mask64(i8x16.eq(v0, lineFeeds), i8x16.eq(v1, lineFeeds), i8x16.eq(v2, lineFeeds), i8x16.eq(v3, lineFeeds)) &
          valid
        const cut = feeds & inside
        if (cut != 0) {
          // A line feed inside a string: this line is damaged and ends here, whatever the quotes say.
          const at = ctz(cut)
          restart = p + <u32>at + 1
          valid &= at == 63 ? ~(<u64>0) : ((<u64>2) << at) - 1
          feeds &= valid
          spoils = (spoils & valid) | ((<u64>1) << at)
          lones &= valid
        }
      }
      spoils |= controls & inside & ~feeds & valid
    }

    const k0 = classes(v0, lowTable, highTable, lowNibble)
    const k1 = classes(v1, lowTable, highTable, lowNibble)
    const k2 = classes(v2, lowTable, highTable, lowNibble)
    const k3 = classes(v3, lowTable, highTable, lowNibble)
    const structuralClass = i8x16.splat(7)
    const structurals = ~mask64(
      i8x16.eq(v128.and(k0, structuralClass), zero),
      i8x16.eq(v128.and(k1, structuralClass), zero),
      i8x16.eq(v128.and(k2, structuralClass), zero),
      i8x16.eq(v128.and(k3, structuralClass), zero),
    )
    const scalars = mask64(i8x16.eq(k0, zero), i8x16.eq(k1, zero), i8x16.eq(k2, zero), i8x16.eq(k3, zero))
    const plain = scalars & ~quotes
    const starts = scalars & ~((plain << 1) | scalarIn)
    scalarIn = plain >> 63
    let bits = (((structurals | starts) & ~(inside ^ quotes)) | feeds) & valid

    if ((spoils | lones) != 0) {
      if (spoils != 0) markSpoils(spoils, bits, p, tokens)
      if (lones != 0) markLones(lones, bits, p, tokens)
    }

    // Eight at a time whether they are there or not: what is too much is overwritten by the next block.
    const count = <u32>popcnt(bits)
    const next = tokens + (count << 2)
    while (true) {
      store<u32>(tokens, p + <u32>ctz(bits))
      bits &= bits - 1
      store<u32>(tokens, p + <u32>ctz(bits), 4)
      bits &= bits - 1
      store<u32>(tokens, p + <u32>ctz(bits), 8)
      bits &= bits - 1
      store<u32>(tokens, p + <u32>ctz(bits), 12)
      bits &= bits - 1
      store<u32>(tokens, p + <u32>ctz(bits), 16)
      bits &= bits - 1
      store<u32>(tokens, p + <u32>ctz(bits), 20)
      bits &= bits - 1
      store<u32>(tokens, p + <u32>ctz(bits), 24)
      bits &= bits - 1
      store<u32>(tokens, p + <u32>ctz(bits), 28)
      bits &= bits - 1
      tokens += 32
      if (tokens >= next) break
    }
    tokens = next

    if (restart != 0) {
      p = restart
      string = 0
      escapeIn = 0
      scalarIn = 0
    } else {
      string = <u64>(<i64>inside >> 63)
      p += 64
    }
  }

  Batch.position = p
  Batch.tokenEnd = tokens
  inString = string
  escapeCarry = escapeIn
  scalarCarry = scalarIn
}
