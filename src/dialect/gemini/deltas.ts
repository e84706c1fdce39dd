import type { Sink } from '../../event/sink.ts'
import type { JsonBytes, Node, RecordView } from '../../kernel/record.ts'

/** Bytes of text held; what is longer is written in parts. */
const HELD_BYTES = 8 * 1024 * 1024
/** Lines of deltas that are named in the text they became. */
const MOST_LINES = 10_000
const QUOTE = 0x22

/** Words of the model that come in pieces, joined into one text. Plain data. */
export interface Deltas {
  /** Escaped JSON text behind an opening quote. */
  bytes: Uint8Array
  /** 0 when nothing is held. */
  length: number
  suspect: boolean
  at: string | null
  readonly lines: number[]
}

export function noDeltas(): Deltas {
  return { bytes: new Uint8Array(256), length: 0, suspect: false, at: null, lines: [] }
}

/** Hold one piece. */
export function hear(deltas: Deltas, record: RecordView, node: Node, at: string | null, sink: Sink): void {
  const length = record.rawBytes(node) - 2
  if (deltas.length > 0 && deltas.length + length > HELD_BYTES) {
    sink.notice('text-split', record.line, 'a text is too long to be held: written in parts')
    say(deltas, sink)
  }
  if (deltas.length === 0) {
    deltas.bytes[0] = QUOTE
    deltas.length = 1
    deltas.at = at
  }
  const wanted = deltas.length + length + 1
  if (wanted > deltas.bytes.length) {
    const grown = new Uint8Array(2 * wanted)
    grown.set(deltas.bytes.subarray(0, deltas.length))
    deltas.bytes = grown
  }
  const start = (record.words[node] ?? 0) + 1
  deltas.bytes.set(record.bytes.subarray(start, start + length), deltas.length)
  deltas.length += length
  deltas.suspect ||= record.suspect
  if (deltas.lines.length < MOST_LINES) deltas.lines.push(record.line)
}

/** Write what is held as one text. */
export function say(deltas: Deltas, sink: Sink): void {
  const { bytes, length, suspect, at, lines } = deltas
  if (length === 0) return
  const whole = new Uint8Array(length + 1)
  whole.set(bytes.subarray(0, length))
  whole[length] = QUOTE
  const text: JsonBytes = { bytes: whole, suspect }
  if (length > 1) sink.text({ at, text, requestId: null, line: lines[0] ?? 0, foldedLines: [...lines] })
  deltas.length = 0
  deltas.suspect = false
  deltas.at = null
  lines.length = 0
}
