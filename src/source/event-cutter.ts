import { LINE_FEED } from './line-feeds.ts'

const CARRIAGE_RETURN = 0x0d
const FEED = Buffer.from('\n')

/** Longest event that is held, in bytes; a longer one cannot be read. */
const MOST_EVENT_BYTES = 256 * 1024 * 1024

/** One event of an event stream. */
export interface StreamEvent {
  /** Its lines as they came, without comments; they end with LF, the blank line included. */
  readonly bytes: Buffer
  /** Its data, lines joined as the standard says; null when it has none. */
  readonly data: Buffer | null
  readonly id: string | null
  /** Milliseconds to wait before connecting again. */
  readonly retryMs: number | null
}

/**
 * Cuts the bytes of an event stream into events, however they are cut themselves. The bytes of an event stay what they were:
 * text is only decoded where it is looked at. Lines end with LF, CRLF or CR.
 */
export class EventCutter {
  private held: Buffer = Buffer.allocUnsafeSlow(64 * 1024)
  private start = 0
  private end = 0
  /** Up to where line ends were looked for. */
  private searched = 0
  private lineStart = 0
  /** A carriage return came last: a line feed now is half of its line end. */
  private afterReturn = false
  private isFirst = true

  /** Take the next bytes. The events that became whole. @throws RangeError when an event has no end */
  feed(piece: Uint8Array): StreamEvent[] {
    this.append(piece)
    const events: StreamEvent[] = []
    for (;;) {
      const feed = this.held.subarray(this.searched, this.end).indexOf(LINE_FEED)
      if (feed < 0) break
      const lineEnd = this.searched + feed
      const isBlank = lineEnd === this.lineStart
      this.searched = lineEnd + 1
      this.lineStart = this.searched
      if (!isBlank) continue
      // Copied: what is held moves on.
      if (lineEnd > this.start)
        events.push(this.eventOf(Buffer.from(this.held.subarray(this.start, lineEnd))))
      this.start = this.searched
    }
    this.searched = this.end
    return events
  }

  private append(piece: Uint8Array): void {
    if (this.start > 0) {
      this.held.copyWithin(0, this.start, this.end)
      this.lineStart -= this.start
      this.searched -= this.start
      this.end -= this.start
      this.start = 0
    }
    const want = this.end + piece.length
    if (want > MOST_EVENT_BYTES) throw new RangeError('an event of the stream is too long')
    if (want > this.held.length) {
      const larger = Buffer.allocUnsafeSlow(want * 2)
      this.held.copy(larger, 0, 0, this.end)
      this.held = larger
    }
    if (!this.afterReturn && !piece.includes(CARRIAGE_RETURN)) {
      this.held.set(piece, this.end)
      this.end = want
      return
    }
    for (const byte of piece) {
      const isHalf = this.afterReturn && byte === LINE_FEED
      this.afterReturn = byte === CARRIAGE_RETURN
      if (!isHalf) this.held[this.end++] = this.afterReturn ? LINE_FEED : byte
    }
  }

  /** @param lines non-blank lines, each with its line feed */
  private eventOf(lines: Buffer): StreamEvent {
    const kept: Buffer[] = []
    const data: Buffer[] = []
    let id: string | null = null
    let retryMs: number | null = null
    let at = this.isFirst && lines.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0
    this.isFirst = false
    while (at < lines.length) {
      const end = lines.indexOf(LINE_FEED, at)
      const line = lines.subarray(at, end)
      at = end + 1
      if (line[0] === COLON) continue
      kept.push(line, FEED)
      const colon = line.indexOf(COLON)
      const name = line.latin1Slice(0, colon < 0 ? line.length : Math.min(colon, 8))
      const from = colon < 0 ? line.length : line[colon + 1] === SPACE ? colon + 2 : colon + 1
      const value = line.subarray(from)
      if (name === 'data') data.push(value, FEED)
      else if (name === 'id' && !value.includes(0)) id = value.toString()
      else if (name === 'retry' && /^\d+$/.test(value.latin1Slice())) retryMs = Number(value.latin1Slice())
    }
    kept.push(FEED)
    return {
      bytes: Buffer.concat(kept),
      data: data.length === 0 ? null : Buffer.concat(data.slice(0, -1)),
      id,
      retryMs,
    }
  }
}

const COLON = 0x3a
const SPACE = 0x20
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])
