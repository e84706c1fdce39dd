import type { Said } from '../../event/events.ts'
import type { Sink } from '../../event/sink.ts'

/** What one side says in pieces, until the whole of it is known. */
export interface Talk {
  pieces: string
  /** Lines of the pieces. */
  lines: number[]
  at: string | null
}

/** UTF-16 units of pieces that are held; beyond it they are written in parts. */
const MOST_HELD = 4 * 1024 * 1024

export function emptyTalk(): Talk {
  return { pieces: '', lines: [], at: null }
}

/** Hold one piece. `say` writes what is held, when it is too much. */
export function hear(
  talk: Talk,
  piece: string,
  at: string | null,
  line: number,
  say: () => void,
  sink: Sink,
): void {
  if (talk.lines.length > 0 && talk.pieces.length + piece.length > MOST_HELD) {
    sink.notice('text-split', line, 'a text is too long to be held: written in parts')
    say()
  }
  talk.pieces += piece
  talk.lines.push(line)
  talk.at ??= at
}

/** Forget what is held, and return it; null when there is nothing. */
export function take(talk: Talk): Talk | null {
  if (talk.lines.length === 0) return null
  const held = { ...talk }
  talk.pieces = ''
  talk.lines = []
  talk.at = null
  return held
}

/** The same as one event; null also when its pieces are empty. */
export function takeSaid(talk: Talk): Said | null {
  const held = take(talk)
  if (held === null || held.pieces === '') return null
  const { at, lines, pieces } = held
  return { at, line: lines[0] ?? 0, foldedLines: lines, text: pieces, requestId: null }
}
