import type { Said } from '../../event/events.ts'
import type { Text } from '../../event/value.ts'
import type { RecordView } from '../../kernel/record.ts'

/** Texts of one voice that are to become one event. */
export interface Utterance {
  readonly at: Text
  readonly texts: readonly Text[]
}

/** What the model said and thought in the record at hand, until it is written: the texts of a record are one event. */
export class Spoken {
  private thoughts: Text[] = []
  private words: Text[] = []
  private thoughtsAt: Text = null
  private wordsAt: Text = null
  private line = 0

  get isEmpty(): boolean {
    return this.thoughts.length === 0 && this.words.length === 0
  }

  /** Is this said elsewhere than what is held, so that the two are not one? `line` is that of the record at hand. */
  isElsewhere(said: Said, line: number): boolean {
    return !this.isEmpty && (said.line ?? line) !== this.line
  }

  /** Hold a text; empty ones say nothing. @param at its time as it is to be written */
  add(voice: 'words' | 'thoughts', said: Said, at: Text, record: RecordView): void {
    if (isSilent(said.text, record)) return
    if (this.isEmpty) this.line = said.line ?? record.line
    if (voice === 'words') {
      if (this.words.length === 0) this.wordsAt = at
      this.words.push(said.text)
    } else {
      if (this.thoughts.length === 0) this.thoughtsAt = at
      this.thoughts.push(said.text)
    }
  }

  /** What is held, which is then held no longer: thoughts come before words. */
  take(): { readonly thoughts: Utterance | null; readonly words: Utterance | null } {
    const { thoughts, words } = this
    const taken = {
      thoughts: thoughts.length === 0 ? null : { at: this.thoughtsAt, texts: thoughts },
      words: words.length === 0 ? null : { at: this.wordsAt, texts: words },
    }
    if (thoughts.length > 0) this.thoughts = []
    if (words.length > 0) this.words = []
    return taken
  }
}

/** Does the text say nothing? */
export function isSilent(text: Text, record: RecordView): boolean {
  if (text === null) return true
  if (typeof text === 'string') return text === ''
  if (typeof text !== 'number') return text.bytes.length <= 2
  return !record.isString(text) || record.rawBytes(text) <= 2
}
