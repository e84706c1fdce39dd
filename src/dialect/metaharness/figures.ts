import type { Sink } from '../../event/sink.ts'
import type { UsageFigures } from '../../event/events.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { Shape } from '../../kernel/shape.ts'
import { count, picoUsd } from '../figures.ts'
import { textAt } from '../values.ts'
import type { WireTokens } from './books.ts'

const USAGE = new Shape(
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'service_tier',
  'thinking_tokens',
  'iterations',
  'speed',
  'cost_usd',
)

/** One usage object of the wire: as it is written again, and as it is counted. */
export interface ReadUsage {
  readonly figures: UsageFigures
  readonly tokens: WireTokens
  readonly reportedPicoUsd: bigint | null
}

export function readUsage(record: RecordView, node: Node, sink: Sink): ReadUsage {
  const fields = USAGE.read(record, node)
  const input = count(record, fields.input_tokens, sink)
  const output = count(record, fields.output_tokens, sink)
  const cacheRead = count(record, fields.cache_read_input_tokens, sink)
  const cacheCreation = count(record, fields.cache_creation_input_tokens, sink)
  const thinking = count(record, fields.thinking_tokens, sink)
  const cost = fields.cost_usd
  return {
    figures: {
      inputTokens: input,
      outputTokens: output,
      cacheReadInputTokens: cacheRead,
      cacheCreationInputTokens: cacheCreation,
      serviceTier: textAt(record, fields.service_tier),
      thinkingTokens: thinking,
      iterations: count(record, fields.iterations, sink),
      speed: textAt(record, fields.speed),
      costUsd: record.isNullish(cost) ? null : cost,
    },
    tokens: { input, output, cacheRead, cacheCreation, thinking },
    reportedPicoUsd: picoUsd(record, cost),
  }
}

/** A map of models; of a name that stands there twice the last one counts. */
export function readModels(
  record: RecordView,
  node: Node,
  sink: Sink,
): ReadonlyMap<string, ReadUsage> | null {
  if (!record.isObject(node)) return null
  const models = new Map<string, ReadUsage>()
  for (let child = record.first(node); child !== NONE; child = record.next(child)) {
    models.set(record.key(child), readUsage(record, child, sink))
  }
  return models
}

export function serviceWords(record: RecordView, node: Node): { tier: string | null; speed: string | null } {
  const { service_tier, speed } = USAGE.read(record, node)
  return { tier: record.word(service_tier), speed: record.word(speed) }
}
