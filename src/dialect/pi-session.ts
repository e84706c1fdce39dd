import { Bin, type Sink } from '../event/sink.ts'
import type { Text } from '../event/value.ts'
import { keys } from '../kernel/key.ts'
import { Kind } from '../kernel/layout.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'
import { Shape } from '../kernel/shape.ts'
import type { Adapter, Evidence } from './adapter.ts'
import { beginSession } from './begun-session.ts'
import { WITHOUT_END } from './endings.ts'
import { sessionStart } from './session-events.ts'
import { injectTexts } from './blocks.ts'
import { assistantMessage, type Entry, readMessage, toolResultMessage } from './pi/message.ts'
import { compaction, otherRole } from './pi/other-roles.ts'
import { keptTimeOf, timeAt } from './times.ts'
import { textAt } from './values.ts'

const ENTRY = new Shape('type', 'id', 'timestamp', 'message')
const K = keys(
  'type',
  'id',
  'cwd',
  'version',
  'message',
  'role',
  'timestamp',
  'content',
  'summary',
  'modelId',
  'provider',
  'firstKeptEntryId',
  'thinkingLevel',
)

/** Entries that become events. */
const SPEAKING: ReadonlySet<string> = new Set(['branch_summary', 'compaction', 'custom_message', 'message'])

/**
 * Entries that say how the session is kept or shown and put nothing into the conversation. `custom` holds the state of
 * an extension, `model_change` the model of the requests to come, which each request repeats.
 */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  'custom',
  'label',
  'model_change',
  'session_info',
  'thinking_level_change',
])

interface State {
  started: boolean
  session: string | null
}

/**
 * Session files of pi (spec vendor-transcripts §8), the old linear form without entry ids and the tree of version 3.
 * Branches are all in the file and all count. A fork begins with copies of its parent's entries: a request is known by
 * the id and the time of its entry. There is no terminal record.
 */
export const piSession: Adapter<State> = {
  dialect: 'pi-session',
  summary: 'session files of pi',
  evidence,
  runId(record, value) {
    return record.is(record.get(value, K.type), 'session') ? record.text(record.get(value, K.id)) : null
  },
  initial: () => ({ started: false, session: null }),
  step(record, state, sink) {
    const fields = ENTRY.read(record, record.root)
    const { id, timestamp, message } = fields
    const at = timeAt(record, timestamp)
    const type = record.word(fields.type)
    if (type === 'session') return session(record, id, at, state, sink)
    if (type !== null && BOOKKEEPING.has(type)) return Bin.Bookkeeping
    if (type === null || !SPEAKING.has(type)) return opaque(record, at, sink)
    open(at, state, sink)
    return spoken(record, type, id, message, at, state, sink) ?? opaque(record, at, sink)
  },
  end: () => WITHOUT_END,
}

/** Write what an entry says; null when nothing in it can be read. */
function spoken(
  record: RecordView,
  type: string,
  id: Node,
  message: Node,
  at: Text,
  state: State,
  sink: Sink,
): Bin | null {
  switch (type) {
    case 'message':
      return messageEntry(record, id, message, at, state, sink)
    case 'compaction':
      compaction(record, record.root, at, sink)
      return Bin.Translated
    case 'branch_summary':
      return readable(injectTexts(record, record.get(record.root, K.summary), 'synthetic', type, at, sink))
    default:
      return readable(injectTexts(record, record.get(record.root, K.content), 'synthetic', type, at, sink))
  }
}

function messageEntry(
  record: RecordView,
  id: Node,
  message: Node,
  at: Text,
  state: State,
  sink: Sink,
): Bin | null {
  const fields = readMessage(record, message)
  const role = record.word(fields.role)
  switch (role) {
    case 'user':
      return readable(injectTexts(record, fields.content, 'user', role, at, sink))
    case 'assistant': {
      const given = assistantMessage(record, fields, entryOf(record, id, at, state), () => undefined, sink)
      // An answer without blocks, usage or failure says nothing.
      return given === 0 ? Bin.Bookkeeping : readable(given !== null)
    }
    case 'toolResult':
      return readable(toolResultMessage(record, fields, at, sink))
    default:
      return readable(role !== null && otherRole(record, message, role, at, sink))
  }
}

function readable(isRead: boolean): Bin | null {
  return isRead ? Bin.Translated : null
}

/** Copies in forks keep the id and the time of an entry; ids are short and repeat between sessions. */
function entryOf(record: RecordView, id: Node, at: Text, state: State): Entry {
  const time = keptTimeOf(record, at)
  const known = record.text(id)
  const key = known === null || time === null ? null : `pi:${known}:${time}`
  return { at, id: textAt(record, id), key, session: state.session }
}

function session(record: RecordView, id: Node, at: Text, state: State, sink: Sink): Bin {
  if (!beginSession(record, record.text(id), state, sink)) return Bin.Bookkeeping
  sink.sessionStarted(
    sessionStart('pi', {
      at,
      sessionId: textAt(record, id),
      model: textAt(record, record.get(record.root, K.modelId)),
      cwd: textAt(record, record.get(record.root, K.cwd)),
    }),
  )
  return Bin.Translated
}

/** A file whose beginning is missing opens with a session of which nothing is known. */
function open(at: Text, state: State, sink: Sink): void {
  if (state.started) return
  state.started = true
  sink.sessionStarted(sessionStart('pi', { at }))
}

function opaque(record: RecordView, at: Text, sink: Sink): Bin {
  const type = record.get(record.root, K.type)
  const role = record.get(record.get(record.root, K.message), K.role)
  sink.opaque({ at, vendorType: textAt(record, type), vendorSubtype: textAt(record, role) })
  return Bin.Opaque
}

/** The opening record is that of `pi --mode json` too, so it proves nothing; only here messages carry epochs. */
function evidence(record: RecordView, value: Node): Evidence | null {
  const has = (name: keyof typeof K): boolean => record.get(value, K[name]) !== NONE
  switch (record.word(record.get(value, K.type))) {
    case 'session':
      if (!record.isString(record.get(value, K.id))) return null
      return has('cwd') || has('version') ? { weight: 'weak', reason: 'session record of pi' } : null
    case 'message': {
      const message = record.get(value, K.message)
      if (!record.isString(record.get(message, K.role))) return null
      if (record.kind(record.get(message, K.timestamp)) !== Kind.Number || !has('timestamp')) return null
      return { weight: 'proof', reason: 'message entry whose message has a time of its own' }
    }
    case 'model_change':
      return has('modelId') && has('provider') ? { weight: 'proof', reason: 'model_change of pi' } : null
    case 'thinking_level_change':
      return has('thinkingLevel') ? { weight: 'proof', reason: 'thinking_level_change of pi' } : null
    case 'compaction':
      return has('firstKeptEntryId') ? { weight: 'proof', reason: 'compaction entry of pi' } : null
    default:
      return null
  }
}
