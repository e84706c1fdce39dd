import {
  LITERALS_AT,
  LITERALS_BYTES,
  PIECES_AT,
  PIECES_BYTES,
  SCRATCH_AT,
  SCRATCH_BYTES,
  type Scanner,
} from '../kernel/scanner.ts'

/** Bytes every output is made of again and again; they stand in the scanner's memory, ready to be copied. */
export interface Literal {
  readonly at: number
  readonly length: number
}

const literals: Buffer = Buffer.alloc(LITERALS_BYTES)
let literalEnd = 0
const known = new Map<string, Literal>()

/** Prepare a literal; the same text is the same literal. A splice copies it to its scanner before its first use. */
export function literal(text: string): Literal {
  const before = known.get(text)
  if (before !== undefined) return before
  const length = literals.write(text, literalEnd, 'utf8')
  if (literalEnd + length > LITERALS_BYTES - PIN_BYTES)
    throw new RangeError('too many literals for their place')
  const made = { at: LITERALS_AT + literalEnd, length }
  literalEnd += length
  known.set(text, made)
  return made
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** Longest text that is written unit by unit: most are ids and names. */
const LONGEST_SHORT = 64

/** Bytes at the end of the literals that one splice keeps a literal of its own in. */
const PIN_BYTES = 8 * 1024

/** Output that is listed and not yet all copied. Plain data. */
export interface Handover {
  /** Bytes copied already. */
  readonly gathered: number
  /** Pieces listed and not copied. */
  readonly pieces: number
  /** Bytes of the whole output. */
  readonly length: number
}

/** Do the copying of an output that was listed in another thread, in the scanner's memory. */
export function completeOutput(scanner: Scanner, { gathered, pieces, length }: Handover): Buffer {
  scanner.ensure(scanner.outputAt + length)
  scanner.gather(pieces, scanner.outputAt + gathered)
  return scanner.output(length)
}

/** Room for pieces that one event may need before the list is looked at again. */
const PIECES_KEPT_FREE = 256
const MOST_PIECES = PIECES_BYTES / 8 - PIECES_KEPT_FREE

/**
 * Output as a list of spans to copy. Events name what they are made of (a span of the input, a literal, a number), and the
 * kernel copies it all in one go:
 *
 *     pieces  (literal 40)(0, seq)(literal 18)(input 1234)(literal 3) …   →   {"format":…,"seq":7,…}\n
 *
 * Listing is the part that has to be done in order, and the cheap one. The copying may be left to another thread, which
 * finds the pieces and the input in the same memory.
 */
export class Splice {
  /** Bytes put in since the last `reset`. */
  length = 0
  private readonly scanner: Scanner
  private pieces: Uint32Array
  private count = 0
  /** Address up to which this scanner has its copy of the literals. */
  private copied = LITERALS_AT
  private scratch = SCRATCH_AT
  /** Output bytes already gathered. */
  private gathered = 0

  constructor(scanner: Scanner) {
    this.scanner = scanner
    this.pieces = new Uint32Array(scanner.memory.buffer, PIECES_AT, PIECES_BYTES / 4)
  }

  /** Keep a text of this splice's own among the literals; one at a time, at most 8 KiB. */
  pin(text: string): Literal {
    const at = LITERALS_AT + LITERALS_BYTES - PIN_BYTES
    const length = Buffer.byteLength(text)
    if (length > PIN_BYTES) throw new RangeError('a pinned text has at most 8 KiB')
    // With its length: without, Node writes nothing into a buffer of more than 2 GiB.
    this.scanner.buffer.write(text, at, length, 'utf8')
    return { at, length }
  }

  /** What another thread needs to know to do the rest of the copying; the output is then in its scanner's memory. */
  handOver(): Handover {
    this.scanner.ensure(this.scanner.outputAt + this.length)
    return { gathered: this.gathered, pieces: this.count, length: this.length }
  }

  /** A text that was pinned. */
  pinned(pin: Literal): void {
    this.span(pin.at, pin.length)
  }

  /** Forget all output; the output region is free again. */
  reset(): void {
    this.length = 0
    this.count = 0
    this.scratch = SCRATCH_AT
    this.gathered = 0
  }

  /** The output so far, in the scanner's memory: good until the next `reset` or growth. */
  output(): Buffer {
    this.flush()
    const start = this.scanner.outputAt
    return this.scanner.buffer.subarray(start, start + this.gathered)
  }

  literal(piece: Literal): void {
    if (piece.at >= this.copied) this.copyLiterals()
    this.span(piece.at, piece.length)
  }

  /** A span of the scanner's memory in front of the output: input, literal or scratch. */
  span(at: number, length: number): void {
    this.length += length
    const slot = this.count * 2
    this.pieces[slot] = at
    this.pieces[slot + 1] = length
    this.count++
  }

  /** A whole number in decimal digits. */
  integer(value: number): void {
    if (value < 0 || value > 0xffffffff) {
      this.text(String(value))
      return
    }
    this.length += digits(value)
    const slot = this.count * 2
    this.pieces[slot] = 0
    this.pieces[slot + 1] = value
    this.count++
  }

  /** The characters of `text` as UTF-8. */
  text(text: string): void {
    if (this.short(text)) return
    const most = text.length * 3
    if (most <= SCRATCH_AT + SCRATCH_BYTES - this.scratch) {
      const written = this.scanner.buffer.write(text, this.scratch, most, 'utf8')
      this.scratchSpan(written)
    } else {
      this.bytes(Buffer.from(text))
    }
  }

  /** A short ASCII text; false, and nothing put in, when it is none. Most pieces are: to call Node for each takes longer. */
  private short(text: string): boolean {
    const { length } = text
    if (length > LONGEST_SHORT || this.scratch + length > SCRATCH_AT + SCRATCH_BYTES) return false
    const { buffer } = this.scanner
    const at = this.scratch
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i)
      if (unit > 0x7f) return false
      buffer[at + i] = unit
    }
    this.scratchSpan(length)
    return true
  }

  /** A short text as a JSON string, when it needs no escapes; false, and nothing put in, when it is not known to. */
  quoted(text: string): boolean {
    const { length } = text
    if (length > LONGEST_SHORT || this.scratch + length + 2 > SCRATCH_AT + SCRATCH_BYTES) return false
    const { buffer } = this.scanner
    let at = this.scratch
    buffer[at++] = QUOTE
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i)
      if (unit < 0x20 || unit > 0x7e || unit === QUOTE || unit === BACKSLASH) return false
      buffer[at++] = unit
    }
    buffer[at] = QUOTE
    this.scratchSpan(length + 2)
    return true
  }

  /** Bytes from outside the scanner's memory. */
  bytes(bytes: Uint8Array): void {
    // To where a word begins: V8 copies into shared memory byte by byte unless both ends lie alike.
    this.scratch = (this.scratch + 7) & ~7
    if (bytes.length > SCRATCH_AT + SCRATCH_BYTES - this.scratch) this.flush()
    if (bytes.length <= SCRATCH_BYTES) {
      this.scanner.buffer.set(bytes, this.scratch)
      this.scratchSpan(bytes.length)
      return
    }
    const at = this.scanner.outputAt + this.gathered
    this.scanner.ensure(at + bytes.length)
    this.scanner.buffer.set(bytes, at)
    this.gathered += bytes.length
    this.length += bytes.length
  }

  /** To be called between events: makes room for the pieces of the next one. */
  breathe(): void {
    if (this.count >= MOST_PIECES) this.flush()
  }

  private copyLiterals(): void {
    literals.copy(this.scanner.buffer, this.copied, this.copied - LITERALS_AT, literalEnd)
    this.copied = LITERALS_AT + literalEnd
  }

  private scratchSpan(length: number): void {
    this.span(this.scratch, length)
    this.scratch += length
  }

  private flush(): void {
    if (this.count > 0) {
      const to = this.scanner.outputAt + this.gathered
      this.scanner.ensure(this.scanner.outputAt + this.length)
      const end = this.scanner.gather(this.count, to)
      this.gathered = end - this.scanner.outputAt
      this.count = 0
    }
    this.scratch = SCRATCH_AT
  }
}

/** The number of decimal digits of a whole number below 2^32. */
function digits(value: number): number {
  if (value < 10) return 1
  if (value < 100) return 2
  if (value < 1000) return 3
  if (value < 10000) return 4
  if (value < 100000) return 5
  if (value < 1000000) return 6
  if (value < 10000000) return 7
  if (value < 100000000) return 8
  return value < 1000000000 ? 9 : 10
}
