import type { Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { sessionEnd } from '../session-events.ts'
import { figuresOf, spend } from '../spend.ts'
import { keptTimeOf } from '../times.ts'
import { textAt, wholeAt, wordAt } from '../values.ts'
import { readStats, sumOf } from './stats.ts'

const K = keys('type', 'code', 'message', 'duration_ms', 'tools', 'byName', 'decisions', 'reject')

/** What the last record of a process says. */
export interface Told {
  readonly at: Text
  readonly status: Node
  readonly isError: boolean | null
  readonly error: Node
  readonly stats: Node
  /** The final answer, `NONE` when the record does not hold it. */
  readonly answer: Node
  readonly session: string | null
  /** The model that the run began with. */
  readonly model: string | null
  readonly process: string
}

/**
 * The end of a process: its error and its refusals as warnings, its usage as one `usage` event over all models, and
 * `session.ended`. The event names no model, so that readers of the stream take the totals by model in its place and do
 * not price many requests as one.
 */
export function result(record: RecordView, told: Told, sink: Sink): void {
  const { at, status, isError, error, stats, answer } = told
  const type = wordAt(record, record.get(error, K.type)) ?? wordAt(record, record.get(error, K.code))
  if (!record.isNullish(error)) {
    const message = textAt(record, record.get(error, K.message)) ?? textAt(record, error) ?? 'the run failed'
    sink.warning({ at, code: type ?? 'error', message, severity: 'error' })
  }
  refusals(record, record.get(record.get(stats, K.tools), K.byName), at, sink)
  const uses = use(record, told, sink)
  const text = textAt(record, answer)
  sink.sessionEnded(
    sessionEnd({
      at,
      finalAnswer: text === null ? null : { text, turnId: null },
      isError,
      subtype: textAt(record, status),
      terminalReason: type,
      durationMs: wholeAt(record, record.get(stats, K.duration_ms)),
      usage: uses === null ? null : figuresOf(sumOf(uses)),
      modelUsage: isNamed(uses)
        ? uses.map(({ model, tokens }) => ({ model, usage: figuresOf(tokens) }))
        : null,
    }),
  )
}

type Uses = NonNullable<ReturnType<typeof readStats>>

/** Bill the totals: by model where models are known. */
function use(record: RecordView, told: Told, sink: Sink): Uses | null {
  const { at, session, process, model } = told
  const uses = readStats(record, told.stats, model, sink)
  if (uses === null) return null
  const time = keptTimeOf(record, at)
  const key = session === null ? null : `gemini-run:${session}:${time ?? process}`
  spend(record, { at, requestId: null, model: null, tokens: sumOf(uses), key, session, process }, sink)
  if (!isNamed(uses)) return uses
  const models = uses.map((one) => ({ ...one, webSearches: null, reportedPicoUsd: null }))
  sink.settled({ process, session, at: time, models, reportedPicoUsd: null })
  return uses
}

function isNamed(uses: Uses | null): uses is Uses {
  return uses !== null && uses.every(({ model }) => model !== null)
}

/** Calls that the user or a policy refused are told as counts by tool. */
function refusals(record: RecordView, tools: Node, at: Text, sink: Sink): void {
  for (let tool = record.first(tools); tool !== NONE; tool = record.next(tool)) {
    const refused = wholeAt(record, record.get(record.get(tool, K.decisions), K.reject)) ?? 0
    if (refused === 0) continue
    const message = `${refused} ${refused === 1 ? 'call' : 'calls'} of ${record.key(tool)} refused`
    sink.warning({ at, code: 'approval-denied', message })
  }
}
