import type { Sink } from '../../event/sink.ts'
import { count } from '../figures.ts'
import { add, disjoint, type Figures, figuresOf, type Pending, type Spend, type Sum } from './figures.ts'
import type { Step } from './state.ts'
import { K } from './words.ts'

const PICO_PER_MICRO = 1_000_000n
/** Delegates whose usage may be held at the same time. */
const MOST_HELD = 1000
/** Models told apart in the totals of a run. */
const MOST_MODELS = 1000

/** Hold a `usage` line until the next record of its scope. */
export function use({ record, node, scope, state, sink }: Step): void {
  const figures: Figures = {
    input: count(record, record.get(node, K.input_tokens), sink),
    output: count(record, record.get(node, K.output_tokens), sink),
    cached: count(record, record.get(node, K.cached_input_tokens), sink),
    created: count(record, record.get(node, K.cache_creation_input_tokens), sink),
  }
  const model = record.word(record.get(node, K.model))
  if (state.spend.pending.size >= MOST_HELD) settleHeld(state.spend, '', sink)
  state.spend.pending.set(scope, { line: record.line, model, figures, sidechain: scope !== '' })
}

/**
 * A `cost` line prices the usage held for its scope. One that prices nothing we hold is a price without tokens, stated
 * as a total of its own, which is also how our stream of events tells it. False when the line names no price.
 */
export function price({ record, node, scope, state, sink }: Step): boolean {
  const micro = count(record, record.get(node, K.micro_usd), sink)
  if (micro === null) return false
  const { spend } = state
  const model = record.word(record.get(node, K.model))
  const pending = spend.pending.get(scope)
  const microUsd = BigInt(micro)
  if (pending !== undefined && (model === null || model === pending.model)) {
    spend.pending.delete(scope)
    settle(spend, pending, { microUsd, line: record.line }, sink)
    return true
  }
  sink.notice('cost-without-usage', record.line, 'a price stands beside no usage of its model')
  spend.microUsd = (spend.microUsd ?? 0n) + microUsd
  const reportedPicoUsd = microUsd * PICO_PER_MICRO
  sink.settled({ process: `cost:${record.line}`, session: null, at: null, models: null, reportedPicoUsd })
  return true
}

/** Write the usage for which no price came: that of a delegate and of the run, or with the scope of the run all. */
export function settleHeld(spend: Spend, scope: string, sink: Sink): void {
  for (const [held, pending] of spend.pending) {
    if (scope !== '' && held !== scope && held !== '') continue
    spend.pending.delete(held)
    settle(spend, pending, null, sink)
  }
}

function settle(
  spend: Spend,
  { line, model, figures, sidechain }: Pending,
  cost: { readonly microUsd: bigint; readonly line: number } | null,
  sink: Sink,
): void {
  const microUsd = cost?.microUsd ?? null
  const one: Sum = { ...figures, microUsd }
  spend.total = spend.total === null ? one : add(spend.total, one)
  if (microUsd !== null) spend.microUsd = (spend.microUsd ?? 0n) + microUsd
  if (model !== null) {
    const known = spend.byModel.get(model)
    if (known !== undefined) spend.byModel.set(model, add(known, one))
    else if (spend.byModel.size < MOST_MODELS) spend.byModel.set(model, one)
  }
  const folded = cost === null ? {} : { foldedLines: [cost.line] }
  sink.usage({ at: null, line, ...folded, requestId: null, model, usage: figuresOf(figures, microUsd) })
  bill(figures, model, sidechain, microUsd, line, sink)
}

function bill(
  figures: Figures,
  model: string | null,
  sidechain: boolean,
  microUsd: bigint | null,
  line: number,
  sink: Sink,
): void {
  sink.billed({
    key: null,
    process: null,
    session: null,
    model,
    at: null,
    tokens: disjoint(figures, line, sink),
    webSearches: null,
    final: true,
    reportedPicoUsd: microUsd === null ? null : microUsd * PICO_PER_MICRO,
    serviceTier: null,
    speed: null,
    geo: null,
    sidechain,
  })
}
