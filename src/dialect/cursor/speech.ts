import { Bin, type Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { eachBlock } from '../blocks.ts'
import { keptTimeOf } from '../times.ts'
import { firstOf } from '../values.ts'
import { emptyTalk, hear, take, takeSaid, type Talk } from './talk.ts'

const K = keys('type', 'text')

/** What the model says and thinks, each in pieces. Plain data. */
export interface Speech {
  /** Every piece is written as it comes. */
  readonly deltas: boolean
  readonly text: Talk
  readonly thinking: Talk
}

export function noSpeech(deltas: boolean): Speech {
  return { deltas, text: emptyTalk(), thinking: emptyTalk() }
}

/** A record of what the model said: `whole` is its content as one text. */
export interface Message {
  readonly at: Text
  readonly content: Node
  readonly whole: string
  /** It is a part of a text that is still to come as a whole. */
  readonly isPiece: boolean
}

/**
 * Pieces are held until the whole comes, which says the same, or something else does.
 *
 * @returns whether the record was written, or is a part of what will be, or says nothing
 */
export function hearMessage(record: RecordView, message: Message, speech: Speech, sink: Sink): Bin {
  const { at, content, whole, isPiece } = message
  sayThinking(speech, sink)
  if (isPiece) {
    hear(speech.text, whole, keptTimeOf(record, at), record.line, () => sayText(speech, sink), sink)
    if (!speech.deltas) return Bin.Folded
    sink.text({ at, text: whole, requestId: null })
    return Bin.Translated
  }
  const { pieces } = speech.text
  if (pieces !== '' && !whole.endsWith(pieces) && !pieces.endsWith(whole)) sayText(speech, sink)
  else if (pieces !== '') {
    const foldedLines = take(speech.text)?.lines ?? []
    if (speech.deltas) return Bin.Folded
    sink.text({ at, text: whole.length < pieces.length ? pieces : whole, requestId: null, foldedLines })
    return Bin.Translated
  }
  return sayBlocks(record, content, at, sink) > 0 ? Bin.Translated : Bin.Bookkeeping
}

/** One more piece of what the model thinks; no whole will come. */
export function hearThought(record: RecordView, text: Node, at: Text, speech: Speech, sink: Sink): Bin {
  const piece = record.text(text) ?? ''
  sayText(speech, sink)
  hear(speech.thinking, piece, keptTimeOf(record, at), record.line, () => sayThinking(speech, sink), sink)
  if (!speech.deltas) return Bin.Folded
  sink.thinking({ at, text, requestId: null })
  return Bin.Translated
}

/** Write what is held of both. */
export function sayAll(speech: Speech, sink: Sink): void {
  sayThinking(speech, sink)
  sayText(speech, sink)
}

function sayText({ deltas, text }: Speech, sink: Sink): void {
  const said = takeSaid(text)
  if (said !== null && !deltas) sink.text(said)
}

/** Write what was thought so far. @returns whether anything was held */
export function sayThinking({ deltas, thinking }: Speech, sink: Sink): boolean {
  const wasHeld = thinking.lines.length > 0
  const said = takeSaid(thinking)
  if (said !== null && !deltas) sink.thinking(said)
  return wasHeld
}

/** The text blocks of a content as one; null when it is no content. */
export function textOf(record: RecordView, content: Node): string | null {
  if (record.isString(content)) return record.text(content)
  if (!record.isArray(content)) return null
  let whole = ''
  for (let block = firstOf(record, content); block !== NONE; block = record.next(block)) {
    if (record.is(record.get(block, K.type), 'text')) whole += record.text(record.get(block, K.text)) ?? ''
  }
  return whole
}

function sayBlocks(record: RecordView, content: Node, at: Text, sink: Sink): number {
  if (record.isString(content)) {
    sink.text({ at, text: content, requestId: null })
    return 1
  }
  return eachBlock(record, content, 'assistant', at, sink, (_block, { type, text }) => {
    if (!record.is(type, 'text') || !record.isString(text)) return false
    sink.text({ at, text, requestId: null })
    return true
  })
}
