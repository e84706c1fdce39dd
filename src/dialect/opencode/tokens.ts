import type { Tokens } from '../../event/billing.ts'
import type { Sink } from '../../event/sink.ts'
import { keys } from '../../kernel/key.ts'
import { Kind } from '../../kernel/layout.ts'
import type { Node, RecordView } from '../../kernel/record.ts'
import { Shape } from '../../kernel/shape.ts'
import { count, plus } from '../figures.ts'
import { classes } from '../spend.ts'

const TOKENS = new Shape('input', 'output', 'reasoning', 'cache', 'total')
const K = keys('read', 'write')

/**
 * Counts of one request (spec vendor-transcripts §7): input lies outside the cache, reasoning outside the output, and the
 * total is the sum of all five. Where a total proves that the output holds the reasoning, it is not added. Null
 * when nothing was counted.
 */
export function readTokens(record: RecordView, node: Node, sink: Sink): Tokens | null {
  if (!record.isObject(node)) {
    if (!record.isNullish(node))
      sink.notice('bad-usage', record.line, 'tokens that are no object were left out')
    return null
  }
  const fields = TOKENS.read(record, node)
  const { input: inputNode, output: outputNode, reasoning: reasoningNode, cache, total: totalNode } = fields
  const input = count(record, inputNode, sink)
  const output = count(record, outputNode, sink)
  const reasoning = count(record, reasoningNode, sink)
  const total = count(record, totalNode, sink)
  const read = count(record, record.get(cache, K.read), sink)
  const write = count(record, record.get(cache, K.write), sink)
  if ((input ?? output ?? reasoning ?? read ?? write) === null) return null
  const rest = (input ?? 0) + (output ?? 0) + (read ?? 0) + (write ?? 0)
  const isInside = reasoning !== null && reasoning > 0 && total === rest
  return classes(input, read, write, isInside ? output : plus(output, reasoning), reasoning)
}

/** The characters of a price in USD, to outlive its record; null when it is no number. Zero is a price: plans have it. */
export function readCost(record: RecordView, node: Node, sink: Sink): string | null {
  if (record.isNullish(node)) return null
  if (record.kind(node) === Kind.Number && record.number(node) !== null) return record.raw(node)
  sink.notice('bad-cost', record.line, 'a price that is no number was taken as unknown')
  return null
}

/** All counts are zero: what a message begins with, before anything was counted. */
export function isZero({ input, cacheRead, cacheWrite, output }: Tokens): boolean {
  return (input ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0) + (output ?? 0) === 0
}

/** Nothing is known of a request but that it was made. */
export const UNCOUNTED: Tokens = classes(null, null, null, null)
