import { Bin, type Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { Shape } from '../../kernel/shape.ts'
import type { Adapter, Ending, Evidence } from '../adapter.ts'
import { UNFINISHED } from '../endings.ts'
import { sessionEnd, sessionStart } from '../session-events.ts'
import { spend } from '../spend.ts'
import { timeAt } from '../times.ts'
import { firstOf, textAt } from '../values.ts'
import { ABORTED, failure } from './failure.ts'
import { readCost, readTokens } from './tokens.ts'
import { toolPart } from './tool.ts'

const RECORD = new Shape(
  'type',
  'timestamp',
  'sessionID',
  'session_id',
  'sessionId',
  'part',
  'error',
  'reason',
  'rejected',
)
const PART = new Shape(
  'id',
  'messageID',
  'text',
  'reason',
  'tokens',
  'cost',
  'tool',
  'callID',
  'state',
  'modelID',
)
const LOOSE = keys('text', 'reasoning', 'tool', 'toolName', 'name', 'state')

type Fields = ReturnType<typeof RECORD.read>

export interface State {
  readonly run: string
  started: boolean
  session: string | null
  readonly sessions: string[]
  /** Number of the step, from 1. */
  turn: number
  /** A step was begun and not ended. */
  isInside: boolean
  /** The message of the last step, and how many steps it had. */
  message: string | null
  steps: number
  /** An error was told. */
  failed: string | null
  ending: Ending
}

/** The two harnesses that write this shape. */
export interface RunDialect {
  readonly dialect: string
  readonly slug: string
  readonly summary: string
  evidence(record: RecordView, value: Node): Evidence | null
}

/**
 * The stream of `run --format json` (spec vendor-transcripts §7): one record a finished part, each step of the model between
 * `step_start` and `step_finish`, which has its usage. The model is not told.
 *
 * Newer versions end with `done`. Older ones just stop: a step whose reason is not that tools were called is the last
 * one, unless an error follows.
 */
export function runAdapter({ dialect, slug, summary, evidence }: RunDialect): Adapter<State> {
  return {
    dialect,
    summary,
    evidence,
    runId(record, value) {
      const fields = RECORD.read(record, value)
      return record.text(sessionOf(fields))
    },
    initial: ({ run }) => ({
      run,
      started: false,
      session: null,
      sessions: [],
      turn: 0,
      isInside: false,
      message: null,
      steps: 0,
      failed: null,
      ending: UNFINISHED,
    }),
    step: (record, state, sink) => step(record, slug, state, sink),
    end: (state) => state.ending,
  }
}

/** Older and foreign spellings of the same id. */
function sessionOf({ sessionID, session_id: snake, sessionId }: Fields): Node {
  if (sessionID !== NONE) return sessionID
  return snake === NONE ? sessionId : snake
}

function step(record: RecordView, slug: string, state: State, sink: Sink): Bin {
  const fields = RECORD.read(record, record.root)
  const at = timeAt(record, fields.timestamp)
  switch (record.word(fields.type)) {
    case 'step_start':
      return stepStart(record, fields, at, slug, state, sink)
    case 'step_finish':
      return stepFinish(record, fields, at, slug, state, sink)
    case 'text':
    case 'reasoning':
      return said(record, fields, at, slug, state, sink)
    case 'tool_use':
      return toolUse(record, fields, at, slug, state, sink)
    case 'error':
      return failed(record, fields, at, slug, state, sink)
    case 'done':
      return done(record, fields, at, slug, state, sink)
    default:
      return opaque(record, fields, at, sink)
  }
}

/** Something is going on: what was said of an end no longer holds. */
function enter(record: RecordView, fields: Fields, at: Text, slug: string, state: State, sink: Sink): void {
  const id = sessionOf(fields)
  const session = record.text(id)
  state.ending = UNFINISHED
  if (state.started && (session === null || session === state.session)) return
  const isNamedLate = state.started && state.session === null
  const isKnown = session !== null && state.sessions.includes(session)
  state.session = session
  if (session !== null && !isKnown && state.sessions.length < 64) state.sessions.push(session)
  if (isNamedLate) {
    sink.notice('late-session', record.line, 'the session id came after the first events of the session')
    return
  }
  if (isKnown) return
  if (state.started)
    sink.notice('second-session', record.line, 'another session begins in the same transcript')
  state.started = true
  state.failed = null
  sink.sessionStarted(sessionStart(slug, { at, sessionId: textAt(record, id) }))
}

function stepStart(
  record: RecordView,
  fields: Fields,
  at: Text,
  slug: string,
  state: State,
  sink: Sink,
): Bin {
  enter(record, fields, at, slug, state, sink)
  state.turn++
  state.isInside = true
  sink.turnStarted({ at, turn: state.turn, frameDigest: null })
  return Bin.Translated
}

/** Usage of one request, and the end of a step. */
function stepFinish(
  record: RecordView,
  fields: Fields,
  at: Text,
  slug: string,
  state: State,
  sink: Sink,
): Bin {
  const { id, messageID, reason, tokens: tokensNode, cost, modelID } = PART.read(record, fields.part)
  if (!record.isObject(fields.part)) return opaque(record, fields, at, sink)
  enter(record, fields, at, slug, state, sink)
  const tokens = readTokens(record, tokensNode, sink)
  const costUsd = readCost(record, cost, sink)
  const name = stepName(record.text(messageID), record.text(id), state)
  if (tokens !== null) {
    const key = name === null ? null : `opencode:${name}`
    const { session } = state
    spend(record, { at, requestId: name, model: record.word(modelID), tokens, key, session, costUsd }, sink)
  }
  const word = record.word(reason)
  if (state.isInside) sink.turnEnded({ at, turn: state.turn, stopReason: textAt(record, reason) })
  else if (tokens === null) return Bin.Bookkeeping
  state.isInside = false
  if (word !== null && word !== 'tool-calls' && word !== 'unknown') {
    const isGood = word === 'stop' && state.failed === null
    state.ending = { reason: isGood ? 'completed' : 'error', terminal: true, promised: true }
  }
  return Bin.Translated
}

/**
 * Identity of a step: its message, which the harness's own store has too; further steps of one message (old versions) are
 * numbered.
 */
function stepName(message: string | null, part: string | null, state: State): string | null {
  if (message === null) return part
  state.steps = message === state.message ? state.steps + 1 : 1
  state.message = message
  return state.steps === 1 ? message : `${message}:${state.steps}`
}

/** Words or reasoning. Some providers withhold the text of their reasoning. */
function said(record: RecordView, fields: Fields, at: Text, slug: string, state: State, sink: Sink): Bin {
  const { root } = record
  const isText = record.is(fields.type, 'text')
  const inPart = PART.read(record, fields.part).text
  const loose = record.get(root, LOOSE.text)
  const text = inPart !== NONE ? inPart : loose !== NONE ? loose : record.get(root, LOOSE.reasoning)
  if (!record.isNullish(text) && !record.isString(text)) return opaque(record, fields, at, sink)
  if (text === NONE && !record.isObject(fields.part)) return opaque(record, fields, at, sink)
  enter(record, fields, at, slug, state, sink)
  if (!record.isString(text) || record.rawBytes(text) === 2) return Bin.Bookkeeping
  const requestId = textAt(record, PART.read(record, fields.part).messageID)
  if (isText) sink.text({ at, text, requestId })
  else sink.thinking({ at, text, requestId })
  return Bin.Translated
}

function toolUse(record: RecordView, fields: Fields, at: Text, slug: string, state: State, sink: Sink): Bin {
  const { root } = record
  const { id, callID, tool, state: inPart } = PART.read(record, fields.part)
  const name = [
    tool,
    record.get(root, LOOSE.tool),
    record.get(root, LOOSE.toolName),
    record.get(root, LOOSE.name),
  ].find((node) => record.isString(node))
  const word = name === undefined ? null : record.word(name)
  if (name === undefined || word === null) return opaque(record, fields, at, sink)
  enter(record, fields, at, slug, state, sink)
  const callId = textAt(record, callID) ?? textAt(record, id) ?? ''
  const toolState = inPart === NONE ? record.get(root, LOOSE.state) : inPart
  toolPart(record, { name, word, callId, state: toolState, at }, sink)
  return Bin.Translated
}

function failed(record: RecordView, fields: Fields, at: Text, slug: string, state: State, sink: Sink): Bin {
  if (record.isNullish(fields.error)) return opaque(record, fields, at, sink)
  enter(record, fields, at, slug, state, sink)
  const name = failure(record, fields.error, 'error', at, sink)
  if (name === null) return opaque(record, fields, at, sink)
  state.failed = name
  state.ending = { reason: name === ABORTED ? 'killed' : 'error', terminal: true, promised: true }
  return Bin.Translated
}

/** The end of the run, with the permissions that were asked for and refused. */
function done(record: RecordView, fields: Fields, at: Text, slug: string, state: State, sink: Sink): Bin {
  const { reason, rejected } = fields
  enter(record, fields, at, slug, state, sink)
  for (let one = firstOf(record, rejected); one !== NONE; one = record.next(one)) {
    const message = `the permission ${record.text(one) ?? ''} was refused`
    sink.warning({ at, code: 'approval-denied', message })
  }
  const { failed: error } = state
  const terminalReason = textAt(record, reason)
  sink.sessionEnded(sessionEnd({ at, isError: error !== null, subtype: error, terminalReason }))
  const closing = error === null ? 'completed' : error === ABORTED ? 'killed' : 'error'
  state.ending = { reason: closing, terminal: true, promised: true }
  return Bin.Translated
}

function opaque(record: RecordView, fields: Fields, at: Text, sink: Sink): Bin {
  sink.opaque({ at, vendorType: textAt(record, fields.type), vendorSubtype: null })
  return Bin.Opaque
}
