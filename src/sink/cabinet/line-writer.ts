import { isUtf8 } from 'node:buffer'
import type { Json, Text } from '../../event/value.ts'
import type { RecordView } from '../../kernel/record.ts'
import { repaired, wellFormed } from '../repair.ts'
import { type Literal, literal, type Splice } from '../splice.ts'
import { ValueWriter } from '../value-writer.ts'

const TIMESTAMP = literal('{"timestamp":')
const SESSION = literal(',"sessionId":')
const TRUE = literal(',"isSuccess":true')
const FALSE = literal(',"isSuccess":false')
const QUOTE = literal('"')
const END = literal('}\n')

const START_LINE = literal(',"startLine":')
const END_LINE = literal(',"endLine":')

/** Longest session id that is written from one place; a longer one is copied for every line. */
const LONGEST_PIN = 1024

/** `,"type":"agent","message":` and the like, ready to be put behind the head of a line. */
export function typed(type: string, first: string): Literal {
  return literal(`,"type":"${type}","${first}":`)
}
export function field(name: string): Literal {
  return literal(`,"${name}":`)
}

/** Writes the lines of the events: head, fields, end (spec test-cabinet §1). Unset fields are left out, never null. */
export class LineWriter {
  /** Lines written so far. */
  lines = 0
  readonly values: ValueWriter
  /** The session id as a JSON string. */
  private session: string | null = null
  private pin: Literal | null = null
  /** The one place for a pinned text is taken in this splice. */
  private isPinned = false

  constructor(out: Splice, record: RecordView) {
    this.values = new ValueWriter(out, record)
  }

  get out(): Splice {
    return this.values.out
  }

  /** Go on into another splice, which is empty. */
  continueIn(out: Splice): void {
    this.values.out = out
    this.isPinned = false
    this.pinSession()
  }

  /** All further lines are of this session. @param session a JSON string */
  ofSession(session: string): void {
    if (session === this.session) return
    this.session = session
    this.pinSession()
  }

  /** The head of a line. @param session false for an event that belongs to none */
  begin(at: Text, session = true): void {
    const { out } = this
    out.breathe()
    this.lines++
    out.literal(TIMESTAMP)
    this.values.text(at)
    if (!session || this.session === null) return
    if (this.pin !== null) {
      out.pinned(this.pin)
    } else {
      out.literal(SESSION)
      out.text(this.session)
    }
  }

  end(): void {
    this.out.literal(END)
  }

  text(name: Literal, value: Text): void {
    if (value === null) return
    this.out.literal(name)
    this.values.text(value)
  }

  json(name: Literal, value: Json): void {
    this.out.literal(name)
    this.values.json(value)
  }

  integer(name: Literal, value: number | null): void {
    if (value === null) return
    this.out.literal(name)
    this.out.integer(value)
  }

  lineRange(startLine: number | null, endLine: number | null): void {
    this.integer(START_LINE, startLine)
    this.integer(END_LINE, endLine)
  }

  success(value: boolean | null): void {
    if (value !== null) this.out.literal(value ? TRUE : FALSE)
  }

  /** Several texts as one, nothing between them. */
  joined(name: Literal, texts: readonly Text[]): void {
    const [only] = texts
    if (texts.length === 1 && only !== undefined) {
      this.text(name, only)
      return
    }
    this.out.literal(name)
    this.out.literal(QUOTE)
    for (const text of texts) {
      this.inside(text)
      this.out.breathe()
    }
    this.out.literal(QUOTE)
  }

  /** A text without the quotes around it. */
  private inside(text: Text): void {
    const { out, record, repairs } = this.values
    if (text === null) return
    if (typeof text === 'string') {
      out.text(JSON.stringify(wellFormed(text, repairs)).slice(1, -1))
    } else if (typeof text === 'number' && !record.suspect) {
      out.span(record.words[text]! + 1, record.rawBytes(text) - 2)
    } else {
      const { bytes, suspect } = typeof text === 'number' ? record.keep(text) : text
      const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
      if (suspect) out.text(repaired(raw.toString('utf8'), !isUtf8(raw), repairs).slice(1, -1))
      else out.bytes(raw.subarray(1, -1))
    }
  }

  private pinSession(): void {
    this.pin = null
    const { session } = this
    if (session === null || this.isPinned || session.length > LONGEST_PIN) return
    // A pinned text may not change while lines that hold it are still to be copied together.
    this.isPinned = true
    this.pin = this.out.pin(`,"sessionId":${session}`)
  }
}
