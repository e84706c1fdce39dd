import type { CloseReason } from '../../event/events.ts'
import { Bin } from '../../event/sink.ts'
import { type Node, NONE, type RecordView } from '../../kernel/record.ts'
import { sessionEnd } from '../session-events.ts'
import { count } from '../figures.ts'
import { keptTimeOf } from '../times.ts'
import { children, textAt, wholeAt } from '../values.ts'
import { closePieces, unanswered } from './calls.ts'
import { early, open } from './early.ts'
import type { Step } from './state.ts'
import { forget, say, wasSaid } from './talk.ts'
import { checkTotals, closeTotals } from './totals.ts'
import { clip, write } from './warnings.ts'
import { K } from './words.ts'

/** Bytes of an answer that are kept, to tell whether the last text was it. */
const KEPT_TEXT = 8 * 1024 * 1024

/** Reasons of `run.failed` that are limits of the harness (design §5.1). */
const LIMITS: ReadonlySet<string> = new Set(['max_steps_reached', 'max_turns_exhausted'])

/** `run.queued` has the prompt that `run.started` repeats: it stands for itself only when the run never starts. */
export function queued(step: Step): Bin {
  return prompt(step, true)
}

/** `run.started`: the prompt is what the user wrote. */
export function runStarted(step: Step): Bin {
  const { record, data, run } = step
  run.facts.model ??= record.text(record.get(data, K.model))
  run.held = run.held.filter((event) => event.kind !== 'prompt' || !event.queued)
  return prompt(step, false)
}

function prompt(step: Step, isQueued: boolean): Bin {
  const { record, data, at } = step
  const node = record.get(data, K.prompt)
  const otherwise = isQueued ? Bin.Folded : Bin.Bookkeeping
  if (!record.isString(node) || record.rawBytes(node) <= 2) return otherwise
  early(step, {
    kind: 'prompt',
    queued: isQueued,
    at: keptTimeOf(record, at),
    line: record.line,
    text: record.keep(node),
  })
  return isQueued ? Bin.Folded : Bin.Translated
}

/** `steering.received`: words of the user in the middle of a run. */
export function steering(step: Step): Bin {
  const { record, data, at } = step
  const node = record.get(data, K.message)
  if (!record.isString(node)) return Bin.Opaque
  early(step, { kind: 'steering', at: keptTimeOf(record, at), line: record.line, text: record.keep(node) })
  return Bin.Translated
}

/** What `session.started` tells; later statements of the same are the harness's own business. */
export function providerResolved({ record, data, run }: Step): Bin {
  const model = record.text(record.get(data, K.model))
  if (model === null) return Bin.Bookkeeping
  run.facts.model = model
  return Bin.Folded
}

/** `prompt.resolved`: the skills of the session, if it has not begun. */
export function promptResolved({ record, data, run }: Step): Bin {
  const skills = textList(record, record.get(data, K.applied_skills))
  if (run.opened || skills === null) return Bin.Bookkeeping
  run.facts.skills = skills
  return Bin.Folded
}

/** `workspace.provisioned`: the working directory of the session, if it has not begun. */
export function workspaceProvisioned({ record, data, run }: Step): Bin {
  const path = record.text(record.get(data, K.workspace_path))
  if (run.opened || path === null) return Bin.Bookkeeping
  run.facts.cwd = path
  return Bin.Folded
}

/** `llm.request.snapshot` and `tool.decision`: the tools that the model was offered. */
export function toolsOffered(step: Step): Bin {
  const { record, data, run, state, sink } = step
  const tools = textList(
    record,
    record.get(data, step.type === 'tool.decision' ? K.available_tools : K.tool_names),
  )
  if (run.opened || tools === null) return Bin.Bookkeeping
  run.facts.offered = tools
  open(run, state, sink)
  return Bin.Folded
}

/** `run.step.started`: an iteration of the loop is a turn; an empty answer is tried again under the same number. */
export function stepStarted(step: Step): Bin {
  const { record, data, at, run, sink } = step
  const turn = count(record, record.get(data, K.step), sink)
  if (turn === null) return Bin.Opaque
  closePieces(run, 'call', sink)
  forget(run.talk)
  run.turn = turn
  early(step, { kind: 'turn', turn, at: keptTimeOf(record, at), line: record.line })
  return Bin.Translated
}

/** `run.step.completed`: the end of a turn. */
export function stepCompleted(step: Step): Bin {
  const { record, data, at, run, state, sink } = step
  const turn = count(record, record.get(data, K.step), sink)
  if (turn === null) return Bin.Opaque
  open(run, state, sink)
  closePieces(run, 'call', sink)
  sink.turnEnded({ at, turn, stopReason: null })
  run.turn = null
  return Bin.Translated
}

/** `assistant.message`, and the answer that hand-written recordings have in `llm.turn.completed`: written unless it was heard. */
export function message(step: Step): Bin {
  const { record, data, at, run, state, sink } = step
  const content = record.get(data, K.content)
  const text = record.text(content)
  if (text === null) return Bin.Opaque
  if (text === '') return Bin.Bookkeeping
  if (wasSaid(run.talk, 'text', text)) return Bin.Folded
  open(run, state, sink)
  sink.text({ at, text: content, requestId: null })
  run.lastText = record.rawBytes(content) > KEPT_TEXT ? null : text
  run.talk.said.text = run.lastText
  return Bin.Translated
}

/** `llm.turn.completed`. */
export function turnCompleted(step: Step): Bin {
  const { record, data, run } = step
  run.spend.completed++
  run.spend.line = record.line
  return record.isString(record.get(data, K.content)) ? message(step) : Bin.Bookkeeping
}

/** `reasoning.complete`: all of the thinking, which was heard already unless nothing was streamed. */
export function reasoning(step: Step): Bin {
  const { record, data, at, run, state, sink } = step
  const text = record.get(data, K.text)
  if (!record.isString(text)) return Bin.Opaque
  if (run.talk.said.thinking !== '') return Bin.Folded
  if (record.rawBytes(text) <= 2) return Bin.Bookkeeping
  open(run, state, sink)
  sink.thinking({ at, text, requestId: null })
  return Bin.Translated
}

/** `run.completed`, `run.failed`, `run.cancelled`. */
export function ended(step: Step): Bin {
  const { record, type, data, at, run, state, sink } = step
  if (run.terminal !== null) return Bin.Opaque
  open(run, state, sink)
  closePieces(run, 'call', sink)
  closePieces(run, 'output', sink)
  checkOrder(step)
  if (run.sequence.next >= 0 && run.sequence.holes.length === 0 && run.dropped === 0) {
    checkTotals(step, run)
    checkCalls(step)
  }
  const totals = closeTotals(step)
  const reason = record.get(data, K.reason)
  const error = record.text(record.get(data, K.error))
  if (error !== null && error !== '') write(step, record.word(reason) ?? type, clip(error), 'error')
  answer(step)
  if (run.turn !== null) sink.turnEnded({ at, turn: run.turn, stopReason: null })
  run.turn = null
  const output = record.get(data, K.output)
  const isAnswer = type === 'run.completed' && (record.text(output) ?? '') !== ''
  sink.sessionEnded(
    sessionEnd({
      at,
      finalAnswer: isAnswer ? { text: output, turnId: null } : null,
      isError: type === 'run.cancelled' ? null : type === 'run.failed',
      subtype: type,
      terminalReason: textAt(record, reason) ?? (run.costLimit ? 'run.cost_limit_reached' : null),
      numTurns: wholeAt(record, record.get(data, K.step)),
      totalCostUsd: totals.costUsd,
      usage: totals.usage,
    }),
  )
  run.terminal = type
  state.ended = true
  state.reason = closeReason(type, record.word(reason), run.costLimit)
  return Bin.Translated
}

/** Of all ends only a completed run is success; limits of cost, steps and turns are the budget (design §5.1). */
export function closeReason(type: string, reason: string | null, costLimit: boolean): CloseReason {
  if (type === 'run.cancelled') return 'killed'
  if (type === 'run.completed') return costLimit ? 'budget' : 'completed'
  return reason !== null && LIMITS.has(reason) ? 'budget' : 'error'
}

/** The answer as text, when it was never heard: a run that was stopped by its budget has no message. */
function answer({ record, data, at, run, sink }: Step): void {
  const output = record.get(data, K.output)
  const text = record.text(output)
  if (text === null || text === '' || run.lastText === null || run.lastText === text) return
  sink.text({ at, text: output, requestId: null })
}

function checkOrder({ record, type, run, sink }: Step): void {
  if (run.costLimit && type !== 'run.completed') {
    sink.notice('order-broken', record.line, 'a run that reached its cost limit did not end as completed')
  }
  if (run.mustFail !== null && type !== 'run.failed') {
    sink.notice('order-broken', record.line, `a run did not fail after ${run.mustFail}`)
  }
}

/** Every call that ran has its completion; what was cancelled or failed in the middle need not. */
function checkCalls({ record, type, run, sink }: Step): void {
  const owed = type === 'run.completed' ? unanswered(run) : 0
  for (let i = 0; i < owed; i++) {
    sink.notice('call-without-completion', record.line, 'a call that was not denied has no completion')
  }
}

/** Write what was said so far, if this event shows that no more will be added to it. */
export function sayHeld({ run, state, sink }: Step): void {
  if (run.talk.held.length === 0) return
  open(run, state, sink)
  const isText = run.talk.held.some(({ voice }) => voice === 'text')
  say(run.talk, sink)
  if (isText) run.lastText = run.talk.said.text
}

function textList(record: RecordView, node: Node): string[] | null {
  if (node === NONE || !record.isArray(node)) return null
  return children(record, node, (child) => record.text(child))
}
