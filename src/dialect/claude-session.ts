import { WITHOUT_END } from './endings.ts'
import { sessionStart } from './session-events.ts'
import type { Text } from '../event/value.ts'
import { Bin, type Sink } from '../event/sink.ts'
import { keys } from '../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'
import { Shape } from '../kernel/shape.ts'
import type { Adapter, Ending } from './adapter.ts'
import { assistantRecord, isReadable, readMessage } from './claude/assistant.ts'
import { attachmentRecord, isKnownAttachment } from './claude/attachment.ts'
import { firstItem, isText, LONGEST_ID, timeOf } from './claude/fields.ts'
import { type Messages, noMessages } from './claude/message-state.ts'
import { closeAll } from './claude/messages.ts'
import { noteSession } from './claude/opening.ts'
import { BOOKKEEPING, evidence, isJournal } from './claude/session-evidence.ts'
import { SPEAKING_SUBTYPES, systemRecord } from './claude/system.ts'
import { userRecord } from './claude/user.ts'
import { textAt } from './values.ts'

const K = keys('agentId', 'content', 'cwd', 'isSidechain', 'permissionMode', 'sessionId', 'type', 'version')

/** What most records are asked for. */
const RECORD = new Shape(
  'type',
  'subtype',
  'sessionId',
  'timestamp',
  'isSidechain',
  'agentId',
  'message',
  'requestId',
  'uuid',
  'error',
  'costUSD',
  'isApiErrorMessage',
  'toolUseResult',
  'attachment',
)
type SessionRecord = ReturnType<typeof RECORD.read>

/** Subtypes of `system` that are bookkeeping; those that say more are in `claude/system.ts`, all others are opaque. */
const SYSTEM_BOOKKEEPING: ReadonlySet<string> = new Set([
  'api_refusal',
  'away_summary',
  'informational',
  'local_command',
  'session_start',
  'stop_hook_summary',
  'turn_duration',
])

/** Thread of sidechain records that name no agent: old versions, one subagent after the other. */
const UNNAMED_SIDECHAIN = 'sidechain'

interface State {
  /** `session.started` has been written. */
  started: boolean
  /** The current session. */
  session: string | null
  readonly sessions: string[]
  /** The session was opened as a subagent's. */
  subagent: boolean
  permissionMode: string | null
  /** First session id and line among records that open nothing. */
  mentioned: { readonly session: string; readonly line: number } | null
  readonly messages: Messages
  readonly denied: string[]
}

/**
 * Session files of Claude Code, `~/.claude/projects/<slug>/<session>.jsonl`, those of subagents included
 * (spec vendor-transcripts §2).
 *
 * One API message is several lines, one a content block, which all repeat its usage; output grows on the last line,
 * or never becomes final. Records are a tree (`parentUuid`); dropped branches stay and count. Files hold several CLI
 * versions, and after an old resume several sessions. Compaction writes preserved messages again under the same ids.
 * There is no terminal record.
 */
export const claudeSession: Adapter<State> = {
  dialect: 'claude-session',
  summary: 'Claude Code session files (~/.claude/projects), with those of subagents',
  evidence,
  runId(record, value) {
    const session = record.text(record.get(value, K.sessionId))
    if (session === null || session === '') return null
    const agent = record.text(record.get(value, K.agentId))
    const isOfAgent = agent !== null && record.bool(record.get(value, K.isSidechain)) === true
    return isOfAgent ? `${session}/${agent}` : session
  },
  initial: ({ traced }) => ({
    started: false,
    session: null,
    sessions: [],
    subagent: false,
    permissionMode: null,
    mentioned: null,
    messages: noMessages(false, traced),
    denied: [],
  }),
  step(record, state, sink) {
    const fields = RECORD.read(record, record.root)
    const type = record.word(fields.type)
    switch (type) {
      case 'assistant':
      case 'user':
      case 'system':
      case 'attachment':
      case 'progress':
        return conversation(record, fields, type, state, sink)
      default:
        return bookkeeping(record, fields, type, state, sink)
    }
  },
  end(state, sink): Ending {
    if (!state.started && state.mentioned !== null) {
      const { session: sessionId, line } = state.mentioned
      sink.sessionStarted(sessionStart('claude', { sessionId, permissionMode: state.permissionMode, line }))
    }
    closeAll(state.messages, sink)
    return WITHOUT_END
  },
}

/** A record of the conversation's tree. The first one of a session opens it, whatever becomes of the record itself. */
function conversation(
  record: RecordView,
  fields: SessionRecord,
  type: string,
  state: State,
  sink: Sink,
): Bin {
  const at = timeOf(record, fields.timestamp)
  const sidechain = record.bool(fields.isSidechain) === true
  const wasStarted = state.started
  const entered = enter(record, fields.sessionId, at, sidechain, state, sink)
  const bin = translate(record, fields, type, at, sidechain, state, sink)
  if (bin === Bin.Opaque) {
    const vendorSubtype = textAt(record, subtypeOf(record, fields, type))
    sink.opaque({ at, vendorType: textAt(record, fields.type), vendorSubtype })
    return bin
  }
  return entered || wasStarted !== state.started ? Bin.Translated : bin
}

/** As `Adapter.step`, but a record that is opaque as a whole is left for the caller to write. */
function translate(
  record: RecordView,
  fields: SessionRecord,
  type: string,
  at: Text,
  sidechain: boolean,
  state: State,
  sink: Sink,
): Bin {
  switch (type) {
    case 'assistant':
      return assistant(record, fields, at, sidechain, state, sink)
    case 'user': {
      const content = record.get(fields.message, K.content)
      if (!record.isString(content) && firstItem(record, content) === NONE) return Bin.Opaque
      ensureStarted(record, at, sidechain, state, sink)
      const line = { at, ofSubagent: sidechain, toolUseResult: fields.toolUseResult }
      return userRecord(record, content, line, state.denied, sink)
    }
    case 'system': {
      const subtype = record.word(fields.subtype)
      if (subtype === null) return Bin.Opaque
      if (SYSTEM_BOOKKEEPING.has(subtype)) return Bin.Bookkeeping
      if (!SPEAKING_SUBTYPES.has(subtype)) return Bin.Opaque
      ensureStarted(record, at, sidechain, state, sink)
      return systemRecord(record, subtype, at, state.denied, sink) ?? Bin.Opaque
    }
    case 'attachment': {
      const { attachment } = fields
      if (!isKnownAttachment(record, attachment)) return Bin.Opaque
      ensureStarted(record, at, sidechain, state, sink)
      return attachmentRecord(record, attachment, at, sidechain, state.denied, sink) ?? Bin.Opaque
    }
    default:
      return Bin.Bookkeeping
  }
}

function assistant(
  record: RecordView,
  fields: SessionRecord,
  at: Text,
  sidechain: boolean,
  state: State,
  sink: Sink,
): Bin {
  const message = readMessage(record, fields.message)
  if (!isReadable(record, message)) return Bin.Opaque
  ensureStarted(record, at, sidechain, state, sink)
  const line = {
    at,
    thread: sidechain ? (record.word(fields.agentId)?.slice(0, LONGEST_ID) ?? UNNAMED_SIDECHAIN) : '',
    requestId: fields.requestId,
    uuid: fields.uuid,
    error: fields.error,
    costUsd: fields.costUSD,
    session: state.session,
    process: null,
    sidechain,
    isApiError: record.bool(fields.isApiErrorMessage) === true,
    credentialSource: null,
  }
  return assistantRecord(record, message, line, state.messages, sink)
}

/** A record beside the conversation: remembered for the opening, and bookkeeping when its type is known. */
function bookkeeping(
  record: RecordView,
  fields: SessionRecord,
  type: string | null,
  state: State,
  sink: Sink,
): Bin {
  const { root } = record
  if (type !== null && (BOOKKEEPING.has(type) || isJournal(record, root, type))) {
    if (type === 'permission-mode') state.permissionMode = record.text(record.get(root, K.permissionMode))
    if (!state.started && state.mentioned === null) {
      const session = record.text(fields.sessionId)
      if (session !== null) state.mentioned = { session, line: record.line }
    }
    return Bin.Bookkeeping
  }
  const at = timeOf(record, fields.timestamp)
  const vendorType = textAt(record, fields.type)
  sink.opaque({ at, vendorType, vendorSubtype: textAt(record, fields.subtype) })
  return Bin.Opaque
}

/** The word under which an opaque record is filed, beside its type. */
function subtypeOf(record: RecordView, { subtype, attachment }: SessionRecord, type: string): Node {
  return type === 'attachment' ? record.get(attachment, K.type) : subtype
}

/** Open a session when this record is the first of it; true when `session.started` was written. */
function enter(
  record: RecordView,
  node: Node,
  at: Text,
  sidechain: boolean,
  state: State,
  sink: Sink,
): boolean {
  const known = state.session
  if (known !== null && isText(record, node, known)) {
    if (!state.subagent || sidechain) return false
    // What began like a subagent's file holds the session itself as well.
    open(record, node, at, false, state, sink)
    return true
  }
  const session = record.text(node)
  if (session === null || session === '' || session === known) return false
  const isFirst = !state.started
  const isKnown = !noteSession(session, state.sessions)
  state.session = session
  if (isKnown) return false
  if (isFirst) {
    open(record, node, at, sidechain, state, sink)
    return true
  }
  if (known === null) {
    sink.notice('late-session', record.line, 'the session id came after the first events of the session')
    return false
  }
  sink.notice('second-session', record.line, 'another session begins in the same transcript')
  open(record, node, at, sidechain, state, sink)
  return true
}

/** Events are about to be written: the session opens first, without an id if need be. */
function ensureStarted(record: RecordView, at: Text, sidechain: boolean, state: State, sink: Sink): void {
  if (!state.started) open(record, NONE, at, sidechain, state, sink)
}

function open(
  record: RecordView,
  sessionId: Node,
  at: Text,
  sidechain: boolean,
  state: State,
  sink: Sink,
): void {
  const { root } = record
  state.started = true
  state.subagent = sidechain
  sink.sessionStarted(
    sessionStart('claude', {
      at,
      harnessVersion: textAt(record, record.get(root, K.version)),
      sessionId: textAt(record, sessionId),
      permissionMode: state.permissionMode ?? textAt(record, record.get(root, K.permissionMode)),
      cwd: textAt(record, record.get(root, K.cwd)),
      subagent: sidechain,
    }),
  )
}
