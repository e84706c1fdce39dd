// The scanner: one pass over a run of whole lines that checks every byte of JSON and writes the tape.
//
//   {"a":[1,"x\n"],"b":null}\n
//   ^^  ^^^ ^     ^^^  ^    ^     tokens: structurals, opening quotes, starts of scalars, line feeds
//
// 64 bytes a step: bit masks say where quotes, backslashes, control characters and structurals are, then
// a small grammar machine walks over the set bits. Bytes inside strings cost nothing but the masks. A line feed always
// ends the record: when one turns up inside a string the line was damaged, and scanning starts afresh right behind it.
//
// Node and record layout: src/kernel/layout.ts holds the same numbers for the readers.

const NODE_BYTES: u32 = 20
const RECORD_BYTES: u32 = 24

const KIND_OBJECT: u32 = 1
const KIND_ARRAY: u32 = 2
const KIND_STRING: u32 = 3
const KIND_NUMBER: u32 = 4
const KIND_TRUE: u32 = 5
const KIND_FALSE: u32 = 6
const KIND_NULL: u32 = 7
const BIT_KEY_ESCAPED: u32 = 0x10
const BIT_UNICODE: u32 = 0x20
const BIT_LAST: u32 = 0x40

const FLAG_UNPARSED: u32 = 1
const FLAG_TOO_DEEP: u32 = 2
const FLAG_LONE: u32 = 4
const FLAG_HUGE: u32 = 8
const FLAG_DEEP: u32 = 16
const FLAG_SAME_LINE: u32 = 32
const FLAG_PADDED: u32 = 64

/** Strict readers stop here (design §5.3). */
const DEEP_LEVELS: u32 = 120

const START: u32 = 0 // before the value of a record
const VALUE: u32 = 1 // after a colon
const ARRAY_FIRST: u32 = 2 // after [
const ARRAY_VALUE: u32 = 3 // after a comma in an array
const OBJECT_FIRST: u32 = 4 // after {
const OBJECT_KEY: u32 = 5 // after a comma in an object
const COLON: u32 = 6 // after a key
const OBJECT_NEXT: u32 = 7 // after a value in an object
const ARRAY_NEXT: u32 = 8 // after a value in an array
const DONE: u32 = 9 // after the value of a record
const SKIP: u32 = 10 // damaged: nothing counts before the next line feed

const LF: u32 = 0x0a
const CR: u32 = 0x0d
const QUOTE: u32 = 0x22
const COMMA: u32 = 0x2c
const COLON_BYTE: u32 = 0x3a
const OPEN_ARRAY: u32 = 0x5b
const CLOSE_ARRAY: u32 = 0x5d
const OPEN_OBJECT: u32 = 0x7b
const CLOSE_OBJECT: u32 = 0x7d
const BOM: u32 = 0x00bfbbef

const ODD_BITS: u64 = 0xaaaaaaaaaaaaaaaa

// Facts of the last scan, read by the host.
export let recordCount: u32 = 0
export let lineCount: u32 = 0
export let blankCount: u32 = 0
export let nodeEnd: u32 = 0

// Flags of the record at hand that number checks may set.
let numberIsHuge: bool = false

/**
 * Scan `[start, end)`, whose last byte is a line feed, into nodes at `nodes` and records at `records`.
 * `stack` takes 8 bytes for each level up to `depthLimit` + 2. With `document` line feeds are white space and
 * values follow each other until the end. Lines hold at least two bytes a node and a record, but for `recordsEnd`,
 * past which records on one line are no longer split.
 */
export function scan(
  start: u32,
  end: u32,
  nodes: u32,
  records: u32,
  recordsEnd: u32,
  stack: u32,
  depthLimit: u32,
  document: bool,
): void {
  const quoteBytes = i8x16.splat(0x22)
  const slashBytes = i8x16.splat(0x5c)
  const lineFeeds = i8x16.splat(0x0a)
  const firstPrintable = i8x16.splat(0x20)
  const lowNibble = i8x16.splat(0x0f)
  // Classes by nibbles: 1 comma, 2 colon, 4 brackets, 8 tab LF CR, 16 space.
  const lowTable = i8x16(16, 0, 0, 0, 0, 0, 0, 0, 0, 8, 10, 4, 1, 12, 0, 0)
  const highTable = i8x16(8, 0, 17, 2, 0, 4, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0)
  const structuralClass = i8x16.splat(7)
  const zero = i8x16.splat(0)

  let p = start
  let np = nodes // next free node
  let rp = records // next free record
  let lines: u32 = 0
  let blanks: u32 = 0

  let inString: u64 = 0 // all ones while the block begins inside a string
  let escapeCarry: u64 = 0 // 1 when the block's first byte is escaped
  let scalarCarry: u64 = 0 // 1 when the byte before the block belongs to a scalar
  let escapes: u32 = 0 // escaped bytes before the block
  let unicodes: u32 = 0 // \u escapes before the block
  let pairedLow: u32 = 0 // address of the `u` of a low surrogate whose high half came before it

  let state: u32 = START
  let depth: u32 = 0
  let flags: u32 = 0
  let recordStart = start
  let recordNodes = np
  let pending: u32 = 0 // string node whose end is not known yet
  let pendingEscapes: u32 = 0
  let pendingUnicodes: u32 = 0
  let keyStart: u32 = 0
  let keyEscapes: u32 = 0
  let keyMeta: u32 = 0
  numberIsHuge = false

  while (p < end) {
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
    const c0 = i8x16.lt_u(v0, firstPrintable)
    const c1 = i8x16.lt_u(v1, firstPrintable)
    const c2 = i8x16.lt_u(v2, firstPrintable)
    const c3 = i8x16.lt_u(v3, firstPrintable)
    const slashAny = v128.or(v128.or(b0, b1), v128.or(b2, b3))
    const quoteAny = v128.or(v128.or(q0, q1), v128.or(q2, q3))
    const controlAny = v128.or(v128.or(c0, c1), v128.or(c2, c3))

    // Plain text inside a string: nothing to see.
    if ((inString & (escapeCarry ^ 1)) != 0 && !v128.any_true(v128.or(v128.or(slashAny, quoteAny), controlAny))) {
      p += 64
      continue
    }

    let valid: u64 = ~0
    if (end - p < 64) valid = ((<u64>1) << (end - p)) - 1

    let escaped: u64 = escapeCarry
    let marks: u64 = 0 // bytes that spoil their record
    let lone: u64 = 0 // halves of surrogate pairs
    let unicode: u64 = 0
    if (v128.any_true(slashAny)) {
      const slashes = mask64(b0, b1, b2, b3)
      // An escape ends a run of backslashes of odd length; the byte behind it is escaped.
      const candidates = slashes & ~escapeCarry
      const code = (((candidates << 1) | ODD_BITS) - candidates) ^ ODD_BITS
      escaped = code ^ (slashes | escapeCarry)
      escapeCarry = (code & slashes) >> 63
    } else {
      escapeCarry = 0
    }
    const quotes = mask64(q0, q1, q2, q3) & ~escaped & valid
    let string = prefixXor(quotes) ^ inString
    escaped &= valid
    if (escaped != 0) {
      let left = escaped
      while (left != 0) {
        const at = p + <u32>ctz(left)
        const bit = left & (0 - left)
        left ^= bit
        const byte: u32 = load<u8>(at)
        if (byte == 0x75) {
          unicode |= bit
          const unit = hex4(at + 1)
          if (unit < 0) marks |= bit
          else if ((unit & 0xf800) == 0xd800) {
            if (unit < 0xdc00) {
              const low = load<u16>(at + 5) == 0x755c ? hex4(at + 7) : -1
              if (low >= 0xdc00 && low < 0xe000) pairedLow = at + 6
              else lone |= bit
            } else if (at != pairedLow) lone |= bit
          }
        } else if (!isEscapable(byte)) marks |= bit
      }
    }

    let feeds: u64 = 0
    let restart: u32 = 0
    if (v128.any_true(controlAny)) {
      const controls = mask64(c0, c1, c2, c3) & valid
      if (!document) {
        feeds =
          mask64(i8x16.eq(v0, lineFeeds), i8x16.eq(v1, lineFeeds), i8x16.eq(v2, lineFeeds), i8x16.eq(v3, lineFeeds)) &
          valid
        const cut = feeds & string
        if (cut != 0) {
          // A line feed inside a string: this line is damaged and ends here, whatever the quotes say.
          const at = ctz(cut)
          restart = p + <u32>at + 1
          const upTo = at == 63 ? ~(<u64>0) : ((<u64>2) << at) - 1
          valid &= upTo
          feeds &= upTo
          marks &= upTo
          lone &= upTo
          marks |= (<u64>1) << at
        }
      }
      marks |= controls & string & ~feeds & valid
    }

    let tokens: u64
    if ((inString & string) == ~(<u64>0)) {
      // Inside one string all through.
      tokens = feeds
      scalarCarry = 0
    } else {
      const k0 = classes(v0, lowTable, highTable, lowNibble)
      const k1 = classes(v1, lowTable, highTable, lowNibble)
      const k2 = classes(v2, lowTable, highTable, lowNibble)
      const k3 = classes(v3, lowTable, highTable, lowNibble)
      const structurals = ~mask64(
        i8x16.eq(v128.and(k0, structuralClass), zero),
        i8x16.eq(v128.and(k1, structuralClass), zero),
        i8x16.eq(v128.and(k2, structuralClass), zero),
        i8x16.eq(v128.and(k3, structuralClass), zero),
      )
      const scalars = mask64(i8x16.eq(k0, zero), i8x16.eq(k1, zero), i8x16.eq(k2, zero), i8x16.eq(k3, zero))
      const plain = scalars & ~quotes
      const starts = scalars & ~((plain << 1) | scalarCarry)
      scalarCarry = plain >> 63
      tokens = (((structurals | starts) & ~(string ^ quotes)) | feeds) & valid
    }

    let bits = tokens | marks | lone
    const odd = marks | lone
    while (bits != 0) {
      const bit = bits & (0 - bits)
      bits ^= bit
      if ((odd & bit) != 0) {
        if ((lone & bit) != 0) flags |= FLAG_LONE
        if ((marks & bit) != 0) {
          state = SKIP
          flags |= FLAG_UNPARSED
          pending = 0
        }
        if ((tokens & bit) == 0) continue
      }
      let at = p + <u32>ctz(bit)
      let byte: u32 = load<u8>(at)

      if (byte == LF && !document) {
        lines++
        if (state == DONE) {
          if (pending != 0) {
            closeString(pending, at, escapes + <u32>popcnt(escaped & (bit - 1)) - pendingEscapes, unicodes + <u32>popcnt(unicode & (bit - 1)) != pendingUnicodes)
            pending = 0
          }
        } else if (state == START) {
          // Nothing but white space, NUL bytes and byte order marks.
          blanks++
          recordStart = at + 1
          flags = 0
          continue
        } else {
          flags |= FLAG_UNPARSED
        }
        if (numberIsHuge) {
          flags |= FLAG_HUGE
          numberIsHuge = false
        }
        if ((flags & FLAG_UNPARSED) != 0) np = recordNodes
        putRecord(rp, recordStart, at, (flags & FLAG_UNPARSED) != 0 ? 0 : recordNodes >> 2, flags, lines - 1)
        rp += RECORD_BYTES
        state = START
        depth = 0
        flags = 0
        pending = 0
        recordStart = at + 1
        recordNodes = np
        continue
      }

      // After a value: close its string, then a comma or the end of its container.
      if (state >= OBJECT_NEXT) {
        if (state == SKIP) continue
        if (pending != 0) {
          closeString(pending, at, escapes + <u32>popcnt(escaped & (bit - 1)) - pendingEscapes, unicodes + <u32>popcnt(unicode & (bit - 1)) != pendingUnicodes)
          pending = 0
        }
        if (state == DONE) {
          if ((byte == OPEN_OBJECT || byte == OPEN_ARRAY) && load<u32>(recordNodes, 12) <= KIND_ARRAY && rp + 2 * RECORD_BYTES <= recordsEnd) {
            // `}{`: two records back to back.
            if (numberIsHuge) {
              flags |= FLAG_HUGE
              numberIsHuge = false
            }
            putRecord(rp, recordStart, at, recordNodes >> 2, flags, lines)
            rp += RECORD_BYTES
            flags = FLAG_SAME_LINE
            recordStart = at
            recordNodes = np
            state = START
          } else if (byte == 0 && onlyPadding(at)) {
            flags |= FLAG_PADDED
            continue
          } else {
            state = SKIP
            flags |= FLAG_UNPARSED
            continue
          }
        } else {
          const close: u32 = state == OBJECT_NEXT ? CLOSE_OBJECT : CLOSE_ARRAY
          if (byte == COMMA) {
            state = state == OBJECT_NEXT ? OBJECT_KEY : ARRAY_VALUE
            continue
          }
          if (byte != close) {
            state = SKIP
            flags |= FLAG_UNPARSED
            continue
          }
          // Fall to the end of the container below.
          byte = close
        }
      }

      if (state == COLON) {
        if (byte != COLON_BYTE) {
          state = SKIP
          flags |= FLAG_UNPARSED
          continue
        }
        let keyEnd = at - 1
        while (load<u8>(keyEnd) != QUOTE) keyEnd--
        keyMeta = keyHash(keyStart, keyEnd - keyStart) << 8
        if (escapes + <u32>popcnt(escaped & (bit - 1)) != keyEscapes) keyMeta |= BIT_KEY_ESCAPED
        state = VALUE
        continue
      }

      if (state == OBJECT_FIRST || state == OBJECT_KEY) {
        if (byte == QUOTE) {
          keyStart = at + 1
          keyEscapes = escapes + <u32>popcnt(escaped & (bit - 1))
          state = COLON
          continue
        }
        if (state == OBJECT_KEY || byte != CLOSE_OBJECT) {
          state = SKIP
          flags |= FLAG_UNPARSED
          continue
        }
      }

      if (
        (byte == CLOSE_OBJECT && (state == OBJECT_NEXT || state == OBJECT_FIRST)) ||
        (byte == CLOSE_ARRAY && (state == ARRAY_NEXT || state == ARRAY_FIRST))
      ) {
        const frame = stack + (depth << 3)
        const container = load<u32>(frame)
        store<u32>(container, at + 1, 4)
        store<u32>(container, np >> 2, 8)
        const lastChild = load<u32>(frame, 4)
        if (lastChild != 0) store<u32>(lastChild, load<u32>(lastChild, 12) | BIT_LAST, 12)
        depth--
        if (depth == 0) state = DONE
        else state = (load<u32>(load<u32>(frame - 8), 12) & 15) == KIND_OBJECT ? OBJECT_NEXT : ARRAY_NEXT
        continue
      }

      if (state == START) {
        keyStart = 0
        keyMeta = 0
        // NUL runs and byte order marks around a record do not lose it.
        if (byte == 0 || (byte == 0xef && (load<u32>(at) & 0x00ffffff) == BOM)) {
          flags |= FLAG_PADDED
          let next = at
          while (true) {
            if (load<u8>(next) == 0) next++
            else if ((load<u32>(next) & 0x00ffffff) == BOM) next += 3
            else break
          }
          byte = load<u8>(next)
          // Structurals, white space, and quotes behind them have their own token, unless they touch a scalar.
          if (byte <= 0x20 || isStructural(byte)) continue
          if (byte == QUOTE && next != at && (plainBefore(next) == false)) continue
          at = next
        }
      } else if (state != VALUE && state != ARRAY_VALUE && state != ARRAY_FIRST) {
        state = SKIP
        flags |= FLAG_UNPARSED
        continue
      }

      // A value begins.
      const node = np
      np += NODE_BYTES
      if (depth != 0) store<u32>(stack + (depth << 3), node, 4)
      const inObject = state == VALUE
      store<u32>(node, at)
      store<u32>(node, inObject ? keyStart : 0, 16)
      const meta: u32 = inObject ? keyMeta : 0
      const after: u32 = depth == 0 ? DONE : inObject ? OBJECT_NEXT : ARRAY_NEXT
      if (byte == QUOTE) {
        store<u32>(node, meta | KIND_STRING, 12)
        pending = node
        pendingEscapes = escapes + <u32>popcnt(escaped & (bit - 1))
        pendingUnicodes = unicodes + <u32>popcnt(unicode & (bit - 1))
        state = after
        continue
      }
      if (byte == OPEN_OBJECT || byte == OPEN_ARRAY) {
        depth++
        if (depth > DEEP_LEVELS) {
          flags |= FLAG_DEEP
          if (depth > depthLimit) {
            state = SKIP
            flags |= FLAG_UNPARSED | FLAG_TOO_DEEP
            continue
          }
        }
        const frame = stack + (depth << 3)
        store<u32>(frame, node)
        store<u32>(frame, 0, 4)
        if (byte == OPEN_OBJECT) {
          store<u32>(node, meta | KIND_OBJECT, 12)
          state = OBJECT_FIRST
        } else {
          store<u32>(node, meta | KIND_ARRAY, 12)
          state = ARRAY_FIRST
        }
        continue
      }
      let valueEnd: u32 = 0
      let kind: u32 = KIND_NUMBER
      if (byte == 0x74) {
        kind = KIND_TRUE
        if (load<u32>(at) == 0x65757274) valueEnd = at + 4
      } else if (byte == 0x66) {
        kind = KIND_FALSE
        if (load<u32>(at, 1) == 0x65736c61) valueEnd = at + 5
      } else if (byte == 0x6e) {
        kind = KIND_NULL
        if (load<u32>(at) == 0x6c6c756e) valueEnd = at + 4
      } else {
        valueEnd = numberEnd(at)
      }
      if (valueEnd == 0 || !endsScalar(load<u8>(valueEnd))) {
        state = SKIP
        flags |= FLAG_UNPARSED
        continue
      }
      store<u32>(node, valueEnd, 4)
      store<u32>(node, 0, 8)
      store<u32>(node, meta | kind, 12)
      state = after
    }

    if (restart != 0) {
      p = restart
      inString = 0
      escapeCarry = 0
      scalarCarry = 0
      escapes += 64
      unicodes += 64
      continue
    }
    escapes += <u32>popcnt(escaped)
    unicodes += <u32>popcnt(unicode)
    inString = <u64>(<i64>string >> 63)
    p += 64
  }

  if (document && state != START) {
    if (state != DONE) flags |= FLAG_UNPARSED
    if (pending != 0) closeString(pending, end, escapes - pendingEscapes, unicodes != pendingUnicodes)
    if (numberIsHuge) flags |= FLAG_HUGE
    if ((flags & FLAG_UNPARSED) != 0) np = recordNodes
    putRecord(rp, recordStart, end, (flags & FLAG_UNPARSED) != 0 ? 0 : recordNodes >> 2, flags, 0)
    rp += RECORD_BYTES
  }
  recordCount = (rp - records) / RECORD_BYTES
  lineCount = lines
  blankCount = blanks
  nodeEnd = np
}

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

// @ts-ignore: decorator
@inline
function mask64(a: v128, b: v128, c: v128, d: v128): u64 {
  return (
    <u64>(<u32>i8x16.bitmask(a)) |
    ((<u64>(<u32>i8x16.bitmask(b))) << 16) |
    ((<u64>(<u32>i8x16.bitmask(c))) << 32) |
    ((<u64>(<u32>i8x16.bitmask(d))) << 48)
  )
}

// @ts-ignore: decorator
@inline
function classes(v: v128, low: v128, high: v128, nibble: v128): v128 {
  return v128.and(i8x16.swizzle(low, v128.and(v, nibble)), i8x16.swizzle(high, i8x16.shr_u(v, 4)))
}

// @ts-ignore: decorator
@inline
function prefixXor(bits: u64): u64 {
  bits ^= bits << 1
  bits ^= bits << 2
  bits ^= bits << 4
  bits ^= bits << 8
  bits ^= bits << 16
  bits ^= bits << 32
  return bits
}

/** `"\/bfnrtu`, as bits from 0x40 up and below it. */
// @ts-ignore: decorator
@inline
function isEscapable(byte: u32): bool {
  if (byte - 0x40 < 64) return (((<u64>0x0034404410000000) >> (byte - 0x40)) & 1) != 0
  return byte == QUOTE || byte == 0x2f
}

// @ts-ignore: decorator
@inline
function hexDigit(byte: u32): i32 {
  if (byte - 0x30 < 10) return byte - 0x30
  byte |= 0x20
  return byte - 0x61 < 6 ? byte - 0x57 : -1
}

/** The four hex digits at `at` as a number, negative when one of them is none. */
function hex4(at: u32): i32 {
  const a = hexDigit(load<u8>(at))
  const b = hexDigit(load<u8>(at, 1))
  const c = hexDigit(load<u8>(at, 2))
  const d = hexDigit(load<u8>(at, 3))
  if ((a | b | c | d) < 0) return -1
  return (a << 12) | (b << 8) | (c << 4) | d
}

// @ts-ignore: decorator
@inline
function isStructural(byte: u32): bool {
  const folded = byte | 0x20
  return folded == OPEN_OBJECT || folded == CLOSE_OBJECT || byte == COMMA || byte == COLON_BYTE
}

// @ts-ignore: decorator
@inline
function endsScalar(byte: u32): bool {
  return byte == COMMA || byte == CLOSE_OBJECT || byte == CLOSE_ARRAY || byte == 0x20 || byte == LF || byte == CR || byte == 0x09 || isStructural(byte)
}

/** True when the byte before `at` belongs to a scalar, so that a quote at `at` has no token of its own. */
// @ts-ignore: decorator
@inline
function plainBefore(at: u32): bool {
  const byte: u32 = load<u8>(at - 1)
  return !(byte == 0x20 || byte == LF || byte == CR || byte == 0x09 || isStructural(byte))
}

/** True when NUL bytes and white space are all that is left of the run of bytes at `at`. */
function onlyPadding(at: u32): bool {
  while (load<u8>(at) == 0) at++
  return endsScalar(load<u8>(at))
}

/** End of the number at `at`, 0 when it is none (RFC 8259 §6). Notes numbers that may exceed a double. */
function numberEnd(at: u32): u32 {
  let byte: u32 = load<u8>(at)
  if (byte == 0x2d) byte = load<u8>(++at)
  const first = at
  if (byte == 0x30) {
    at++
  } else {
    while (<u32>load<u8>(at) - 0x30 < 10) at++
    if (at == first) return 0
  }
  let magnitude = at - first
  if (load<u8>(at) == 0x2e) {
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

/** The closing quote of a string is the last byte but white space before the token that follows. */
// @ts-ignore: decorator
@inline
function closeString(node: u32, next: u32, escapeCount: u32, hasUnicode: bool): void {
  let end = next
  while (load<u8>(end - 1) != QUOTE) end--
  store<u32>(node, end, 4)
  store<u32>(node, escapeCount, 8)
  if (hasUnicode) store<u32>(node, load<u32>(node, 12) | BIT_UNICODE, 12)
}

// @ts-ignore: decorator
@inline
function putRecord(to: u32, start: u32, end: u32, root: u32, flags: u32, line: u32): void {
  // CRLF: the carriage return is part of the line end.
  if (end > start && load<u8>(end) == LF && load<u8>(end - 1) == CR) end--
  store<u32>(to, start)
  store<u32>(to, end, 4)
  store<u32>(to, root, 8)
  store<u32>(to, flags, 12)
  store<u32>(to, line, 16)
  store<u32>(to, 0, 20)
}

/** The hash of src/kernel/key.ts: first and last eight bytes and the length, mixed; 24 bits. */
// @ts-ignore: decorator
@inline
function keyHash(start: u32, length: u32): u32 {
  let head = load<u64>(start)
  let tail: u64 = 0
  if (length < 8) head &= ((<u64>1) << (length << 3)) - 1
  else if (length > 8) tail = load<u64>(start + length - 8)
  return <u32>(((head ^ (tail << 1) ^ length) * 0x9e3779b97f4a7c15) >> 40)
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
