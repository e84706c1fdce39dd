import type { Sink } from '../../event/sink.ts'
import { type Copied, copySpan, nothingCopied } from '../../kernel/copied.ts'
import type { JsonBytes, Node, RecordView } from '../../kernel/record.ts'

/** Bytes of text held for one turn. A delta counts as 16 more, so that empty ones are bounded too. */
const HELD_BYTES = 8 * 1024 * 1024
const DELTA_COST = 16
const QUOTE = 0x22
/** Room of a new utterance, in bytes. */
const FIRST_BYTES = 1024
/** Utterances kept for their room, and the largest that are. */
const MOST_FREE = 4
const LARGEST_FREE = 64 * 1024

/**
 * What the model said in this turn, held until the turn moves on, so that a retry can still take it back
 * (design §5.6).
 */
export interface Talk {
  /** One text and one thinking a turn; else every delta stays by itself. */
  readonly joined: boolean
  /** In the order in which each began. */
  held: Utterance[]
  /** Utterances that were written, whose room is used again. */
  readonly free: Utterance[]
  weight: number
  /** Lines of the deltas of this turn that can no longer be taken back. */
  written: { readonly first: number; last: number; count: number } | null
}

interface Utterance {
  voice: Voice
  /** Escaped JSON text of deltas put one behind the other, after an opening quote. */
  readonly copied: Copied
  /** Of any delta: whether the whole is well formed can be told only when halves of a surrogate pair are joined. */
  suspect: boolean
  lines: number[]
}
export type Voice = 'text' | 'thinking'

export function emptyTalk(joined: boolean): Talk {
  return { joined, held: [], free: [], weight: 0, written: null }
}

/** Hold one delta, whose text is `node`. */
export function hear(talk: Talk, voice: Voice, record: RecordView, node: Node, sink: Sink): void {
  const length = record.rawBytes(node) - 2
  if (talk.weight > 0 && talk.weight + length + DELTA_COST > HELD_BYTES) {
    if (talk.joined)
      sink.notice('text-split', record.line, 'the text of one turn is too long to be held: written in parts')
    say(talk, sink)
    // What was just written must stay as it is until this record is over.
    talk.free.length = 0
  }
  const utterance = utteranceOf(talk, voice)
  copySpan(utterance.copied, record, record.words[node]! + 1, length)
  if (record.suspect) utterance.suspect = true
  utterance.lines.push(record.line)
  talk.weight += length + DELTA_COST
}

/** Write what is held; the deltas behind it can no longer be taken back. */
export function say(talk: Talk, sink: Sink): void {
  if (talk.held.length === 0) return
  for (const utterance of talk.held) {
    const { voice, copied, suspect, lines } = utterance
    const { bytes, length } = copied
    bytes[length] = QUOTE
    const text: JsonBytes = { bytes: bytes.subarray(0, length + 1), suspect }
    const first = lines[0] ?? 0
    const event = talk.joined
      ? { at: null, text, requestId: null, line: first, foldedLines: lines }
      : { at: null, text, requestId: null, line: first }
    if (voice === 'text') sink.text(event)
    else sink.thinking(event)
    talk.written ??= { first, last: first, count: 0 }
    talk.written.last = Math.max(talk.written.last, lines.at(-1) ?? first)
    talk.written.count += lines.length
    if (talk.free.length < MOST_FREE && bytes.length <= LARGEST_FREE) talk.free.push(utterance)
  }
  talk.held = []
  talk.weight = 0
}

/** Forget what is held; returns the lines of its deltas. */
export function drop(talk: Talk): number[] {
  const lines = talk.held.flatMap((utterance) => utterance.lines).toSorted((a, b) => a - b)
  talk.held = []
  talk.weight = 0
  return lines
}

/** The utterance that a delta belongs to: there is one for each voice. */
function utteranceOf(talk: Talk, voice: Voice): Utterance {
  const { joined, held } = talk
  if (joined) for (let i = held.length - 1; i >= 0; i--) if (held[i]!.voice === voice) return held[i]!
  return begin(talk, voice)
}

function begin({ held, free }: Talk, voice: Voice): Utterance {
  const utterance = free.pop() ?? { voice, copied: nothingCopied(FIRST_BYTES), suspect: false, lines: [] }
  utterance.voice = voice
  utterance.copied.bytes[0] = QUOTE
  utterance.copied.length = 1
  utterance.suspect = false
  utterance.lines = []
  held.push(utterance)
  return utterance
}
