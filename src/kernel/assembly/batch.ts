export const BATCH_BYTES: u32 = 32768
/**
 * Bytes of each of the three lists of a batch. A batch may run over by 63 bytes, three tokens may be left of the one before,
 * and tokens are stored eight at a time.
 */
const LIST_BYTES: u32 = 4 * BATCH_BYTES + 1024
/** Bytes that the lists take together. */
export const WORK_BYTES: u32 = 3 * LIST_BYTES

const NEVER: u32 = 0xffffffff

/**
 * What the index pass hands to the tape pass: the tokens of a batch, and marks on bytes that spoil their record and on halves of
 * surrogate pairs. Of several marks between two tokens one is kept, so that there are never more of them than tokens. Each
 * list of marks is ascending; what stands before `spoilNext` and `loneNext` has been taken.
 */
export class Batch {
  /** Where the index pass goes on. */
  static position: u32 = 0
  static tokensAt: u32 = 0
  static tokenEnd: u32 = 0
  static spoilsAt: u32 = 0
  static spoilNext: u32 = 0
  static spoilEnd: u32 = 0
  /** The token before which the last mark was made. */
  static spoilToken: u32 = 0
  static lonesAt: u32 = 0
  static loneNext: u32 = 0
  static loneEnd: u32 = 0
  static loneToken: u32 = 0
}

/** Nothing is handed over yet of an input that begins at `start`; the lists stand at `work`. */
export function beginBatches(start: u32, work: u32): void {
  Batch.position = start
  Batch.tokensAt = work
  Batch.spoilsAt = work + LIST_BYTES
  Batch.lonesAt = Batch.spoilsAt + LIST_BYTES
  Batch.tokenEnd = Batch.tokensAt
  Batch.spoilNext = Batch.spoilsAt
  Batch.spoilEnd = Batch.spoilsAt
  Batch.loneNext = Batch.lonesAt
  Batch.loneEnd = Batch.lonesAt
  Batch.spoilToken = NEVER
  Batch.loneToken = NEVER
}

export function markSpoils(marks: u64, bits: u64, p: u32, tokens: u32): void {
  while (marks != 0) {
    const bit = marks & (0 - marks)
    marks ^= bit
    const token = tokens + ((<u32>popcnt(bits & (bit - 1))) << 2)
    if (token == Batch.spoilToken) continue
    Batch.spoilToken = token
    store<u32>(Batch.spoilEnd, p + <u32>ctz(bit))
    Batch.spoilEnd += 4
  }
}

export function markLones(marks: u64, bits: u64, p: u32, tokens: u32): void {
  while (marks != 0) {
    const bit = marks & (0 - marks)
    marks ^= bit
    const token = tokens + ((<u32>popcnt(bits & (bit - 1))) << 2)
    if (token == Batch.loneToken) continue
    Batch.loneToken = token
    store<u32>(Batch.loneEnd, p + <u32>ctz(bit))
    Batch.loneEnd += 4
  }
}

/** Take the marks of spoiled bytes below `at`; true when there were any. */
@inline
export function spoiledBelow(at: u32): bool {
  const from = Batch.spoilNext
  while (Batch.spoilNext < Batch.spoilEnd && load<u32>(Batch.spoilNext) < at) Batch.spoilNext += 4
  return Batch.spoilNext != from
}

/** Take the marks of half surrogate pairs below `at`; true when there were any. */
@inline
export function loneBelow(at: u32): bool {
  const from = Batch.loneNext
  while (Batch.loneNext < Batch.loneEnd && load<u32>(Batch.loneNext) < at) Batch.loneNext += 4
  return Batch.loneNext != from
}

/** Move what stands behind the token `t`, which the tape pass has not used, to the front, for the next batch. */
export function keepRest(t: u32): void {
  const moved = t - Batch.tokensAt
  const rest: u32 = Batch.tokenEnd > t ? Batch.tokenEnd - t : 0
  memory.copy(Batch.tokensAt, t, rest)
  Batch.tokenEnd = Batch.tokensAt + rest
  memory.copy(Batch.spoilsAt, Batch.spoilNext, Batch.spoilEnd - Batch.spoilNext)
  Batch.spoilEnd -= Batch.spoilNext - Batch.spoilsAt
  Batch.spoilNext = Batch.spoilsAt
  memory.copy(Batch.lonesAt, Batch.loneNext, Batch.loneEnd - Batch.loneNext)
  Batch.loneEnd -= Batch.loneNext - Batch.lonesAt
  Batch.loneNext = Batch.lonesAt
  Batch.spoilToken = Batch.spoilToken == NEVER || Batch.spoilToken < t ? NEVER : Batch.spoilToken - moved
  Batch.loneToken = Batch.loneToken == NEVER || Batch.loneToken < t ? NEVER : Batch.loneToken - moved
}
