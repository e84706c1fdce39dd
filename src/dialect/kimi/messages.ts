import { Bin, type Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { injectTexts } from '../blocks.ts'
import { answerCall, requestCall } from '../calls.ts'
import { encodedJson } from '../encoded.ts'
import { operationsOf } from '../operations.ts'
import { spend } from '../spend.ts'
import { firstOf, textAt } from '../values.ts'
import { sayPart } from './content.ts'
import { open } from './opening.ts'
import { cliTokens } from './spending.ts'
import type { State } from './state.ts'

const K = keys(
  'type',
  'payload',
  'event',
  'user_input',
  'parent_tool_call_id',
  'task_tool_call_id',
  'token_usage',
  'message_id',
  'id',
  'function',
  'name',
  'arguments',
  'tool_call_id',
  'return_value',
  'result',
  'is_error',
  'output',
  'request_id',
  'response',
  'feedback',
  'action',
  'target',
  'reason',
  'severity',
  'title',
  'body',
)

/** Messages that tell of the state of the program; questions and calls for a client are calls told before. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  'CompactionBegin',
  'HookTriggered',
  'MCPLoadingBegin',
  'MCPLoadingEnd',
  'PlanDisplay',
  'QuestionRequest',
  'QuestionResponse',
  'StepBegin',
  'ToolCallRequest',
])
const MOST_APPROVALS = 1000

/** One message of kimi-cli's wire, or one that a subagent sent: then its call ids are made unique by `scope`. */
interface Message {
  readonly record: RecordView
  readonly payload: Node
  /** Calls whose subagents this is inside of, joined by `/`; empty for the agent itself. */
  readonly scope: string
  readonly at: Text
  readonly state: State
  readonly sink: Sink
}

/** A record `{timestamp, message}` of kimi-cli (spec vendor-transcripts §8); null when it is not known. */
export function wireMessage(record: RecordView, node: Node, at: Text, state: State, sink: Sink): Bin | null {
  let message = node
  const calls: string[] = []
  while (record.is(record.get(message, K.type), 'SubagentEvent')) {
    const payload = record.get(message, K.payload)
    const call =
      record.text(record.get(payload, K.parent_tool_call_id)) ??
      record.text(record.get(payload, K.task_tool_call_id))
    message = record.get(payload, K.event)
    if (message === NONE) return null
    calls.push(call ?? 'subagent')
  }
  const type = record.word(record.get(message, K.type))
  if (type === null) return null
  if (BOOKKEEPING.has(type)) return Bin.Bookkeeping
  const payload = record.get(message, K.payload)
  return translate(type, { record, payload, scope: calls.join('/'), at, state, sink })
}

function translate(type: string, message: Message): Bin | null {
  const { record, payload, at, state, sink, scope } = message
  switch (type) {
    case 'TurnBegin':
    case 'SteerInput':
      return prompt(type, message)
    case 'TurnEnd':
      if (scope !== '' || !state.inTurn) return Bin.Bookkeeping
      state.inTurn = false
      sink.turnEnded({ at, turn: state.turn, stopReason: null })
      return Bin.Translated
    case 'ContentPart':
      if (!record.isObject(payload)) return null
      open(record, at, state, sink)
      sayPart(record, payload, at, null, sink)
      return Bin.Translated
    case 'ToolCall':
      return toolCall(message)
    case 'ToolResult':
      return toolResult(message)
    case 'StatusUpdate':
      return status(message)
    case 'ApprovalRequest':
      return asked(message)
    case 'ApprovalResponse':
    case 'ApprovalRequestResolved':
      return answered(message)
    case 'StepInterrupted':
      return warn(message, type, 'a step was interrupted')
    case 'CompactionEnd':
      return warn(message, 'compaction', 'the conversation was compacted')
    case 'HookResolved':
      return hook(message)
    case 'Notification':
      return notification(message)
    default:
      return null
  }
}

/** The prompt of a subagent is its parent's, and no turn of the session. */
function prompt(type: string, { record, payload, scope, at, state, sink }: Message): Bin | null {
  const input = record.get(payload, K.user_input)
  if (!record.isString(input) && firstOf(record, input) === NONE) return null
  open(record, at, state, sink)
  if (type === 'TurnBegin' && scope === '') {
    state.turn++
    state.inTurn = true
    sink.turnStarted({ at, turn: state.turn, frameDigest: null })
  }
  injectTexts(record, input, scope === '' ? 'user' : 'synthetic', type, at, sink)
  return Bin.Translated
}

function toolCall({ record, payload, scope, at, state, sink }: Message): Bin | null {
  const called = record.get(payload, K.function)
  const name = record.get(called, K.name)
  if (!record.isString(name)) return null
  open(record, at, state, sink)
  const args = record.get(called, K.arguments)
  requestCall(
    record,
    {
      at,
      callId: scoped(record, record.get(payload, K.id), scope),
      name,
      input: encodedJson(record, args) ?? args,
      operations: operationsOf('kimi', record.word(name)),
    },
    sink,
  )
  return Bin.Translated
}

function toolResult({ record, payload, scope, at, state, sink }: Message): Bin | null {
  const callId = record.get(payload, K.tool_call_id)
  if (!record.isString(callId)) return null
  const value = record.get(payload, K.return_value)
  const returned = value === NONE ? record.get(payload, K.result) : value
  const isObject = record.isObject(returned)
  open(record, at, state, sink)
  answerCall(
    record,
    {
      at,
      callId: scoped(record, callId, scope),
      content: isObject ? record.get(returned, K.output) : returned,
      isError: record.bool(record.get(returned, K.is_error)),
      own: isObject ? returned : NONE,
    },
    sink,
  )
  return Bin.Translated
}

/** Usage of one step, known by the id of its message. */
function status({ record, payload, scope, at, state, sink }: Message): Bin {
  const usage = record.get(payload, K.token_usage)
  if (!record.isObject(usage)) return Bin.Bookkeeping
  open(record, at, state, sink)
  const message = record.get(payload, K.message_id)
  const id = record.text(message)
  const tokens = cliTokens(record, usage, sink)
  const key = id === null ? null : `kimi:${id}`
  const requestId = textAt(record, message)
  const { model, session } = state
  spend(record, { at, requestId, model, tokens, key, session, sidechain: scope !== '' }, sink)
  return Bin.Translated
}

function asked({ record, payload, scope, state }: Message): Bin {
  const id = record.text(record.get(payload, K.id))
  const callId = record.get(payload, K.tool_call_id)
  if (id === null || !record.isString(callId)) return Bin.Bookkeeping
  if (state.approvals.size >= MOST_APPROVALS) state.approvals.clear()
  const call = scoped(record, callId, scope)
  state.approvals.set(id, typeof call === 'string' ? call : (record.text(callId) ?? ''))
  return Bin.Bookkeeping
}

function answered({ record, payload, at, state, sink }: Message): Bin | null {
  const response = record.word(record.get(payload, K.response))
  const id = record.text(record.get(payload, K.request_id))
  if (response === null) return null
  const call = id === null ? undefined : state.approvals.get(id)
  if (id !== null) state.approvals.delete(id)
  if (response !== 'reject') return Bin.Bookkeeping
  const why = record.text(record.get(payload, K.feedback)) ?? ''
  const deniedCall = call === undefined ? {} : { deniedCall: call }
  open(record, at, state, sink)
  const message = `the user rejected ${call ?? 'a call'}${why === '' ? '' : `: ${why}`}`
  sink.warning({ at, code: 'approval-denied', message, ...deniedCall })
  return Bin.Translated
}

function hook(message: Message): Bin {
  const { record, payload } = message
  if (!record.is(record.get(payload, K.action), 'block')) return Bin.Bookkeeping
  const target = record.text(record.get(payload, K.target))
  const why = record.text(record.get(payload, K.reason))
  return warn(
    message,
    'hook-denied',
    `a hook blocked ${target || 'what was to come'}${why ? `: ${why}` : ''}`,
  )
}

function notification(message: Message): Bin {
  const { record, payload, at, state, sink } = message
  const severity = record.word(record.get(payload, K.severity))
  if (severity !== 'error' && severity !== 'warning') return Bin.Bookkeeping
  const said = [record.text(record.get(payload, K.title)), record.text(record.get(payload, K.body))]
  open(record, at, state, sink)
  const code = textAt(record, record.get(payload, K.type)) ?? 'Notification'
  sink.warning({ at, code, message: said.filter((part) => part).join(': '), severity })
  return Bin.Translated
}

function warn({ record, at, state, sink }: Message, code: string, message: string): Bin {
  open(record, at, state, sink)
  sink.warning({ at, code, message })
  return Bin.Translated
}

/** A subagent's own ids could collide with those of the agent. */
function scoped(record: RecordView, id: Node, scope: string): Text {
  return scope === '' ? (textAt(record, id) ?? '') : `${scope}/${record.text(id) ?? ''}`
}
