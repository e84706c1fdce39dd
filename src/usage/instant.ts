const ISO =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])(\d\d):?(\d\d))?$/

/** Years outside are placeholders (the zero time of Go, the last of .NET), not times. */
const FIRST_YEAR = 1970
const LAST_YEAR = 9998

/**
 * The instant of an ISO 8601 time, in milliseconds since 1970 UTC; null when it is none we can trust. A time
 * without an offset is taken as UTC. Digits past the milliseconds are dropped.
 */
export function instantOf(iso: string | null): number | null {
  if (iso === null) return null
  return plainUtc(iso) ?? parsed(iso)
}

/** `2026-01-31T12:00:00.000Z`; null stays null. */
export function isoOf(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString()
}

/** The one spelling nearly all harnesses use, `2026-01-31T12:00:00.000Z`, several times faster than the pattern. */
function plainUtc(iso: string): number | null {
  if (iso.length !== 24 || iso.charCodeAt(23) !== 0x5a || iso.charCodeAt(10) !== 0x54) return null
  if (iso.charCodeAt(4) !== 0x2d || iso.charCodeAt(7) !== 0x2d || iso.charCodeAt(13) !== 0x3a) return null
  if (iso.charCodeAt(16) !== 0x3a || iso.charCodeAt(19) !== 0x2e) return null
  return utc(
    digits(iso, 0, 4),
    digits(iso, 5, 7),
    digits(iso, 8, 10),
    digits(iso, 11, 13),
    digits(iso, 14, 16),
    digits(iso, 17, 19),
    digits(iso, 20, 23),
    0,
  )
}

function digits(text: string, start: number, end: number): number {
  let value = 0
  for (let i = start; i < end; i++) {
    const digit = text.charCodeAt(i) - 0x30
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}

function parsed(iso: string): number | null {
  const match = ISO.exec(iso)
  if (match === null) return null
  const millis = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3))
  const offsetHours = Number(match[9] ?? 0)
  const offsetMinutes = Number(match[10] ?? 0)
  if (offsetHours > 23 || offsetMinutes > 59) return null
  const offset = (offsetHours * 60 + offsetMinutes) * (match[8] === '-' ? -1 : 1)
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0))
  return utc(year ?? 0, month ?? 0, day ?? 0, hour ?? 0, minute ?? 0, second ?? 0, millis, offset)
}

/** @param offset minutes east of UTC */
function utc(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
  millis: number,
  offset: number,
): number | null {
  // A comparison with NaN is false, so each is written such that NaN is refused.
  if (!(year >= FIRST_YEAR && year <= LAST_YEAR)) return null
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= 31)) return null
  if (!(hour <= 23 && minute <= 59 && second <= 60 && millis <= 999)) return null
  const instant = Date.UTC(year, month - 1, day, hour, minute, second, millis) - offset * 60_000
  // A day that its month does not have would roll over into the next one.
  const exists = day <= 28 || new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day
  return exists ? instant : null
}
