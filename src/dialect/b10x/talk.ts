import type { Sink } from '../../event/sink.ts'
import type { JsonBytes, Node, RecordView } from '../../kernel/record.ts'

/** Bytes of text held for one turn. A delta counts as 16 more, so that empty ones are bounded too. */
const HELD_BYTES = 8 * 1024 * 1024
const DELTA_COST = 16
const QUOTE = 0x22

/**
 * What the model said in this turn, held until the turn moves on, so that a retry can still take it back
 * (design §5.6).
 */
export interface Talk {
  /** One text and one thinking a turn; else every delta stays by itself. */
  readonly joined: boolean
  /** In the order in which each began. */
  held: Utterance[]
  weight: number
  /** Lines of the deltas of this turn that can no longer be taken back. */
  written: { readonly first: number; last: number; count: number } | null
}

/** Escaped JSON text of deltas put one behind the other, after an opening quote. */
interface Utterance {
  readonly voice: Voice
  bytes: Uint8Array
  length: number
  /** Of any delta: whether the whole is well formed can be told only when halves of a surrogate pair are joined. */
  suspect: boolean
  readonly lines: number[]
}
export type Voice = 'text' | 'thinking'

export function emptyTalk(joined: boolean): Talk {
  return { joined, held: [], weight: 0, written: null }
}

/** Hold one delta, whose text is `node`. */
export function hear(talk: Talk, voice: Voice, record: RecordView, node: Node, sink: Sink): void {
  const length = record.rawBytes(node) - 2
  if (talk.weight > 0 && talk.weight + length + DELTA_COST > HELD_BYTES) {
    if (talk.joined)
      sink.notice('text-split', record.line, 'the text of one turn is too long to be held: written in parts')
    say(talk, sink)
  }
  const start = (record.words[node] ?? 0) + 1
  const content = record.bytes.subarray(start, start + length)
  const begun = talk.joined ? talk.held.find((utterance) => utterance.voice === voice) : undefined
  const utterance = begun ?? { voice, bytes: quoted(length), length: 1, suspect: false, lines: [] }
  if (begun === undefined) talk.held.push(utterance)
  append(utterance, content)
  utterance.suspect ||= record.suspect
  utterance.lines.push(record.line)
  talk.weight += length + DELTA_COST
}

/** Write what is held; the deltas behind it can no longer be taken back. */
export function say(talk: Talk, sink: Sink): void {
  for (const { voice, bytes, length, suspect, lines } of talk.held) {
    bytes[length] = QUOTE
    const text: JsonBytes = { bytes: bytes.subarray(0, length + 1), suspect }
    const first = lines[0] ?? 0
    const event = {
      at: null,
      text,
      requestId: null,
      line: first,
      ...(talk.joined ? { foldedLines: lines } : {}),
    }
    if (voice === 'text') sink.text(event)
    else sink.thinking(event)
    talk.written ??= { first, last: first, count: 0 }
    talk.written.last = Math.max(talk.written.last, lines.at(-1) ?? first)
    talk.written.count += lines.length
  }
  drop(talk)
}

/** Forget what is held; returns the lines of its deltas. */
export function drop(talk: Talk): number[] {
  const lines = talk.held.flatMap((utterance) => utterance.lines).toSorted((a, b) => a - b)
  talk.held = []
  talk.weight = 0
  return lines
}

/** An opening quote with room for one delta and a closing quote. */
function quoted(length: number): Uint8Array {
  const bytes = new Uint8Array(length + 2)
  bytes[0] = QUOTE
  return bytes
}

/** Room is doubled, so that a text of many deltas is copied a bounded number of times; one byte stays for the quote. */
function append(utterance: Utterance, content: Uint8Array): void {
  const length = utterance.length + content.length
  if (length + 1 > utterance.bytes.length) {
    const grown = new Uint8Array(Math.max(256, 2 * length))
    grown.set(utterance.bytes.subarray(0, utterance.length))
    utterance.bytes = grown
  }
  utterance.bytes.set(content, utterance.length)
  utterance.length = length
}
