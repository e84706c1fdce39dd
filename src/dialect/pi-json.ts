import { Bin, type Sink } from '../event/sink.ts'
import type { Text } from '../event/value.ts'
import { keys } from '../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'
import { Shape } from '../kernel/shape.ts'
import type { Adapter, Ending, Evidence } from './adapter.ts'
import { beginSession } from './begun-session.ts'
import { UNFINISHED } from './endings.ts'
import { sessionEnd, sessionStart } from './session-events.ts'
import { injectTexts } from './blocks.ts'
import { answerCall, noteCall, requestCall } from './calls.ts'
import { operationsOf } from './operations.ts'
import { assistantMessage, readMessage, toolResultMessage } from './pi/message.ts'
import { otherRole } from './pi/other-roles.ts'
import { trouble } from './pi/trouble.ts'
import { timeAt } from './times.ts'
import { textAt } from './values.ts'

const RECORD = new Shape(
  'type',
  'id',
  'timestamp',
  'message',
  'toolCallId',
  'toolName',
  'args',
  'result',
  'isError',
)
const K = keys(
  'role',
  'timestamp',
  'cwd',
  'content',
  'details',
  'stopReason',
  'messages',
  'toolResults',
  'version',
)
type Fields = ReturnType<typeof RECORD.read>

/** Types that are steps of what another record tells whole. */
const FOLDED: ReadonlySet<string> = new Set(['message_start', 'message_update', 'tool_execution_update'])

/** Types that say how the program goes on. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  'agent_settled',
  'agent_start',
  'auto_compaction_start',
  'compaction_start',
  'queue_update',
  'session_info_changed',
  'thinking_level_changed',
])

interface State {
  started: boolean
  session: string | null
  turn: number
  inTurn: boolean
  /** Turns since the agent was started. */
  turns: number
  readonly calls: Set<string>
  readonly answered: Set<string>
  /** Stop reason of the last answer of the model. */
  stop: string | null
  ending: Ending
}

/**
 * `pi --mode json` (spec vendor-transcripts §8, test-cabinet §4.8). A message is told when it starts, at every delta, when
 * it ends, at the end of its turn and at the end of the agent: only its end counts. A call is in the message, and again
 * when it is carried out. The agent may start again, after a failure or for another prompt.
 */
export const piJson: Adapter<State> = {
  dialect: 'pi-json',
  summary: 'pi --mode json',
  evidence,
  runId(record, value) {
    const { type, id } = RECORD.read(record, value)
    return record.is(type, 'session') ? record.text(id) : null
  },
  initial: () => ({
    started: false,
    session: null,
    turn: 0,
    inTurn: false,
    turns: 0,
    calls: new Set(),
    answered: new Set(),
    stop: null,
    ending: UNFINISHED,
  }),
  step(record, state, sink) {
    const fields = RECORD.read(record, record.root)
    const type = record.word(fields.type)
    if (type !== null && FOLDED.has(type)) return Bin.Folded
    if (type !== null && BOOKKEEPING.has(type)) return began(type, state)
    const at = timeAt(record, fields.timestamp)
    const bin = type === null ? null : translate(record, type, fields, at, state, sink)
    if (bin !== null) return bin
    const { type: word, message: node } = RECORD.read(record, record.root)
    sink.opaque({
      at,
      vendorType: textAt(record, word),
      vendorSubtype: textAt(record, record.get(node, K.role)),
    })
    return Bin.Opaque
  },
  end: (state) => state.ending,
}

function began(type: string, state: State): Bin {
  if (type === 'agent_start') {
    state.turns = 0
    state.ending = UNFINISHED
  }
  return Bin.Bookkeeping
}

function translate(
  record: RecordView,
  type: string,
  fields: Fields,
  at: Text,
  state: State,
  sink: Sink,
): Bin | null {
  if (type === 'session') return session(record, fields.id, at, state, sink)
  switch (type) {
    case 'turn_start':
      open(at, state, sink)
      state.turn++
      state.turns++
      state.inTurn = true
      sink.turnStarted({ at, turn: state.turn, frameDigest: null })
      return Bin.Translated
    case 'turn_end':
      return turnEnd(record, fields.message, state, sink)
    case 'message_end':
      return message(record, fields.message, state, sink)
    case 'tool_execution_start':
      return executionStart(record, fields, at, state, sink)
    case 'tool_execution_end':
      return executionEnd(record, fields, at, state, sink)
    case 'agent_end':
      return agentEnd(record, at, state, sink)
    default:
      return trouble(record, type, at, () => open(at, state, sink), sink)
  }
}

/** The message of a record tells its time; the record has none. */
function message(record: RecordView, node: Node, state: State, sink: Sink): Bin | null {
  const fields = readMessage(record, node)
  const role = record.word(fields.role)
  const at = timeAt(record, record.get(node, K.timestamp))
  if (role === null) return null
  if (role === 'toolResult') {
    const call = record.text(fields.toolCallId)
    if (call !== null && !noteCall(call, state.answered)) return Bin.Folded
  }
  open(at, state, sink)
  switch (role) {
    case 'user':
      return injectTexts(record, fields.content, 'user', role, at, sink) ? Bin.Translated : null
    case 'assistant': {
      state.stop = record.word(fields.stopReason)
      const called = (id: string | null): void => {
        noteCall(id, state.calls)
      }
      const entry = { at, id: null, key: null, session: state.session }
      const given = assistantMessage(record, fields, entry, called, sink)
      return given === null ? null : given > 0 ? Bin.Translated : Bin.Bookkeeping
    }
    case 'toolResult':
      return toolResultMessage(record, fields, at, sink) ? Bin.Translated : null
    default:
      return otherRole(record, node, role, at, sink) ? Bin.Translated : null
  }
}

function turnEnd(record: RecordView, node: Node, state: State, sink: Sink): Bin {
  if (!state.inTurn) return Bin.Bookkeeping
  state.inTurn = false
  const at = timeAt(record, record.get(node, K.timestamp))
  sink.turnEnded({ at, turn: state.turn, stopReason: textAt(record, record.get(node, K.stopReason)) })
  return Bin.Translated
}

function executionStart(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): Bin | null {
  const { toolCallId: callId, toolName: name, args: input } = fields
  if (!record.isString(callId) || !record.isString(name)) return null
  if (!noteCall(record.text(callId), state.calls)) return Bin.Folded
  open(at, state, sink)
  const operations = operationsOf('pi', record.text(name)?.toLowerCase() ?? null)
  requestCall(record, { at, callId, name, input, operations }, sink)
  return Bin.Translated
}

function executionEnd(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): Bin | null {
  const { toolCallId: callId, result } = fields
  if (!record.isString(callId)) return null
  if (!noteCall(record.text(callId), state.answered)) return Bin.Folded
  open(at, state, sink)
  const content = record.get(result, K.content)
  answerCall(
    record,
    {
      at,
      callId,
      content: content === NONE ? result : content,
      isError: record.bool(fields.isError),
      own: record.get(result, K.details),
    },
    sink,
  )
  return Bin.Translated
}

/** The agent has done what it was asked: how, its last answer says. */
function agentEnd(record: RecordView, at: Text, state: State, sink: Sink): Bin {
  const { stop } = state
  open(at, state, sink)
  const isError = stop === null ? null : stop === 'error' || stop === 'aborted'
  sink.sessionEnded(sessionEnd({ at, isError, stopReason: stop, numTurns: state.turns }))
  const reason = stop === 'stop' || stop === 'toolUse' ? 'completed' : stop === 'aborted' ? 'killed' : 'error'
  state.ending = { reason: stop === 'length' ? 'budget' : reason, terminal: true, promised: true }
  return Bin.Translated
}

function session(record: RecordView, id: Node, at: Text, state: State, sink: Sink): Bin {
  if (!beginSession(record, record.text(id), state, sink)) return Bin.Bookkeeping
  const cwd = textAt(record, record.get(record.root, K.cwd))
  sink.sessionStarted(sessionStart('pi', { at, sessionId: textAt(record, id), cwd }))
  return Bin.Translated
}

function open(at: Text, state: State, sink: Sink): void {
  if (state.started) return
  state.started = true
  sink.sessionStarted(sessionStart('pi', { at }))
}

/** The `session` record is that of session files too and proves nothing. */
function evidence(record: RecordView, value: Node): Evidence | null {
  const { type, id, message: node, toolCallId } = RECORD.read(record, value)
  const has = (name: keyof typeof K): boolean => record.get(value, K[name]) !== NONE
  const word = record.word(type)
  switch (word) {
    case 'session':
      return record.isString(id) && (has('version') || has('cwd'))
        ? { weight: 'weak', reason: 'session record of pi' }
        : null
    case 'message_start':
    case 'message_update':
    case 'message_end':
      if (!record.isString(record.get(node, K.role))) return null
      return { weight: 'proof', reason: `${word} with a message` }
    case 'tool_execution_start':
    case 'tool_execution_end':
      return record.isString(toolCallId) ? { weight: 'proof', reason: `${word} with toolCallId` } : null
    case 'turn_end':
      return has('toolResults') ? { weight: 'proof', reason: 'turn_end with toolResults' } : null
    case 'agent_end':
      return has('messages') ? { weight: 'proof', reason: 'agent_end with messages' } : null
    case 'agent_start':
    case 'turn_start':
      return { weight: 'weak', reason: word }
    default:
      return null
  }
}
