import type { Tokens } from '../event/billing.ts'
import type { UsageFigures } from '../event/events.ts'
import type { Sink } from '../event/sink.ts'
import type { Decimal, Text } from '../event/value.ts'
import type { RecordView } from '../kernel/record.ts'
import { parsePicoUsd, plus } from './figures.ts'
import { keptTimeOf } from './times.ts'

/** One request of a dialect whose input lies outside the cache, as the wire wants it (design §5.5). */
export interface Spent {
  readonly at: Text
  /** See `Timed.line`: for what was held back. */
  readonly line?: number
  readonly foldedLines?: readonly number[]
  readonly requestId: Text
  readonly model: string | null
  readonly tokens: Tokens
  /** Identity over the whole corpus; null when the dialect has none. */
  readonly key: string | null
  readonly session: string | null
  /** See `Billed.process`. */
  readonly process?: string | null
  /** Default true. */
  readonly final?: boolean
  /** USD as the harness wrote it. */
  readonly costUsd?: Decimal
  readonly sidechain?: boolean
}

/** Write a request twice: as the `usage` event, and for the bill. `record` is null once the last record was read. */
export function spend(record: RecordView | null, spent: Spent, sink: Sink): void {
  const { at, line, foldedLines, requestId, model, tokens } = spent
  const costUsd = spent.costUsd ?? null
  sink.usage({
    at,
    ...(line === undefined ? {} : { line }),
    ...(foldedLines === undefined ? {} : { foldedLines }),
    requestId,
    model,
    usage: figuresOf(tokens, costUsd),
  })
  if (!sink.takesBills) return
  sink.billed({
    key: spent.key,
    process: spent.process ?? null,
    session: spent.session,
    model,
    at: record === null ? (typeof at === 'string' ? at : null) : keptTimeOf(record, at),
    tokens,
    webSearches: null,
    final: spent.final ?? true,
    reportedPicoUsd: picoOf(record, costUsd),
    serviceTier: null,
    speed: null,
    geo: null,
    sidechain: spent.sidechain ?? false,
  })
}

/** The usage object of the wire; it knows no lifetimes of cache writes. */
export function figuresOf(tokens: Tokens, costUsd: Decimal = null): UsageFigures {
  return {
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    cacheReadInputTokens: tokens.cacheRead,
    cacheCreationInputTokens: plus(plus(tokens.cacheWrite5m, tokens.cacheWrite1h), tokens.cacheWrite),
    serviceTier: null,
    thinkingTokens: tokens.reasoning,
    iterations: null,
    speed: null,
    costUsd,
  }
}

/** Disjoint classes of a dialect that does not tell the lifetimes of cache writes apart. */
export function classes(
  input: number | null,
  cacheRead: number | null,
  cacheWrite: number | null,
  output: number | null,
  reasoning: number | null = null,
): Tokens {
  const ofKnownLife = cacheWrite === null ? null : 0
  return {
    input,
    cacheRead,
    cacheWrite5m: ofKnownLife,
    cacheWrite1h: ofKnownLife,
    cacheWrite,
    output,
    reasoning,
  }
}

/** Sum of several figures, what is unknown left out; unknown only where all are. */
export function sumOf(all: readonly Tokens[]): Tokens {
  let sum: Tokens = classes(null, null, null, null)
  for (const one of all) {
    sum = {
      input: plus(sum.input, one.input),
      cacheRead: plus(sum.cacheRead, one.cacheRead),
      cacheWrite5m: plus(sum.cacheWrite5m, one.cacheWrite5m),
      cacheWrite1h: plus(sum.cacheWrite1h, one.cacheWrite1h),
      cacheWrite: plus(sum.cacheWrite, one.cacheWrite),
      output: plus(sum.output, one.output),
      reasoning: plus(sum.reasoning, one.reasoning),
    }
  }
  return sum
}

/** Input outside the cache, of a dialect whose input holds what came from the cache and went into it. */
export function outsideCache(
  whole: number | null,
  cacheRead: number | null,
  cacheWrite: number | null,
  line: number | null,
  sink: Sink,
): number | null {
  if (whole === null) return null
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0)
  if (cached > whole) {
    sink.notice(
      'cache-exceeds-input',
      line,
      'more cached tokens than input tokens: the input outside the cache is 0',
    )
  }
  return Math.max(0, whole - cached)
}

function picoOf(record: RecordView | null, costUsd: Decimal): bigint | null {
  if (costUsd === null) return null
  if (typeof costUsd === 'string') return parsePicoUsd(costUsd)
  return record === null ? null : parsePicoUsd(record.raw(costUsd))
}
