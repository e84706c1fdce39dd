import type { Tokens } from '../../event/billing.ts'
import { classes } from '../spend.ts'

/** What a settings file says of its session. */
export interface Settings {
  readonly model: string | null
  /** Running totals of the whole session; null when the file has none. */
  readonly tokens: Tokens | null
}

/** Read a settings file, which may hold anything; null when it is no JSON object. */
export function readSettings(text: string): Settings | null {
  const settings = fieldsOf(parsed(text))
  if (settings === null) return null
  const model = settings.get('model')
  const usage = fieldsOf(settings.get('tokenUsage'))
  return {
    model: typeof model === 'string' && model !== '' ? model : null,
    tokens: usage === null ? null : tokensOf(usage),
  }
}

/** The classes are disjoint; whether thinking is inside the output is not known, so it is a part only if it fits. */
function tokensOf(usage: ReadonlyMap<string, unknown>): Tokens {
  const output = wholeOf(usage.get('outputTokens'))
  const thinking = wholeOf(usage.get('thinkingTokens'))
  return classes(
    wholeOf(usage.get('inputTokens')),
    wholeOf(usage.get('cacheReadTokens')),
    wholeOf(usage.get('cacheCreationTokens')),
    output,
    thinking !== null && output !== null && thinking <= output ? thinking : null,
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function fieldsOf(value: unknown): ReadonlyMap<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? new Map(Object.entries(value))
    : null
}

function wholeOf(value: unknown): number | null {
  const figure = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value
  return typeof figure === 'number' && Number.isSafeInteger(figure) && figure >= 0 ? figure : null
}
