import { Batch, keepRest, loneBelow, spoiledBelow } from './batch'
import {
  BOM,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  CR,
  endsScalar,
  isSpace,
  isStructural,
  LF,
  onlyPadding,
  OPEN_ARRAY,
  OPEN_OBJECT,
  paddingEnd,
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
  KIND_OBJECT,
  KIND_STRING,
  NODE_BYTES,
  RECORD_BYTES,
} from './layout'
import { forgetHuge, numberIsHuge, scalarEnd, scalarKind } from './scalars'

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

// Facts of the last scan, read by the host.
export let recordCount: u32 = 0
export let lineCount: u32 = 0
export let blankCount: u32 = 0

// What the tape pass carries from batch to batch.
let state: u32 = START
let depth: u32 = 0
let flags: u32 = 0
let nodeNext: u32 = 0
let recordsAt: u32 = 0
let recordNext: u32 = 0
let recordLimit: u32 = 0
let recordStart: u32 = 0
let recordNodes: u32 = 0
let frames: u32 = 0
let levels: u32 = 0
let isDocument: bool = false

/** Write nodes and records from `nodes` and `records` on, for an input that begins at `start`. */
export function beginTape(
  start: u32,
  nodes: u32,
  records: u32,
  recordsEnd: u32,
  stack: u32,
  depthLimit: u32,
  document: bool,
): void {
  state = START
  depth = 0
  flags = 0
  nodeNext = nodes
  recordsAt = records
  recordNext = records
  recordLimit = recordsEnd
  recordStart = start
  recordNodes = nodes
  frames = stack
  levels = depthLimit
  isDocument = document
  forgetHuge()
  lineCount = 0
  blankCount = 0
}

/** All tokens have been built: the last record of a document ends here. */
export function endTape(end: u32): void {
  if (isDocument && state != START) {
    if (state != DONE) flags |= FLAG_UNPARSED
    endRecord(end, 0)
  }
  recordCount = (recordNext - recordsAt) / RECORD_BYTES
}

/**
 * The tape pass: grammar and nodes for the tokens at hand. A field is its key, colon, value and the token behind it,
 * so three tokens are left for the next batch unless this is the last, which line feeds are put behind.
 */
export function build(last: bool, end: u32): void {
  let t = Batch.tokensAt
  let limit = Batch.tokenEnd
  if (last) {
    for (let i: u32 = 0; i < 16; i += 4) store<u32>(Batch.tokenEnd + i, end - 1)
  } else {
    if (Batch.tokenEnd - Batch.tokensAt <= 12) return
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
      const valueEnd = valueEndOf(at, byte)
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
      valueEnd = valueEndOf(at, byte)
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
  // Marks before the tokens that are left belong to the record at hand. A record may go on for many batches: they are
  // taken now, so that there is room for those of the next batch.
  takeMarks(t < Batch.tokenEnd ? load<u32>(t) : Batch.position)
  keepRest(t)
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
    forgetHuge()
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

@inline
function takeMarks(before: u32): void {
  if (spoiledBelow(before)) flags |= FLAG_UNPARSED
  if (loneBelow(before)) flags |= FLAG_LONE
}

/** End of the scalar at `at`, 0 when it is none, or something else touches it. Padding may, behind a record. */
function valueEndOf(at: u32, byte: u32): u32 {
  const end = scalarEnd(at, byte)
  if (end == 0 || endsScalar(load<u8>(end))) return end
  if (depth != 0 || !onlyPadding(end)) return 0
  flags |= FLAG_PADDED
  return end
}
