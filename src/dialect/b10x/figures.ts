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

/** Micro-dollars added up, exactly: `low` is at most 2^52, and what is above went into `high`. */
export interface MicroUsd {
  low: number
  high: bigint
}

/** Figures of several lines. Added to in place: most lines are of usage, and every one belongs to two sums. */
export interface Sum {
  input: number | null
  output: number | null
  cached: number | null
  created: number | null
  microUsd: MicroUsd | null
}

/** What one run and its delegates used. */
export interface Spend {
  /** That of the run itself. None of a delegate is held beside it: every line of the other settles it. */
  own: Pending | null
  /** By scope: the lines of delegates that run side by side are interleaved. */
  readonly delegates: Map<string, Pending>
  total: Sum | null
  readonly byModel: Map<string, Sum>
  /** All prices, also those of no usage; null while there is none. */
  microUsd: MicroUsd | null
}

export function emptySpend(): Spend {
  return { own: null, delegates: new Map(), total: null, byModel: new Map(), microUsd: null }
}

/** What `usd`, micro-dollars of one line, begins or adds to. */
export function addUsd(sum: MicroUsd | null, usd: number): MicroUsd {
  const to = sum ?? { low: 0, high: 0n }
  // Two numbers of at most 2^52 have an exact sum.
  if (usd > 2 ** 52) to.high += BigInt(usd)
  else to.low += usd
  if (to.low > 2 ** 52) {
    to.high += BigInt(to.low)
    to.low = 0
  }
  return to
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

/** What the figures and the price of one line begin. */
export function sumOf({ input, output, cached, created }: Figures, microUsd: number | null): Sum {
  return { input, output, cached, created, microUsd: microUsd === null ? null : addUsd(null, microUsd) }
}

/** Cache writes and the price are unknown unless every line told them (spec §7); the others are sums of what is known. */
export function addTo(sum: Sum, one: Figures, microUsd: number | null): void {
  sum.input = plus(sum.input, one.input)
  sum.output = plus(sum.output, one.output)
  sum.cached = plus(sum.cached, one.cached)
  sum.created = sum.created === null || one.created === null ? null : sum.created + one.created
  sum.microUsd = sum.microUsd === null || microUsd === null ? null : addUsd(sum.microUsd, microUsd)
}

/** Figures in the words of the wire, where b10x's input stays whole. */
export function figuresOf(sum: Figures, costUsd: string | null): UsageFigures {
  return {
    inputTokens: sum.input,
    outputTokens: sum.output,
    cacheReadInputTokens: sum.cached,
    cacheCreationInputTokens: sum.created,
    serviceTier: null,
    thinkingTokens: null,
    iterations: null,
    speed: null,
    costUsd,
  }
}

/** The micro-dollars of a sum as `decimalUsd` writes them. */
export function decimalOf(sum: MicroUsd | null): string | null {
  return sum === null ? null : decimalUsd(sum.high === 0n ? sum.low : sum.high + BigInt(sum.low))
}

/** Micro-dollars with six digits behind the point, as the harness prints them (spec §6). @param microUsd a whole number */
export function decimalUsd(microUsd: bigint | number): string {
  if (typeof microUsd === 'number') {
    const fraction = microUsd % 1_000_000
    return `${(microUsd - fraction) / 1_000_000}.${String(1_000_000 + fraction).slice(1)}`
  }
  const digits = microUsd.toString().padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`
}
