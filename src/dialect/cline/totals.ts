import type { Tokens } from '../../event/billing.ts'
import type { Sink } from '../../event/sink.ts'
import { keys } from '../../kernel/key.ts'
import type { Node, RecordView } from '../../kernel/record.ts'
import { count } from '../figures.ts'
import { classes, outsideCache } from '../spend.ts'

const K = keys('inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens')

/** A usage object: its input includes what was read from the cache, and not what was written to it. */
export function tokensOf(record: RecordView, usage: Node, sink: Sink): Tokens {
  const read = count(record, record.get(usage, K.cacheReadTokens), sink)
  const whole = count(record, record.get(usage, K.inputTokens), sink)
  return classes(
    outsideCache(whole, read, null, record.line, sink),
    read,
    count(record, record.get(usage, K.cacheWriteTokens), sink),
    count(record, record.get(usage, K.outputTokens), sink),
  )
}

/** What a total has more than the requests before it; null when it has nothing more, or contradicts them. */
export function beyond(total: Tokens, spent: Tokens | null, line: number, sink: Sink): Tokens | null {
  if (spent === null) return total
  const rest = classes(
    minus(total.input, spent.input),
    minus(total.cacheRead, spent.cacheRead),
    minus(total.cacheWrite, spent.cacheWrite),
    minus(total.output, spent.output),
  )
  const figures = [rest.input, rest.cacheRead, rest.cacheWrite, rest.output]
  if (figures.some((figure) => figure !== null && figure < 0)) {
    sink.notice('counter-went-back', line, 'the total of a run is less than its requests: the requests count')
    return null
  }
  return figures.every((figure) => figure === null || figure === 0) ? null : rest
}

function minus(total: number | null, spent: number | null): number | null {
  return total === null ? null : total - (spent ?? 0)
}
