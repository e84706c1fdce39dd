import type { Place } from '../../event/billing.ts'
import { Bin } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { NONE, type Node } from '../../kernel/record.ts'
import { textAt } from '../values.ts'
import { keptTimeOf } from '../times.ts'
import {
  type Counters,
  countersAt,
  figuresOf,
  grown,
  isNothing,
  isSame,
  sum,
  textOf,
  tokensOf,
  wentBack,
} from './counters.ts'
import type { Step, Thread } from './state.ts'
import { K, LONGEST_ID } from './words.ts'

/** Ledger records without their count that are remembered: the count follows at once, if at all. */
const MOST_UNECHOED = 16
const MOST_RESPONSES = 65_536

/** `event_msg/token_count`: running totals, and the limits of the plan. Either may be missing. */
export function tokenCount(step: Step): Bin {
  const { record, payload, sink } = step
  const info = record.get(payload, K.info)
  const total = countersAt(record, record.get(info, K.total_token_usage), sink)
  const last = countersAt(record, record.get(info, K.last_token_usage), sink)
  const told = total !== null || last !== null
  const counted = told && take(step, total ?? sum(step.thread.meter.total, last ?? EMPTY), last)
  if (limits(step, record.get(payload, K.rate_limits)) || counted) return Bin.Translated
  if (told) return Bin.Folded
  return record.isNullish(info) ? Bin.Bookkeeping : Bin.Opaque
}

const EMPTY: Counters = {
  input: null,
  cached: null,
  written: null,
  output: null,
  reasoning: null,
  total: null,
}

/** `event_msg/turn.completed`, of few builds: running totals without a last request. */
export function turnUsage(step: Step): Bin {
  const { record, payload, sink } = step
  const total = countersAt(record, record.get(payload, K.usage), sink)
  if (total === null) return Bin.Bookkeeping
  return take(step, total, null) ? Bin.Translated : Bin.Folded
}

/**
 * Count what a running total grew by (spec vendor-transcripts §4.5): nothing when it did not move, its last request when it is the
 * first or went back, nothing when it only repeats a ledger record. True when something was billed.
 */
function take(step: Step, total: Counters, last: Counters | null): boolean {
  const { record, sink, thread } = step
  const { meter } = thread
  const before = meter.total
  if (before !== null && isSame(total, before)) return false
  meter.total = total
  const place = placeOf(thread, textOf(total, last))
  if (last !== null && isEcho(thread, last)) {
    if (place !== undefined) echo(step, place)
    return false
  }
  const spent = spentOf(step, total, before, last)
  if (isNothing(spent)) {
    if ((total.total ?? 0) > 0) {
      sink.notice('context-overflow', record.line, 'a total was set to the size of the context: no request')
    }
    if (place !== undefined) echo(step, place)
    return false
  }
  bill(step, spent, { requestId: null, key: null, place })
  return true
}

function spentOf(
  { record, sink }: Step,
  total: Counters,
  before: Counters | null,
  last: Counters | null,
): Counters {
  if (before === null) return last ?? total
  if (wentBack(total, before)) {
    if (!(last !== null && isNothing(last))) {
      sink.notice('counter-went-back', record.line, 'a running total went back: it was taken to begin anew')
    }
    return last ?? total
  }
  const growth = grown(total, before, last)
  if (last !== null && !isNothing(last) && !isSame(growth, last)) {
    sink.notice(
      'counter-mismatch',
      record.line,
      'a running total grew by something else than its last request',
    )
  }
  return growth
}

/** A count whose last request is one that the ledger has billed. Ledger records before that one had no count. */
function isEcho({ meter }: Thread, last: Counters): boolean {
  const at = meter.unechoed.findIndex((usage) => isSame(usage, last))
  if (at < 0) return false
  meter.unechoed = meter.unechoed.slice(at + 1)
  return true
}

/**
 * `token_usage_record`: one response. Copies keep its id, so that it counts once over all transcripts; those that name
 * another thread are history of that thread.
 */
export function ledgerRecord(step: Step): Bin {
  const { record, payload, sink, thread } = step
  const usage = countersAt(record, record.get(payload, K.usage), sink)
  if (usage === null) return Bin.Opaque
  const { meter } = thread
  meter.unechoed.push(usage)
  if (meter.unechoed.length > MOST_UNECHOED) meter.unechoed.shift()
  const of = record.text(record.get(payload, K.thread_id))
  if (of !== null && thread.id !== null && of !== thread.id) {
    sink.notice(
      'copied-usage',
      record.line,
      'a usage record of another thread is copied history: not counted',
    )
    return Bin.Folded
  }
  const id = textAt(record, record.get(payload, K.response_id))
  const known = id === null ? null : record.text(id)
  if (known !== null && known.length <= LONGEST_ID) {
    if (meter.responses.has(known)) return Bin.Folded
    if (meter.responses.size >= MOST_RESPONSES)
      meter.responses.delete(meter.responses.values().next().value ?? '')
    meter.responses.add(known)
  }
  const place = known === null ? placeOf(thread, textOf(null, usage)) : outside(thread)
  bill(step, usage, { requestId: id, key: known === null ? null : `codex:${known}`, place })
  return Bin.Translated
}

interface Identity {
  readonly requestId: Text
  readonly key: string | null
  readonly place: Place | undefined
}

function bill(step: Step, spent: Counters, { requestId, key, place }: Identity): void {
  const { record, at, sink, thread } = step
  const { model, tier, session, subagent, meter } = thread
  meter.spent = sum(meter.spent, spent)
  sink.usage({
    at,
    // Readers of this wire take usage of Codex with neither model nor request for a running total.
    requestId: requestId ?? (model === null ? `token_count@${record.line}` : null),
    model,
    usage: figuresOf(spent, tier),
  })
  sink.billed({
    key,
    process: null,
    session,
    model,
    at: keptTimeOf(record, at),
    tokens: tokensOf(spent, record.line, sink),
    webSearches: null,
    final: true,
    reportedPicoUsd: null,
    serviceTier: tier,
    speed: null,
    geo: null,
    sidechain: subagent,
    place,
  })
}

/** The next place in the sequence of a thread; without an id no copy of it could be told. */
function placeOf(thread: Thread, counters: string): Place | undefined {
  const { id, parent, meter } = thread
  if (id === null) return undefined
  return { thread: id, parent, step: meter.steps++, counters, kind: 'request' }
}

function outside({ id, parent }: Thread): Place | undefined {
  return id === null ? undefined : { thread: id, parent, step: null, counters: null, kind: 'request' }
}

function echo({ record, at, sink, thread }: Step, place: Place): void {
  sink.billed({
    key: null,
    process: null,
    session: thread.session,
    model: thread.model,
    at: keptTimeOf(record, at),
    tokens: {
      input: 0,
      cacheRead: 0,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      cacheWrite: 0,
      output: 0,
      reasoning: 0,
    },
    webSearches: null,
    final: true,
    reportedPicoUsd: null,
    serviceTier: null,
    speed: null,
    geo: null,
    sidechain: thread.subagent,
    place: { ...place, kind: 'echo' },
  })
}

/** `account/rateLimits/updated` and the limits beside a count. True when something was written. */
export function limits(step: Step, node: Node): boolean {
  const { record, at, sink } = step
  if (!record.isObject(node)) return false
  const name = textAt(record, record.get(node, K.limit_name)) ?? textAt(record, record.get(node, K.limit_id))
  const status = textAt(record, record.get(node, K.rate_limit_reached_type))
  let written = false
  const write = (window: Text, used: Node, resetsAt: number | null): void => {
    const utilization = record.number(used) === null ? null : used
    sink.rateLimit({ at, status, window, resetsAt, utilization, usingOverage: null })
    written = true
  }
  const label = (typeof name === 'number' ? record.text(name) : name) ?? null
  for (const [key, flat, which] of WINDOWS) {
    const window = record.get(node, key)
    const called = which === 'primary' ? name : label === null ? which : `${label}/${which}`
    if (record.isObject(window)) {
      const resets = record.get(window, K.resets_at)
      const until = resets === NONE ? record.get(window, K.reset_at) : resets
      write(called ?? which, record.get(window, K.used_percent), record.integer(until))
    } else if (record.get(node, flat) !== NONE) {
      write(called ?? which, record.get(node, flat), null)
    }
  }
  if (!written && (status !== null || name !== null)) write(name, NONE, null)
  return written
}

const WINDOWS = [
  [K.primary, K.primary_used_percent, 'primary'],
  [K.secondary, K.secondary_used_percent, 'secondary'],
] as const
