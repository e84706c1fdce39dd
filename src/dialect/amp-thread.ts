import { Bin, type Sink } from '../event/sink.ts'
import type { Text } from '../event/value.ts'
import { keys } from '../kernel/key.ts'
import { RecordFlag } from '../kernel/layout.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'
import { Shape } from '../kernel/shape.ts'
import type { Adapter, Evidence } from './adapter.ts'
import { type Ledger, openLedger, settleMessage } from './amp/ledger.ts'
import { WITHOUT_END } from './endings.ts'
import { sessionStart } from './session-events.ts'
import { assistantBlock, type Block, eachBlock, resultBlock } from './blocks.ts'
import { answerCall } from './calls.ts'
import { authorOf } from './reminder.ts'
import { keptTimeOf, timeAt } from './times.ts'
import { firstOf, textAt, wordAt } from './values.ts'

const THREAD = new Shape('id', 'v', 'created', 'messages', 'usageLedger', 'env', 'role')
const MESSAGE = new Shape(
  'role',
  'messageId',
  'content',
  'usage',
  'state',
  'meta',
  'timestamp',
  'parentToolUseId',
)
const K = keys(
  'initial',
  'trees',
  'uri',
  'platform',
  'clientVersion',
  'model',
  'timestamp',
  'sentAt',
  'toolUseID',
  'toolUseId',
  'run',
  'status',
  'result',
  'error',
  'message',
  'reason',
  'type',
  'stopReason',
)
/** Results by the state of the run of their tool. */
const FAILED: ReadonlySet<string> = new Set(['cancelled', 'error', 'rejected-by-user'])

interface State {
  started: boolean
  session: string | null
  ledger: Ledger
}

/**
 * A thread of Amp, one JSON document (spec vendor-transcripts §7): the thread is the first record, its messages are the
 * others. The ledger lists the calls, credits and not USD; the message that answered has the classes of the cache.
 */
export const ampThread: Adapter<State> = {
  dialect: 'amp-thread',
  summary: 'threads of Amp',
  evidence,
  runId: (record, value) =>
    evidence(record, value) === null ? null : record.text(THREAD.read(record, value).id),
  items: (record, root) => (evidence(record, root) === null ? NONE : THREAD.read(record, root).messages),
  initial: () => ({ started: false, session: null, ledger: { isKept: false, waiting: new Map() } }),
  step(record, state, sink) {
    const { root } = record
    const { messages, role } = THREAD.read(record, root)
    if (messages === NONE || role !== NONE) return message(record, root, state, sink)
    thread(record, root, state, sink)
    // On one line, the thread and its messages are one record.
    const isWhole = (record.flags & RecordFlag.Item) === 0
    const list = THREAD.read(record, root).messages
    for (let one = isWhole ? firstOf(record, list) : NONE; one !== NONE; one = record.next(one)) {
      message(record, one, state, sink)
    }
    return Bin.Translated
  },
  end: () => WITHOUT_END,
}

function thread(record: RecordView, root: Node, state: State, sink: Sink): void {
  const { id, created, env } = THREAD.read(record, root)
  const initial = record.get(env, K.initial)
  const tree = firstOf(record, record.get(initial, K.trees))
  const place = record.text(record.get(tree, K.uri))
  if (state.started)
    sink.notice('second-session', record.line, 'another session begins in the same transcript')
  state.started = true
  state.session = record.text(id)
  sink.sessionStarted(
    sessionStart('amp', {
      at: timeAt(record, created),
      harnessVersion: textAt(record, record.get(record.get(initial, K.platform), K.clientVersion)),
      sessionId: textAt(record, id),
      cwd: place?.startsWith('file://') === true ? place.slice('file://'.length) : place,
    }),
  )
  state.ledger = openLedger(record, root, state.session, sink)
}

function message(record: RecordView, node: Node, state: State, sink: Sink): Bin {
  const { role, messageId, content, usage, meta, timestamp, state: how } = MESSAGE.read(record, node)
  const sent = timestamp === NONE ? record.get(meta, K.sentAt) : timestamp
  const at = timeAt(record, sent === NONE ? record.get(usage, K.timestamp) : sent)
  const word = record.word(role)
  const isText = record.isString(content)
  if ((word !== 'user' && word !== 'assistant') || (!isText && !record.isArray(content))) {
    sink.opaque({
      at,
      vendorType: textAt(record, role) ?? 'message',
      vendorSubtype: null,
      ...blockOf(record, node),
    })
    return Bin.Opaque
  }
  open(at, state, sink)
  const requestId = wordAt(record, messageId)
  let given = 0
  if (isText) {
    if (word === 'user') inject(record, content, at, sink)
    else sink.text({ at, text: content, requestId })
    given++
  }
  const speaker = { at, requestId, dialect: 'amp' } as const
  given += eachBlock(record, content, word, at, sink, (block, fields) =>
    word === 'user'
      ? userBlock(record, block, fields, at, sink)
      : assistantBlock(record, fields, speaker, sink),
  )
  if (word === 'assistant' && settled(record, messageId, usage, at, state, sink)) given++
  if (warnOfState(record, how, at, sink)) given++
  return given > 0 ? Bin.Translated : Bin.Bookkeeping
}

function settled(record: RecordView, id: Node, usage: Node, at: Text, state: State, sink: Sink): boolean {
  const answer = { id, usage, at: keptTimeOf(record, at) }
  return settleMessage(record, answer, state.ledger, state.session, sink)
}

function userBlock(record: RecordView, block: Node, fields: Block, at: Text, sink: Sink): boolean {
  const { type, text } = fields
  if (record.is(type, 'text') && record.isString(text)) {
    inject(record, text, at, sink)
    return true
  }
  return (
    record.is(type, 'tool_result') &&
    (runBlock(record, block, at, sink) || resultBlock(record, fields, at, sink))
  )
}

/** A result with the run of its tool: done, or cancelled, refused or failed. */
function runBlock(record: RecordView, block: Node, at: Text, sink: Sink): boolean {
  const run = record.get(block, K.run)
  const newer = record.get(block, K.toolUseID)
  const callId = textAt(record, newer === NONE ? record.get(block, K.toolUseId) : newer)
  if (callId === null || !record.isObject(run)) return false
  const status = record.word(record.get(run, K.status))
  const result = record.get(run, K.result)
  const error = record.get(run, K.error)
  const said = record.get(error, K.message)
  const words = said === NONE ? error : said
  const content = result === NONE ? (words === NONE ? run : words) : result
  const isError = status === 'done' ? false : status !== null && FAILED.has(status) ? true : null
  answerCall(record, { at, callId, content, isError }, sink)
  if (status !== 'rejected-by-user') return true
  const why = record.text(record.get(run, K.reason))
  const refusal = `a call was refused${why === null ? '' : `: ${why}`}`
  sink.warning({ at, code: 'approval-denied', message: refusal, deniedCall: callId })
  return true
}

/** Messages that were cut off or failed say so. */
function warnOfState(record: RecordView, how: Node, at: Text, sink: Sink): boolean {
  const type = record.word(record.get(how, K.type))
  if (type !== 'cancelled' && type !== 'error') return false
  const error = record.get(how, K.error)
  const said = record.text(error) ?? record.text(record.get(error, K.message))
  const severity = type === 'error' ? 'error' : 'warning'
  sink.warning({ at, code: type, message: said ?? `a message ended: ${type}`, severity })
  return true
}

function inject(record: RecordView, text: Node, at: Text, sink: Sink): void {
  sink.injection({ at, text, origin: authorOf(record.text(text)) })
}

/** The event of a message stands for it, and not for the whole thread, when they are one record. */
function blockOf(record: RecordView, node: Node): { readonly block?: Node } {
  return node === record.root ? {} : { block: node }
}

function open(at: Text, state: State, sink: Sink): void {
  if (state.started) return
  state.started = true
  sink.sessionStarted(sessionStart('amp', { at }))
}

function evidence(record: RecordView, value: Node): Evidence | null {
  const { id, v, messages, usageLedger } = THREAD.read(record, value)
  if (record.text(id)?.startsWith('T-') !== true || !record.isArray(messages)) return null
  if (v === NONE && usageLedger === NONE)
    return { weight: 'weak', reason: 'object with a thread id and messages' }
  return { weight: 'proof', reason: 'thread T-… with messages' }
}
