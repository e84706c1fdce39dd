import { Bin, type Sink } from '../event/sink.ts'
import { keys } from '../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'
import { Shape } from '../kernel/shape.ts'
import type { Adapter, Ending, Evidence } from './adapter.ts'
import { UNFINISHED } from './endings.ts'
import { sessionEnd, sessionStart } from './session-events.ts'
import { figuresOf } from './codex/counters.ts'
import { closeBill, type ExecBill, noBill, pay } from './codex/exec-bill.ts'
import { completeItem, ITEM, seeItem, showsWork } from './codex/exec-items.ts'
import { timeAt } from './times.ts'
import { textAt } from './values.ts'

const LINE = new Shape(
  'type',
  'thread_id',
  'session_id',
  'item',
  'usage',
  'error',
  'message',
  'timestamp',
  'payload',
)
const K = keys('message', 'type', 'item_type')

/** The types that nobody else writes (spec vendor-transcripts §5). */
const OWN_TYPES: ReadonlySet<string> = new Set(
  'turn.started turn.completed turn.failed item.started item.updated item.completed item.plan.delta'.split(
    ' ',
  ),
)

/** Ids longer than this are none. */
const LONGEST_ID = 512

interface State {
  /** `session.started` written. */
  sessions: number
  thread: string | null
  /** Turns begun in this run. */
  turns: number
  isOpen: boolean
  /** How the last turn ended; null while none has. */
  ended: 'completed' | 'failed' | null
  /** Items seen to start and not yet completed. */
  readonly items: Set<string>
  readonly bill: ExecBill
  /** How the runs ended, the last one last. */
  ending: Ending
}

/**
 * The output of `codex exec --json` (spec vendor-transcripts §5): no times, no model, no ids but the thread's.
 *
 * One file may hold several runs, and begin in the middle of one: each `thread.started` begins a run, what comes
 * before the first is a run without a name. Usage is the running total of the thread, earlier runs included; turns that
 * fail report none. Ids of items hold within a run only. What is not JSON between the records is the log's, not ours.
 */
export const codexExec: Adapter<State> = {
  dialect: 'codex-exec',
  summary: 'codex exec --json',
  evidence,
  runId(record, value) {
    const { type, thread_id: thread, session_id: session } = LINE.read(record, value)
    if (record.is(type, 'session.created')) return record.text(session)
    return record.is(type, 'thread.started') ? record.text(thread) : null
  },
  initial: () => ({
    sessions: 0,
    thread: null,
    turns: 0,
    isOpen: false,
    ended: null,
    items: new Set(),
    bill: noBill(),
    ending: UNFINISHED,
  }),
  step(record, state, sink) {
    const line = LINE.read(record, record.root)
    const type = record.word(line.type)
    const at = timeAt(record, line.timestamp)
    if (type === 'thread.started') return threadStarted(record, textAt(record, line.thread_id), state, sink)
    if (type === 'session.created') return threadStarted(record, textAt(record, line.session_id), state, sink)
    switch (type) {
      case 'turn.started':
        openSession(state, sink)
        state.turns++
        state.isOpen = true
        state.ended = null
        sink.turnStarted({ at, turn: state.turns, frameDigest: null })
        return Bin.Translated
      case 'turn.completed': {
        const { usage } = line
        openSession(state, sink)
        endTurn(state, 'completed', sink)
        pay(record, usage, state.thread, state.bill, sink)
        return Bin.Translated
      }
      case 'turn.failed': {
        const error = line.error
        openSession(state, sink)
        const message =
          textAt(record, record.get(error, K.message)) ?? textAt(record, error) ?? 'the turn failed'
        sink.warning({ at, code: 'turn.failed', message, severity: 'error' })
        endTurn(state, 'failed', sink)
        return Bin.Translated
      }
      case 'error': {
        const { message } = line
        if (!record.isString(message)) return opaque(record, sink)
        openSession(state, sink)
        // Also what it says while it connects again, so that it is no failure by itself.
        sink.warning({ at, code: 'error', message, severity: 'error' })
        return Bin.Translated
      }
      case 'item.started':
      case 'item.updated':
      case 'item.completed':
        return item(record, line.item, type, state, sink)
      case 'item.plan.delta':
        return Bin.Folded
      case 'request_user_input':
        return Bin.Bookkeeping
      default:
        return opaque(record, sink)
    }
  },
  end(state, sink) {
    endRun(state, sink)
    return state.ending
  },
}

function threadStarted(record: RecordView, id: Node | null | string, state: State, sink: Sink): Bin {
  const thread = typeof id === 'number' ? record.text(id) : id
  if (state.sessions > 0) {
    sink.notice('second-session', record.line, 'the transcript holds more than one run')
    endRun(state, sink)
  }
  state.sessions++
  state.thread = thread === null || thread === '' || thread.length > LONGEST_ID ? null : thread
  state.turns = 0
  state.isOpen = false
  state.ended = null
  state.bill.spent = null
  state.items.clear()
  sink.sessionStarted(sessionStart('codex', { sessionId: state.thread }))
  return Bin.Translated
}

/** A file that begins in the middle of a run still opens with one, of which nothing is known. */
function openSession(state: State, sink: Sink): void {
  if (state.sessions > 0) return
  state.sessions = 1
  sink.sessionStarted(sessionStart('codex'))
}

function endTurn(state: State, how: 'completed' | 'failed', sink: Sink): void {
  state.ended = how
  if (state.turns === 0) state.turns = 1
  sink.turnEnded({ at: null, turn: state.turns, stopReason: how === 'failed' ? 'failed' : null })
  state.isOpen = false
}

/** A run that is over, or broken off. Only the end of its last turn says how it ended. */
function endRun(state: State, sink: Sink): void {
  closeBill(state.thread, state.bill, sink)
  const { ended, turns } = state
  const { spent } = state.bill
  if (ended === null) {
    state.ending = UNFINISHED
    return
  }
  sink.sessionEnded(
    sessionEnd({
      isError: ended === 'failed',
      subtype: `turn.${ended}`,
      numTurns: turns,
      usage: spent === null ? null : figuresOf(spent, null),
    }),
  )
  state.ending = { reason: ended === 'failed' ? 'error' : 'completed', terminal: true, promised: true }
}

function item(record: RecordView, node: Node, type: string, state: State, sink: Sink): Bin {
  if (!record.isObject(node)) return opaque(record, sink)
  openSession(state, sink)
  const bin =
    type === 'item.completed'
      ? completeItem(record, node, state.items, sink)
      : seeItem(record, node, type, state.items, sink)
  if (bin === Bin.Opaque) return opaque(record, sink)
  if (showsWork(record, node)) state.bill.unpaidLine ??= record.line
  return bin
}

function opaque(record: RecordView, sink: Sink): Bin {
  const line = LINE.read(record, record.root)
  const type = textAt(record, line.type)
  const { type: itemType, item_type: oldType } = ITEM.read(record, line.item)
  sink.opaque({
    at: null,
    vendorType: type,
    vendorSubtype: textAt(record, itemType === NONE ? oldType : itemType),
  })
  return Bin.Opaque
}

function evidence(record: RecordView, value: Node): Evidence | null {
  const { type, thread_id: thread, session_id: session, payload } = LINE.read(record, value)
  const name = record.word(type)
  if (name === null || payload !== NONE) return null
  if (name === 'thread.started' && record.isString(thread)) return proof('thread.started with thread_id')
  if (name === 'session.created' && record.isString(session))
    return { weight: 'weak', reason: 'session.created' }
  return OWN_TYPES.has(name) ? proof(name) : null
}

function proof(reason: string): Evidence {
  return { weight: 'proof', reason }
}
