import type { Tokens } from '../../event/billing.ts'
import type { UsageFigures } from '../../event/events.ts'
import type { Sink } from '../../event/sink.ts'
import { type Key, keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { Shape } from '../../kernel/shape.ts'
import { count } from '../figures.ts'
import { firstItem } from './fields.ts'

const USAGE = new Shape(
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'cache_creation',
  'output_tokens_details',
  'server_tool_use',
  'service_tier',
  'speed',
  'inference_geo',
  'iterations',
)
const SPLIT = new Shape('ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens')
const K = keys('type', 'model', 'output_tokens', 'thinking_tokens', 'web_search_requests', 'iterations')

/** One `usage` object of the vendor (spec vendor-transcripts §2.4): what the wire and what the bill need. Plain data. */
export interface UsageReading {
  readonly figures: UsageFigures
  readonly tokens: Tokens
  readonly webSearches: number | null
  readonly geo: string | null
}

/** A call of another model inside the message, which its own figures leave out. */
export interface Advisor {
  /** Place in the list of iterations: part of the identity of the request. */
  readonly index: number
  readonly model: string | null
  readonly reading: UsageReading
}

const NO_ADVISORS: readonly Advisor[] = []

/** Only the output of a usage object. */
export function outputOf(record: RecordView, usage: Node): number | null {
  const value = record.integer(record.get(usage, K.output_tokens))
  return value !== null && value >= 0 ? value : null
}

/**
 * Read one usage object. The classes are disjoint already: `input_tokens` lies outside any cache and
 * `cache_creation_input_tokens` is the sum of both lifetimes.
 */
export function readUsage(record: RecordView, usage: Node, sink: Sink): UsageReading {
  const fields = USAGE.read(record, usage)
  const input = count(record, fields.input_tokens, sink)
  const output = count(record, fields.output_tokens, sink)
  const cacheRead = count(record, fields.cache_read_input_tokens, sink)
  const written = count(record, fields.cache_creation_input_tokens, sink)
  const thinking = inner(record, fields.output_tokens_details, K.thinking_tokens, sink)
  const split = SPLIT.read(record, fields.cache_creation)
  const for5m = count(record, split.ephemeral_5m_input_tokens, sink)
  const for1h = count(record, split.ephemeral_1h_input_tokens, sink)
  const writes = lifetimes(for5m, for1h, written, record.line, sink)
  return {
    figures: {
      inputTokens: input,
      outputTokens: output,
      cacheReadInputTokens: cacheRead,
      cacheCreationInputTokens: written,
      serviceTier: record.word(fields.service_tier),
      thinkingTokens: thinking,
      iterations: record.isArray(fields.iterations) ? record.size(fields.iterations) : null,
      speed: record.word(fields.speed),
      costUsd: null,
    },
    tokens: {
      input,
      cacheRead,
      cacheWrite5m: writes.cacheWrite5m,
      cacheWrite1h: writes.cacheWrite1h,
      cacheWrite: writes.cacheWrite,
      output,
      reasoning: thinking,
    },
    webSearches: inner(record, fields.server_tool_use, K.web_search_requests, sink),
    geo: record.word(fields.inference_geo),
  }
}

/** A count inside an object that many usage objects do not have. */
function inner(record: RecordView, object: Node, name: Key, sink: Sink): number | null {
  return object === NONE ? null : count(record, record.get(object, name), sink)
}

/**
 * The advisor calls of a message: iterations of type `advisor_message`, each with a model of its own.
 *
 * @param reading of the same usage object
 */
export function readAdvisors(
  record: RecordView,
  usage: Node,
  reading: UsageReading,
  sink: Sink,
): readonly Advisor[] {
  if (reading.figures.iterations === null || reading.figures.iterations === 0) return NO_ADVISORS
  let advisors: Advisor[] | null = null
  let index = 0
  const iterations = record.get(usage, K.iterations)
  for (let item = firstItem(record, iterations); item !== NONE; item = record.next(item), index++) {
    if (record.word(record.get(item, K.type)) !== 'advisor_message') continue
    advisors ??= []
    advisors.push({
      index,
      model: record.word(record.get(item, K.model)),
      reading: readUsage(record, item, sink),
    })
  }
  return advisors ?? NO_ADVISORS
}

type Writes = Pick<Tokens, 'cacheWrite5m' | 'cacheWrite1h' | 'cacheWrite'>

/**
 * Cache writes by lifetime, out of a split and a sum, each of which may be unknown. Without a split all of them are of
 * unknown lifetime; a split that does not add up to the sum is kept as far as it goes, and the sum is trusted for the
 * rest.
 */
export function lifetimes(
  for5m: number | null,
  for1h: number | null,
  written: number | null,
  line: number,
  sink: Sink,
): Writes {
  if (for5m === null && for1h === null) {
    const known = written === null ? null : 0
    return { cacheWrite5m: known, cacheWrite1h: known, cacheWrite: written }
  }
  if (written === null) return { cacheWrite5m: for5m, cacheWrite1h: for1h, cacheWrite: 0 }
  const rest = written - (for5m ?? 0) - (for1h ?? 0)
  if (rest === 0) return { cacheWrite5m: for5m ?? 0, cacheWrite1h: for1h ?? 0, cacheWrite: 0 }
  sink.notice('cache-split', line, 'cache writes by lifetime do not add up to their sum; the sum was taken')
  if (rest < 0) return { cacheWrite5m: 0, cacheWrite1h: 0, cacheWrite: written }
  return { cacheWrite5m: for5m ?? 0, cacheWrite1h: for1h ?? 0, cacheWrite: rest }
}
