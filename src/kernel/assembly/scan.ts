// The scanner: checks every byte of a run of whole lines as JSON and writes the tape.
//
//   {"a":[1,"x\n"],"b":null}\n
//   ^^  ^^^ ^     ^^^  ^    ^     tokens: structurals, opening quotes, starts of scalars, line feeds
//
// Two passes take turns over batches of 32 KiB, so that what they hand over stays in the nearest cache. The index pass
// looks at 64 bytes a step: bit masks say where quotes, backslashes, control characters and structurals are, and
// the addresses of the tokens come out. The tape pass walks over the tokens, checks the grammar and writes nodes. Text inside
// strings costs nothing but the masks.
//
// A line feed always ends a record. When one turns up inside a string the line was damaged: it gets a mark, and
// the index pass starts afresh right behind it.

import {
  BOM,
  classes,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  CR,
  endsScalar,
  hex4,
  isSpace,
  isStructural,
  LF,
  mask64,
  ODD_BITS,
  onlyPadding,
  OPEN_ARRAY,
  OPEN_OBJECT,
  paddingEnd,
  prefixXor,
  QUOTE,
  stringEnd,
} from './bytes'
import { keyWord } from './key'
import {
  BIT_LAST,
  FLAG_DEEP,
  FLAG_HUGE,
  FLAG_LONE,
  FLAG_PADDED,
  FLAG_SAME_LINE,
  FLAG_TOO_DEEP,
  FLAG_UNPARSED,
  KIND_ARRAY,
  KIND_FALSE,
  KIND_NULL,
  KIND_NUMBER,
  KIND_OBJECT,
  KIND_STRING,
  KIND_TRUE,
  NODE_BYTES,
  RECORD_BYTES,
} from './layout'

export { decodedLength, gather, nextWith } from './readers'

const BATCH_BYTES: u32 = 32768
/**
 * Bytes of each of the three lists of a batch. A batch may run over by 63 bytes, three tokens may be left of the one before,
 * and tokens are stored eight at a time.
 */
const LIST_BYTES: u32 = 4 * BATCH_BYTES + 1024

/** Strict readers stop here (design §5.3). */
const DEEP_LEVELS: u32 = 120

const START: u32 = 0 // before the value of a record
const OBJECT_FIRST: u32 = 1 // after {
const OBJECT_KEY: u32 = 2 // after a comma in an object
const OBJECT_NEXT: u32 = 3 // after a value in an object
const ARRAY_FIRST: u32 = 4 // after [
const ARRAY_VALUE: u32 = 5 // after a comma in an array
const ARRAY_NEXT: u32 = 6 // after a value in an array
const DONE: u32 = 7 // after the value of a record
const SKIP: u32 = 8 // damaged: nothing counts before the next line feed

const NEVER: u32 = 0xffffffff

// Facts of the last scan, read by the host.
export let recordCount: u32 = 0
export let lineCount: u32 = 0
export let blankCount: u32 = 0

// What the index pass carries from batch to batch.
let inString: u64 = 0 // all ones while the next block begins inside a string
let escapeCarry: u64 = 0 // 1 when the next block's first byte is escaped
let scalarCarry: u64 = 0 // 1 when the byte before the next block belongs to a scalar
let pairedLow: u32 = 0 // address of the `u` of a low surrogate whose high half came before it
let position: u32 = 0

// Tokens of the batch, and marks: bytes that spoil their record, halves of surrogate pairs. Of several marks between two
// tokens one is kept, so that there are never more of them than tokens. Each list of marks is ascending; what stands before
// `spoilNext` and `loneNext` has been taken.
let tokensAt: u32 = 0
let tokenEnd: u32 = 0
let spoilsAt: u32 = 0
let spoilNext: u32 = 0
let spoilEnd: u32 = 0
let lonesAt: u32 = 0
let loneNext: u32 = 0
let loneEnd: u32 = 0
let spoilToken: u32 = 0
let loneToken: u32 = 0

// What the tape pass carries from batch to batch.
let state: u32 = START
let depth: u32 = 0
let flags: u32 = 0
let nodeNext: u32 = 0
let recordNext: u32 = 0
let recordLimit: u32 = 0
let recordStart: u32 = 0
let recordNodes: u32 = 0
let frames: u32 = 0
let levels: u32 = 0
let isDocument: bool = false
let numberIsHuge: bool = false

/** Bytes that `scan` needs at `work`. */
export const WORK_BYTES: u32 = 3 * LIST_BYTES

/**
 * Scan `[start, end)`, whose last byte is a line feed, into nodes at `nodes` and records at `records`.
 * `stack` takes 8 bytes for each level up to `depthLimit` + 2, `work` takes `WORK_BYTES`. With `document` line feeds are
 * white space and values follow each other until the end. Lines hold at least two bytes a node and a record, but for
 * `recordsEnd`, past which records on one line are no longer split.
 */
export function scan(
  start: u32,
  end: u32,
  nodes: u32,
  records: u32,
  recordsEnd: u32,
  stack: u32,
  work: u32,
  depthLimit: u32,
  document: bool,
): void {
  inString = 0
  escapeCarry = 0
  scalarCarry = 0
  pairedLow = 0
  position = start
  tokensAt = work
  spoilsAt = tokensAt + LIST_BYTES
  lonesAt = spoilsAt + LIST_BYTES
  tokenEnd = tokensAt
  spoilNext = spoilsAt
  spoilEnd = spoilsAt
  loneNext = lonesAt
  loneEnd = lonesAt
  spoilToken = NEVER
  loneToken = NEVER
  state = START
  depth = 0
  flags = 0
  nodeNext = nodes
  recordNext = records
  recordLimit = recordsEnd
  recordStart = start
  recordNodes = nodes
  frames = stack
  levels = depthLimit
  isDocument = document
  numberIsHuge = false
  lineCount = 0
  blankCount = 0
  while (position < end) {
    index(end - position > BATCH_BYTES ? position + BATCH_BYTES : end, end)
    build(position >= end, end)
  }
  if (document && state != START) {
    if (state != DONE) flags |= FLAG_UNPARSED
    endRecord(end, 0)
  }
  recordCount = (recordNext - records) / RECORD_BYTES
}

/** The index pass: append the tokens and marks of the blocks from `position` to `upTo`, of an input that ends at `end`. */
function index(upTo: u32, end: u32): void {
  const quoteBytes = i8x16.splat(0x22)
  const slashBytes = i8x16.splat(0x5c)
  const firstPrintable = i8x16.splat(0x20)
  const lowNibble = i8x16.splat(0x0f)
  // Classes by nibbles: 1 comma, 2 colon, 4 brackets, 8 tab LF CR, 16 space.
  const lowTable = i8x16(16, 0, 0, 0, 0, 0, 0, 0, 0, 8, 10, 4, 1, 12, 0, 0)
  const highTable = i8x16(8, 0, 17, 2, 0, 4, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0)
  const zero = i8x16.splat(0)

  let p = position
  let tokens = tokenEnd
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
      const candidates = slashes & ~escapeIn
      const code = (((candidates << 1) | ODD_BITS) - candidates) ^ ODD_BITS
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
      if (!isDocument) {
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

  position = p
  tokenEnd = tokens
  inString = string
  escapeCarry = escapeIn
  scalarCarry = scalarIn
}

function markSpoils(marks: u64, bits: u64, p: u32, tokens: u32): void {
  while (marks != 0) {
    const bit = marks & (0 - marks)
    marks ^= bit
    const token = tokens + ((<u32>popcnt(bits & (bit - 1))) << 2)
    if (token == spoilToken) continue
    spoilToken = token
    store<u32>(spoilEnd, p + <u32>ctz(bit))
    spoilEnd += 4
  }
}

function markLones(marks: u64, bits: u64, p: u32, tokens: u32): void {
  while (marks != 0) {
    const bit = marks & (0 - marks)
    marks ^= bit
    const token = tokens + ((<u32>popcnt(bits & (bit - 1))) << 2)
    if (token == loneToken) continue
    loneToken = token
    store<u32>(loneEnd, p + <u32>ctz(bit))
    loneEnd += 4
  }
}

/**
 * The tape pass: grammar and nodes for the tokens at hand. A field is its key, colon, value and the token behind it,
 * so three tokens are left for the next batch unless this is the last, which line feeds are put behind.
 */
function build(last: bool, end: u32): void {
  let t = tokensAt
  let limit = tokenEnd
  if (last) {
    for (let i: u32 = 0; i < 16; i += 4) store<u32>(tokenEnd + i, end - 1)
  } else {
    if (tokenEnd - tokensAt <= 12) return
    limit -= 12
  }
  let np = nodeNext

  while (t < limit) {
    let at = load<u32>(t)
    let byte: u32 = load<u8>(at)

    if (state == OBJECT_KEY || (state == OBJECT_FIRST && byte != CLOSE_OBJECT)) {
      // "key" : value next
      const colon = load<u32>(t, 4)
      if (byte != QUOTE || load<u8>(colon) != COLON) {
        state = SKIP
        continue
      }
      const key = at + 1
      let keyEnd = colon - 1
      while (load<u8>(keyEnd) != QUOTE) keyEnd--
      const meta = keyWord(key, keyEnd - key)
      const node = np
      np += NODE_BYTES
      at = load<u32>(t, 8)
      byte = load<u8>(at)
      store<u32>(frames + (depth << 3), node, 4)
      store<u32>(node, at)
      store<u32>(node, key, 16)
      if (byte == QUOTE) {
        const next = load<u32>(t, 12)
        store<u32>(node, stringEnd(next), 4)
        store<u32>(node, 0, 8)
        store<u32>(node, meta | KIND_STRING, 12)
        t += 12
        state = OBJECT_NEXT
        at = next
        byte = load<u8>(at)
        // Most often a comma and the next field: go on with it, unless the batch ends.
        if (byte == COMMA && t < limit) {
          t += 4
          state = OBJECT_KEY
        }
        continue
      }
      if (byte == OPEN_OBJECT || byte == OPEN_ARRAY) {
        t += 12
        open(node, meta, byte)
        continue
      }
      const valueEnd = scalarEnd(at, byte)
      if (valueEnd == 0) {
        state = SKIP
        continue
      }
      store<u32>(node, valueEnd, 4)
      store<u32>(node, 0, 8)
      store<u32>(node, meta | scalarKind(byte), 12)
      t += 12
      state = OBJECT_NEXT
      continue
    }

    if (state == OBJECT_NEXT || state == OBJECT_FIRST) {
      if (byte == COMMA) {
        if (state == OBJECT_FIRST) {
          state = SKIP
          continue
        }
        state = OBJECT_KEY
        t += 4
      } else if (byte == CLOSE_OBJECT) {
        t += 4
        close(at, np)
      } else {
        state = SKIP
      }
      continue
    }

    if (state == ARRAY_NEXT) {
      if (byte == COMMA) {
        state = ARRAY_VALUE
        t += 4
      } else if (byte == CLOSE_ARRAY) {
        t += 4
        close(at, np)
      } else {
        state = SKIP
      }
      continue
    }

    if (state == DONE) {
      if (byte == LF && !isDocument) {
        lineCount++
        nodeNext = np
        endRecord(at, lineCount - 1)
        np = nodeNext
        recordStart = at + 1
        t += 4
      } else if (
        (byte == OPEN_OBJECT || byte == OPEN_ARRAY) &&
        load<u32>(recordNodes, 12) <= KIND_ARRAY &&
        recordNext + 2 * RECORD_BYTES <= recordLimit
      ) {
        // `}{`: two records back to back.
        nodeNext = np
        endRecord(at, lineCount)
        np = nodeNext
        flags = isDocument ? 0 : FLAG_SAME_LINE
        recordStart = at
      } else if ((byte == 0 || byte == 0xef) && onlyPadding(at)) {
        flags |= FLAG_PADDED
        t += 4
      } else if (isDocument && recordNext + 2 * RECORD_BYTES <= recordLimit) {
        nodeNext = np
        endRecord(at, lineCount)
        np = nodeNext
        recordStart = at
      } else {
        state = SKIP
      }
      continue
    }

    if (state == SKIP) {
      flags |= FLAG_UNPARSED
      if (byte == LF && !isDocument) {
        lineCount++
        endRecord(at, lineCount - 1)
        np = nodeNext
        recordStart = at + 1
      }
      t += 4
      continue
    }

    if (state == START) {
      if (byte == LF && !isDocument) {
        // Nothing but white space, NUL bytes and byte order marks.
        lineCount++
        blankCount++
        flags = 0
        recordStart = at + 1
        t += 4
        continue
      }
      // NUL runs and byte order marks around a record do not lose it.
      if (byte == 0 || (byte == 0xef && (load<u32>(at) & 0x00ffffff) == BOM)) {
        flags |= FLAG_PADDED
        at = paddingEnd(at)
        byte = load<u8>(at)
        // What follows has its own token, unless it touches the run as part of the same scalar.
        if (isSpace(byte) || isStructural(byte)) {
          t += 4
          continue
        }
      }
    } else if (state == ARRAY_FIRST && byte == CLOSE_ARRAY) {
      t += 4
      close(at, np)
      continue
    }

    // A value in an array or of its own, and the token behind it.
    const node = np
    np += NODE_BYTES
    if (depth != 0) store<u32>(frames + (depth << 3), node, 4)
    store<u32>(node, at)
    store<u32>(node, 0, 16)
    if (byte == OPEN_OBJECT || byte == OPEN_ARRAY) {
      t += 4
      open(node, 0, byte)
      continue
    }
    let valueEnd: u32 = 0
    let kind: u32 = KIND_STRING
    if (byte == QUOTE) {
      valueEnd = stringEnd(load<u32>(t, 4))
    } else {
      valueEnd = scalarEnd(at, byte)
      kind = scalarKind(byte)
    }
    if (valueEnd == 0) {
      state = SKIP
      continue
    }
    store<u32>(node, valueEnd, 4)
    store<u32>(node, 0, 8)
    store<u32>(node, kind, 12)
    state = depth == 0 ? DONE : ARRAY_NEXT
    t += 4
  }

  nodeNext = np
  keepRest(t)
}

/** Move what the tape pass has not used to the front, for the next batch. */
function keepRest(t: u32): void {
  const moved = t - tokensAt
  const rest: u32 = tokenEnd > t ? tokenEnd - t : 0
  memory.copy(tokensAt, t, rest)
  tokenEnd = tokensAt + rest
  // Marks before the tokens that are left belong to the record at hand. A record may go on for many batches: they are
  // taken now, so that there is room for those of the next batch.
  const done = rest > 0 ? load<u32>(tokensAt) : position
  if (spoiledBelow(done)) flags |= FLAG_UNPARSED
  if (loneBelow(done)) flags |= FLAG_LONE
  memory.copy(spoilsAt, spoilNext, spoilEnd - spoilNext)
  spoilEnd -= spoilNext - spoilsAt
  spoilNext = spoilsAt
  memory.copy(lonesAt, loneNext, loneEnd - loneNext)
  loneEnd -= loneNext - lonesAt
  loneNext = lonesAt
  spoilToken = spoilToken == NEVER || spoilToken < t ? NEVER : spoilToken - moved
  loneToken = loneToken == NEVER || loneToken < t ? NEVER : loneToken - moved
}

function open(node: u32, meta: u32, byte: u32): void {
  depth++
  if (depth > DEEP_LEVELS) {
    flags |= FLAG_DEEP
    if (depth > levels) {
      state = SKIP
      flags |= FLAG_TOO_DEEP
      return
    }
  }
  const frame = frames + (depth << 3)
  store<u32>(frame, node)
  store<u32>(frame, 0, 4)
  const isObject = byte == OPEN_OBJECT
  store<u32>(node, meta | (isObject ? KIND_OBJECT : KIND_ARRAY), 12)
  state = isObject ? OBJECT_FIRST : ARRAY_FIRST
}

@inline
function close(at: u32, np: u32): void {
  const frame = frames + (depth << 3)
  const container = load<u32>(frame)
  store<u32>(container, at + 1, 4)
  store<u32>(container, np >> 2, 8)
  const child = load<u32>(frame, 4)
  if (child != 0) store<u32>(child, load<u32>(child, 12) | BIT_LAST, 12)
  depth--
  if (depth == 0) state = DONE
  else state = (load<u32>(load<u32>(frame - 8), 12) & 15) == KIND_OBJECT ? OBJECT_NEXT : ARRAY_NEXT
}

/** Write the record that ends before `at`, and make ready for the next. `nodeNext` must be up to date. */
function endRecord(at: u32, line: u32): void {
  if (spoiledBelow(isDocument ? at : at + 1)) flags |= FLAG_UNPARSED
  if (loneBelow(at)) flags |= FLAG_LONE
  if (numberIsHuge) {
    flags |= FLAG_HUGE
    numberIsHuge = false
  }
  let end = at
  // CRLF: the carriage return is part of the line end.
  if (end > recordStart && load<u8>(end) == LF && load<u8>(end - 1) == CR) end--
  let root: u32 = recordNodes >> 2
  if ((flags & FLAG_UNPARSED) != 0) {
    root = 0
    nodeNext = recordNodes
  }
  // The host gives room for a record every two bytes: without it, it must not go on.
  if (recordNext + RECORD_BYTES > recordLimit) unreachable()
  store<u32>(recordNext, recordStart)
  store<u32>(recordNext, end, 4)
  store<u32>(recordNext, root, 8)
  store<u32>(recordNext, flags, 12)
  store<u32>(recordNext, line, 16)
  store<u32>(recordNext, 0, 20)
  recordNext += RECORD_BYTES
  recordNodes = nodeNext
  state = START
  depth = 0
  flags = 0
}

/** Take the marks of spoiled bytes below `at`; true when there were any. */
@inline
function spoiledBelow(at: u32): bool {
  const from = spoilNext
  while (spoilNext < spoilEnd && load<u32>(spoilNext) < at) spoilNext += 4
  return spoilNext != from
}

/** Take the marks of half surrogate pairs below `at`; true when there were any. */
@inline
function loneBelow(at: u32): bool {
  const from = loneNext
  while (loneNext < loneEnd && load<u32>(loneNext) < at) loneNext += 4
  return loneNext != from
}

@inline
function scalarKind(byte: u32): u32 {
  return byte == 0x74 ? KIND_TRUE : byte == 0x66 ? KIND_FALSE : byte == 0x6e ? KIND_NULL : KIND_NUMBER
}

/** End of the literal or number at `at`, 0 when it is none. */
function scalarEnd(at: u32, byte: u32): u32 {
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
  if (end == 0 || endsScalar(load<u8>(end))) return end
  if (depth != 0 || !onlyPadding(end)) return 0
  flags |= FLAG_PADDED
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
