import type { Sink } from '../../event/sink.ts'
import type { Node, RecordView } from '../../kernel/record.ts'
import {
  type Counters,
  countersAt,
  figuresOf,
  grown,
  isNothing,
  isSame,
  sum,
  textOf,
  tokensOf,
  wentBack,
} from './counters.ts'

/** Threads of one file whose running totals are remembered. */
const MOST_THREADS = 1024

/** What the runs of one output used. */
export interface ExecBill {
  /** What this run used. */
  spent: Counters | null
  /** The model did something after the last usage, on this line. */
  unpaidLine: number | null
  /** Running totals by thread: resumed runs go on counting. */
  readonly totals: Map<string, { total: Counters; steps: number }>
}

export function noBill(): ExecBill {
  return { spent: null, unpaidLine: null, totals: new Map() }
}

/** `turn.completed` holds the running total of the thread: what it grew by is this turn's. */
export function pay(
  record: RecordView,
  usage: Node,
  thread: string | null,
  bill: ExecBill,
  sink: Sink,
): void {
  const total = countersAt(record, usage, sink)
  if (total === null) return
  bill.unpaidLine = null
  const key = thread ?? ''
  const before = bill.totals.get(key)
  const steps = before?.steps ?? 0
  if (bill.totals.size < MOST_THREADS || before !== undefined)
    bill.totals.set(key, { total, steps: steps + 1 })
  if (before !== undefined && isSame(total, before.total)) return
  const back = before !== undefined && wentBack(total, before.total)
  if (back)
    sink.notice('counter-went-back', record.line, 'a running total went back: it was taken to begin anew')
  const spent = before === undefined || back ? total : grown(total, before.total, null)
  if (isNothing(spent)) return
  bill.spent = sum(bill.spent, spent)
  write(spent, { record: record.line, held: null, step: steps, counters: textOf(total, null) }, thread, sink)
}

/** The run ended, or broke off, after the model had done something for which no usage came. */
export function closeBill(thread: string | null, bill: ExecBill, sink: Sink): void {
  const line = bill.unpaidLine
  if (line === null) return
  bill.unpaidLine = null
  const nothing: Counters = {
    input: null,
    cached: null,
    written: null,
    output: null,
    reasoning: null,
    total: null,
  }
  sink.notice('usage-not-recorded', line, 'a turn ended without usage: it is unknown')
  write(nothing, { record: line, held: line, step: null, counters: null }, thread, sink)
}

interface Written {
  readonly record: number
  /** The line of the event, when that is not the record being read. */
  readonly held: number | null
  readonly step: number | null
  readonly counters: string | null
}

function write(
  spent: Counters,
  { record, held, step, counters }: Written,
  thread: string | null,
  sink: Sink,
): void {
  sink.usage({
    at: null,
    ...(held === null ? {} : { line: held }),
    // Readers of this wire take usage of Codex with neither model nor request for a running total.
    requestId: `turn@${record}`,
    model: null,
    usage: figuresOf(spent, null),
  })
  sink.billed({
    key: null,
    process: null,
    session: thread,
    model: null,
    at: null,
    tokens: tokensOf(spent, record, sink),
    webSearches: null,
    final: counters !== null,
    reportedPicoUsd: null,
    serviceTier: null,
    speed: null,
    geo: null,
    sidechain: false,
    ...(thread === null ? {} : { place: { thread, parent: null, step, counters, kind: 'total' } }),
  })
}
