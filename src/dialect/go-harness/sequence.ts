import type { RecordView } from '../../kernel/record.ts'

/** Gaps that are followed; of more, the oldest are given up as gaps for good. */
const MOST_HOLES = 1000
/** Records whose looks are remembered, to tell a repeat from another record with its number. */
const MOST_PRINTS = 1024
/** Bytes of a record that its print is taken from; times and ids stand at its beginning. */
const PRINT_BYTES = 320

interface Hole {
  start: number
  end: number
  readonly line: number
}

/** Which numbers of a run were seen. Plain data. */
export interface Sequence {
  first: number
  firstPrint: number
  /** The number after the highest; -1 before there was any. */
  next: number
  readonly holes: Hole[]
  readonly prints: Map<number, number>
  /** Numbers that were missing when the run began in the middle. */
  headless: number
}

export function emptySequence(): Sequence {
  return { first: -1, firstPrint: 0, next: -1, holes: [], prints: new Map(), headless: 0 }
}

/**
 * How a record stands to those before it.
 *
 * `repeat`: a resumed stream said it again. `late`: it fills a gap. `conflict`: its number was used by another record.
 * `restart`: a run of the same name begins anew, as when a server counts from 0 again.
 */
export type Standing = 'next' | 'gap' | 'late' | 'repeat' | 'conflict' | 'restart'

/**
 * Note a record and say how it stands.
 *
 * @param print of the record's content, by which a repeat is told from another record with its number
 * @param line 1-based
 * @param opens it is the first of its run, so that lower numbers are missing from nothing
 */
export function stand(
  sequence: Sequence,
  seq: number,
  print: number,
  line: number,
  opens: boolean,
): Standing {
  if (sequence.next < 0) {
    sequence.first = seq
    sequence.firstPrint = print
    sequence.headless = opens ? 0 : seq
    sequence.next = seq + 1
    note(sequence, seq, print)
    return 'next'
  }
  if (seq >= sequence.next) {
    const gap = seq > sequence.next
    if (gap) sequence.holes.push({ start: sequence.next, end: seq - 1, line })
    if (sequence.holes.length > MOST_HOLES) sequence.headless += sizeOf(sequence.holes.shift())
    sequence.next = seq + 1
    note(sequence, seq, print)
    return gap ? 'gap' : 'next'
  }
  const known = sequence.prints.get(seq)
  if (known !== undefined && known !== print) {
    return opens && seq === sequence.first && print !== sequence.firstPrint ? 'restart' : 'conflict'
  }
  if (opens && seq === sequence.first && print !== sequence.firstPrint) return 'restart'
  if (known !== undefined || !fill(sequence, seq)) return 'repeat'
  note(sequence, seq, print)
  return 'late'
}

/** How many numbers never came. */
export function missing(sequence: Sequence): number {
  let count = sequence.headless
  for (const hole of sequence.holes) count += sizeOf(hole)
  return count
}

/** A number by which records are told apart, made of what they begin and how long they are. */
export function printOf(record: RecordView): number {
  const { bytes, start, end } = record
  let print = end - start
  const last = Math.min(end, start + PRINT_BYTES)
  for (let at = start; at < last; at++) print = (Math.imul(print, 31) + bytes[at]!) | 0
  return print
}

/** Take a number out of the gap it is in; false when it is in none. */
function fill(sequence: Sequence, seq: number): boolean {
  if (seq < sequence.first) {
    if (sequence.headless > 0) sequence.headless--
    return true
  }
  const index = sequence.holes.findIndex(({ start, end }) => start <= seq && seq <= end)
  const hole = sequence.holes[index]
  if (hole === undefined) return false
  const { start, end, line } = hole
  const rest = [
    { start, end: seq - 1, line },
    { start: seq + 1, end, line },
  ]
  sequence.holes.splice(index, 1, ...rest.filter((part) => part.start <= part.end))
  return true
}

function note(sequence: Sequence, seq: number, print: number): void {
  if (sequence.prints.size >= MOST_PRINTS) {
    for (const oldest of sequence.prints.keys()) {
      sequence.prints.delete(oldest)
      break
    }
  }
  sequence.prints.set(seq, print)
}

function sizeOf(hole: Hole | undefined): number {
  return hole === undefined ? 0 : hole.end - hole.start + 1
}
