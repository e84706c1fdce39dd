/**
 * What the accounts of one model must come to. Classes are disjoint; `cache_write` is a write of unknown lifetime.
 *
 * Only `claude-session` says how long its writes live. In `claude-stream` the totals are those of the last `result`
 * of each process, which names no lifetime (its messages do: five minutes) and covers side calls beside the messages.
 */
export interface TokenTotals {
  input: number
  cache_read: number
  cache_write_5m: number
  cache_write_1h: number
  cache_write: number
  output: number
  web_search: number
  /** API messages (or requests), each counted once. Side calls that leave no record are not in here. */
  messages: number
}

/** Kinds of damage that `--faults` puts in as lines of their own, so that nothing good is lost by them. */
export const faultKinds = [
  'cut',
  'joined',
  'nul-run',
  'nul-line',
  'blank',
  'invalid-utf8',
  'lone-surrogate',
  'unknown-type',
] as const

export type FaultKind = (typeof faultKinds)[number]

/** What a generator knows to be true of the corpus it wrote. */
export interface CorpusFacts {
  /** Lines that are not blank, damaged ones included. */
  records: number
  /** Empty lines, lines of white space, and lines of nothing but NUL bytes. */
  blankLines: number
  /** Records that are not JSON: cut, two joined in one line, NUL bytes beside the text. */
  damagedLines: number
  /** Records that are JSON of a type no dialect knows. */
  unknownRecords: number
  /** Good records holding a lone surrogate or bytes that are not UTF-8; they count as records, not as damage. */
  repairableRecords: number
  faults: Record<FaultKind, number>
  models: Record<string, TokenTotals>
  /** Calls per tool name, as the transcript names the tool. */
  toolCalls: Record<string, number>
  toolResults: number
  /** Results marked as failed; denied ones included. */
  toolErrors: number
  toolDenials: number
  /** Tool calls and results inside `delegated` records of b10x; not part of the counts above. */
  nestedToolCalls: number
  nestedToolResults: number
  /** What the harness itself said it cost, in 10^-9 USD; 0 when the dialect reports none. */
  reportedNanoUsd: number
}

/** The facts of nothing. */
export function emptyFacts(): CorpusFacts {
  return {
    records: 0,
    blankLines: 0,
    damagedLines: 0,
    unknownRecords: 0,
    repairableRecords: 0,
    faults: Object.fromEntries(faultKinds.map((kind) => [kind, 0])) as Record<FaultKind, number>,
    models: {},
    toolCalls: {},
    toolResults: 0,
    toolErrors: 0,
    toolDenials: 0,
    nestedToolCalls: 0,
    nestedToolResults: 0,
    reportedNanoUsd: 0,
  }
}

/** Totals of one model to add to, made on first use. */
export function totalsOf(models: Record<string, TokenTotals>, model: string): TokenTotals {
  return (models[model] ??= {
    input: 0,
    cache_read: 0,
    cache_write_5m: 0,
    cache_write_1h: 0,
    cache_write: 0,
    output: 0,
    web_search: 0,
    messages: 0,
  })
}

export function countCall(facts: CorpusFacts, name: string): void {
  facts.toolCalls[name] = (facts.toolCalls[name] ?? 0) + 1
}
