import type { Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'

/** A text or a thought that comes in fragments, until something else comes. */
export interface Span {
  readonly voice: 'text' | 'thinking'
  /** Id of the message: fragments of another are another span. */
  readonly id: string | null
  said: string
  readonly at: string | null
  readonly lines: number[]
}

/** UTF-16 units that are held; beyond it a span is written in parts. */
const MOST_HELD = 4 * 1024 * 1024

/** One fragment. A fragment that begins with all that was said so far says it again, and more; others go on from it. */
export function fragment(
  open: Span | null,
  heard: {
    readonly voice: Span['voice']
    readonly id: string | null
    readonly text: string
    readonly at: string | null
    readonly line: number
  },
  sink: Sink,
): Span {
  const { voice, id, text, at, line } = heard
  const isSame = open !== null && open.voice === voice && open.id === id
  if (!isSame || open.said.length + text.length > MOST_HELD) {
    if (isSame) sink.notice('text-split', line, 'a text is too long to be held: written in parts')
    say(open, sink)
    return { voice, id, said: text, at, lines: [line] }
  }
  open.said = text.startsWith(open.said) ? text : open.said + text
  if (open.lines.at(-1) !== line) open.lines.push(line)
  return open
}

/** Write a span that is over. */
export function say(span: Span | null, sink: Sink): void {
  if (span === null || span.said === '') return
  const { voice, id, said, at, lines } = span
  const requestId: Text = id
  const event = { at, line: lines[0] ?? 0, foldedLines: lines, text: said, requestId }
  if (voice === 'text') sink.text(event)
  else sink.thinking(event)
}
