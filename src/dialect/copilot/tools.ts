import { Bin } from '../../event/sink.ts'
import { keys } from '../../kernel/key.ts'
import { answerCall, noteCall, requestCall } from '../calls.ts'
import { operationsOf } from '../operations.ts'
import { textAt } from '../values.ts'
import { type Event, open } from './event.ts'

const K = keys(
  'toolCallId',
  'toolName',
  'arguments',
  'success',
  'result',
  'content',
  'detailedContent',
  'error',
  'message',
  'code',
  'requestId',
  'permissionRequest',
  'kind',
  'feedback',
  'output',
  'permissionDecision',
  'permissionDecisionReason',
  'hookType',
  'input',
)
const MOST_ASKED = 1000

/** `tool.execution_start`: the call is told by the message that asked for it, where there is one. */
export function executionStart(event: Event): Bin | null {
  const { record, data, at, state, sink } = event
  const name = record.get(data, K.toolName)
  const callId = record.get(data, K.toolCallId)
  if (!record.isString(name) || !record.isString(callId)) return null
  if (!noteCall(record.text(callId), state.calls)) return Bin.Folded
  open(event)
  const operations = operationsOf('copilot', record.word(name))
  requestCall(record, { at, callId, name, input: record.get(data, K.arguments), operations }, sink)
  return Bin.Translated
}

/** `tool.execution_complete`: content, or the words of the error; a call that was refused is a denied one. */
export function executionComplete(event: Event): Bin | null {
  const { record, data, at, sink } = event
  const callId = record.get(data, K.toolCallId)
  if (!record.isString(callId)) return null
  open(event)
  const result = record.get(data, K.result)
  const error = record.get(data, K.error)
  const content = record.get(result, K.content)
  const success = record.bool(record.get(data, K.success))
  const hasMore = !record.isNullish(record.get(result, K.detailedContent))
  answerCall(
    record,
    {
      at,
      callId,
      content: record.isNullish(content) ? record.get(error, K.message) : content,
      isError: success === null ? null : !success,
      own: hasMore ? result : error,
    },
    sink,
  )
  const code = record.word(record.get(error, K.code))
  if (code === 'denied' || code === 'rejected') deny(event, record.text(callId), code)
  return Bin.Translated
}

/** `permission.requested`: remembered for its answer, which may name the request only. */
export function permissionRequested({ record, data, state }: Event): Bin {
  const id = record.text(record.get(data, K.requestId))
  const call = record.text(record.get(record.get(data, K.permissionRequest), K.toolCallId))
  if (id !== null && call !== null && state.asked.size < MOST_ASKED) state.asked.set(id, call)
  return Bin.Bookkeeping
}

/** `permission.completed`: whatever is not approved is a denial. */
export function permissionCompleted(event: Event): Bin | null {
  const { record, data, state } = event
  const kind = record.word(record.get(record.get(data, K.result), K.kind))
  const id = record.text(record.get(data, K.requestId))
  const call =
    record.text(record.get(data, K.toolCallId)) ?? (id === null ? null : (state.asked.get(id) ?? null))
  if (id !== null) state.asked.delete(id)
  if (kind === null) return null
  if (kind.startsWith('approved')) return Bin.Bookkeeping
  open(event)
  deny(event, call, kind, record.text(record.get(record.get(data, K.result), K.feedback)))
  return Bin.Translated
}

function deny(
  { at, state, sink }: Event,
  call: string | null,
  kind: string,
  why: string | null = null,
): void {
  if (call !== null && !noteCall(call, state.denied)) return
  const message = `${call ?? 'a call'} was not permitted (${kind})${why === null ? '' : `: ${why}`}`
  sink.warning({ at, code: 'approval-denied', message, ...(call === null ? {} : { deniedCall: call }) })
}

/** `hook.end`: a hook that failed, or that denied what was to come. */
export function hookEnd(event: Event): Bin | null {
  const { record, data, at, sink } = event
  if (!record.isObject(data)) return null
  const name = record.text(record.get(data, K.hookType)) ?? 'unnamed'
  const output = record.get(data, K.output)
  if (record.is(record.get(output, K.permissionDecision), 'deny')) {
    const why = record.text(record.get(output, K.permissionDecisionReason))
    const call = textAt(record, record.get(record.get(data, K.input), K.toolCallId))
    open(event)
    const message = `the ${name} hook denied the call${why === null ? '' : `: ${why}`}`
    sink.warning({ at, code: 'hook-denied', message, ...(call === null ? {} : { deniedCall: call }) })
    return Bin.Translated
  }
  if (record.bool(record.get(data, K.success)) !== false) return Bin.Bookkeeping
  const error = record.get(data, K.error)
  const said = record.text(error) ?? record.text(record.get(error, K.message))
  open(event)
  sink.warning({
    at,
    code: 'hook-failed',
    message: `the ${name} hook failed${said === null ? '' : `: ${said}`}`,
  })
  return Bin.Translated
}
