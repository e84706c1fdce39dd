import type { Text } from '../../event/value.ts'
import type { Node, RecordView } from '../../kernel/record.ts'
import { textIn } from '../words.ts'

/** The time of an event when nothing tells it (design §5.7). */
const EPOCH = '1970-01-01T00:00:00Z'
/** Longest spelling of a time that is passed on: fractions may have any number of digits. */
const LONGEST = 40

/**
 * The times of events: the record's own, else the last one that was seen, else what the caller says the run was observed
 * at, else the epoch. No clock is read.
 */
export class EventClock {
  /** The last time that was seen, as ASCII. */
  private readonly last = Buffer.alloc(LONGEST)
  private lastLength = 0
  private readonly observedAt: string | null
  private readonly notice: (code: string, message: string) => void

  constructor(observedAt: string | null, notice: (code: string, message: string) => void) {
    this.observedAt = observedAt
    this.notice = notice
  }

  /** Take notice of a time. Returns it as the events write it; null when there is none or it is no time. */
  see(record: RecordView, at: Text): Text {
    if (at === null) return null
    if (typeof at === 'number' && isPlainUtc(record, at)) {
      const start = record.words[at]! + 1
      this.lastLength = record.words[at + 1]! - 1 - start
      for (let i = 0; i < this.lastLength; i++) this.last[i] = record.bytes[start + i]!
      return at
    }
    const time = this.read(record, at)
    if (time !== null) this.lastLength = this.last.write(time, 'latin1')
    return time
  }

  /** The same, for a time that is told late: what was seen since then stays the last one. */
  seeLate(record: RecordView, at: Text): Text {
    if (at === null || (typeof at === 'number' && isPlainUtc(record, at))) return at
    return this.read(record, at)
  }

  /** The time of an event without one of its own. */
  now(): string {
    if (this.lastLength > 0) return this.last.latin1Slice(0, this.lastLength)
    if (this.observedAt !== null) return this.observedAt
    this.notice(
      'no-timestamp',
      `nothing tells the time of these events: written as ${EPOCH} (--observed-at names one)`,
    )
    return EPOCH
  }

  private read(record: RecordView, at: Exclude<Text, null>): string | null {
    const spelled = typeof at === 'number' ? record.head(at, LONGEST + 1) : textIn(record, at)
    const time = spelled === null ? null : utcOf(spelled)
    if (time === null) this.notice('odd-timestamp', 'a time that is no RFC 3339 time was passed over')
    return time
  }
}

/**
 * A time spelled `2026-02-28T23:59:59.123Z`, with any fraction or none: nearly all are, and are copied as they stand. What
 * this does not know (29 February, leap seconds) takes the longer way.
 */
function isPlainUtc({ bytes, words }: RecordView, node: Node): boolean {
  const start = words[node]! + 1
  const end = words[node + 1]! - 1
  if (end - start < 20 || end - start > LONGEST || bytes[start - 1] !== QUOTE) return false
  if (bytes[start + 4] !== DASH || bytes[start + 7] !== DASH || bytes[start + 10] !== CAPITAL_T) return false
  if (bytes[start + 13] !== COLON || bytes[start + 16] !== COLON || bytes[end - 1] !== CAPITAL_Z) return false
  const month = two(bytes, start + 5)
  const day = two(bytes, start + 8)
  if (two(bytes, start) > 99 || two(bytes, start + 2) > 99 || month < 1 || month > 12) return false
  if (day < 1 || day > LAST_DAYS[month]! || two(bytes, start + 11) > 23) return false
  if (two(bytes, start + 14) > 59 || two(bytes, start + 17) > 59) return false
  if (end - start === 20) return true
  if (bytes[start + 19] !== POINT || end - start === 21) return false
  for (let at = start + 20; at < end - 1; at++) {
    const digit = bytes[at]! - ZERO
    if (digit < 0 || digit > 9) return false
  }
  return true
}

/** Two digits as a number; above 99 when they are none. */
function two(bytes: Uint8Array, at: number): number {
  const tens = bytes[at]! - ZERO
  const units = bytes[at + 1]! - ZERO
  return tens < 0 || tens > 9 || units < 0 || units > 9 ? 100 : 10 * tens + units
}

/** By month, from 1; of February the one that it has every year. */
const LAST_DAYS = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const QUOTE = 0x22
const DASH = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const COLON = 0x3a
const CAPITAL_T = 0x54
const CAPITAL_Z = 0x5a

const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(\.\d{1,19})?(?:([Zz])|([+-])(\d\d):?(\d\d))$/

/**
 * A time of RFC 3339 in UTC, its fraction as it is spelled: untouched when it is in UTC already, else moved by its offset.
 * Null when it is no time.
 */
export function utcOf(spelled: string): string | null {
  const match = RFC_3339.exec(spelled)
  if (match === null) return null
  const [, year, month, day, hour, minute, second, fraction = '', zulu, sign, offsetHours, offsetMinutes] =
    match
  const clock = [year, month, day, hour, minute, second].map(Number)
  const [y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0] = clock
  const date = new Date(Date.UTC(y, mo - 1, d, h, mi, Math.min(s, 59)))
  if (date.getUTCMonth() !== mo - 1 || date.getUTCDate() !== d || h > 23 || mi > 59 || s > 60) return null
  if (zulu !== undefined)
    return zulu === 'Z' && spelled[10] === 'T' ? spelled : `${spelled.slice(0, 10)}T${spelled.slice(11, -1)}Z`
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return null
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -60_000 : 60_000)
  const moved = new Date(date.getTime() - offset)
  if (Number.isNaN(moved.getTime()) || moved.getUTCFullYear() > 9999 || moved.getUTCFullYear() < 0)
    return null
  const whole = moved.toISOString().slice(0, 17)
  return `${whole}${String(s).padStart(2, '0')}${fraction}Z`
}
