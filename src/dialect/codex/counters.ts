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

const NAMES = ['input', 'cached', 'written', 'output', 'reasoning', 'total'] as const

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
  return NAMES.every((name) => a[name] === null || b[name] === null || a[name] === b[name])
}

/** Some counter is lower than it was. */
export function wentBack(total: Counters, before: Counters): boolean {
  return NAMES.some((name) => (total[name] ?? 0) < (before[name] ?? 0) && total[name] !== null)
}

/** What was added to `before`; what `before` did not know is taken from `last`. */
export function grown(total: Counters, before: Counters, last: Counters | null): Counters {
  const by = (name: keyof Counters): number | null => {
    const [now, then] = [total[name], before[name]]
    if (now === null) return last?.[name] ?? null
    return then === null ? (last?.[name] ?? now) : now - then
  }
  return {
    input: by('input'),
    cached: by('cached'),
    written: by('written'),
    output: by('output'),
    reasoning: by('reasoning'),
    total: by('total'),
  }
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
  const spelled = (counters: Counters | null): string =>
    counters === null ? '-' : NAMES.map((name) => counters[name] ?? '').join(',')
  return `${spelled(total)}/${spelled(last)}`
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
