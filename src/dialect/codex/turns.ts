import { Bin, type Sink } from '../../event/sink.ts'
import { type JsonBytes, NONE, type Node } from '../../kernel/record.ts'
import type { CloseReason } from '../../event/events.ts'
import { sessionEnd } from '../session-events.ts'
import { keptTimeOf } from '../times.ts'
import { textAt, wholeAt } from '../values.ts'
import type { Ending } from '../adapter.ts'
import { flushHeld } from './evidence.ts'
import { figuresOf } from './counters.ts'
import { KEPT_BYTES, type Step, type Thread, type Turns } from './state.ts'
import { K, LONGEST_ID, PAYLOAD } from './words.ts'

/** Turns whose model is remembered. */
const MOST_OBSERVED = 10_000

/** `task_started`, in newer builds also `turn_started`. An earlier failure stays known, an earlier success does not. */
export function taskStarted(step: Step): Bin {
  const { at, sink, thread } = step
  const { turns } = thread
  closeGap(turns)
  turns.count++
  turns.open = { id: turnId(step) }
  turns.aborted = null
  if (turns.completed?.isError !== true) turns.completed = null
  const { context } = turns
  turns.context = null
  sink.turnStarted({ at, turn: turns.count, frameDigest: null })
  if (context !== null && (context.id === null || context.id === turns.open.id)) {
    observe(turns, context.id, context.model)
  }
  return Bin.Translated
}

/** `task_complete`: what it says of the run waits for the end of the file. */
export function taskComplete(step: Step): Bin {
  const { record, payload, at, sink, thread } = step
  const { turns } = thread
  flushHeld(thread, sink)
  closeGap(turns)
  const id = turnId(step) ?? turns.open?.id ?? null
  turns.open = null
  sink.turnEnded({ at, turn: Math.max(1, turns.count), stopReason: null })
  const error = record.get(payload, K.error)
  const message = record.get(payload, K.last_agent_message)
  const said = record.isString(message) && (record.text(message) ?? '').trim() !== ''
  const isError = record.isNullish(error) ? (error !== NONE || said ? false : null) : true
  turns.completed = {
    at: keptTimeOf(record, at),
    line: record.line,
    isError,
    answer: isError === false && said ? keptAnswer(step, message) : null,
    turnId: id,
    durationMs: wholeAt(record, record.get(payload, K.duration_ms)),
    ttftMs: wholeAt(record, record.get(payload, K.time_to_first_token_ms)),
  }
  turns.aborted = null
  if (isError === true) warnError(step, error, 'error')
  return Bin.Translated
}

/** `turn_aborted`. */
export function turnAborted(step: Step): Bin {
  const { record, payload, at, sink, thread } = step
  const { turns } = thread
  flushHeld(thread, sink)
  closeGap(turns)
  const reason = record.get(payload, K.reason)
  if (turns.open !== null) sink.turnEnded({ at, turn: turns.count, stopReason: textAt(record, reason) })
  turns.open = null
  turns.aborted = record.text(reason)?.slice(0, LONGEST_ID) ?? 'aborted'
  sink.warning({ at, code: 'turn_aborted', message: textAt(record, reason) ?? 'the turn was aborted' })
  return Bin.Translated
}

/** An error in any of the shapes that builds give it: the code is the vendor's, else `fallback`. */
export function warnError(
  { record, at, sink }: Pick<Step, 'record' | 'at' | 'sink'>,
  error: Node,
  fallback: string,
): void {
  const info = record.get(error, K.codex_error_info)
  const inner = record.get(error, K.error)
  const cause = record.isObject(info) ? record.first(info) : NONE
  const named = cause === NONE ? null : record.key(cause)
  const code = textAt(record, info) ?? named ?? textAt(record, record.get(inner, K.kind)) ?? fallback
  const message =
    textAt(record, record.get(error, K.message)) ??
    textAt(record, record.get(inner, K.message)) ??
    textAt(record, error) ??
    'the harness told an error without a message'
  sink.warning({ at, code: code === '' ? fallback : code, message, severity: 'error' })
}

/** The model that a context chooses; a turn keeps each choice. */
export function chooseModel(step: Step, model: string | null, id: string | null): void {
  const { thread } = step
  if (model !== null) thread.model = model
  const { turns } = thread
  if (turns.open === null) turns.context = { id, model }
  else observe(turns, id ?? turns.open.id, model)
}

function observe(turns: Turns, id: string | null, model: string | null): void {
  const last = turns.observed.at(-1)
  if (last !== undefined && last.turn === turns.count && last.model === model) return
  if (turns.observed.length >= MOST_OBSERVED) return
  turns.observed.push({ turn: turns.count, turn_id: id, model, scope: 'turn_selection' })
}

/** A turn for which no model was chosen is told as such. */
function closeGap(turns: Turns): void {
  if (turns.open !== null && turns.observed.at(-1)?.turn !== turns.count) observe(turns, turns.open.id, null)
}

/** What is known of the thread once its last record was read: `session.ended` only from a task that completed. */
export function endThread(thread: Thread, sink: Sink): Ending {
  flushHeld(thread, sink)
  const { turns, meter } = thread
  closeGap(turns)
  const { completed, aborted } = turns
  if (completed === null) {
    const reason: CloseReason =
      aborted === null ? 'error' : aborted === 'budget_limited' ? 'budget' : 'killed'
    return { reason, terminal: aborted !== null, promised: turns.count > 0 }
  }
  sink.sessionEnded(
    sessionEnd({
      at: completed.at,
      line: completed.line,
      finalAnswer: completed.answer === null ? null : { text: completed.answer, turnId: completed.turnId },
      observedModels: jsonOf(turns.observed),
      isError: completed.isError,
      numTurns: turns.count === 0 ? null : turns.count,
      durationMs: completed.durationMs,
      ttftMs: completed.ttftMs,
      usage: meter.spent === null ? null : figuresOf(meter.spent, null),
    }),
  )
  return { reason: completed.isError === false ? 'completed' : 'error', terminal: true, promised: true }
}

function jsonOf(value: unknown): JsonBytes {
  return { bytes: Buffer.from(JSON.stringify(value)), suspect: true }
}

function keptAnswer({ record, sink }: Step, message: Node): JsonBytes | null {
  if (record.rawBytes(message) <= KEPT_BYTES) return record.keep(message)
  sink.notice('answer-left-out', record.line, 'the final answer is too long to be stated again')
  return null
}

function turnId({ record, payload }: Step): string | null {
  const id = record.text(PAYLOAD.read(record, payload).turn_id)
  return id === null || id.length > LONGEST_ID ? null : id
}
