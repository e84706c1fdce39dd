import { Bin, type Sink } from '../../event/sink.ts'
import type { Node } from '../../kernel/record.ts'
import { keptTimeOf } from '../times.ts'
import {
  bytesOf,
  callOf,
  idOf,
  jsonOf,
  release,
  request,
  type Request,
  sourceOf,
  warnRefused,
} from './calls.ts'
import type { Call } from './open-calls.ts'
import type { Family, Outcome } from './outcome.ts'
import { KEPT_BYTES, type Step, type Thread } from './state.ts'

/** A record that tells how a call ended. `name` and `input` are for calls that no item asks for, made from inside another tool. */
export interface Evidence extends Request {
  readonly family: Family
  readonly outcome: Outcome
  readonly turn: string | null
  /** What came out, when there will be no output of its own. */
  readonly content: Node
  /** The record's own account; nothing when it holds no more than `content`. */
  readonly item: Node
}

/**
 * Take evidence: it is kept for the output to come, or written as a result of its own when there is none to come or it came
 * already. Evidence of another kind of tool or of another turn, and evidence that contradicts itself or earlier evidence, makes
 * the outcome unknown for good (spec metaharness-event-1 §8).
 */
export function evidence(step: Step, found: Evidence): Bin {
  const { record, thread, at } = step
  const id = idOf(record, found.id)
  const known = callOf(thread, id)
  if (known === undefined) {
    request(step, found)
    const made = callOf(thread, id)
    if (made !== undefined) made.answered = true
    writeEvidence(step, found, judged(step, made, found))
    warnDeclined(step, found, made)
    return Bin.Translated
  }
  const outcome = judged(step, known, found)
  warnDeclined(step, found, known)
  if (known.answered) {
    writeEvidence(step, found, outcome)
    return Bin.Translated
  }
  const bytes = record.rawBytes(found.item)
  if (known.held !== null || thread.calls.heldBytes + bytes > KEPT_BYTES) {
    writeEvidence(step, found, outcome)
    return Bin.Translated
  }
  known.held = { item: record.keep(found.item), line: record.line, at: keptTimeOf(record, at) }
  thread.calls.heldBytes += bytes
  return Bin.Folded
}

function judged(step: Step, call: Call | undefined, found: Evidence): Outcome | null {
  const { sink, at, record } = step
  const { outcome, family, turn } = found
  if (call === undefined) return outcome.contradictory ? null : outcome
  const before = call.outcome === 'unverified' ? null : call.outcome
  const wasUnverified = call.outcome === 'unverified'
  const otherTool = family !== 'other' && call.family !== family
  const otherTurn = turn !== null && call.turn !== null && turn !== call.turn
  const disagrees =
    before !== null &&
    before.isError !== null &&
    outcome.isError !== null &&
    before.isError !== outcome.isError
  if (!wasUnverified && !outcome.contradictory && !otherTool && !otherTurn && !disagrees) {
    if (before === null || before.isError === null) call.outcome = outcome
    return call.outcome === 'unverified' ? null : call.outcome
  }
  call.outcome = 'unverified'
  const why = wasUnverified
    ? 'its id is used for more than one call'
    : otherTool
      ? 'the evidence is of another kind of tool'
      : otherTurn
        ? 'the evidence is of another turn'
        : 'the evidence contradicts itself'
  const id = idOf(record, found.id) ?? ''
  sink.warning({ at, code: 'TOOL_OUTCOME_UNVERIFIED', message: `how ${id} ended is not known: ${why}` })
  return null
}

/** A result that stands for itself. */
export function writeEvidence({ record, at, sink }: Step, found: Evidence, outcome: Outcome | null): void {
  sink.toolResult({
    at,
    exitCode: outcome?.exitCode ?? null,
    outcomeSource: sourceOf(outcome),
    callId: found.id,
    isError: outcome?.isError ?? null,
    content: jsonOf(found.content),
    bytes: bytesOf(record, found.content),
    toolUseResult: jsonOf(found.item),
  })
}

/** Evidence for which no output came is a result by itself. */
export function flushHeld(thread: Thread, sink: Sink): void {
  if (thread.calls.heldBytes === 0) return
  for (const [id, call] of thread.calls.byId) {
    if (call.held === null) continue
    const outcome = call.outcome === 'unverified' ? null : call.outcome
    const { item, line, at } = call.held
    sink.toolResult({
      at,
      line,
      exitCode: outcome?.exitCode ?? null,
      outcomeSource: sourceOf(outcome),
      callId: id,
      isError: outcome?.isError ?? null,
      content: null,
      bytes: null,
      toolUseResult: item,
    })
    call.answered = true
    release(thread, call)
  }
}

function warnDeclined(step: Step, { outcome, id }: Evidence, call: Call | undefined): void {
  if (outcome.declined) warnRefused(step, id, call, 'declined')
}
