import { readFileSync } from 'node:fs'

/** An event without the envelope of its line. */
export type Event = Readonly<Record<string, unknown>>

/** The events of a stream. */
function eventsOf(bytes: Uint8Array): Event[] {
  const lines = Buffer.from(bytes).toString().split('\n')
  return lines.filter((line) => line !== '').map((line) => bare(JSON.parse(line)))
}

export function eventsIn(path: string): Event[] {
  return eventsOf(readFileSync(path))
}

export function bare(event: Event): Event {
  const { format: _format, seq: _seq, run: _run, ...rest } = event
  return rest
}

/**
 * How `ours` differs from `theirs`, each kind of difference once: `text.request_id` for a field, `+warning x` for an
 * event that only we write, `-text` for one that only they do, `~usage` when usage stands elsewhere. A missing field is
 * null.
 */
export function differencesOf(ours: readonly Event[], theirs: readonly Event[]): string[] {
  const found = new Set<string>()
  // Usage is compared by itself: where it stands is one difference, and must not hide or make others.
  const [ourUsage, ourRest] = apart(ours)
  const [theirUsage, theirRest] = apart(theirs)
  for (const [our, their] of [...aligned(ourRest, theirRest), ...aligned(ourUsage, theirUsage)]) {
    if (our === null) found.add(`-${kindOf(their ?? {})}`)
    else if (their === null) found.add(`+${kindOf(our)}`)
    else for (const name of fieldsThatDiffer(our, their)) found.add(name)
  }
  if (kinds(ours).join() !== kinds(theirs).join() && kinds(ourRest).join() === kinds(theirRest).join()) {
    found.add('~usage')
  }
  return [...found].toSorted()
}

/** Usage, and what else there is. */
function apart(events: readonly Event[]): [Event[], Event[]] {
  return [
    events.filter((event) => event['event'] === 'usage'),
    events.filter((event) => event['event'] !== 'usage'),
  ]
}

/** Kinds of events in order, without the marker at the end. */
function kinds(events: readonly Event[]): string[] {
  return events.filter((event) => event['event'] !== 'stream.closed').map(kindOf)
}

function fieldsThatDiffer(our: Event, their: Event): string[] {
  const fields = new Set([...Object.keys(our), ...Object.keys(their)])
  return [...fields]
    .filter((field) => JSON.stringify(known(our[field])) !== JSON.stringify(known(their[field])))
    .map((field) => `${kindOf(our)}.${field}`)
}

/** A value without fields that are null, its keys sorted: the order of keys says nothing. */
function known(value: unknown): unknown {
  if (value === undefined || value === null) return null
  if (typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(known)
  const entries = Object.entries(value)
    .filter(([, inner]) => inner !== null)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, known(inner)]))
}

function kindOf(event: Event): string {
  return event['event'] === 'warning' ? `warning ${String(event['code'])}` : String(event['event'])
}

type Pair = readonly [our: Event | null, their: Event | null]

/** The longest common run of kinds, with what stands between. */
function aligned(ours: readonly Event[], theirs: readonly Event[]): Pair[] {
  const lengths = ours.map(() => theirs.map(() => 0))
  const length = (i: number, j: number): number => lengths[i]?.[j] ?? 0
  const alike = (i: number, j: number): boolean => kindOf(ours[i] ?? {}) === kindOf(theirs[j] ?? {})
  for (let i = ours.length - 1; i >= 0; i--) {
    for (let j = theirs.length - 1; j >= 0; j--) {
      const best = alike(i, j) ? 1 + length(i + 1, j + 1) : Math.max(length(i + 1, j), length(i, j + 1))
      lengths[i]?.splice(j, 1, best)
    }
  }
  const pairs: Pair[] = []
  let i = 0
  let j = 0
  while (i < ours.length || j < theirs.length) {
    const our = ours[i] ?? null
    const their = theirs[j] ?? null
    const both = our !== null && their !== null
    if (both && alike(i, j)) {
      pairs.push([our, their])
      i++
      j++
    } else if (their === null || (our !== null && length(i + 1, j) >= length(i, j + 1))) {
      pairs.push([our, null])
      i++
    } else {
      pairs.push([null, their])
      j++
    }
  }
  return pairs
}
