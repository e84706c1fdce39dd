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
import { assistantBlock, type Block, eachBlock, resultBlock } from './blocks.ts'
import { readSettings, type Settings } from './droid/settings.ts'
import { authorOf } from './reminder.ts'
import { spend } from './spend.ts'
import { keptTimeOf, timeAt } from './times.ts'
import { textAt } from './values.ts'

const RECORD = new Shape('type', 'id', 'timestamp', 'message', 'parentId')
const K = keys('cwd', 'version', 'role', 'content', 'timestamp', 'summaryText', 'summary')

/** Types that keep the state of the program. */
const BOOKKEEPING: ReadonlySet<string> = new Set(['todo_state'])

interface State {
  started: boolean
  session: string | null
  /** Null when there is no settings file; `fault` when it cannot be read. */
  readonly settings: Settings | 'fault' | null
  lastAt: string | null
  lastLine: number
}

/**
 * The session store of Factory's droid (spec vendor-transcripts §8): messages with Claude's content blocks. Usage is only
 * in the settings file beside it, as running totals of the session, which are written once, behind the last message and
 * with its time. There is no terminal record.
 */
export const droidSession: Adapter<State> = {
  dialect: 'droid-session',
  summary: 'session store of droid, with its settings file',
  evidence,
  runId(record, value) {
    const { type, id } = RECORD.read(record, value)
    return record.is(type, 'session_start') ? record.text(id) : null
  },
  sidecars: (baseName) => [`${baseName.replace(/\.jsonl.*$/, '')}.settings.json`],
  initial({ parts }) {
    const [part] = parts
    const settings = part === undefined ? null : (readSettings(part.text) ?? 'fault')
    return { started: false, session: null, settings, lastAt: null, lastLine: 1 }
  },
  step(record, state, sink) {
    const { type, id, timestamp, message } = RECORD.read(record, record.root)
    const at = timeAt(record, timestamp)
    state.lastLine = record.line
    const word = record.word(type)
    if (word === 'session_start') return session(record, id, at, state, sink)
    if (word !== null && BOOKKEEPING.has(word)) return Bin.Bookkeeping
    const bin = spoken(record, word, message, textAt(record, id), at, state, sink)
    if (bin === null) {
      sink.opaque({
        at,
        vendorType: textAt(record, type),
        vendorSubtype: textAt(record, record.get(message, K.role)),
      })
      return Bin.Opaque
    }
    state.lastAt = keptTimeOf(record, at) ?? state.lastAt
    return bin
  },
  end(state, sink) {
    bill(state, sink)
    return WITHOUT_END
  },
}

/** Null: not known, or not readable. */
function spoken(
  record: RecordView,
  type: string | null,
  message: Node,
  requestId: Text,
  at: Text,
  state: State,
  sink: Sink,
): Bin | null {
  if (type === 'compaction_state') return compaction(record, at, state, sink)
  const role = record.word(record.get(message, K.role))
  const content = record.get(message, K.content)
  if (type !== 'message' || (role !== 'user' && role !== 'assistant')) return null
  const isText = record.isString(content)
  if (!isText && !record.isArray(content)) return null
  open(at, state, sink)
  const speaker = { at, requestId, dialect: 'droid' } as const
  if (isText) {
    if (role === 'user') inject(record, content, at, sink)
    else sink.text({ at, text: content, requestId })
    return Bin.Translated
  }
  const given = eachBlock(record, content, role, at, sink, (_block, fields) =>
    role === 'user' ? userBlock(record, fields, at, sink) : assistantBlock(record, fields, speaker, sink),
  )
  return given > 0 ? Bin.Translated : Bin.Bookkeeping
}

function userBlock(record: RecordView, fields: Block, at: Text, sink: Sink): boolean {
  if (resultBlock(record, fields, at, sink)) return true
  if (!record.is(fields.type, 'text') || !record.isString(fields.text)) return false
  inject(record, fields.text, at, sink)
  return true
}

function inject(record: RecordView, text: Node, at: Text, sink: Sink): void {
  sink.injection({ at, text, origin: authorOf(record.text(text)) })
}

function compaction(record: RecordView, at: Text, state: State, sink: Sink): Bin {
  const newer = record.get(record.root, K.summaryText)
  const text = newer === NONE ? record.get(record.root, K.summary) : newer
  open(at, state, sink)
  sink.warning({ at, code: 'compaction', message: 'the conversation was compacted' })
  if (record.isString(text)) sink.injection({ at, text, origin: 'synthetic' })
  return Bin.Translated
}

function session(record: RecordView, id: Node, at: Text, state: State, sink: Sink): Bin {
  if (!beginSession(record, record.text(id), state, sink)) return Bin.Bookkeeping
  sink.sessionStarted(
    sessionStart('droid', {
      at,
      harnessVersion: textAt(record, record.get(record.root, K.version)),
      sessionId: textAt(record, id),
      model: modelOf(state),
      cwd: textAt(record, record.get(record.root, K.cwd)),
    }),
  )
  return Bin.Translated
}

function open(at: Text, state: State, sink: Sink): void {
  if (state.started) return
  state.started = true
  sink.sessionStarted(sessionStart('droid', { at, model: modelOf(state) }))
}

function modelOf({ settings }: State): string | null {
  return settings === null || settings === 'fault' ? null : settings.model
}

/** The totals of the session, which the stream of `droid exec` states too under the same key. */
function bill(state: State, sink: Sink): void {
  const { settings, session: known, lastAt: at, lastLine: line } = state
  if (settings === 'fault') {
    sink.notice(
      'bad-settings',
      null,
      'the settings file, which has the usage of the session, could not be read',
    )
    return
  }
  if (settings === null || settings.tokens === null) {
    sink.notice(
      'usage-missing',
      null,
      'the usage of the session would be in its settings file, which has none',
    )
    return
  }
  open(at, state, sink)
  const { model, tokens } = settings
  const key = known === null ? null : `droid:${known}`
  spend(null, { at, line, requestId: known, model, tokens, key, session: known }, sink)
}

function evidence(record: RecordView, value: Node): Evidence | null {
  const { type, id, timestamp, message, parentId } = RECORD.read(record, value)
  if (!record.isString(id)) return null
  if (record.is(type, 'session_start')) return { weight: 'proof', reason: 'session_start of droid' }
  if (!record.is(type, 'message') || parentId === NONE || timestamp === NONE) return null
  const isPi = record.kind(record.get(message, K.timestamp)) === Kind.Number
  if (isPi || !record.isString(record.get(message, K.role))) return null
  return { weight: 'weak', reason: 'message entry in a tree' }
}
