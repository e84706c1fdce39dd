import type { Tokens } from '../../event/billing.ts'
import type { Sink } from '../../event/sink.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { count, plus } from '../figures.ts'
import { classes } from '../spend.ts'
import { isUncounted, readCounts, tokensOf } from './tokens.ts'

const K = keys('models', 'tokens', 'input', 'cached', 'input_tokens', 'output_tokens', 'total_tokens')
const API = keys('prompt', 'cached', 'candidates', 'thoughts', 'tool', 'total')

/** What a process used, by model. */
export interface ModelUse {
  /** Null when the stream never named it. */
  readonly model: string | null
  readonly tokens: Tokens
}

/**
 * The totals of a run: by model where they are told by model, else all of it for the model that the run began with.
 * Null when nothing was counted.
 */
export function readStats(
  record: RecordView,
  stats: Node,
  model: string | null,
  sink: Sink,
): readonly ModelUse[] | null {
  const models = record.get(stats, K.models)
  const uses: ModelUse[] = []
  if (record.isObject(models)) {
    for (let one = record.first(models); one !== NONE; one = record.next(one)) {
      const tokens = modelTokens(record, one, sink)
      if (tokens !== null) uses.push({ model: record.key(one), tokens })
    }
  }
  if (uses.length > 0) return uses
  const tokens = streamTokens(record, stats, sink)
  return tokens === null ? null : [{ model, tokens }]
}

/** Classes of all models together; unknown where none told. */
export function sumOf(uses: readonly ModelUse[]): Tokens {
  return uses
    .map(({ tokens }) => tokens)
    .reduce((a, b) =>
      classes(
        plus(a.input, b.input),
        plus(a.cacheRead, b.cacheRead),
        plus(a.cacheWrite, b.cacheWrite),
        plus(a.output, b.output),
        plus(a.reasoning, b.reasoning),
      ),
    )
}

/** One model: in `--output-format json` the API's own counts, in the stream the short form. */
function modelTokens(record: RecordView, node: Node, sink: Sink): Tokens | null {
  const tokens = record.get(node, K.tokens)
  if (!record.isObject(tokens)) return streamTokens(record, node, sink)
  const counts = readCounts(record, tokens, API, sink)
  return isUncounted(counts) ? null : tokensOf(counts, false, record.line, sink)
}

/**
 * The short form: `input_tokens` is the whole prompt, `input` its part outside the cache, `output_tokens` leaves the
 * thoughts out. What the total has beyond both is billed as output; it can be nothing but thoughts and results of tools
 * that the API ran itself.
 */
function streamTokens(record: RecordView, node: Node, sink: Sink): Tokens | null {
  const whole = count(record, record.get(node, K.input_tokens), sink)
  const output = count(record, record.get(node, K.output_tokens), sink)
  const outside = count(record, record.get(node, K.input), sink)
  const cached = count(record, record.get(node, K.cached), sink)
  const total = count(record, record.get(node, K.total_tokens), sink)
  if ((whole ?? output ?? outside ?? cached) === null) return null
  const input = outside ?? (whole === null ? null : Math.max(0, whole - (cached ?? 0)))
  const prompt = whole ?? plus(outside, cached)
  if (total === null || prompt === null || output === null) return classes(input, cached, 0, output)
  const rest = total - prompt - output
  if (rest === 0) return classes(input, cached, 0, output, 0)
  if (rest < 0) {
    sink.notice(
      'total-too-small',
      record.line,
      'a total of tokens is less than its parts; the parts were taken',
    )
    return classes(input, cached, 0, output)
  }
  sink.notice(
    'thoughts-inferred',
    record.line,
    'what a total has beyond input and output was counted as output',
  )
  return classes(input, cached, 0, output + rest)
}
