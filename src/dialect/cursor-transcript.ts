import { Bin, type Sink } from '../event/sink.ts'
import { keys } from '../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'
import { Shape } from '../kernel/shape.ts'
import type { Adapter, Evidence } from './adapter.ts'
import { WITHOUT_END } from './endings.ts'
import { sessionStart } from './session-events.ts'
import { assistantBlock, type Block, eachBlock } from './blocks.ts'
import { answerCall, noteCall, requestCall } from './calls.ts'
import { operationsOf } from './operations.ts'
import { authorOf } from './reminder.ts'
import { textAt } from './values.ts'

const RECORD = new Shape('type', 'role', 'message', 'model', 'timestamp', 'id', 'uuid', 'sessionId')
const K = keys('content', 'tool_name', 'status', 'reason', 'error', 'session_id')

/** Calls without a result that are remembered. */
const MOST_OPEN = 1000

/** A call that has no id of its own. */
interface OpenCall {
  readonly id: string
  readonly name: string
}

interface State {
  started: boolean
  turn: number
  inTurn: boolean
  /** Oldest first. */
  readonly open: OpenCall[]
  /** Calls that have ids of their own. */
  readonly named: Set<string>
}

/**
 * Transcripts of Cursor's agents (spec vendor-transcripts §7): messages with Claude's content blocks, and no ids, times or
 * usage. A call has the id of its place; results come in the order of the calls.
 */
export const cursorTranscript: Adapter<State> = {
  dialect: 'cursor-transcript',
  summary: 'agent transcripts of Cursor',
  evidence,
  runId: null,
  initial: () => ({ started: false, turn: 0, inTurn: false, open: [], named: new Set() }),
  step(record, state, sink) {
    const { type, role, message, model } = RECORD.read(record, record.root)
    const bin = record.is(type, 'turn_ended')
      ? turnEnded(record, state, sink)
      : said(record, record.word(role), record.get(message, K.content), model, state, sink)
    if (bin !== null) return bin
    const vendorType = textAt(record, type) ?? textAt(record, role)
    sink.opaque({ at: null, vendorType, vendorSubtype: null })
    return Bin.Opaque
  },
  end: () => WITHOUT_END,
}

function said(
  record: RecordView,
  role: string | null,
  content: Node,
  model: Node,
  state: State,
  sink: Sink,
): Bin | null {
  if (role !== 'user' && role !== 'assistant') return null
  if (!record.isString(content) && !record.isArray(content)) return null
  open(record, model, state, sink)
  if (record.isString(content)) {
    if (role === 'user') inject(record, content, state, sink)
    else sink.text({ at: null, text: content, requestId: null })
    return Bin.Translated
  }
  let place = 0
  const given = eachBlock(record, content, role, null, sink, (block, fields) => {
    place++
    return role === 'user'
      ? userBlock(record, block, fields, state, sink)
      : agentBlock(record, fields, `${record.line}.${place}`, state, sink)
  })
  return given > 0 ? Bin.Translated : Bin.Bookkeeping
}

/** What a person says begins a turn. */
function inject(record: RecordView, text: Node, state: State, sink: Sink): void {
  const origin = authorOf(record.text(text))
  if (origin === 'user') {
    state.turn++
    state.inTurn = true
    sink.turnStarted({ at: null, turn: state.turn, frameDigest: null })
  }
  sink.injection({ at: null, text, origin })
}

function agentBlock(record: RecordView, fields: Block, place: string, state: State, sink: Sink): boolean {
  const { type, id, name, input } = fields
  const isCall = record.is(type, 'tool_use') || record.is(type, 'tool_call')
  if (!isCall) return assistantBlock(record, fields, { at: null, requestId: null, dialect: 'cursor' }, sink)
  const word = record.word(name)
  if (word === null) return false
  const callId = textAt(record, id) ?? place
  if (record.isString(id)) noteCall(record.text(id), state.named)
  else {
    state.open.push({ id: place, name: word })
    if (state.open.length > MOST_OPEN) state.open.shift()
  }
  requestCall(record, { at: null, callId, name, input, operations: operationsOf('cursor', word) }, sink)
  return true
}

function userBlock(record: RecordView, block: Node, fields: Block, state: State, sink: Sink): boolean {
  const { type, text, tool_use_id: named, name, content, is_error: isError } = fields
  if (record.is(type, 'text') && record.isString(text)) {
    inject(record, text, state, sink)
    return true
  }
  if (!record.is(type, 'tool_result') && !record.is(type, 'tool-result')) return false
  const tool = record.text(name) ?? record.text(record.get(block, K.tool_name))
  const isOwn = state.named.has(record.text(named) ?? '')
  const answered = isOwn ? null : answeredBy(state, tool)
  if (answered !== null && named !== NONE) {
    sink.notice(
      'paired-by-order',
      record.line,
      'a result was given to the oldest call, which has no id of its own',
    )
  }
  const callId = answered ?? textAt(record, named) ?? ''
  answerCall(record, { at: null, callId, content, isError: record.bool(isError) }, sink)
  return true
}

/** The oldest open call without an id, of the tool when it is named; null when there is none. */
function answeredBy(state: State, tool: string | null): string | null {
  const at = tool === null ? 0 : state.open.findIndex(({ name }) => name === tool)
  const [call] = at < 0 ? [] : state.open.splice(at, 1)
  return call?.id ?? null
}

function turnEnded(record: RecordView, state: State, sink: Sink): Bin {
  const { root } = record
  const error = record.text(record.get(root, K.error))
  const status = textAt(record, record.get(root, K.status)) ?? textAt(record, record.get(root, K.reason))
  open(record, NONE, state, sink)
  if (error !== null) sink.warning({ at: null, code: 'turn_ended', message: error, severity: 'error' })
  if (!state.inTurn) return error === null ? Bin.Bookkeeping : Bin.Translated
  state.inTurn = false
  sink.turnEnded({ at: null, turn: state.turn, stopReason: status })
  return Bin.Translated
}

function open(record: RecordView, model: Node, state: State, sink: Sink): void {
  if (state.started) return
  state.started = true
  sink.sessionStarted(sessionStart('cursor', { model: textAt(record, model) }))
}

/** A role beside a message that has content, and none of the ids and times that others have. */
function evidence(record: RecordView, value: Node): Evidence | null {
  const { type, role, message, timestamp, id, uuid, sessionId } = RECORD.read(record, value)
  if (record.is(type, 'turn_ended')) return { weight: 'weak', reason: 'turn_ended' }
  if ([type, timestamp, id, uuid, sessionId, record.get(value, K.session_id)].some((node) => node !== NONE))
    return null
  const word = record.word(role)
  if (word !== 'user' && word !== 'assistant') return null
  const content = record.get(message, K.content)
  if (!record.isArray(content) && !record.isString(content)) return null
  return { weight: 'proof', reason: `role ${word} beside a message without ids or times` }
}
