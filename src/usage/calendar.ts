import { instantOf } from './instant.ts'

/** Spans of time whose keys are calendar words in one zone. */
const CALENDAR_KEYS = ['day', 'hour', 'week', 'month'] as const
export type CalendarKey = (typeof CALENDAR_KEYS)[number]

/** The zone's name as the zone database spells it; null when there is no such zone. */
export function zoneName(name: string): string | null {
  try {
    const resolved = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone
    // Resolving may also swap a name for an older alias; that is not what was asked for.
    return resolved.toLowerCase() === name.toLowerCase() ? resolved : name
  } catch {
    return null
  }
}

/** The zone of this machine (`TZ` counts), UTC when it has none. */
export function systemZone(): string {
  return zoneName(new Intl.DateTimeFormat().resolvedOptions().timeZone) ?? 'UTC'
}

/** `2026-01-31` when it is a day that exists; else null. */
export function dayName(text: string): string | null {
  return /^\d{4}-\d\d-\d\d$/.test(text) && instantOf(`${text}T00:00:00Z`) !== null ? text : null
}

/** Days from `since` to `until`, both included; null is no bound. Days are keys of a calendar. */
export interface DaySpan {
  readonly since: string | null
  readonly until: string | null
}

/** Whether `day` lies in the span. An unknown day lies only in a span without bounds. */
export function inSpan(span: DaySpan, day: string | null): boolean {
  if (span.since === null && span.until === null) return true
  if (day === null) return false
  return (span.since === null || day >= span.since) && (span.until === null || day <= span.until)
}

/**
 * Offsets of all zones change at quarters of an hour of UTC, and since 1972 they are multiples of a quarter, so all
 * instants of one quarter have the same keys.
 */
const QUARTER_MS = 15 * 60_000
const MOST_QUARTERS = 100_000
const DAY_MS = 86_400_000

const CLOCK_FIELDS = ['year', 'month', 'day', 'hour', 'minute', 'second']

interface Quarter {
  readonly day: string
  readonly hour: string
  readonly week: string
  readonly month: string
}

/** Calendar keys of instants in one zone. Clock changes follow the zone's rules at that instant, never day lengths. */
export class Calendar {
  private readonly named: string | null
  private known: { readonly zone: string; readonly format: Intl.DateTimeFormat } | null = null
  private readonly quarters = new Map<number, Quarter>()
  private lastIndex = Number.NaN
  private last: Quarter | null = null

  /**
   * @param zone null is that of this machine. It is looked up when it is asked for: the first look at any zone takes 20 ms,
   * and few reports show one
   * @throws RangeError when `zone` is no name that `zoneName` knows
   */
  constructor(zone: string | null) {
    this.named = zone
    if (zone !== null) this.look()
  }

  get zone(): string {
    return this.look().zone
  }

  /**
   * `2026-01-31`, `2026-01-31T13:00+01:00` (with the offset: an hour that the clocks repeat stays two), `2026-W05`
   * (ISO: weeks begin on Monday, the first one holds January 4), `2026-01`; null when `iso` is no known time.
   */
  key(kind: CalendarKey, iso: string | null): string | null {
    return this.keyAt(kind, instantOf(iso))
  }

  /** The same for an instant in milliseconds since 1970 UTC. */
  keyAt(kind: CalendarKey, instant: number | null): string | null {
    return instant === null ? null : this.quarter(instant)[kind]
  }

  private quarter(instant: number): Quarter {
    const index = Math.floor(instant / QUARTER_MS)
    if (index === this.lastIndex && this.last !== null) return this.last
    let quarter = this.quarters.get(index)
    if (quarter === undefined) {
      if (this.quarters.size >= MOST_QUARTERS) this.quarters.clear()
      quarter = quarterAt(index * QUARTER_MS, this.offsetMs(index * QUARTER_MS))
      this.quarters.set(index, quarter)
    }
    this.lastIndex = index
    this.last = quarter
    return quarter
  }

  /** How far the zone's clock is ahead of UTC at `instant`, a whole second. */
  private offsetMs(instant: number): number {
    const parts = this.look().format.formatToParts(instant)
    const [year = 0, month = 0, day, hour, minute, second] = CLOCK_FIELDS.map((field) =>
      Number(parts.find(({ type }) => type === field)?.value),
    )
    return Date.UTC(year, month - 1, day, hour, minute, second) - instant
  }

  private look(): { readonly zone: string; readonly format: Intl.DateTimeFormat } {
    if (this.known !== null) return this.known
    const zone = this.named ?? systemZone()
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    return (this.known = { zone, format })
  }
}

function quarterAt(instant: number, offsetMs: number): Quarter {
  const local = new Date(instant + offsetMs)
  const text = local.toISOString()
  const day = text.slice(0, 10)
  const hour = `${text.slice(0, 13)}:00${offsetText(offsetMs)}`
  return { day, hour, week: weekOf(local), month: text.slice(0, 7) }
}

function offsetText(offsetMs: number): string {
  const minutes = Math.round(Math.abs(offsetMs) / 60_000)
  return `${offsetMs < 0 ? '-' : '+'}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`
}

function twoDigits(n: number): string {
  return String(n).padStart(2, '0')
}

/** The ISO week of a date whose UTC fields hold the local calendar. */
function weekOf(local: Date): string {
  const weekday = (local.getUTCDay() + 6) % 7
  const thursday = new Date(local.getTime() + (3 - weekday) * DAY_MS)
  const year = thursday.getUTCFullYear()
  const week = 1 + Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * DAY_MS))
  return `${year}-W${twoDigits(week)}`
}
