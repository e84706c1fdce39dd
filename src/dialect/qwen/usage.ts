import type { Tokens } from '../../event/billing.ts'
import type { Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { count, plus } from '../figures.ts'
import { classes, outsideCache, spend } from '../spend.ts'
import { textAt } from '../values.ts'
import type { State } from './state.ts'

const K = keys(
  'id',
  'model',
  'usage',
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'inputTokens',
  'outputTokens',
  'cacheReadInputTokens',
)

/** Models told apart in the sums of a process. */
const MOST_MODELS = 1000

/** What a stream's `usage` says: the names are those of Claude, but the input holds the cached tokens. */
export function usageTokens(record: RecordView, usage: Node, sink: Sink): Tokens | null {
  const input = count(record, record.get(usage, K.input_tokens), sink)
  const output = count(record, record.get(usage, K.output_tokens), sink)
  const cached = count(record, record.get(usage, K.cache_read_input_tokens), sink)
  return disjoint(record, input, cached, output, sink)
}

/** One model of `modelUsage`, in which caches are told by the same rule. */
function modelTokens(record: RecordView, usage: Node, sink: Sink): Tokens | null {
  const input = count(record, record.get(usage, K.inputTokens), sink)
  const output = count(record, record.get(usage, K.outputTokens), sink)
  const cached = count(record, record.get(usage, K.cacheReadInputTokens), sink)
  return disjoint(record, input, cached, output, sink)
}

function disjoint(
  record: RecordView,
  input: number | null,
  cached: number | null,
  output: number | null,
  sink: Sink,
): Tokens | null {
  if ((input ?? output) === null) return null
  return classes(outsideCache(input, cached, null, record.line, sink), cached, 0, output)
}

/**
 * Usage of one message. The harness splits an answer into messages by the kind of their blocks and counts only one of
 * them; the others are all zero and no requests. True when an event was written.
 */
export function messageUse(
  record: RecordView,
  message: Node,
  uuid: Node,
  sidechain: boolean,
  at: Text,
  state: State,
  sink: Sink,
): boolean {
  const tokens = usageTokens(record, record.get(message, K.usage), sink)
  if (tokens === null || (tokens.input === 0 && tokens.output === 0 && (tokens.cacheRead ?? 0) === 0)) {
    return false
  }
  const idNode = record.get(message, K.id)
  const id = record.text(idNode) ?? record.text(uuid)
  const model = record.word(record.get(message, K.model)) ?? state.model
  state.requests++
  const sum = state.byModel.get(model ?? '')
  if (sum !== undefined || state.byModel.size < MOST_MODELS) state.byModel.set(model ?? '', add(sum, tokens))
  spend(
    record,
    {
      at,
      requestId: textAt(record, idNode) ?? textAt(record, uuid),
      model,
      tokens,
      key: id === null ? null : `qwen:${state.session ?? state.run}:${id}`,
      session: state.session,
      process: `${state.session ?? state.run}#${state.processes}`,
      sidechain,
    },
    sink,
  )
  return true
}

/** Do the totals say no more than the requests did? Then the requests stay as they are. */
export function isSumOf(
  byModel: ReadonlyMap<string, Tokens>,
  models: readonly { readonly model: string; readonly tokens: Tokens }[],
): boolean {
  if (byModel.size !== models.length || byModel.has('')) return false
  return models.every(({ model, tokens }) => {
    const sum = byModel.get(model)
    return (
      sum !== undefined &&
      sum.input === tokens.input &&
      sum.output === tokens.output &&
      sum.cacheRead === tokens.cacheRead
    )
  })
}

/** The models of a total by name; null when there is no such list. */
export function readModels(
  record: RecordView,
  node: Node,
  sink: Sink,
): readonly { readonly model: string; readonly tokens: Tokens }[] | null {
  if (!record.isObject(node)) return null
  const models: { readonly model: string; readonly tokens: Tokens }[] = []
  for (let child = record.first(node); child !== NONE; child = record.next(child)) {
    const tokens = modelTokens(record, child, sink)
    if (tokens !== null) models.push({ model: record.key(child), tokens })
  }
  return models.length === 0 ? null : models
}

function add(a: Tokens | undefined, b: Tokens): Tokens {
  if (a === undefined) return b
  return classes(plus(a.input, b.input), plus(a.cacheRead, b.cacheRead), 0, plus(a.output, b.output))
}
