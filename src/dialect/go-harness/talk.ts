import type { Text } from '../../event/value.ts'
import type { Sink } from '../../event/sink.ts'
import { type Copied, copySpan, nothingCopied } from '../../kernel/copied.ts'
import type { JsonBytes, Node, RecordView } from '../../kernel/record.ts'
import { keptTimeOf } from '../times.ts'

/** Bytes of text held for one step. A delta counts as 16 more, so that empty ones are bounded too. */
const HELD_BYTES = 8 * 1024 * 1024
const DELTA_COST = 16
const QUOTE = 0x22

export type Voice = 'text' | 'thinking'

interface Utterance {
  readonly voice: Voice
  readonly at: string | null
  /** Escaped JSON text of deltas put one behind the other, after an opening quote. */
  readonly copied: Copied
  suspect: boolean
  readonly lines: number[]
}

/** What the model says in a step, held until the step moves on. Plain data. */
export interface Talk {
  /** One text and one thinking a step; else every delta is an event of its own. */
  readonly joined: boolean
  /** In the order in which each began. */
  held: Utterance[]
  weight: number
  /** What was said last, against which a message that repeats it is told; null when it is too long to be kept. */
  readonly said: { text: string | null; thinking: string | null }
}

export function emptyTalk(joined: boolean): Talk {
  return { joined, held: [], weight: 0, said: { text: '', thinking: '' } }
}

/** Hold one delta, whose text is `node`. True when it was written as an event of its own. */
export function hear(
  talk: Talk,
  voice: Voice,
  record: RecordView,
  node: Node,
  at: Text,
  sink: Sink,
): boolean {
  const length = record.rawBytes(node) - 2
  if (talk.weight > 0 && talk.weight + length + DELTA_COST > HELD_BYTES) {
    if (talk.joined) {
      sink.notice('text-split', record.line, 'the text of one step is too long to be held: written in parts')
    }
    say(talk, sink)
    talk.said[voice] = null
  }
  const start = (record.words[node] ?? 0) + 1
  const begun = talk.held.find((utterance) => utterance.voice === voice)
  const utterance = begun ?? begin(talk, voice, keptTimeOf(record, at), length)
  copySpan(utterance.copied, record, start, length)
  utterance.suspect ||= record.suspect
  if (talk.joined) utterance.lines.push(record.line)
  talk.weight += length + DELTA_COST
  if (talk.joined) return false
  const event = { at, text: node, requestId: null }
  if (voice === 'text') sink.text(event)
  else sink.thinking(event)
  return true
}

/** Write what is held, and remember it. */
export function say(talk: Talk, sink: Sink): void {
  for (const { voice, at, copied, suspect, lines } of talk.held) {
    const { bytes, length } = copied
    bytes[length] = QUOTE
    const text: JsonBytes = { bytes: bytes.subarray(0, length + 1), suspect }
    if (talk.said[voice] !== null) talk.said[voice] = decode(text.bytes)
    if (!talk.joined) continue
    const event = { at, text, requestId: null, line: lines[0] ?? 0, foldedLines: lines }
    if (voice === 'text') sink.text(event)
    else sink.thinking(event)
  }
  talk.held = []
  talk.weight = 0
}

/** Was this text, whole, said in the step at hand? Text that was too long to be kept is taken to be what was said. */
export function wasSaid(talk: Talk, voice: Voice, text: string): boolean {
  const said = talk.said[voice]
  return said === null || said === text
}

/** A step begins: what was said in the one before is not repeated in it. */
export function forget(talk: Talk): void {
  talk.said.text = ''
  talk.said.thinking = ''
}

function begin(talk: Talk, voice: Voice, at: string | null, length: number): Utterance {
  const copied = nothingCopied(length + 2)
  copied.bytes[0] = QUOTE
  copied.length = 1
  const utterance: Utterance = { voice, at, copied, suspect: false, lines: [] }
  talk.held.push(utterance)
  if (talk.said[voice] !== null) talk.said[voice] = ''
  return utterance
}

function decode(bytes: Uint8Array): string {
  const value: unknown = JSON.parse(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'),
  )
  return typeof value === 'string' ? value : ''
}
