import type { Text } from '../../event/value.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'

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

  add(piece: Uint8Array): void {
    if (this.length < 0) this.length = 0
    if (this.length < COMPARED) this.head.set(piece.subarray(0, COMPARED - this.length), this.length)
    this.length += piece.length
  }

  isOf(text: Uint8Array): boolean {
    if (text.length !== this.length) return false
    const compared = Math.min(text.length, COMPARED)
    return this.head.compare(text, 0, compared, 0, compared) === 0
  }
}

/** What stands between the quotes of the text as a JSON string, as it is spelled. */
function spelledIn(text: Text, record: RecordView): Uint8Array {
  const quoted = typeof text === 'number' ? nodeBytes(record, text) : keptBytes(text)
  return quoted.subarray(1, -1)
}

function nodeBytes(record: RecordView, node: Node): Uint8Array {
  return node === NONE ? EMPTY : record.bytes.subarray(record.words[node], record.words[node + 1])
}

function keptBytes(text: Exclude<Text, number>): Uint8Array {
  return text === null || typeof text === 'string' ? Buffer.from(JSON.stringify(text ?? '')) : text.bytes
}

const EMPTY = new Uint8Array(0)
