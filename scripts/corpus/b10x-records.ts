import { totalsOf } from './facts.ts'
import type { RunContext } from './run.ts'

export const b10xModels = [
  'claude-sonnet-4-5-20250929',
  'claude-haiku-4-5-20251001',
  'mill-local-7b',
] as const

/** Rates in 10^-12 USD per token: input, cached input, output, cache creation. The local model is on no card. */
const rates: Record<string, readonly [number, number, number, number]> = {
  'claude-sonnet-4-5-20250929': [3_000_000, 300_000, 15_000_000, 3_750_000],
  'claude-haiku-4-5-20251001': [1_000_000, 100_000, 5_000_000, 1_250_000],
}

export interface B10xState {
  readonly model: string
  /** `flat` publishes the entries themselves, `verbs` hides them behind `tool_invoke`. */
  readonly surface: 'flat' | 'verbs'
  /** Some providers give every call of a run the same id. */
  readonly sameCallIds: boolean
  readonly priced: boolean
  turn: number
  /** Turns still to come in the current step of a workflow. */
  turnsLeft: number
  calls: number
}

/** Write one record; `fields` is the inside of its object. */
export function putJson(ctx: RunContext, fields: string): void {
  ctx.out.put(`{${fields}}`)
  ctx.out.end()
  ctx.facts.records += 1
}

/** The inside of a record as it stands within the records of its delegates, outermost call first. */
export function nested(callIds: readonly string[], fields: string): string {
  return callIds.reduceRight((inner, id) => `"kind":"delegated","call_id":"${id}","event":{${inner}}`, fields)
}

/**
 * Write and count a usage line, and the cost line behind it when there is a price.
 *
 * @param delegates calls of the delegates that the records belong to, outermost first; none for the run itself
 */
export function putUsage(
  ctx: RunContext,
  model: string,
  priced: boolean,
  delegates: readonly string[],
): void {
  const { facts, random } = ctx
  const cached = random.chance(0.8) ? random.between(0, 90_000) : 0
  const created = random.chance(0.6) ? random.between(0, 8_000) : null
  const fresh = random.between(5, 9_000)
  const output = random.between(5, 2_000)
  const creation = created === null ? '' : `,"cache_creation_input_tokens":${created}`
  const put = (fields: string): void => putJson(ctx, nested(delegates, fields))
  put(
    `"kind":"usage","model":"${model}","input_tokens":${fresh + cached + (created ?? 0)},"output_tokens":${output},"cached_input_tokens":${cached}${creation}`,
  )
  const total = totalsOf(facts.models, model)
  total.input += fresh
  total.cache_read += cached
  total.cache_write += created ?? 0
  total.output += output
  total.messages += 1
  const rate = rates[model]
  if (!priced || rate === undefined) return
  const picoUsd = fresh * rate[0] + cached * rate[1] + output * rate[2] + (created ?? 0) * rate[3]
  const microUsd = Math.floor((picoUsd + 500_000) / 1_000_000)
  put(`"kind":"cost","model":"${model}","micro_usd":${microUsd}`)
  facts.reportedNanoUsd += microUsd * 1_000
}
