import type { Frame } from '../kernel/frame.ts'
import { readCapture, unframeCapture } from './framing/capture.ts'
import { unframeCli } from './framing/cli.ts'
import type { FramedInput, FramingNotes } from './framing/input.ts'
import { unframeEvents } from './framing/sse.ts'

/**
 * What stands around the records of a transcript whose lines are no plain JSON:
 *
 *     sse      data: {…}                            events of an event stream, as `curl -N` keeps them
 *     cli      run.started {…}                      what harnesscli of go-agent-harness prints
 *     capture  {"stream":"stdout","line":"{…}"}     what The Test Cabinet keeps of a harness it runs
 */
export type Framing = 'sse' | 'cli' | 'capture'

/** Bytes at the beginning of a transcript that are looked at. */
const HEAD_BYTES = 1024 * 1024

const BLANK_START = /^(?:\xef\xbb\xbf)?[\s\0]*/
const SSE_FIELD = /^(?:(?:data|event|id|retry)(?::|[\r\n]|$)|:)/
const SSE_DATA = /(?:^|[\r\n])data:/
const CLI_START = /^(?:run_id=[^\s=]+\s*[\r\n]|[a-z_]+(?:\.[a-z_]+)+ \{"id":")/

/** The framing of a transcript that begins with `head`, told by its first line; null for plain lines of JSON. */
export function framingOf(head: Uint8Array): Framing | null {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, HEAD_BYTES))
  const start = BLANK_START.exec(bytes.subarray(0, 4096).toString('latin1'))?.[0].length ?? 0
  const first = bytes[start]
  if (first === 0x7b) return isCaptureLine(bytes, start) ? 'capture' : null
  // No JSON value begins with a letter of these, nor with a colon.
  const text = bytes.subarray(start, start + 4096).toString('latin1')
  if (CLI_START.test(text)) return 'cli'
  return SSE_FIELD.test(text) && SSE_DATA.test(bytes.toString('latin1', start)) ? 'sse' : null
}

function isCaptureLine(bytes: Buffer, start: number): boolean {
  const feed = bytes.indexOf(0x0a, start)
  const line = bytes.utf8Slice(start, feed < 0 ? bytes.length : feed)
  if (!line.includes('"stream"') || !line.includes('"line"')) return false
  return readCapture(line) !== null
}

/**
 * Takes framing away in place, before anything is scanned: what is not a record becomes spaces, so that every record is
 * one line of JSON. No byte is added or removed and no line feed is lost: a record keeps its place and its line (for an
 * event over several lines: the line of its first `data:`). Digests of the transcript must be taken before.
 *
 * A record then is what was framed: the data of an event, as the event stream standard joins it; the JSON behind the
 * type; the decoded line of a capture, in the bytes that the harness wrote. Where the bytes in memory are other than those
 * (`Frame.digest`), the digest is taken before they change. Lines that do not fit the framing are left as they are, and so
 * are those over the limit, whose digest is that of the line as it stands.
 */
export class Unframer implements FramingNotes {
  readonly framing: Framing
  lines = 0
  comments = 0
  empty = 0
  /** By offset in the transcript. */
  private readonly frames = new Map<number, Frame>()
  /** What to add to an address to have an offset, during `unframe`. */
  private shift = 0

  constructor(framing: Framing) {
    this.framing = framing
  }

  /**
   * Take the framing from all records that are whole.
   *
   * @param shift offset in the transcript less address in memory
   * @returns the address after them: a line begins there, or the input ends
   */
  unframe(input: FramedInput, shift: number): number {
    this.shift = shift
    if (this.framing === 'sse') return unframeEvents(input, this)
    return this.framing === 'cli' ? unframeCli(input, this) : unframeCapture(input)
  }

  keep(address: number, frame: Frame): void {
    this.frames.set(address + this.shift, frame)
  }

  /** What was kept for the record at an offset in the transcript; to be asked once. */
  take(offset: number): Frame | null {
    if (this.frames.size === 0) return null
    const frame = this.frames.get(offset)
    if (frame === undefined) return null
    this.frames.delete(offset)
    return frame
  }
}
