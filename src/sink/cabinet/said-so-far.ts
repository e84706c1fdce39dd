import type { Text } from '../../event/value.ts'
import { NONE, type RecordView } from '../../kernel/record.ts'

/** Bytes that are compared, besides the length, to tell whether two texts are the same. */
const COMPARED = 256

/**
 * Enough of what was said to tell whether a final answer only says it again: the last thing, as most harnesses do, or
 * everything since the last answer in one piece, as Cursor does. All are measured as they are spelled.
 */
export class SaidSoFar {
  private readonly last = new Beginning()
  private readonly all = new Beginning()

  keep(text: Text, record: RecordView): void {
    const spelled = spelledIn(text, record)
    this.last.forget()
    this.last.add(spelled)
    this.all.add(spelled)
  }

  holds(answer: Text, record: RecordView): boolean {
    const spelled = spelledIn(answer, record)
    return this.last.isOf(spelled) || this.all.isOf(spelled)
  }

  /** A run begins or is over: what is said from here on has an answer of its own. */
  turn(answer: Text, record: RecordView): void {
    this.all.forget()
    if (answer === null) return
    this.last.forget()
    this.last.add(spelledIn(answer, record))
  }
}

/** How a text begins, and how long it is; the text may come in pieces. */
class Beginning {
  private length = -1
  private readonly head = Buffer.alloc(COMPARED)

  forget(): void {
    this.length = -1
  }

  add({ bytes, from, to }: Span): void {
    if (this.length < 0) this.length = 0
    const { head, length } = this
    const end = Math.min(COMPARED, length + to - from)
    for (let at = length; at < end; at++) head[at] = bytes[from + at - length]!
    this.length += to - from
  }

  isOf({ bytes, from, to }: Span): boolean {
    if (to - from !== this.length) return false
    const compared = Math.min(this.length, COMPARED)
    return this.head.compare(bytes, from, from + compared, 0, compared) === 0
  }
}

/** Bytes from one place to before another. */
interface Span {
  readonly bytes: Uint8Array
  readonly from: number
  readonly to: number
}

/** What stands between the quotes of the text as a JSON string, as it is spelled. */
function spelledIn(text: Text, record: RecordView): Span {
  if (typeof text === 'number') {
    const { bytes, words } = record
    return text === NONE ? EMPTY : { bytes, from: words[text]! + 1, to: words[text + 1]! - 1 }
  }
  const bytes =
    text === null || typeof text === 'string' ? Buffer.from(JSON.stringify(text ?? '')) : text.bytes
  return { bytes, from: 1, to: bytes.length - 1 }
}

const EMPTY: Span = { bytes: new Uint8Array(0), from: 0, to: 0 }
