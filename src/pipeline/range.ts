import { INPUT_AT, type ScanFacts, type Scanner } from '../kernel/scanner.ts'
import { LINE_FEED } from '../source/line-feeds.ts'
import type { FileSource } from '../source/source.ts'
import { LineDigest, type Oversize } from './line-digest.ts'

/** Bytes read at a time past the end of a range, to find the end of its last line. */
const OVERHANG_BYTES = 64 * 1024

/** A half-open span of bytes, `[start, end)`, in one plain file. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** What scanning a range gave: its tape is in the scanner's memory. Plain data. */
export interface RangeScan {
  readonly scan: ScanFacts
  readonly owned: OwnedBytes
  /** A line over the limit behind the scanned ones. */
  readonly oversize: Oversize | null
  /** The input ended in the middle of a line. */
  readonly noLineEnd: boolean
}

/** What of the file was scanned. */
export interface OwnedBytes {
  /** Its offset in the file. */
  readonly start: number
  /** Its address in the scanner's memory. */
  readonly at: number
  readonly length: number
}

/**
 * Cut a file into ranges of equal size without reading it. A range owns every line whose first byte lies in it, so
 * that no line is lost or doubled and no line feed has to be looked for here.
 */
export function planRanges(sizeBytes: number, rangeBytes: number): ByteRange[] {
  const count = Math.ceil(sizeBytes / rangeBytes)
  return Array.from({ length: count }, (_, i) => ({
    start: i * rangeBytes,
    end: Math.min(sizeBytes, (i + 1) * rangeBytes),
  }))
}

/**
 * Read the lines that a range owns and scan them. The range is no longer than the line limit, so that only its last line
 * may be over it.
 *
 *     …}\n{ line that begins before start … }\n{ owned … }\n{ owned, ends behind end … }\n
 *         ^ start - 1                                            ^ end - 1        ^ read up to here
 *
 * @throws SourceError when the file cannot be read
 */
export function scanRange(
  file: FileSource,
  range: ByteRange,
  lineLimit: number,
  scanner: Scanner,
): RangeScan {
  // One byte more at the front: a line feed there makes the first byte of the range a line's first.
  const from = range.start === 0 ? 0 : range.start - 1
  const want = range.end - from
  scanner.reserve(want + OVERHANG_BYTES + 1)
  let to = INPUT_AT + file.readAt(scanner.buffer, INPUT_AT, want, from)
  let start = INPUT_AT
  if (range.start > 0) {
    const feed = scanner.buffer.subarray(INPUT_AT, to).indexOf(LINE_FEED)
    if (feed < 0 || INPUT_AT + feed + 1 >= to) return nothing(scanner)
    start = INPUT_AT + feed + 1
  }
  let position = from + (to - INPUT_AT)
  if (to > start && scanner.buffer[to - 1] === LINE_FEED) return scanned(scanner, start, to, from)
  const lastStart = Math.max(
    start,
    scanner.buffer.subarray(INPUT_AT, to).lastIndexOf(LINE_FEED) + 1 + INPUT_AT,
  )
  for (;;) {
    if (to - lastStart > lineLimit) return passOver(file, scanner, start, lastStart, to, position, from)
    scanner.reserve(to - INPUT_AT + OVERHANG_BYTES + 1)
    const got = file.readAt(scanner.buffer, to, OVERHANG_BYTES, position)
    if (got === 0) {
      if (to === start) return nothing(scanner)
      scanner.buffer[to] = LINE_FEED
      scanner.scan(start, to + 1)
      scanner.flagCut()
      return { scan: scanner.facts(), owned: owned(start, to, from), oversize: null, noLineEnd: true }
    }
    const feed = scanner.buffer.subarray(to, to + got).indexOf(LINE_FEED)
    if (feed >= 0) {
      const end = to + feed + 1
      if (end - 1 - lastStart > lineLimit)
        return passOver(file, scanner, start, lastStart, to, position, from)
      return scanned(scanner, start, end, from)
    }
    to += got
    position += got
  }
}

function nothing(scanner: Scanner): RangeScan {
  return scanned(scanner, INPUT_AT, INPUT_AT, 0)
}

/** @param from where in the file the input in the memory begins */
function scanned(scanner: Scanner, start: number, end: number, from: number): RangeScan {
  scanner.scan(start, end)
  return { scan: scanner.facts(), owned: owned(start, end, from), oversize: null, noLineEnd: false }
}

function owned(start: number, end: number, from: number): OwnedBytes {
  return { start: from + (start - INPUT_AT), at: start, length: end - start }
}

/** The last line is over the limit: scan what stands before it, and read past it for its digest. */
function passOver(
  file: FileSource,
  scanner: Scanner,
  start: number,
  lastStart: number,
  to: number,
  position: number,
  from: number,
): RangeScan {
  scanner.scan(start, lastStart)
  const scan = scanner.facts()
  const line = new LineDigest()
  // The line's own bytes are not under the tape, which lies behind the input.
  line.take(scanner.buffer.subarray(lastStart, to))
  const block = Buffer.allocUnsafe(1024 * 1024)
  let at = position
  let noLineEnd = false
  for (;;) {
    const got = file.readAt(block, 0, block.length, at)
    const part = block.subarray(0, got)
    const feed = part.indexOf(LINE_FEED)
    line.take(feed < 0 ? part : part.subarray(0, feed))
    at += got
    noLineEnd = got === 0
    if (feed >= 0 || noLineEnd) break
  }
  return { scan, owned: owned(start, lastStart, from), oversize: line.finish(), noLineEnd }
}
