import type { UsageFigures } from '../../event/events.ts'
import { Bin, type Sink } from '../../event/sink.ts'
import { type Node, NONE, type RecordView } from '../../kernel/record.ts'
import { count, parsePicoUsd, plus, spelledUsd } from '../figures.ts'
import { classes, outsideCache, spend } from '../spend.ts'
import { keptTimeOf } from '../times.ts'
import { open } from './early.ts'
import { identityOf, type Run, type Step } from './state.ts'
import type { Counts, Spend } from './sums.ts'
import { K } from './words.ts'

/** Differences below 10^-9 USD come from the binary floating point of the harness. */
const NOISE_PICO_USD = 1000n
/** Turns of unknown size that are billed one by one. */
const MOST_UNKNOWN = 1000

/**
 * `usage.delta`: one turn (spec §2.4). A turn whose provider reported nothing is all zeros, which are not known to be
 * zeros. A price stands only when the harness had one; the classes of the cache are absent when the provider sent none.
 */
export function turnUsage(step: Step): Bin {
  const { record, data, at, run, state, sink } = step
  const turn = record.get(data, K.turn_usage)
  if (!record.isObject(turn)) return Bin.Opaque
  open(run, state, sink)
  const { prompt, completion, total } = countsAt(record, turn, sink)
  const cached = count(record, record.get(turn, K.cached_prompt_tokens), sink)
  const reasoning = count(record, record.get(turn, K.reasoning_tokens), sink)
  const isReported = record.word(record.get(data, K.usage_status)) !== 'provider_unreported'
  const isUnknown = !isReported && (prompt ?? 0) === 0 && (completion ?? 0) === 0
  const cost = costAt(record, data, record.get(data, K.turn_cost_usd))
  spend(
    record,
    {
      at,
      requestId: null,
      model: run.facts.model,
      tokens: isUnknown
        ? classes(null, null, null, null)
        : classes(outsideCache(prompt, cached, 0, record.line, sink), cached, 0, completion, reasoning),
      key: identityOf(step),
      session: run.facts.session,
      process: run.id,
      final: isReported,
      costUsd: cost,
    },
    sink,
  )
  const { spend: sums } = run
  const costUsd = record.number(record.get(data, K.turn_cost_usd))
  sums.turns++
  sums.line = record.line
  sums.prompt += prompt ?? 0
  sums.completion += completion ?? 0
  sums.total += total ?? 0
  sums.cached = isUnknown || cached === null || sums.cached === null ? null : sums.cached + cached
  sums.reasoning =
    isUnknown || reasoning === null || sums.reasoning === null ? null : sums.reasoning + reasoning
  sums.costUsd += costUsd ?? 0
  if (cost !== null) sums.picoUsd += parsePicoUsd(record.raw(cost)) ?? 0n
  sums.lastTotal = total
  sums.lastCostUsd = costUsd
  const cumulative = record.get(data, K.cumulative_usage)
  sums.cumulative = record.isObject(cumulative) ? countsAt(record, cumulative, sink) : null
  return Bin.Translated
}

/** What a terminal event says its run used in all. */
export interface Totals {
  readonly usage: UsageFigures | null
  readonly costUsd: Node | null
}

/**
 * The totals of a terminal event. What they hold beyond the turns of the transcript is billed as one request more: turns
 * that were lost, or all of them where a harness writes none. Turns that neither tells of are requests of unknown size.
 */
export function closeTotals(step: Step): Totals {
  const { record, data, at, run, sink } = step
  const { spend: sums } = run
  const stated = statedTotals(record, record.get(data, K.usage_totals), sink)
  const rest = {
    prompt: Math.max(0, (stated.prompt ?? 0) - sums.prompt),
    completion: Math.max(0, (stated.completion ?? 0) - sums.completion),
  }
  const isMore = rest.prompt > 0 || rest.completion > 0
  const costs = record.get(data, K.cost_totals)
  const costUsd = costAt(record, costs, record.get(costs, K.cost_usd_total))
  const reportedPicoUsd = costUsd === null ? null : parsePicoUsd(record.raw(costUsd))
  const { model, session } = run.facts
  if (isMore) {
    if (sums.turns > 0) {
      const message = 'the totals of the run hold more than its turns: the rest was billed as one request'
      sink.notice('usage-outside-turns', record.line, message)
    }
    const spent = {
      at,
      requestId: null,
      model,
      tokens: classes(rest.prompt, null, 0, rest.completion),
      // One that a recorder dropped is that one; other recordings of the run may have it.
      key: (sums.lost.length === 1 ? sums.lost[0] : undefined) ?? `${identityOf(step)}:rest`,
      session,
      process: run.id,
      final: unknownTurns(sums) === 0,
      costUsd: reportedPicoUsd === null ? null : restOf(reportedPicoUsd - sums.picoUsd),
    }
    spend(record, spent, sink)
  } else {
    billUnknown(run, sink)
  }
  if (reportedPicoUsd !== null) {
    sink.settled({ process: run.id, session, at: keptTimeOf(record, at), models: null, reportedPicoUsd })
  }
  return { usage: usageOf(sums, stated, isMore), costUsd }
}

/** A price in USD, as it is spelled in JSON; null for what only rounding left over. */
function restOf(picoUsd: bigint): string | null {
  return picoUsd <= NOISE_PICO_USD ? null : spelledUsd(picoUsd)
}

/** Bill the turns whose figures are not in the transcript, each as a request of unknown size. */
export function billUnknown({ id, facts, spend: sums }: Run, sink: Sink): void {
  const unknown = Math.min(unknownTurns(sums), MOST_UNKNOWN)
  for (let i = 0; i < unknown; i++) {
    const key = sums.lost[i] ?? `go-harness:${facts.session ?? id}:unknown:${sums.line}:${i}`
    const { model, session } = facts
    const tokens = classes(null, null, null, null)
    spend(
      null,
      { at: null, line: sums.line, requestId: null, model, tokens, key, session, process: id, final: false },
      sink,
    )
  }
}

/** Turns that a recorder dropped the figures of, or that were completed without any. */
function unknownTurns({ lost, completed, turns }: Spend): number {
  return Math.max(lost.length, completed - turns, 0)
}

/** Invariants of a complete run (spec §7), broken ones as notices. Only for a run none of whose events is missing. */
export function checkTotals({ record, data, sink }: Step, { spend: sums }: Run): void {
  if (sums.turns === 0) return
  const notice = (code: string, message: string): void => sink.notice(code, record.line, message)
  const stated = statedTotals(record, record.get(data, K.usage_totals), sink)
  const own: Counts = { prompt: sums.prompt, completion: sums.completion, total: sums.total }
  if (differ(own, stated) || differ(own, sums.cumulative)) {
    notice('usage-totals-differ', 'the totals of the run are not the sums of its turns')
  }
  const usage = record.get(data, K.usage_totals)
  const costs = record.get(data, K.cost_totals)
  const cost = record.number(record.get(costs, K.cost_usd_total))
  if (cost !== null && cost !== sums.costUsd) {
    notice('cost-totals-differ', 'the cost of the run is not the sum of the costs of its turns')
  }
  const lastTokens = record.integer(record.get(usage, K.last_turn_tokens))
  const lastCost = record.number(record.get(costs, K.last_turn_cost_usd))
  if (
    (lastTokens !== null && lastTokens !== sums.lastTotal) ||
    (lastCost !== null && lastCost !== sums.lastCostUsd)
  ) {
    notice('last-turn-differs', 'what the totals say of the last turn is not what that turn said')
  }
  if (sums.turns !== sums.completed || sums.completed > sums.requested) {
    notice('turn-counts-differ', 'turns requested, completed and accounted for are not equally many')
  }
}

function differ(own: Counts, stated: Counts | null): boolean {
  if (stated === null) return false
  const names = ['prompt', 'completion', 'total'] as const
  return names.some((name) => stated[name] !== null && stated[name] !== own[name])
}

function countsAt(record: RecordView, node: Node, sink: Sink): Counts {
  return {
    prompt: count(record, record.get(node, K.prompt_tokens), sink),
    completion: count(record, record.get(node, K.completion_tokens), sink),
    total: count(record, record.get(node, K.total_tokens), sink),
  }
}

function statedTotals(record: RecordView, node: Node, sink: Sink): Counts {
  return {
    prompt: count(record, record.get(node, K.prompt_tokens_total), sink),
    completion: count(record, record.get(node, K.completion_tokens_total), sink),
    total: count(record, record.get(node, K.total_tokens), sink),
  }
}

/** A price, unless its status says that none was known: then a zero is none. */
function costAt(record: RecordView, around: Node, node: Node): Node | null {
  const cost = record.number(node)
  if (cost === null || node === NONE) return null
  const status = record.word(record.get(around, K.cost_status))
  return cost > 0 || status === 'available' ? node : null
}

/** The run's figures for `session.ended`: the totals as stated, split by what all turns said of the cache. */
function usageOf(sums: Spend, stated: Counts, isMore: boolean): UsageFigures | null {
  if (sums.turns === 0 && !isMore) return null
  const isWhole = !isMore && sums.turns > 0
  const prompt = stated.prompt ?? (sums.turns > 0 ? sums.prompt : null)
  const output = stated.completion ?? (sums.turns > 0 ? sums.completion : null)
  if (prompt === null && output === null) return null
  const cached = isWhole ? sums.cached : null
  return {
    inputTokens: prompt === null ? null : Math.max(0, prompt - (cached ?? 0)),
    outputTokens: output,
    cacheReadInputTokens: cached,
    cacheCreationInputTokens: 0,
    serviceTier: null,
    thinkingTokens: isWhole ? plus(sums.reasoning, null) : null,
    iterations: null,
    speed: null,
    costUsd: null,
  }
}
