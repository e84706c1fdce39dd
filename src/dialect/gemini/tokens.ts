import type { Tokens } from '../../event/billing.ts'
import type { Sink } from '../../event/sink.ts'
import type { Key } from '../../kernel/key.ts'
import type { Node, RecordView } from '../../kernel/record.ts'
import { count, plus } from '../figures.ts'
import { classes, outsideCache } from '../spend.ts'

/** What the Gemini API counts for one request, or the sums over several. */
export interface ApiCounts {
  /** The whole prompt, what came from the cache included. */
  readonly prompt: number | null
  readonly cached: number | null
  readonly candidates: number | null
  readonly thoughts: number | null
  /** Results of tools that the API ran itself, put into the prompt. */
  readonly tool: number | null
  readonly total: number | null
}

/** The fields of an object of counts, by the names one producer gives them. */
export type CountNames = { readonly [Name in keyof ApiCounts]: Key }

export function readCounts(record: RecordView, node: Node, names: CountNames, sink: Sink): ApiCounts {
  return {
    prompt: count(record, record.get(node, names.prompt), sink),
    cached: count(record, record.get(node, names.cached), sink),
    candidates: count(record, record.get(node, names.candidates), sink),
    thoughts: count(record, record.get(node, names.thoughts), sink),
    tool: count(record, record.get(node, names.tool), sink),
    total: count(record, record.get(node, names.total), sink),
  }
}

/**
 * Disjoint classes (spec vendor-transcripts §6, §9). The prompt holds the cached tokens unless the total proves that
 * it does not. Thoughts are billed as output; whether candidates hold them is told by the total, and without one by
 * `thoughtsInside`, which differs between the two harnesses. The API has no class of cache writes.
 */
export function tokensOf(
  counts: ApiCounts,
  thoughtsInside: boolean,
  line: number | null,
  sink: Sink,
): Tokens {
  const { prompt, cached, candidates, thoughts, total } = counts
  const tool = counts.tool ?? 0
  const spoken = (prompt ?? 0) + (candidates ?? 0)
  const isInside = spareIn(total, thoughts ?? 0, spoken, tool) ?? thoughtsInside
  const output = isInside ? candidates : plus(candidates, thoughts)
  const rest = (prompt ?? 0) + (output ?? 0)
  // A total without them proves that they are in the prompt already.
  const apart = total === rest ? 0 : tool
  const isCacheApart = cached !== null && cached > 0 && total === rest + cached + apart
  const outside = isCacheApart ? prompt : outsideCache(prompt, cached, null, line, sink)
  const input = outside === null ? null : outside + apart
  return classes(input, cached, 0, output, thoughts)
}

/** Does the total leave no room for the thoughts beside what was spoken? Null when it does not say. */
function spareIn(total: number | null, thoughts: number, spoken: number, tool: number): boolean | null {
  if (total === null || thoughts === 0) return null
  if (total === spoken || total === spoken + tool) return true
  return total === spoken + thoughts || total === spoken + thoughts + tool ? false : null
}

/** Nothing was counted at all. */
export function isUncounted({ prompt, cached, candidates, thoughts, total }: ApiCounts): boolean {
  return (prompt ?? cached ?? candidates ?? thoughts ?? total) === null
}
