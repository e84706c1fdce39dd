import type { SettledModel, Tokens } from '../../event/billing.ts'
import type { UsageFigures } from '../../event/events.ts'
import type { Sink } from '../../event/sink.ts'
import { keys } from '../../kernel/key.ts'
import { Kind } from '../../kernel/layout.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { count, picoUsd, plus } from '../figures.ts'
import { lifetimes } from './usage.ts'

const K = keys(
  'inputTokens',
  'outputTokens',
  'thinkingTokens',
  'cacheReadInputTokens',
  'cacheCreationInputTokens',
  'cacheCreation5mInputTokens',
  'cacheCreation1hInputTokens',
  'webSearchRequests',
  'costUSD',
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
)

/** The figures of one `result`: they cover everything of the process so far (spec vendor-transcripts §3). */
export interface ProcessTotal {
  readonly at: string | null
  readonly models: readonly SettledModel[] | null
  readonly picoUsd: bigint | null
}

/** One entry of `modelUsage` as the wire has it. */
export interface WireModel {
  readonly model: string
  readonly usage: UsageFigures
}

/** Read `modelUsage` for the wire and for the bill; null when there is none, or no figure in it can be read. */
export function readModels(
  record: RecordView,
  modelUsage: Node,
  sink: Sink,
): { readonly wire: readonly WireModel[]; readonly totals: readonly SettledModel[] | null } | null {
  if (!record.isObject(modelUsage)) return null
  const wire: WireModel[] = []
  const totals: SettledModel[] = []
  let isRead = false
  for (let entry = record.first(modelUsage); entry !== NONE; entry = record.next(entry)) {
    const model = record.key(entry)
    const input = figure(record, entry, K.inputTokens, K.input_tokens, sink)
    const output = figure(record, entry, K.outputTokens, K.output_tokens, sink)
    const cacheRead = figure(record, entry, K.cacheReadInputTokens, K.cache_read_input_tokens, sink)
    const written = figure(record, entry, K.cacheCreationInputTokens, K.cache_creation_input_tokens, sink)
    const reasoning = count(record, record.get(entry, K.thinkingTokens), sink)
    const cost = record.get(entry, K.costUSD)
    const for5m = count(record, record.get(entry, K.cacheCreation5mInputTokens), sink)
    const for1h = count(record, record.get(entry, K.cacheCreation1hInputTokens), sink)
    isRead ||= input !== null || output !== null || cacheRead !== null || written !== null
    wire.push({
      model,
      usage: {
        inputTokens: input,
        outputTokens: output,
        cacheReadInputTokens: cacheRead,
        cacheCreationInputTokens: written,
        serviceTier: null,
        thinkingTokens: reasoning,
        iterations: null,
        speed: null,
        costUsd: record.kind(cost) === Kind.Number ? cost : null,
      },
    })
    const writes = lifetimes(for5m, for1h, written, record.line, sink)
    totals.push({
      model,
      tokens: { input, cacheRead, ...writes, output, reasoning },
      webSearches: count(record, record.get(entry, K.webSearchRequests), sink),
      reportedPicoUsd: picoUsd(record, cost),
    })
  }
  return { wire, totals: isRead ? totals : null }
}

/**
 * Are these running totals of the process that said `last`? Totals only grow; some figure that is smaller than it was
 * means that another process began at nothing.
 */
export function isContinued(last: ProcessTotal, now: ProcessTotal): boolean {
  if (last.picoUsd !== null && now.picoUsd !== null && now.picoUsd < last.picoUsd) return false
  const { models } = now
  if (last.models === null || models === null) return true
  return last.models.every((before) => {
    const after = models.find(({ model }) => model === before.model)
    return after === undefined ? isNothing(before.tokens) : !goesBack(before.tokens, after.tokens)
  })
}

const CLASSES = ['input', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'cacheWrite', 'output'] as const

function isNothing(tokens: Tokens): boolean {
  return CLASSES.every((name) => (tokens[name] ?? 0) === 0)
}

function goesBack(before: Tokens, after: Tokens): boolean {
  return CLASSES.some((name) => {
    const [was, is] = [before[name], after[name]]
    return was !== null && is !== null && is < was
  })
}

/**
 * The totals of a process that went on after its last `result` and was cut off: what it said, and the messages since.
 *
 * @param since tokens of the messages after the last `result`, by model
 */
export function withMessages(
  said: readonly SettledModel[],
  since: ReadonlyMap<string | null, Tokens>,
): readonly SettledModel[] {
  const models = said.map((total) => {
    const more = since.get(total.model)
    return more === undefined ? total : { ...total, tokens: addTokens(total.tokens, more) }
  })
  for (const [model, tokens] of since) {
    if (said.some((total) => total.model === model)) continue
    models.push({ model, tokens, webSearches: null, reportedPicoUsd: null })
  }
  return models
}

export function addTokens(a: Tokens, b: Tokens): Tokens {
  return {
    input: plus(a.input, b.input),
    cacheRead: plus(a.cacheRead, b.cacheRead),
    cacheWrite5m: plus(a.cacheWrite5m, b.cacheWrite5m),
    cacheWrite1h: plus(a.cacheWrite1h, b.cacheWrite1h),
    cacheWrite: plus(a.cacheWrite, b.cacheWrite),
    output: plus(a.output, b.output),
    reasoning: plus(a.reasoning, b.reasoning),
  }
}

/** A count under the name of today's versions, else under that of older captures. */
function figure(
  record: RecordView,
  entry: Node,
  name: (typeof K)[keyof typeof K],
  older: (typeof K)[keyof typeof K],
  sink: Sink,
): number | null {
  const node = record.get(entry, name)
  return count(record, node === NONE ? record.get(entry, older) : node, sink)
}
