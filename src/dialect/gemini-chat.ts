import { Bin, type Sink } from '../event/sink.ts'
import { keys } from '../kernel/key.ts'
import { RecordFlag } from '../kernel/layout.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'
import { Shape } from '../kernel/shape.ts'
import type { Adapter, Evidence } from './adapter.ts'
import { WITHOUT_END } from './endings.ts'
import { sessionStart } from './session-events.ts'
import { closeUsage, initialState, type State } from './gemini/chat-state.ts'
import { message } from './gemini/message.ts'
import { timeAt } from './times.ts'
import { firstOf, textAt } from './values.ts'

const RECORD = new Shape(
  '$set',
  '$rewindTo',
  'sessionId',
  'projectHash',
  'startTime',
  'kind',
  'messages',
  'type',
  'id',
)
const K = keys(
  'sessionId',
  'projectHash',
  'startTime',
  'messages',
  'history',
  'type',
  'id',
  'role',
  'parts',
  'uuid',
  '$set',
  '$rewindTo',
)

/**
 * Chats of Gemini CLI (spec vendor-transcripts §6): one object with its messages, or since 0.40 an edit log, whose first
 * line is that object without them.
 *
 * In the log a message is appended again whenever it changes: its last state counts. `$set` changes metadata or replaces
 * the history (compression, masking), `$rewindTo` cuts it; what was cut had been said and was billed. Nothing says how a
 * session ended.
 */
export const geminiChat: Adapter<State> = {
  dialect: 'gemini-chat',
  summary: 'chats of Gemini CLI: session-*.json and the edit log session-*.jsonl',
  evidence,
  runId: (record, value) => record.text(record.get(value, K.sessionId)),
  items: messagesIn,
  initial: ({ run }) => initialState(run),
  step(record, state, sink) {
    const { root } = record
    const fields = RECORD.read(record, root)
    if (record.isObject(fields.$set)) return changed(record, fields.$set, state, sink)
    if (record.isString(fields.$rewindTo)) return rewound(record, fields.$rewindTo, state, sink)
    if (isHeader(record, root)) return header(record, root, state, sink)
    open(record, NONE, NONE, NONE, state, sink)
    const outcome = message(record, root, 'log', state, sink)
    if (outcome === 'unknown') {
      sink.opaque({ at: null, vendorType: textAt(record, record.get(root, K.type)), vendorSubtype: null })
      return Bin.Opaque
    }
    return outcome === 'written' ? Bin.Translated : Bin.Folded
  },
  end(state, sink) {
    closeUsage(state, sink)
    return WITHOUT_END
  },
}

function messagesIn(record: RecordView, root: Node): Node {
  const messages = record.get(root, K.messages)
  return messages === NONE ? record.get(root, K.history) : messages
}

/** The metadata of a session: the first line of a log, or a whole chat. */
function isHeader(record: RecordView, node: Node): boolean {
  if (record.get(node, K.type) !== NONE) return false
  if (record.isString(record.get(node, K.sessionId))) return true
  const isWhole = record.isArray(record.get(node, K.messages)) || record.isArray(record.get(node, K.history))
  return isWhole && record.get(node, K.role) === NONE
}

function header(record: RecordView, node: Node, state: State, sink: Sink): Bin {
  const { sessionId, startTime, kind } = RECORD.read(record, node)
  const opened = open(record, sessionId, startTime, kind, state, sink)
  // A chat on one line: where it is a document, its messages come as records of their own.
  const isInside = (record.flags & RecordFlag.Item) === 0
  const written = isInside && each(record, messagesIn(record, node), 'log', state, sink).written > 0
  return opened || written ? Bin.Translated : Bin.Bookkeeping
}

/** `$set`: metadata, or a list of messages that takes the place of the history. */
function changed(record: RecordView, node: Node, state: State, sink: Sink): Bin {
  const fields = RECORD.read(record, node)
  const session = record.text(fields.sessionId)
  if (session !== null && session !== state.session) {
    open(record, fields.sessionId, fields.startTime, fields.kind, state, sink)
    return Bin.Translated
  }
  if (!record.isArray(fields.messages)) return Bin.Bookkeeping
  open(record, NONE, NONE, NONE, state, sink)
  const before = state.seen.size
  const { written, messages: kept } = each(record, fields.messages, 'history', state, sink)
  if (kept >= before && state.seen.size === before) return written > 0 ? Bin.Translated : Bin.Folded
  const words = `the history was replaced by ${kept} messages`
  sink.warning({ at: null, code: 'compaction', message: words })
  return Bin.Translated
}

function rewound(record: RecordView, to: Node, state: State, sink: Sink): Bin {
  open(record, NONE, NONE, NONE, state, sink)
  closeUsage(state, sink)
  const words = `the conversation was taken back to before the message ${record.text(to) ?? ''}`
  sink.warning({ at: null, code: 'rewind', message: words })
  return Bin.Translated
}

/** Read the messages of a list. */
function each(
  record: RecordView,
  list: Node,
  standing: 'log' | 'history',
  state: State,
  sink: Sink,
): { readonly written: number; readonly messages: number } {
  let written = 0
  let messages = 0
  for (let item = firstOf(record, list); item !== NONE; item = record.next(item), messages++) {
    const outcome = message(record, item, standing, state, sink)
    if (outcome !== 'repeated') written++
    if (outcome !== 'unknown') continue
    sink.opaque({
      at: null,
      vendorType: textAt(record, record.get(item, K.type)),
      vendorSubtype: null,
      block: item,
    })
  }
  return { written, messages }
}

/** Open a session when this record is the first of it; true when `session.started` was written. */
function open(record: RecordView, id: Node, at: Node, kind: Node, state: State, sink: Sink): boolean {
  const session = record.text(id)
  if (state.started) {
    if (session === null || session === state.session || state.sessions.includes(session)) return false
    const isNamedLate = state.session === null
    if (!isNamedLate) closeUsage(state, sink)
    state.session = session
    state.sessions.push(session)
    if (isNamedLate) {
      sink.notice('late-session', record.line, 'the session id came after the first events of the session')
      return false
    }
    sink.notice('second-session', record.line, 'another session begins in the same transcript')
  } else if (session !== null) {
    state.session = session
    state.sessions.push(session)
  }
  state.started = true
  state.subagent = record.is(kind, 'subagent')
  sink.sessionStarted(
    sessionStart('gemini', {
      at: timeAt(record, at),
      sessionId: textAt(record, id),
      subagent: state.subagent,
    }),
  )
  return true
}

/** What a value says about being of a chat (spec vendor-transcripts §1). */
function evidence(record: RecordView, value: Node): Evidence | null {
  if (!record.isObject(value) || record.get(value, K.uuid) !== NONE) return null
  const type = record.word(record.get(value, K.type))
  if (type === null) return untyped(record, value)
  if (type === 'gemini' && record.isString(record.get(value, K.id))) {
    return { weight: 'proof', reason: 'message of type gemini with an id' }
  }
  return null
}

function untyped(record: RecordView, value: Node): Evidence | null {
  if (record.isString(record.get(value, K.sessionId))) {
    if (
      record.isString(record.get(value, K.projectHash)) ||
      record.isString(record.get(value, K.startTime))
    ) {
      return { weight: 'proof', reason: 'sessionId with projectHash or startTime, and no type' }
    }
    const first = firstOf(record, record.get(value, K.messages))
    return isMessage(record, first) ? { weight: 'weak', reason: 'sessionId with messages' } : null
  }
  if (isOldMessage(record, firstOf(record, record.get(value, K.history)))) {
    return { weight: 'weak', reason: 'history of messages with parts' }
  }
  if (record.isObject(record.get(value, K.$set))) return { weight: 'weak', reason: '$set of an edit log' }
  if (record.isString(record.get(value, K.$rewindTo)))
    return { weight: 'weak', reason: '$rewindTo of an edit log' }
  return null
}

function isMessage(record: RecordView, node: Node): boolean {
  const type = record.word(record.get(node, K.type))
  return type === 'user' || type === 'gemini' || isOldMessage(record, node)
}

/** The shape of the API, which the oldest chats kept. */
function isOldMessage(record: RecordView, node: Node): boolean {
  const role = record.word(record.get(node, K.role))
  return (
    (role === 'user' || role === 'gemini' || role === 'model') && record.isArray(record.get(node, K.parts))
  )
}
