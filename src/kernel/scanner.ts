import { isUtf8 } from 'node:buffer'
import { NODE_WORDS, RECORD_WORDS, RecordFlag } from './layout.ts'
import type { Key } from './key.ts'
import { compileKernel, type Kernel, startKernel } from './kernel.ts'
import { NONE, type Node, RecordView } from './record.ts'

/** Levels of nesting a record may have; deeper ones are unparsed. */
export const DEPTH_LIMIT = 1024

/** Bytes the scanner may read behind its input, and `gather` may write behind its output. */
const SLACK = 256
const PAGE = 65536
const MAX_PAGES = 65536

const RECORD_BYTES = RECORD_WORDS * 4

const SPACE = 0x20
const TAB = 0x09

/**
 * Where things are in the memory of one scanner, in bytes:
 *
 *     0 ─ zero node ─ stack ─ literals ─ scratch ─ pieces ─ work ─ 2 MiB: input ─ nodes ─ records ─ output …
 *
 * What stands before the input never moves; what stands behind it moves when the input is given more room.
 */
const STACK_AT = 64
export const LITERALS_AT = 16 * 1024
export const LITERALS_BYTES = 48 * 1024
export const SCRATCH_AT = LITERALS_AT + LITERALS_BYTES
export const SCRATCH_BYTES = 128 * 1024
export const PIECES_AT = SCRATCH_AT + SCRATCH_BYTES
export const PIECES_BYTES = 1024 * 1024
const WORK_AT = PIECES_AT + PIECES_BYTES
export const INPUT_AT = 2 * 1024 * 1024

/** Above this much input a scan is of one long line, which needs no table of many records. */
const MANY_RECORDS_BYTES = 32 * 1024 * 1024

/** A memory to scan in. Shared, so that other threads read its tapes and growing it never pulls a view away. */
export function createScanMemory(): WebAssembly.Memory {
  return new WebAssembly.Memory({ initial: INPUT_AT / PAGE, maximum: MAX_PAGES, shared: true })
}

let compiled: WebAssembly.Module | null = null

/**
 * The kernel with a memory of its own to work in: input goes in at `INPUT_AT`, `scan` makes records of it, `select`
 * moves `view` over them. Everything is reused from scan to scan; nothing is allocated per record.
 */
export class Scanner {
  readonly memory: WebAssembly.Memory
  readonly view: RecordView
  /** Number of records of the last scan. */
  recordCount = 0
  /** Number of line feeds of the last scan. */
  lineCount = 0
  /** Lines of nothing but white space and NUL bytes in the last scan. */
  blankCount = 0
  /** Address of the output region. */
  outputAt = 0

  /** Bytes of input the memory has room for. */
  private capacity = 0
  private readonly kernel: Kernel
  private nodesAt = 0
  private recordsAt = 0
  private words: Uint32Array
  private bytes: Buffer

  constructor(options: { readonly module?: WebAssembly.Module; readonly memory?: WebAssembly.Memory } = {}) {
    this.memory = options.memory ?? createScanMemory()
    const module = options.module ?? (compiled ??= compileKernel())
    this.kernel = startKernel(module, this.memory)
    this.words = new Uint32Array(this.memory.buffer)
    this.bytes = Buffer.from(this.memory.buffer)
    this.view = new RecordView(this.words, this.bytes, this.kernel.decodedLength)
    this.reserve(64 * 1024)
  }

  /** The whole memory, for writing input at `INPUT_AT` and reading output. Replaced when the memory grows. */
  get buffer(): Buffer {
    return this.bytes
  }

  get inputCapacity(): number {
    return this.capacity
  }

  /** Make room for `bytes` of input. What is already at `INPUT_AT` stays; tapes of earlier scans are lost. */
  reserve(bytes: number): void {
    if (bytes <= this.capacity) return
    this.layOut(bytes)
    this.ensure(this.outputAt + SLACK)
  }

  /**
   * Give this scanner's view of its memory the layout and size another thread's scanner gave it: the tape of
   * that scan is then read here. `capacity` and the counts come from that scanner.
   */
  adopt(scan: ScanFacts): void {
    this.layOut(scan.capacity)
    this.ensure(0)
    this.recordCount = scan.records
    this.lineCount = scan.lines
    this.blankCount = scan.blanks
  }

  /** What another thread needs to read the last scan. */
  facts(): ScanFacts {
    return {
      capacity: this.capacity,
      records: this.recordCount,
      lines: this.lineCount,
      blanks: this.blankCount,
    }
  }

  /**
   * Scan the input `[start, end)` (addresses), whose last byte is a line feed.
   *
   * @param document line feeds are white space; every value is one record
   */
  scan(start: number, end: number, document = false): void {
    if (end > start) {
      const { kernel } = this
      kernel.scan(
        start,
        end,
        this.nodesAt,
        this.recordsAt,
        this.outputAt,
        STACK_AT,
        WORK_AT,
        DEPTH_LIMIT,
        document ? 1 : 0,
      )
      this.recordCount = Number(kernel.recordCount.value)
      this.lineCount = Number(kernel.lineCount.value)
      this.blankCount = Number(kernel.blankCount.value)
      if (!isUtf8(this.bytes.subarray(start, end))) this.flagBadUtf8()
    } else {
      this.recordCount = 0
      this.lineCount = 0
      this.blankCount = 0
    }
  }

  /** Copy `input` into the memory and scan it; a missing last line feed is supplied. For whole small inputs. */
  scanBytes(input: Uint8Array, document = false): void {
    this.reserve(input.length + 1)
    this.bytes.set(input, INPUT_AT)
    let end = INPUT_AT + input.length
    const cut = input.length > 0 && input[input.length - 1] !== 0x0a
    if (cut) this.bytes[end++] = 0x0a
    this.scan(INPUT_AT, end, document)
    if (cut && !document) this.flagCut()
  }

  /** The last line of the scan has no line feed of its own: flag its last record, when there is one. */
  flagCut(): void {
    if (this.recordCount === 0) return
    const at = (this.recordsAt >>> 2) + (this.recordCount - 1) * RECORD_WORDS
    if (this.words[at + 4] !== this.lineCount - 1) return
    this.words[at + 3] = this.words[at + 3]! | RecordFlag.NoLineEnd
  }

  /** Let the spans of records begin and end with what is on their lines: the spaces around are left of framing. */
  tighten(): void {
    const { words, bytes } = this
    for (let i = 0; i < this.recordCount; i++) {
      const at = (this.recordsAt >>> 2) + i * RECORD_WORDS
      let start = words[at]!
      let end = words[at + 1]!
      while (start < end && (bytes[start] === SPACE || bytes[start] === TAB)) start++
      while (end > start && (bytes[end - 1] === SPACE || bytes[end - 1] === TAB)) end--
      words[at] = start
      words[at + 1] = end
    }
  }

  /** Move the view to record `index` of the last scan. `view.line` becomes `firstLine` plus its line in the scan. */
  select(index: number, firstLine: number): RecordView {
    const { view, words } = this
    const at = (this.recordsAt >>> 2) + index * RECORD_WORDS
    view.start = words[at]!
    view.end = words[at + 1]!
    view.root = words[at + 2]! as Node
    view.flags = words[at + 3]!
    view.line = firstLine + words[at + 4]!
    view.oversize = null
    view.frame = null
    return view
  }

  /** The first record from `index` on that is an object with this field; the count of records when there is none. */
  nextWith(key: Key, index: number): number {
    const { hash } = key.prepare()
    const end = this.recordsAt + this.recordCount * RECORD_BYTES
    let record = this.recordsAt + index * RECORD_BYTES
    for (; record < end; record += RECORD_BYTES) {
      record = this.kernel.nextWith(record, end, hash)
      if (record < end && this.view.get(this.words[(record >>> 2) + 2]! as Node, key) !== NONE) break
    }
    return (Math.min(record, end) - this.recordsAt) / RECORD_BYTES
  }

  /** Copy the pieces listed at `PIECES_AT` to `to`; returns the address after them. The output region must have room. */
  gather(count: number, to: number): number {
    return this.kernel.gather(PIECES_AT, count, to) >>> 0
  }

  /** The first `length` bytes of the output region. */
  output(length: number): Buffer {
    return this.bytes.subarray(this.outputAt, this.outputAt + length)
  }

  /** Make sure that addresses below `end` exist. */
  ensure(end: number): void {
    const missing = end + SLACK - this.memory.buffer.byteLength
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE))
    if (this.bytes.length === this.memory.buffer.byteLength) return
    this.words = new Uint32Array(this.memory.buffer)
    this.bytes = Buffer.from(this.memory.buffer)
    this.view.words = this.words
    this.view.bytes = this.bytes
    this.view.data = new DataView(this.memory.buffer)
  }

  private layOut(capacity: number): void {
    this.capacity = capacity
    const nodes = Math.ceil(capacity / 2) + DEPTH_LIMIT + 16
    const records = Math.ceil(Math.min(capacity, MANY_RECORDS_BYTES) / 2) + 16
    this.nodesAt = align(INPUT_AT + capacity + SLACK)
    this.recordsAt = align(this.nodesAt + nodes * NODE_WORDS * 4)
    this.outputAt = align(this.recordsAt + records * RECORD_WORDS * 4)
  }

  private flagBadUtf8(): void {
    for (let i = 0; i < this.recordCount; i++) {
      const at = (this.recordsAt >>> 2) + i * RECORD_WORDS
      if (isUtf8(this.bytes.subarray(this.words[at]!, this.words[at + 1]!))) continue
      this.words[at + 3] = this.words[at + 3]! | RecordFlag.BadUtf8
    }
  }
}

/** The size and counts of one scan, enough to read its tape in another thread. */
export interface ScanFacts {
  readonly capacity: number
  readonly records: number
  readonly lines: number
  readonly blanks: number
}

function align(address: number): number {
  return Math.ceil(address / 64) * 64
}
