import type { Tokens } from '../../event/billing.ts'
import type { UsageFigures } from '../../event/events.ts'
import type { Sink } from '../../event/sink.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { count, plus } from '../figures.ts'
import { classes, outsideCache } from '../spend.ts'

const K = keys(
  'input_tokens',
  'cached_input_tokens',
  'cache_write_input_tokens',
  'output_tokens',
  'reasoning_output_tokens',
  'total_tokens',
)

/**
 * One usage object of Codex (spec vendor-transcripts §4.3). `input` is the whole input, of which `cached` and `written`
 * are parts; `output` includes `reasoning`. Builds before cache writes were billed have none: `written` is then 0.
 */
export interface Counters {
  readonly input: number | null
  readonly cached: number | null
  readonly written: number | null
  readonly output: number | null
  readonly reasoning: number | null
  readonly total: number | null
}

/** Null when it is no object, or says nothing at all. A missing total is input and output together. */
export function countersAt(record: RecordView, node: Node, sink: Sink): Counters | null {
  if (!record.isObject(node)) return null
  const input = count(record, record.get(node, K.input_tokens), sink)
  const output = count(record, record.get(node, K.output_tokens), sink)
  const written = record.get(node, K.cache_write_input_tokens)
  const total = record.get(node, K.total_tokens)
  const counters: Counters = {
    input,
    cached: count(record, record.get(node, K.cached_input_tokens), sink),
    written: written === NONE ? 0 : count(record, written, sink),
    output,
    reasoning: count(record, record.get(node, K.reasoning_output_tokens), sink),
    total: total === NONE && input !== null && output !== null ? input + output : count(record, total, sink),
  }
  const known = counters.input ?? counters.cached ?? counters.output ?? counters.reasoning ?? counters.total
  return known === null ? null : counters
}

/** Equal in all that both of them know: a field that is left out once says nothing. */
export function isSame(a: Counters, b: Counters): boolean {
  return (
    agree(a.input, b.input) &&
    agree(a.output, b.output) &&
    agree(a.total, b.total) &&
    agree(a.cached, b.cached) &&
    agree(a.written, b.written) &&
    agree(a.reasoning, b.reasoning)
  )
}

function agree(a: number | null, b: number | null): boolean {
  return a === b || a === null || b === null
}

/** Some counter is lower than it was. */
export function wentBack(total: Counters, before: Counters): boolean {
  return (
    fell(total.input, before.input) ||
    fell(total.output, before.output) ||
    fell(total.total, before.total) ||
    fell(total.cached, before.cached) ||
    fell(total.written, before.written) ||
    fell(total.reasoning, before.reasoning)
  )
}

function fell(now: number | null, then: number | null): boolean {
  return now !== null && then !== null && now < then
}

/** What was added to `before`; what `before` did not know is taken from `last`. */
export function grown(total: Counters, before: Counters, last: Counters | null): Counters {
  return {
    input: growth(total.input, before.input, last?.input ?? null),
    cached: growth(total.cached, before.cached, last?.cached ?? null),
    written: growth(total.written, before.written, last?.written ?? null),
    output: growth(total.output, before.output, last?.output ?? null),
    reasoning: growth(total.reasoning, before.reasoning, last?.reasoning ?? null),
    total: growth(total.total, before.total, last?.total ?? null),
  }
}

function growth(now: number | null, then: number | null, last: number | null): number | null {
  if (now === null) return last
  return then === null ? (last ?? now) : now - then
}

/** Nothing went in and nothing came out: a context overflow, or an estimate, but no request. */
export function isNothing({ input, cached, written, output }: Counters): boolean {
  return input === 0 && output === 0 && (cached ?? 0) === 0 && (written ?? 0) === 0
}

export function sum(a: Counters | null, b: Counters): Counters {
  if (a === null) return b
  return {
    input: plus(a.input, b.input),
    cached: plus(a.cached, b.cached),
    written: plus(a.written, b.written),
    output: plus(a.output, b.output),
    reasoning: plus(a.reasoning, b.reasoning),
    total: plus(a.total, b.total),
  }
}

/** Equal texts are equal counters. */
export function textOf(total: Counters | null, last: Counters | null): string {
  return `${spelled(total)}/${spelled(last)}`
}

function spelled(counters: Counters | null): string {
  if (counters === null) return '-'
  const { input, cached, written, output, reasoning, total } = counters
  return `${input ?? ''},${cached ?? ''},${written ?? ''},${output ?? ''},${reasoning ?? ''},${total ?? ''}`
}

/** In the disjoint classes of the bill (spec vendor-transcripts §9); nobody says how long cache writes last. */
export function tokensOf(counters: Counters, line: number | null, sink: Sink): Tokens {
  const { input, cached, written, output, reasoning } = counters
  return classes(outsideCache(input, cached, written, line, sink), cached, written, output, reasoning)
}

/** In the words of the wire, where the input of Codex stays whole (design §5.5). */
export function figuresOf(counters: Counters, serviceTier: string | null): UsageFigures {
  return {
    inputTokens: counters.input,
    outputTokens: counters.output,
    cacheReadInputTokens: counters.cached,
    cacheCreationInputTokens: counters.written,
    serviceTier,
    thinkingTokens: counters.reasoning,
    iterations: null,
    speed: null,
    costUsd: null,
  }
}
