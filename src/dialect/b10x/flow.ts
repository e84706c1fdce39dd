import type { Step as FlowStep } from '../../event/events.ts'
import { Bin } from '../../event/sink.ts'
import { NONE } from '../../kernel/record.ts'
import type { State, Step } from './state.ts'
import { K } from './words.ts'

/** `flow-started`: the workflow whose steps follow. Every flow counts its steps afresh. */
export function flowStarted({ record, node, state }: Step): Bin {
  const { flow } = state
  if (flow.open === 0) flow.steps.clear()
  flow.open++
  flow.begun++
  flow.workflow = record.text(record.get(node, K.flow)) ?? ''
  return Bin.Bookkeeping
}

/** `flow-finished`: `clean` is the verdict on the whole flow, whatever its last run said (spec b10x-harness §2). */
export function flowFinished({ record, node, state }: Step): Bin {
  state.flow.open = Math.max(0, state.flow.open - 1)
  const clean = record.bool(record.get(node, K.clean))
  if (clean !== null) state.stop = { kind: clean ? 'completed' : 'flow-not-clean' }
  return Bin.Bookkeeping
}

export function flowPaused({ state, sink }: Step): Bin {
  state.flow.open = 0
  state.stop = { kind: 'flow-paused' }
  sink.warning({ at: null, code: 'flow-paused', message: 'the flow was paused' })
  return Bin.Translated
}

export function stepStarted({ record, node, state, sink }: Step): Bin {
  const path = record.text(record.get(node, K.path))
  if (path === null) return Bin.Opaque
  sink.stepEntered({ at: null, step: entered(state, path), frameDigest: null })
  return Bin.Translated
}

export function stepFinished({ record, node, state, sink }: Step): Bin {
  const path = record.text(record.get(node, K.path))
  if (path === null) return Bin.Opaque
  const known = state.flow.steps.get(path)
  const step = known === undefined ? entered(state, path) : place(state, path, known.index, known.attempts)
  const failed = record.bool(record.get(node, K.failed))
  sink.stepLeft({
    at: null,
    step,
    outcome: failed === null ? 'no_verdict' : failed ? 'failed' : 'completed',
    reason: failed === null ? 'the record does not say' : failed ? 'the step failed' : null,
  })
  return Bin.Translated
}

/** `transition-refused` and `handoff-incomplete`: the flow did not go on as it should. */
export function transitionRefused({ record, node, sink }: Step): Bin {
  const path = record.text(record.get(node, K.path)) ?? 'a step'
  const moment = record.word(record.get(node, K.moment)) ?? 'pass'
  const attempt = record.integer(record.get(node, K.attempt))
  const reason = record.text(record.get(node, K.reason))
  sink.warning({
    at: null,
    code: 'transition-refused',
    message: `refused to ${moment} ${path}${attempt === null ? '' : ` (attempt ${attempt})`}${reason === null ? '' : `: ${reason}`}`,
  })
  return Bin.Translated
}

export function handoffIncomplete({ record, node, sink }: Step): Bin {
  const path = record.text(record.get(node, K.path)) ?? 'a step'
  const missing: string[] = []
  const list = record.get(node, K.missing)
  for (let child = record.first(list); child !== NONE; child = record.next(child)) {
    missing.push(record.text(child) ?? record.raw(child))
  }
  sink.warning({
    at: null,
    code: 'handoff-incomplete',
    message: `${path} was left without ${missing.length === 0 ? 'what it should give' : missing.join(', ')}`,
  })
  return Bin.Translated
}

function entered(state: State, path: string): FlowStep {
  const { steps } = state.flow
  const known = steps.get(path)
  if (known === undefined) {
    steps.set(path, { index: steps.size, attempts: 1 })
    return place(state, path, steps.size - 1, 1)
  }
  known.attempts++
  return place(state, path, known.index, known.attempts)
}

function place(state: State, path: string, index: number, attempt: number): FlowStep {
  return { workflow: state.flow.workflow, state: path, index, attempt }
}
