import type { ModelPrice, SettledModel, Tokens } from '../../event/billing.ts'
import type { Sink } from '../../event/sink.ts'
import type { Node, RecordView } from '../../kernel/record.ts'
import { picoUsd, plus } from '../figures.ts'
import type { ReadUsage, WireTokens } from './figures.ts'

/**
 * What the stream bills. `session.started` opens a process, whose total in `session.ended` covers its requests.
 *
 * Two producers write `codex` streams: upstream's `usage` are running totals of the session without model and request,
 * ours are one request each (design §5.5) with the model of the turn, or where that is unknown with the name of a
 * request. So: figures with neither that never go back are running totals and count by what they grew; all others count
 * as they are.
 */
export interface Books {
  readonly run: string
  adapter: string | null
  session: string | null
  model: string | null
  /** Number of the process in the stream, from 1; 0 before there is one. */
  process: number
  requests: number
  /** Sums of the requests of this process, by model (`''` when unknown). */
  readonly byModel: Map<string, WireTokens>
  /** Last running total of a codex session. */
  running: WireTokens | null
  /** Last price stated for this process. */
  pricePicoUsd: bigint | null
}

export function emptyBooks(run: string): Books {
  return {
    run,
    adapter: null,
    session: null,
    model: null,
    process: 0,
    requests: 0,
    byModel: new Map(),
    running: null,
    pricePicoUsd: null,
  }
}

/**
 * A session begins. Claude Code announces the same session again for every prompt: that is the same process. Copilot
 * does so when a session is resumed, and then counts from nothing.
 */
export function beginProcess(
  books: Books,
  begun: { readonly adapter: string | null; readonly session: string | null; readonly model: string | null },
): void {
  const isSession = books.process > 0 && begun.session !== null && begun.session === books.session
  const same = isSession && begun.adapter === books.adapter && begun.adapter !== 'copilot'
  books.adapter = begun.adapter
  books.session = begun.session
  books.model = begun.model
  if (!same) nextProcess(books)
}

function nextProcess(books: Books): void {
  books.process++
  books.requests = 0
  books.byModel.clear()
  books.running = null
  books.pricePicoUsd = null
}

/** One `usage` event as it is to be billed, by where its words stand. */
export interface UsageEntry {
  readonly requestId: Node | null
  readonly model: Node | null
  readonly at: Node | null
  readonly read: ReadUsage
}

/** Models of one process whose sums are kept; more are not compared with a total. */
const MOST_MODELS = 1000

export function bill(books: Books, record: RecordView, entry: UsageEntry, sink: Sink): void {
  if (isIdle(books, sink)) return
  const wire = grown(books, record, entry, sink)
  if (wire === null) return
  books.requests++
  const model = entry.model === null ? null : record.word(entry.model)
  const sum = books.byModel.get(model ?? '')
  if (sum !== undefined || books.byModel.size < MOST_MODELS) books.byModel.set(model ?? '', add(sum, wire))
  const tokens = disjoint(books, wire, record.line, sink)
  if (!sink.takesBills) return
  const { figures, cost } = entry.read
  sink.billed({
    key: keyOf(books, entry.requestId === null ? null : record.text(entry.requestId)),
    process: processOf(books),
    session: books.session,
    model,
    at: entry.at === null ? null : record.text(entry.at),
    tokens,
    webSearches: null,
    final: true,
    reportedPicoUsd: picoUsd(record, cost),
    serviceTier: figures.serviceTier === null ? null : record.word(figures.serviceTier),
    speed: figures.speed === null ? null : record.word(figures.speed),
    geo: null,
    sidechain: false,
  })
}

/** What a `session.ended` says the process used. */
export interface ProcessUsage {
  readonly at: Node | null
  readonly usage: ReadUsage | null
  readonly models: ReadonlyMap<string, ReadUsage> | null
  readonly cost: Node
}

/** The share of one model in it. */
interface ModelUsage {
  readonly model: string
  readonly tokens: WireTokens
  readonly reportedPicoUsd: bigint | null
}

/**
 * A total by model takes the place of the requests when it holds more than they do; a total without models only when
 * there are no requests. The price is stated in any case.
 */
export function endProcess(books: Books, record: RecordView, ended: ProcessUsage, sink: Sink): void {
  if (isIdle(books, sink)) return
  const price = picoUsd(record, ended.cost)
  const byModel: readonly ModelUsage[] | null =
    ended.models === null
      ? null
      : Array.from(ended.models, ([model, { tokens, cost }]) => ({
          model,
          tokens,
          reportedPicoUsd: picoUsd(record, cost),
        }))
  // The price of a process only grows: a smaller one is of another process that goes on with the same session.
  if (price !== null && books.pricePicoUsd !== null && price < books.pricePicoUsd) nextProcess(books)
  books.pricePicoUsd = price ?? books.pricePicoUsd
  let models: SettledModel[] | null = null
  if (byModel !== null && byModel.length > 0 && !isSumOfRequests(books, byModel)) {
    models = byModel.map(({ model, tokens, reportedPicoUsd }) => ({
      model,
      tokens: disjoint(books, tokens, record.line, sink),
      webSearches: null,
      reportedPicoUsd,
    }))
  } else if (books.requests === 0 && ended.usage !== null) {
    const tokens = disjoint(books, ended.usage.tokens, record.line, sink)
    models = [{ model: books.model, tokens, webSearches: null, reportedPicoUsd: price }]
  }
  const prices = models === null && byModel !== null ? modelPrices(byModel, price) : []
  if (models === null && price === null && prices.every((one) => one.reportedPicoUsd === null)) return
  sink.settled({
    process: processOf(books),
    session: books.session,
    at: ended.at === null ? null : record.text(ended.at),
    models,
    reportedPicoUsd: price,
    prices,
  })
}

/** What each model cost, where the requests themselves stand; all of it, where there is one model. */
function modelPrices(models: readonly ModelUsage[], price: bigint | null): ModelPrice[] {
  return models.map(({ model, reportedPicoUsd }) => ({
    model,
    reportedPicoUsd: reportedPicoUsd ?? (models.length === 1 ? price : null),
  }))
}

/** Input includes the cache for these two, and for nobody else (spec §2). */
function isInputWhole({ adapter }: Books): boolean {
  return adapter === 'codex' || adapter === 'b10x'
}

function disjoint(books: Books, wire: WireTokens, line: number, sink: Sink): Tokens {
  const { cacheRead, cacheCreation } = wire
  let { input } = wire
  if (input !== null && isInputWhole(books)) {
    const parts = (cacheRead ?? 0) + (cacheCreation ?? 0)
    if (parts > input) {
      sink.notice(
        'cache-exceeds-input',
        line,
        'more cached tokens than input tokens: the input outside the cache is 0',
      )
    }
    input = Math.max(0, input - parts)
  }
  const ofKnownLife = cacheCreation === null ? null : 0
  return {
    input,
    cacheRead,
    cacheWrite5m: ofKnownLife,
    cacheWrite1h: ofKnownLife,
    cacheWrite: cacheCreation,
    output: wire.output,
    reasoning: wire.thinking,
  }
}

/** Nobody takes bills, and no figures can be worth a notice: that takes an input that holds others. */
function isIdle(books: Books, sink: Sink): boolean {
  return !sink.takesBills && !isInputWhole(books)
}

/** What this entry adds to the bill; null when a running total has not moved. */
function grown(
  books: Books,
  { line }: RecordView,
  { model, requestId, read: { tokens } }: UsageEntry,
  sink: Sink,
): WireTokens | null {
  if (books.adapter !== 'codex' || model !== null || requestId !== null) return tokens
  const before = books.running
  books.running = tokens
  if (before === null) return tokens
  const growth: WireTokens = {
    input: minus(tokens.input, before.input),
    output: minus(tokens.output, before.output),
    cacheRead: minus(tokens.cacheRead, before.cacheRead),
    cacheCreation: minus(tokens.cacheCreation, before.cacheCreation),
    thinking: minus(tokens.thinking, before.thinking),
  }
  const changes = [growth.input, growth.output, growth.cacheRead, growth.cacheCreation, growth.thinking]
  if (changes.some((change) => change !== null && change < 0)) {
    sink.notice('counter-went-back', line, 'a running total went back: it was taken to begin anew')
    return tokens
  }
  return changes.every((change) => change === null || change === 0) ? null : growth
}

function minus(a: number | null, b: number | null): number | null {
  return a === null ? null : a - (b ?? 0)
}

/** Then the requests tell the same, and when and how many besides. Claude's totals always hold more (spec §8). */
function isSumOfRequests(books: Books, models: readonly ModelUsage[]): boolean {
  if (books.adapter === 'claude' || books.byModel.has('')) return false
  if (books.byModel.size !== models.length || books.byModel.size >= MOST_MODELS) return false
  return models.every(({ model, tokens }) => {
    const sum = books.byModel.get(model)
    return (
      sum !== undefined &&
      sum.input === tokens.input &&
      sum.output === tokens.output &&
      sum.cacheRead === tokens.cacheRead
    )
  })
}

function add(sum: WireTokens | undefined, more: WireTokens): WireTokens {
  if (sum === undefined) return more
  return {
    input: plus(sum.input, more.input),
    output: plus(sum.output, more.output),
    cacheRead: plus(sum.cacheRead, more.cacheRead),
    cacheCreation: plus(sum.cacheCreation, more.cacheCreation),
    thinking: plus(sum.thinking, more.thinking),
  }
}

/** Request ids of Claude Code are known beyond the stream; those of others only within the run. */
function keyOf(books: Books, requestId: string | null): string | null {
  if (requestId === null) return null
  return books.adapter === 'claude' ? `claude-req:${requestId}` : `mh:${books.run}:${requestId}`
}

function processOf({ run, process }: Books): string {
  return process <= 1 ? run : `${run}#${process}`
}
