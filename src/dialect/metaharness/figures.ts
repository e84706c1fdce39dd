import type { Sink } from '../../event/sink.ts'
import type { UsageFigures } from '../../event/events.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { Shape } from '../../kernel/shape.ts'
import { count } from '../figures.ts'
import { textAt } from '../values.ts'

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

/** Token counts as the wire has them; what `input` holds depends on the adapter. */
export interface WireTokens {
  readonly input: number | null
  readonly output: number | null
  readonly cacheRead: number | null
  readonly cacheCreation: number | null
  readonly thinking: number | null
}

/** One usage object of the wire: as it is written again, and as it is counted. */
export interface ReadUsage {
  readonly figures: UsageFigures & { readonly serviceTier: Node | null; readonly speed: Node | null }
  readonly tokens: WireTokens
  /** As spelled, in USD; not looked at yet. */
  readonly cost: Node
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
    cost,
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
