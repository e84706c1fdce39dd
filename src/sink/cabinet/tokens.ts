import type { UsageFigures } from '../../event/events.ts'

/** Harnesses whose `inputTokens` is the whole input; all others leave out what came from a cache (design §5.5). */
const WHOLE_INPUT: ReadonlySet<string> = new Set(['codex', 'b10x'])

/**
 * The start of a `usage` event up to its tokens, in the classes of spec test-cabinet §3.1: cache writes are uncached input,
 * and reasoning is no part of output. All four keys are there; null is unknown. Null when nothing at all is known.
 */
export function tokensOf(usage: UsageFigures, harness: string | null): string | null {
  const {
    inputTokens,
    outputTokens,
    cacheReadInputTokens: cached,
    cacheCreationInputTokens: written,
    thinkingTokens,
  } = usage
  if (inputTokens === null && outputTokens === null && cached === null && thinkingTokens === null) return null
  const isWhole = WHOLE_INPUT.has(harness ?? '')
  const uncached =
    inputTokens === null
      ? null
      : isWhole
        ? Math.max(0, inputTokens - (cached ?? 0))
        : inputTokens + (written ?? 0)
  const output = outputTokens === null ? null : Math.max(0, outputTokens - (thinkingTokens ?? 0))
  const tokens = `"uncachedInput":${uncached},"cachedInput":${cached},"output":${output},"reasoning":${thinkingTokens}`
  return `,"type":"usage","tokens":{${tokens}}`
}
