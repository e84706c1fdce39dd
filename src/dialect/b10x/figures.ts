import type { Tokens } from '../../event/billing.ts'
import type { UsageFigures } from '../../event/events.ts'
import type { Sink } from '../../event/sink.ts'
import { plus } from '../figures.ts'

/** What one `usage` line says. `input` is the whole input; `cached` and `created` are parts of it (spec §2). */
export interface Figures {
  readonly input: number | null
  readonly output: number | null
  readonly cached: number | null
  readonly created: number | null
}

/** A `usage` line held back for the `cost` line that may follow it. */
export interface Pending {
  readonly line: number
  readonly model: string | null
  readonly figures: Figures
  readonly sidechain: boolean
}

export interface Sum extends Figures {
  readonly microUsd: bigint | null
}

/** What one run and its delegates used. */
export interface Spend {
  /** By scope: the lines of delegates that run side by side are interleaved. */
  readonly pending: Map<string, Pending>
  total: Sum | null
  readonly byModel: Map<string, Sum>
  microUsd: bigint | null
}

export function emptySpend(): Spend {
  return { pending: new Map(), total: null, byModel: new Map(), microUsd: null }
}

/** The classes of design §5.8 out of the whole input and its parts. */
export function disjoint({ input, output, cached, created }: Figures, line: number, sink: Sink): Tokens {
  const parts = (cached ?? 0) + (created ?? 0)
  if (input !== null && parts > input) {
    sink.notice(
      'cache-exceeds-input',
      line,
      'more cached tokens than input tokens: the input outside the cache is 0',
    )
  }
  const ofKnownLife = created === null ? null : 0
  return {
    input: input === null ? null : Math.max(0, input - parts),
    cacheRead: cached,
    cacheWrite5m: ofKnownLife,
    cacheWrite1h: ofKnownLife,
    cacheWrite: created,
    output,
    reasoning: null,
  }
}

/** Cache writes and the price are unknown unless every line told them (spec §7); the others are sums of what is known. */
export function add(a: Sum, b: Sum): Sum {
  return {
    input: plus(a.input, b.input),
    output: plus(a.output, b.output),
    cached: plus(a.cached, b.cached),
    created: a.created === null || b.created === null ? null : a.created + b.created,
    microUsd: a.microUsd === null || b.microUsd === null ? null : a.microUsd + b.microUsd,
  }
}

/** Figures in the words of the wire, where b10x's input stays whole. */
export function figuresOf(sum: Figures, microUsd: bigint | null): UsageFigures {
  return {
    inputTokens: sum.input,
    outputTokens: sum.output,
    cacheReadInputTokens: sum.cached,
    cacheCreationInputTokens: sum.created,
    serviceTier: null,
    thinkingTokens: null,
    iterations: null,
    speed: null,
    costUsd: decimalUsd(microUsd),
  }
}

/** Micro-dollars with six digits behind the point, as the harness prints them (spec §6). */
export function decimalUsd(microUsd: bigint | null): string | null {
  if (microUsd === null) return null
  const digits = microUsd.toString().padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`
}
