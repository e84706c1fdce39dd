import { Bin, type Sink } from '../event/sink.ts'
import { keys } from '../kernel/key.ts'
import { RecordFlag } from '../kernel/layout.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'
import { Shape } from '../kernel/shape.ts'
import type { Adapter, Evidence } from './adapter.ts'
import { WITHOUT_END } from './endings.ts'
import { sessionStart } from './session-events.ts'
import { failure } from './opencode/failure.ts'
import { messageOf, storePart } from './opencode/store-part.ts'
import { closeMessage, initialState, type State } from './opencode/store-state.ts'
import { readCost, readTokens } from './opencode/tokens.ts'
import { keptTimeOf, timeAt } from './times.ts'
import { firstOf, textAt } from './values.ts'

const SESSION = new Shape('id', 'parentID', 'directory', 'version', 'time')
const MESSAGE = new Shape(
  'id',
  'sessionID',
  'role',
  'time',
  'modelID',
  'model',
  'tokens',
  'cost',
  'error',
  'finish',
)
const K = keys(
  'id',
  'sessionID',
  'messageID',
  'type',
  'role',
  'projectID',
  'directory',
  'time',
  'created',
  'completed',
  'modelID',
  'info',
  'messages',
  'parts',
  'part',
)

/**
 * Sessions as OpenCode keeps them (spec vendor-transcripts §7), one JSON value a line: the session, then each message with
 * its parts behind it, out of the storage folder or the database; also the one object of `opencode export`.
 *
 * A message is counted once, whatever its steps repeat. Nothing says how a session ended.
 */
export const opencodeStore: Adapter<State> = {
  dialect: 'opencode-store',
  summary: 'sessions of OpenCode: storage folder, opencode*.db, opencode export',
  evidence,
  runId(record, value) {
    const info = record.get(value, K.info)
    const object = info === NONE ? value : info
    const ofSession = record.text(record.get(object, K.sessionID))
    return ofSession ?? (isSession(record, object) ? record.text(record.get(object, K.id)) : null)
  },
  items: (record, root) => record.get(root, K.messages),
  initial: ({ run }) => initialState(run),
  step(record, state, sink) {
    const bin = entry(record, record.root, state, sink)
    if (bin !== Bin.Opaque) return bin
    sink.opaque({ at: null, vendorType: vendorType(record, record.root), vendorSubtype: null })
    return Bin.Opaque
  },
  end(state, sink) {
    closeMessage(state, sink)
    return WITHOUT_END
  },
}

/** A session, a message or a part, or those of an export. `Bin.Opaque` for anything else. */
function entry(record: RecordView, node: Node, state: State, sink: Sink): Bin {
  const info = record.get(node, K.info)
  if (record.isObject(info)) return exported(record, node, info, state, sink)
  if (record.isString(record.get(node, K.messageID))) return part(record, node, state, sink)
  if (record.isString(record.get(node, K.role))) return message(record, node, state, sink)
  return isSession(record, node) ? session(record, node, state, sink) : Bin.Opaque
}

/** `{info, messages}` of a session, or `{info, parts}` of a message. */
function exported(record: RecordView, node: Node, info: Node, state: State, sink: Sink): Bin {
  let bin = record.isString(record.get(info, K.role))
    ? message(record, info, state, sink)
    : isSession(record, info)
      ? session(record, info, state, sink)
      : Bin.Opaque
  if (bin === Bin.Opaque) return bin
  for (let one = firstOf(record, record.get(node, K.parts)); one !== NONE; one = record.next(one)) {
    const outcome = storePart(record, one, state.message, state, sink)
    if (outcome === Bin.Translated) bin = Bin.Translated
    if (outcome !== Bin.Opaque) continue
    bin = Bin.Translated
    sink.opaque({ at: null, vendorType: 'part', vendorSubtype: vendorType(record, one), block: one })
  }
  // An export on one line: where it is a document, its messages come as records of their own.
  if ((record.flags & RecordFlag.Item) !== 0) return bin
  for (let one = firstOf(record, record.get(node, K.messages)); one !== NONE; one = record.next(one)) {
    const outcome = entry(record, one, state, sink)
    if (outcome !== Bin.Folded) bin = Bin.Translated
    if (outcome !== Bin.Opaque) continue
    sink.opaque({ at: null, vendorType: 'message', vendorSubtype: vendorType(record, one), block: one })
  }
  return bin
}

function session(record: RecordView, node: Node, state: State, sink: Sink): Bin {
  closeMessage(state, sink)
  const { id, parentID, directory, version, time } = SESSION.read(record, node)
  if (!begin(record, id, state, sink)) return Bin.Bookkeeping
  state.subagent = record.isString(parentID)
  sink.sessionStarted(
    sessionStart('opencode', {
      at: timeAt(record, record.get(time, K.created)),
      harnessVersion: textAt(record, version),
      sessionId: textAt(record, id),
      cwd: textAt(record, directory),
      subagent: state.subagent,
    }),
  )
  return Bin.Translated
}

/** A message: its words are in its parts, its usage and its error in itself. */
function message(record: RecordView, node: Node, state: State, sink: Sink): Bin {
  closeMessage(state, sink)
  const fields = MESSAGE.read(record, node)
  const { id, sessionID, role, time, modelID, model, tokens, cost, error, finish } = fields
  const at = timeAt(record, record.get(time, K.created))
  const opened = begin(record, sessionID, state, sink)
  if (opened) {
    state.subagent = false
    sink.sessionStarted(sessionStart('opencode', { at, sessionId: textAt(record, sessionID) }))
  }
  const used = record.isNullish(tokens) ? null : readTokens(record, tokens, sink)
  const keptAt = keptTimeOf(record, at)
  state.message = {
    id: record.text(id),
    role: record.word(role),
    at: keptAt,
    model: record.word(modelID) ?? record.word(record.get(model, K.modelID)),
    used:
      used === null
        ? null
        : { tokens: used, cost: readCost(record, cost, sink), at: keptAt, line: record.line },
    isFinal: record.get(time, K.completed) !== NONE || record.isString(finish) || !record.isNullish(error),
    steps: [],
    stepsBilled: 0,
  }
  const failed = !record.isNullish(error) && failure(record, error, 'error', at, sink) !== null
  return opened || failed || used !== null ? Bin.Translated : Bin.Folded
}

/** A part; one that stands apart from its message belongs to nobody. */
function part(record: RecordView, node: Node, state: State, sink: Sink): Bin {
  const { message: open } = state
  const owner = open !== null && open.id === messageOf(record, node) ? open : null
  if (owner === null) closeMessage(state, sink)
  const id = record.get(node, K.sessionID)
  const opened = begin(record, id, state, sink)
  if (opened) sink.sessionStarted(sessionStart('opencode', { sessionId: textAt(record, id) }))
  const bin = storePart(record, node, owner, state, sink)
  return opened && bin !== Bin.Opaque ? Bin.Translated : bin
}

/** Does a session begin with this record? */
function begin(record: RecordView, id: Node, state: State, sink: Sink): boolean {
  const name = record.text(id)
  if (state.started && (name === null || name === state.session || state.sessions.includes(name)))
    return false
  const isNamedLate = state.started && state.session === null
  state.session = name
  if (name !== null && state.sessions.length < 64) state.sessions.push(name)
  if (isNamedLate) {
    sink.notice('late-session', record.line, 'the session id came after the first events of the session')
    return false
  }
  if (state.started)
    sink.notice('second-session', record.line, 'another session begins in the same transcript')
  state.started = true
  return true
}

function isSession(record: RecordView, node: Node): boolean {
  if (!record.isString(record.get(node, K.id)) || record.get(node, K.type) !== NONE) return false
  if (record.get(node, K.role) !== NONE || record.get(record.get(node, K.time), K.created) === NONE)
    return false
  return record.isString(record.get(node, K.projectID)) || record.isString(record.get(node, K.directory))
}

/** What to call a value that was not understood. */
function vendorType(record: RecordView, node: Node): string | null {
  return record.word(record.get(node, K.type)) ?? record.word(record.get(node, K.role))
}

/** What a value says about being of a store (spec vendor-transcripts §1). */
function evidence(record: RecordView, value: Node): Evidence | null {
  if (!record.isObject(value) || record.get(value, K.part) !== NONE) return null
  const info = record.get(value, K.info)
  if (record.isObject(info)) {
    const hasList =
      record.isArray(record.get(value, K.messages)) || record.isArray(record.get(value, K.parts))
    const isOurs = isSession(record, info) || isMessage(record, info)
    return hasList && isOurs ? { weight: 'proof', reason: 'info with messages or parts' } : null
  }
  if (isMessage(record, value)) return { weight: 'proof', reason: 'message with sessionID and time.created' }
  const isPart =
    record.isString(record.get(value, K.messageID)) &&
    record.isString(record.get(value, K.sessionID)) &&
    record.isString(record.get(value, K.type))
  if (isPart) return { weight: 'proof', reason: 'part with messageID and sessionID' }
  if (!isSession(record, value)) return null
  const isSure = record.isString(record.get(value, K.projectID))
  return { weight: isSure ? 'proof' : 'weak', reason: 'session with time.created' }
}

function isMessage(record: RecordView, node: Node): boolean {
  return (
    record.isString(record.get(node, K.sessionID)) &&
    record.isString(record.get(node, K.role)) &&
    record.get(record.get(node, K.time), K.created) !== NONE
  )
}
