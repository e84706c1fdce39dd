import { type CloseReason, EVENT_NAMES } from '../event/events.ts'

/** What was seen of one tool. `denied` counts calls, not records: a call a gate refused. */
export interface ToolCounts {
  /** Sessions that offered it, and sessions that said they withheld it. */
  offered: number
  withheld: number
  requested: number
  results: number
  errors: number
  denied: number
}

/** Decisions of the seam by outcome. */
export interface DecisionCounts {
  allowed: number
  denied: number
  replaced: number
  abstained: number
}

/** How a whole transcript can be judged (design §5.6); `failed`: it could not be read. */
export type Completeness = 'complete' | 'truncated' | 'inconsistent' | 'failed'

/**
 * Counts of what was seen in any number of transcripts. Plain data: it crosses threads and shards. Maps and not
 * objects, so that a tool named `__proto__` is a name like any other.
 */
export interface Census {
  readonly transcripts: {
    readonly byDialect: Map<string, number>
    readonly completeness: Record<Completeness, number>
    readonly closed: Record<CloseReason, number>
  }
  /** Ids of sessions, so that a session seen in several files counts once. */
  readonly sessions: Set<string>
  subagentTranscripts: number
  humanTurns: number
  readonly records: {
    translated: number
    folded: number
    bookkeeping: number
    opaque: number
    unparsed: number
    blank: number
  }
  /** In the order of `EVENT_NAMES`. */
  readonly events: number[]
  readonly tools: Map<string, ToolCounts>
  readonly decisions: DecisionCounts & {
    readonly bySeam: Map<string, number>
    readonly byDecider: Map<string, number>
  }
  /** What seams say they decided, for comparison with `decisions`. */
  readonly statedDecisions: DecisionCounts
  permissionDenials: number
  readonly warnings: Map<string, number>
  readonly opaque: Map<string, number>
  readonly unparsed: Map<string, number>
  subagents: number
  authExpired: number
  readonly rateLimits: Map<string, number>
  /** Raw (uncompressed) bytes and lines. */
  bytes: number
  lines: number
}

/** The census of nothing: `mergeCensus(emptyCensus(), x)` equals `x`. */
export function emptyCensus(): Census {
  return {
    transcripts: {
      byDialect: new Map(),
      completeness: { complete: 0, truncated: 0, inconsistent: 0, failed: 0 },
      closed: { completed: 0, budget: 0, killed: 0, error: 0, 'steer-halt': 0 },
    },
    sessions: new Set(),
    subagentTranscripts: 0,
    humanTurns: 0,
    records: { translated: 0, folded: 0, bookkeeping: 0, opaque: 0, unparsed: 0, blank: 0 },
    events: EVENT_NAMES.map(() => 0),
    tools: new Map(),
    decisions: { ...noDecisions(), bySeam: new Map(), byDecider: new Map() },
    statedDecisions: noDecisions(),
    permissionDenials: 0,
    warnings: new Map(),
    opaque: new Map(),
    unparsed: new Map(),
    subagents: 0,
    authExpired: 0,
    rateLimits: new Map(),
    bytes: 0,
    lines: 0,
  }
}

function noDecisions(): DecisionCounts {
  return { allowed: 0, denied: 0, replaced: 0, abstained: 0 }
}

function noToolCounts(): ToolCounts {
  return { offered: 0, withheld: 0, requested: 0, results: 0, errors: 0, denied: 0 }
}

/** Add `n` to what `counts` says of `key`. */
export function bump(counts: Map<string, number>, key: string, n = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + n)
}

/**
 * Fold `from` into `into` and return `into`; `from` is left as it was.
 *
 * Associative, and commutative but for the order of keys in the maps, which reports sort.
 */
export function mergeCensus(into: Census, from: Census): Census {
  for (const session of from.sessions) into.sessions.add(session)
  return addTimes(into, from, 1)
}

/**
 * Take out of `from` what `part` added to it, and return `from`.
 *
 * @param isElsewhere whether a session of `part` is also in what stays
 */
export function takeCensus(from: Census, part: Census, isElsewhere: (session: string) => boolean): Census {
  for (const session of part.sessions) if (!isElsewhere(session)) from.sessions.delete(session)
  addTimes(from, part, -1)
  const { warnings, opaque, unparsed, rateLimits, decisions } = from
  const counts = [from.transcripts.byDialect, warnings, opaque, unparsed, rateLimits]
  for (const map of [...counts, decisions.bySeam, decisions.byDecider]) {
    for (const [key, n] of map) if (n === 0) map.delete(key)
  }
  for (const [name, tool] of from.tools) {
    if (Object.values(tool).every((n) => n === 0)) from.tools.delete(name)
  }
  return from
}

function addTimes(into: Census, from: Census, times: 1 | -1): Census {
  const bumpAll = (counts: Map<string, number>, more: ReadonlyMap<string, number>): void => {
    for (const [key, n] of more) bump(counts, key, times * n)
  }
  bumpAll(into.transcripts.byDialect, from.transcripts.byDialect)
  addFields(into.transcripts.completeness, from.transcripts.completeness, times)
  addFields(into.transcripts.closed, from.transcripts.closed, times)
  into.subagentTranscripts += times * from.subagentTranscripts
  into.humanTurns += times * from.humanTurns
  addFields(into.records, from.records, times)
  for (const [i, n] of from.events.entries()) into.events[i] = (into.events[i] ?? 0) + times * n
  for (const [name, tool] of from.tools) addFields(toolCounts(into, name), tool, times)
  addDecisions(into.decisions, from.decisions, times)
  addDecisions(into.statedDecisions, from.statedDecisions, times)
  bumpAll(into.decisions.bySeam, from.decisions.bySeam)
  bumpAll(into.decisions.byDecider, from.decisions.byDecider)
  into.permissionDenials += times * from.permissionDenials
  bumpAll(into.warnings, from.warnings)
  bumpAll(into.opaque, from.opaque)
  bumpAll(into.unparsed, from.unparsed)
  into.subagents += times * from.subagents
  into.authExpired += times * from.authExpired
  bumpAll(into.rateLimits, from.rateLimits)
  into.bytes += times * from.bytes
  into.lines += times * from.lines
  return into
}

/** The counts of the tool `name`, made when there are none yet. */
export function toolCounts(census: Census, name: string): ToolCounts {
  const known = census.tools.get(name)
  if (known !== undefined) return known
  const made = noToolCounts()
  census.tools.set(name, made)
  return made
}

/** Count a transcript that could not be read at all. */
export function addFailed(census: Census, dialect: string | null): void {
  if (dialect !== null) bump(census.transcripts.byDialect, dialect)
  census.transcripts.completeness.failed++
}

function addDecisions(into: DecisionCounts, from: DecisionCounts, times: 1 | -1): void {
  into.allowed += times * from.allowed
  into.denied += times * from.denied
  into.replaced += times * from.replaced
  into.abstained += times * from.abstained
}

function addFields<Field extends string>(
  into: Record<Field, number>,
  from: Readonly<Record<Field, number>>,
  times: 1 | -1,
): void {
  for (const field in from) into[field] += times * from[field]
}
