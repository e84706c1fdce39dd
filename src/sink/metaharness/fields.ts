import type * as E from '../../event/events.ts'
import type { Text } from '../../event/value.ts'
import type { Splice } from '../splice.ts'
import type { ValueWriter } from '../value-writer.ts'
import * as L from './literals.ts'

/** Writes the fields of events, names and values, and the objects that several events hold (spec metaharness-event-1 §2). */
export class FieldWriter {
  readonly values: ValueWriter

  constructor(values: ValueWriter) {
    this.values = values
  }

  get out(): Splice {
    return this.values.out
  }

  put(text: string): void {
    this.out.text(text)
  }

  textField(name: string, value: Text): void {
    this.out.literal(L.field(name))
    this.values.text(value)
  }

  /** @param word of a closed vocabulary */
  wordField(name: string, word: string): void {
    this.out.literal(L.field(name))
    this.out.literal(L.quoted(word))
  }

  integerField(name: string, value: number | null): void {
    this.out.literal(L.field(name))
    this.values.integer(value)
  }

  step(step: E.Step): void {
    this.out.literal(L.STEP)
    this.values.text(step.workflow)
    this.textField('state', step.state)
    this.integerField('index', step.index)
    this.integerField('attempt', step.attempt)
    this.out.literal(L.CLOSE)
  }

  usageObject(usage: E.UsageFigures): void {
    const { out, values } = this
    out.literal(L.U_INPUT)
    values.integer(usage.inputTokens)
    out.literal(L.U_OUTPUT)
    values.integer(usage.outputTokens)
    out.literal(L.U_READ)
    values.integer(usage.cacheReadInputTokens)
    out.literal(L.U_CREATION)
    values.integer(usage.cacheCreationInputTokens)
    out.literal(L.U_TIER)
    values.text(usage.serviceTier)
    out.literal(L.U_THINKING)
    values.integer(usage.thinkingTokens)
    out.literal(L.U_ITERATIONS)
    values.integer(usage.iterations)
    out.literal(L.U_SPEED)
    values.text(usage.speed)
    out.literal(L.U_COST)
    values.decimal(usage.costUsd)
    out.literal(L.CLOSE)
  }

  modelUsage(models: E.SessionEnded['modelUsage']): void {
    if (models === null) {
      this.values.json(null)
      return
    }
    let separator = '{'
    for (const { model, usage } of models) {
      this.put(separator)
      this.values.text(
        typeof model === 'number' && !this.values.record.isString(model) ? UNNAMED : (model ?? UNNAMED),
      )
      this.put(':')
      this.usageObject(usage)
      this.out.breathe()
      separator = ','
    }
    this.put(models.length === 0 ? '{}' : '}')
  }

  census(census: E.SeamCensus | null): void {
    if (census === null) {
      this.out.literal(L.NONE_DECIDED)
      return
    }
    this.put(
      `{"allowed":${census.allowed},"denied":${census.denied},"replaced":${census.replaced},` +
        `"abstained":${census.abstained},"by_seam":${JSON.stringify(census.bySeam)},` +
        `"by_decider":${JSON.stringify(census.byDecider)}}`,
    )
  }
}

/** The name of a model that nothing names, where a name has to stand. */
const UNNAMED = 'unknown'
