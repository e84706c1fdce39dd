import { Bin } from '../../event/sink.ts'
import { denied } from './calls.ts'
import type { Step } from './state.ts'
import { clip, write } from './warnings.ts'
import { K } from './words.ts'

/** `hook.failed`: one that is not to be ignored ends the run. */
export function hookFailed(step: Step): Bin {
  const { record, data } = step
  const hook = record.text(record.get(data, K.hook)) ?? '(unnamed)'
  const error = record.text(record.get(data, K.error)) ?? ''
  const isFatal = record.bool(record.get(data, K.ignored)) === false
  const stage = record.text(record.get(data, K.stage)) ?? ''
  return write(
    step,
    'hook-failed',
    `the ${stage} hook ${hook} failed: ${clip(error)}`,
    isFatal ? 'error' : 'warning',
  )
}

/** A hook that blocks ends the run. */
export function hookCompleted(step: Step): Bin {
  const { record, data } = step
  if (!record.is(record.get(data, K.action), 'block')) return Bin.Bookkeeping
  const hook = record.text(record.get(data, K.hook)) ?? '(unnamed)'
  const reason = record.text(record.get(data, K.reason)) ?? ''
  const why = reason === '' ? '' : `: ${clip(reason)}`
  return write(step, 'hook-refused', `the hook ${hook} blocked the run${why}`, 'error')
}

/** Before a call, a hook that fails and is not to be ignored denies it. */
export function toolHookFailed(step: Step): Bin {
  const { record, data } = step
  const isDenied =
    record.is(record.get(data, K.stage), 'pre_tool_use') && record.bool(record.get(data, K.ignored)) === false
  return isDenied ? denied(step, 'hook-failed') : hookFailed(step)
}

/** Before a call, a hook may deny it; otherwise what it did is in the call. */
export function toolHookCompleted(step: Step): Bin {
  const { record, data } = step
  const isDenied =
    record.is(record.get(data, K.stage), 'pre_tool_use') && record.is(record.get(data, K.decision), 'deny')
  return isDenied ? denied(step, 'hook-denied') : Bin.Bookkeeping
}
