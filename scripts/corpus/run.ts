import type { CorpusFacts } from './facts.ts'
import type { LineWriter } from './line-writer.ts'
import type { Random } from './random.ts'
import type { Texts } from './texts.ts'

/** What a generator of one transcript gets: where to write, what to draw from, how large the file shall be. */
export interface RunContext {
  readonly random: Random
  readonly texts: Texts
  readonly out: LineWriter
  readonly facts: CorpusFacts
  /** Number of this file in its corpus, from 0. */
  readonly index: number
  /** Wanted size of the file. */
  readonly sizeBytes: number
  /** Longest text, in escaped bytes: small files hold small texts. */
  readonly maxText: number
}

/** The generator of one transcript: it is stepped until the file is large enough, then ended. */
export interface Run {
  /** Path of the file inside the corpus. */
  readonly path: string
  /** Write a few records. */
  step(): void
  /** Write what closes the transcript. */
  end(): void
  /**
   * One record of this dialect as text, with `body` inside one of its JSON strings. `read` says that the line will be
   * readable, so that a numbered dialect gives it a number of its own.
   */
  carrier(body: string, read: boolean): string
  /** One record of a type that this dialect does not know. */
  unknown(): string
}

/** A length for a text, cut at the limit of the file. */
export function textLength(ctx: RunContext, median: number, spread: number): number {
  return Math.min(ctx.maxText, ctx.random.length(median, spread))
}

/** Whether the file is so nearly full that another call with its result would overfill it: time for the last words. */
export function isNearlyFull(ctx: RunContext): boolean {
  return ctx.sizeBytes - ctx.out.bytes < 4_000
}

/** Milliseconds since 1970 as ISO 8601 UTC. */
export function iso(timeMs: number): string {
  return new Date(timeMs).toISOString()
}

/** First moment of the generated calendar: corpora spread over the days after it. */
export const calendarStartMs = Date.UTC(2026, 2, 28, 7, 30)

/** 10^-9 USD as a decimal number without trailing zeros. */
export function nanoUsdText(nanoUsd: number): string {
  const digits = String(nanoUsd).padStart(10, '0')
  const fraction = digits.slice(-9).replace(/0+$/, '')
  return fraction === '' ? digits.slice(0, -9) : `${digits.slice(0, -9)}.${fraction}`
}
