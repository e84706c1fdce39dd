import { LINE_FEED } from './line-feeds.ts'
import type { Source } from './source.ts'

const CARRIAGE_RETURN = 0x0d
const TAB = 0x09

/**
 * Bytes of values that lie apart, one a line. Values are asked for when their turn has come, so that no more than one is
 * held.
 */
export class LineSource implements Source {
  private readonly lines: Iterator<Uint8Array>
  private current: Uint8Array = new Uint8Array()
  private position = 0

  constructor(lines: Iterable<Uint8Array>) {
    this.lines = lines[Symbol.iterator]()
  }

  read(into: Uint8Array, at: number, length: number): number {
    while (this.position === this.current.length) {
      const next = this.lines.next()
      if (next.done === true) return 0
      this.current = next.value
      this.position = 0
    }
    const got = Math.min(length, this.current.length - this.position)
    into.set(this.current.subarray(this.position, this.position + got), at)
    this.position += got
    return got
  }

  close(): void {
    this.lines.return?.()
  }
}

/**
 * A JSON value as one line, its line feeds blanked in place. They become tabs: white space as well between
 * tokens, and in a string, where neither may stand, the value stays as damaged as it was.
 */
export function asLine(value: Uint8Array): Uint8Array {
  for (let i = 0; i < value.length; i++) {
    if (value[i] === LINE_FEED || value[i] === CARRIAGE_RETURN) value[i] = TAB
  }
  const line = new Uint8Array(value.length + 1)
  line.set(value)
  line[value.length] = LINE_FEED
  return line
}
