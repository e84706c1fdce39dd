import type { Sink } from '../../event/sink.ts'
import { count } from '../figures.ts'
import {
  addTo,
  addUsd,
  decimalUsd,
  disjoint,
  type Figures,
  figuresOf,
  type Pending,
  type Spend,
  sumOf,
} from './figures.ts'
import type { Step } from './state.ts'

const PICO_PER_MICRO = 1_000_000n
/** Delegates whose usage may be held at the same time. */
const MOST_HELD = 1000
/** Models told apart in the totals of a run. */
const MOST_MODELS = 1000

/** Hold a `usage` line until the next record of its scope. */
export function use({ record, fields, scope, state, sink }: Step): void {
  const figures: Figures = {
    input: count(record, fields.input_tokens, sink),
    output: count(record, fields.output_tokens, sink),
    cached: count(record, fields.cached_input_tokens, sink),
    created: count(record, fields.cache_creation_input_tokens, sink),
  }
  const model = record.word(fields.model)
  const { spend } = state
  if (spend.delegates.size >= MOST_HELD) settleHeld(spend, '', sink)
  const pending = { line: record.line, model, figures, sidechain: scope !== '' }
  if (scope === '') spend.own = pending
  else spend.delegates.set(scope, pending)
}

/**
 * A `cost` line prices the usage held for its scope. One that prices nothing we hold is a price without tokens, stated
 * as a total of its own, which is also how our stream of events tells it. False when the line names no price.
 */
export function price({ record, fields, scope, state, sink }: Step): boolean {
  const microUsd = count(record, fields.micro_usd, sink)
  if (microUsd === null) return false
  const { spend } = state
  const model = record.word(fields.model)
  const pending = scope === '' ? spend.own : (spend.delegates.get(scope) ?? null)
  if (pending !== null && (model === null || model === pending.model)) {
    forget(spend, scope)
    settle(spend, pending, microUsd, [record.line], sink)
    return true
  }
  sink.notice('cost-without-usage', record.line, 'a price stands beside no usage of its model')
  spend.microUsd = addUsd(spend.microUsd, microUsd)
  const reportedPicoUsd = BigInt(microUsd) * PICO_PER_MICRO
  sink.settled({ process: `cost:${record.line}`, session: null, at: null, models: null, reportedPicoUsd })
  return true
}

/** Write the usage for which no price came: that of a delegate and of the run, or with the scope of the run all. */
export function settleHeld(spend: Spend, scope: string, sink: Sink): void {
  if (spend.own !== null) {
    const { own } = spend
    spend.own = null
    settle(spend, own, null, [], sink)
  }
  if (spend.delegates.size === 0) return
  for (const [held, pending] of spend.delegates) {
    if (scope !== '' && held !== scope) continue
    spend.delegates.delete(held)
    settle(spend, pending, null, [], sink)
  }
}

function forget(spend: Spend, scope: string): void {
  if (scope === '') spend.own = null
  else spend.delegates.delete(scope)
}

/** @param priced the line of the price, when there is one */
function settle(
  spend: Spend,
  { line, model, figures, sidechain }: Pending,
  microUsd: number | null,
  priced: readonly number[],
  sink: Sink,
): void {
  if (spend.total === null) spend.total = sumOf(figures, microUsd)
  else addTo(spend.total, figures, microUsd)
  if (microUsd !== null) spend.microUsd = addUsd(spend.microUsd, microUsd)
  if (model !== null) {
    const known = spend.byModel.get(model)
    if (known !== undefined) addTo(known, figures, microUsd)
    else if (spend.byModel.size < MOST_MODELS) spend.byModel.set(model, sumOf(figures, microUsd))
  }
  const usage = figuresOf(figures, microUsd === null ? null : decimalUsd(microUsd))
  sink.usage({ at: null, line, foldedLines: priced, requestId: null, model, usage })
  bill(figures, model, sidechain, microUsd, line, sink)
}

function bill(
  figures: Figures,
  model: string | null,
  sidechain: boolean,
  microUsd: number | null,
  line: number,
  sink: Sink,
): void {
  const tokens = disjoint(figures, line, sink)
  if (!sink.takesBills) return
  sink.billed({
    key: null,
    process: null,
    session: null,
    model,
    at: null,
    tokens,
    webSearches: null,
    final: true,
    reportedPicoUsd: microUsd === null ? null : BigInt(microUsd) * PICO_PER_MICRO,
    serviceTier: null,
    speed: null,
    geo: null,
    sidechain,
  })
}
