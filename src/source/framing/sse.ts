import { createHash } from 'node:crypto'
import { LINE_FEED } from '../line-feeds.ts'
import type { FramedInput, FramingNotes } from './input.ts'
import { lineAt, skipBlanks, SPACE } from './lines.ts'

const COLON = 0x3a
/** Between two data lines of an event. White space to JSON, and like a line feed not allowed inside a string. */
const TAB = 0x09

const TYPE_KEY = Buffer.from('"type"')
/** Bytes of a name or id that are kept. */
const LONGEST_WORD = 1024

type Field = 'comment' | 'data' | 'event' | 'id' | 'retry'

const FIELDS = (['data', 'event', 'id', 'retry'] as const).map((name) => ({ name, bytes: Buffer.from(name) }))

interface Line {
  /** Null for a line that is none of an event stream: it stays as it is. */
  readonly field: Field | null
  readonly start: number
  /** First byte of the field's value. */
  readonly value: number
  readonly end: number
}

/**
 * Events of an event stream. Lines end with LF, CRLF or CR; CR alone becomes LF, so that everyone counts the same lines.
 *
 *     id: r:7\n                    ·······\n                    spaces
 *     data: {"a":1,\n      →       ······{"a":1,⇥"b":2}\n       joined, its line feed put behind it
 *     data: "b":2}\n               ·····\n
 *     \n                           \n
 *
 * An event is whole once the blank line behind it was read; the input's end makes the last one whole too.
 */
export function unframeEvents(input: FramedInput, notes: FramingNotes): number {
  const { bytes, to, ended, limit } = input
  let whole = input.from
  let at = whole
  let lines: Line[] = []
  const ends = { feed: -1 }
  while (at < to) {
    const [end, next] = lineAt(bytes, at, to, ended, ends)
    if (next < 0) return whole
    if (end > at) {
      lines.push(end - at > limit ? longLine(at, end) : readLine(bytes, at, end))
    } else {
      rewrite(bytes, lines, input, notes)
      lines = []
      whole = next
    }
    // A carriage return alone: what stands before it was read already.
    if (next === end + 1 && bytes[end] !== LINE_FEED) bytes[end] = LINE_FEED
    at = next
  }
  if (!ended) return whole
  rewrite(bytes, lines, input, notes)
  return to
}

function longLine(start: number, end: number): Line {
  return { field: null, start, value: start, end }
}

function readLine(bytes: Buffer, lineStart: number, end: number): Line {
  let start = lineStart
  if (bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf) start += 3
  if (bytes[start] === COLON) return { field: 'comment', start: lineStart, value: start + 1, end }
  for (const { name, bytes: word } of FIELDS) {
    const after = start + word.length
    if (after > end || bytes.compare(word, 0, word.length, start, after) !== 0) continue
    if (after === end) return { field: name, start: lineStart, value: end, end }
    if (bytes[after] !== COLON) continue
    const value = bytes[after + 1] === SPACE && after + 1 < end ? after + 2 : after + 1
    return { field: name, start: lineStart, value, end }
  }
  return { field: null, start: lineStart, value: lineStart, end }
}

/** Leave of the lines of one event its data. */
function rewrite(
  bytes: Buffer,
  lines: readonly Line[],
  { limit, isOver }: FramedInput,
  notes: FramingNotes,
): void {
  const data = lines.filter(({ field }) => field === 'data')
  const [first] = data
  const last = data.at(-1)
  const empty = data.every(({ value, end }) => skipBlanks(bytes, value, end) === end)
  const isJoined = first !== last && isOver !== true && fits(lines, data, limit)
  if (first !== undefined && !empty) keepFrame(bytes, lines, isJoined ? data : [first], notes)
  for (const { field, start, value, end } of lines) {
    if (field === null) continue
    if (field === 'comment') notes.comments++
    bytes.fill(SPACE, start, field === 'data' ? value : end)
    if (field !== 'data' || empty) notes.lines++
  }
  if (first === undefined || last === undefined) return
  if (empty) {
    notes.empty++
    return
  }
  if (!isJoined) return
  notes.lines += data.length - 1
  join(bytes, lines, data, first, last)
}

/**
 * May the data lines of an event become one? Not over the limit, and not where a line stands in the way that is no field
 * of an event stream: it stays, and so does what it divides.
 */
function fits(lines: readonly Line[], data: readonly Line[], limit: number): boolean {
  const start = data[0]?.start ?? 0
  const last = data.at(-1) ?? { start, end: start }
  if (last.end - start > limit) return false
  return lines.every((line) => line.field !== null || line.start < start || line.start > last.start)
}

/**
 * Move all data behind the first, with the line feeds that stood between behind it. There is room: every further data
 * line gives up at least `data`, and needs one byte.
 */
function join(bytes: Buffer, lines: readonly Line[], data: readonly Line[], first: Line, last: Line): void {
  let feeds = 0
  for (const line of lines) if (line.start > first.start && line.start <= last.start) feeds++
  let to = first.end
  for (const { value, end } of data.slice(1)) {
    bytes[to++] = TAB
    bytes.copyWithin(to, value, end)
    to += end - value
  }
  bytes.fill(SPACE, to, last.end)
  bytes.fill(LINE_FEED, to, to + feeds)
}

/** What only the framing tells: the names of an event whose data has no type, the digest of data over several lines. */
function keepFrame(bytes: Buffer, lines: readonly Line[], data: readonly Line[], notes: FramingNotes): void {
  const [first] = data
  if (first === undefined) return
  const typed = data.some(({ value, end }) => bytes.subarray(value, end).includes(TYPE_KEY))
  if (typed && data.length === 1) return
  const word = (wanted: Field): string | null => {
    const line = lines.findLast(({ field }) => field === wanted)
    if (line === undefined) return null
    return bytes.utf8Slice(line.value, Math.min(line.end, line.value + LONGEST_WORD))
  }
  const event = typed ? null : word('event')
  const id = typed ? null : word('id')
  const digest = data.length === 1 ? null : digestOf(bytes, data)
  if ((event ?? id ?? digest) === null) return
  notes.keep(skipBlanks(bytes, first.value, first.end), { event, id, digest })
}

/** Of the data as the standard has it: its lines with line feeds between. */
function digestOf(bytes: Buffer, data: readonly Line[]): string {
  const hash = createHash('sha256')
  for (const [i, { value, end }] of data.entries()) {
    if (i > 0) hash.update('\n')
    hash.update(bytes.subarray(value, end))
  }
  return hash.digest('hex')
}
