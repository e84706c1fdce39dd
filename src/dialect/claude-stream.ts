import { Bin, type Sink } from '../event/sink.ts'
import { keys } from '../kernel/key.ts'
import { Kind } from '../kernel/layout.ts'
import { NONE, type RecordView } from '../kernel/record.ts'
import { Shape } from '../kernel/shape.ts'
import type { Adapter } from './adapter.ts'
import { assistantRecord, isReadable, readMessage } from './claude/assistant.ts'
import { authFromError } from './claude/auth.ts'
import { firstItem, keptTime, LONGEST_ID, timeOf } from './claude/fields.ts'
import { sessionFromInit } from './claude/init.ts'
import { close, closeAll, finish, noteFolded, openIn } from './claude/messages.ts'
import { resultRecord } from './claude/result.ts'
import { streamEvidence } from './claude/stream-evidence.ts'
import {
  changeSession,
  enter,
  initialState,
  nextProcess,
  settleRest,
  type StreamState,
} from './claude/stream-state.ts'
import { SPEAKING_SUBTYPES, systemRecord } from './claude/system.ts'
import { isContinued } from './claude/totals.ts'
import { outputOf } from './claude/usage.ts'
import { userRecord } from './claude/user.ts'
import { textAt } from './values.ts'

const K = keys(
  'type',
  'session_id',
  'content',
  'usage',
  'event',
  'delta',
  'stop_reason',
  'apiKeySource',
  'rate_limit_info',
  'status',
  'rateLimitType',
  'resetsAt',
  'utilization',
  'isUsingOverage',
)

/** What most records are asked for. */
const RECORD = new Shape(
  'type',
  'subtype',
  'session_id',
  'parent_tool_use_id',
  'timestamp',
  'message',
  'request_id',
  'requestId',
  'uuid',
  'error',
  'costUSD',
  'isApiErrorMessage',
  'tool_use_result',
)
type StreamRecord = ReturnType<typeof RECORD.read>

/**
 * Types that are written as nothing (spec vendor-transcripts §3, metaharness-event-1 §8). `stream_event` repeats as
 * raw API events what the other records say; only its final count of output tokens is used, never added.
 */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  'control_request',
  'control_response',
  'keep_alive',
  'tool_progress',
  'tool_use_summary',
])

/** Subtypes of `system` that are written as nothing; what says more is in `claude/system.ts`, all others are opaque. */
const SYSTEM_BOOKKEEPING: ReadonlySet<string> = new Set([
  'hook_progress',
  'hook_response',
  'hook_started',
  'status',
  'task_notification',
  'task_progress',
  'task_started',
  'task_updated',
])

/**
 * What `claude -p --output-format stream-json` writes, also as the array that Claude Code Action keeps
 * (spec vendor-transcripts §3).
 *
 * One API message is several lines, whose usage is mostly not final; `result` holds running totals of the whole
 * process, subagents and side calls included, and is sent again at each turn of a long-lived process, like `init`.
 * `is_error` can be true with subtype `success`. Older versions write no times.
 */
export const claudeStream: Adapter<StreamState> = {
  dialect: 'claude-stream',
  summary: 'claude -p --output-format stream-json',
  evidence: streamEvidence,
  runId(record, value) {
    const session = record.text(record.get(value, K.session_id))
    return session === '' ? null : session
  },
  initial: ({ traced }) => initialState(traced),
  step(record, state, sink) {
    const fields = RECORD.read(record, record.root)
    const type = record.word(fields.type)
    switch (type) {
      case 'assistant':
        return assistant(record, fields, state, sink)
      case 'user':
        return user(record, fields, state, sink)
      case 'stream_event':
        return partial(record, fields, state, sink)
      case 'system':
        return system(record, fields, state, sink)
      case 'result':
        return result(record, fields, state, sink)
      case 'rate_limit_event':
        return rateLimit(record, fields, state, sink)
      case 'auth_status':
        return authStatus(record, fields, state, sink)
      default:
        return type !== null && BOOKKEEPING.has(type) ? Bin.Bookkeeping : opaque(record, fields, sink)
    }
  },
  end(state, sink) {
    closeAll(state.messages, sink)
    settleRest(state, sink)
    return state.ending
  },
}

function assistant(record: RecordView, fields: StreamRecord, state: StreamState, sink: Sink): Bin {
  const message = readMessage(record, fields.message)
  if (!isReadable(record, message)) return opaque(record, fields, sink)
  const at = timeOf(record, fields.timestamp)
  const opened = enter(record, fields.session_id, at, state, sink)
  const parent = record.text(fields.parent_tool_use_id)
  const line = {
    at,
    thread: parent?.slice(0, LONGEST_ID) ?? '',
    requestId: fields.request_id === NONE ? fields.requestId : fields.request_id,
    uuid: fields.uuid,
    error: fields.error,
    costUsd: fields.costUSD,
    session: state.session,
    process: state.process,
    sidechain: parent !== null,
    isApiError: record.bool(fields.isApiErrorMessage) === true,
    credentialSource: state.credentialSource,
  }
  const bin = assistantRecord(record, message, line, state.messages, sink)
  return opened && bin !== Bin.Opaque ? Bin.Translated : bin
}

function user(record: RecordView, fields: StreamRecord, state: StreamState, sink: Sink): Bin {
  const content = record.get(fields.message, K.content)
  if (!record.isString(content) && firstItem(record, content) === NONE) return opaque(record, fields, sink)
  const at = timeOf(record, fields.timestamp)
  enter(record, fields.session_id, at, state, sink)
  const ofSubagent = record.isString(fields.parent_tool_use_id)
  const line = { at, ofSubagent, toolUseResult: fields.tool_use_result }
  return userRecord(record, content, line, state.denied, sink)
}

/**
 * A raw API event of a run with partial messages. The end of a message names its final count of output tokens: it
 * takes the place of the count on the lines of the message, and the message is written.
 */
function partial(record: RecordView, fields: StreamRecord, state: StreamState, sink: Sink): Bin {
  const event = record.get(record.root, K.event)
  if (record.word(record.get(event, K.type)) !== 'message_delta') return Bin.Bookkeeping
  if (record.isNullish(record.get(record.get(event, K.delta), K.stop_reason))) return Bin.Bookkeeping
  const output = outputOf(record, record.get(event, K.usage))
  const thread = record.text(fields.parent_tool_use_id)?.slice(0, LONGEST_ID) ?? ''
  const message = openIn(state.messages, thread)
  if (output === null || message === null) return Bin.Bookkeeping
  finish(message, output)
  noteFolded(message, record.line)
  close(message, state.messages, sink)
  return Bin.Folded
}

function system(record: RecordView, fields: StreamRecord, state: StreamState, sink: Sink): Bin {
  const subtype = record.word(fields.subtype)
  if (subtype === 'init') return init(record, fields, state, sink)
  if (subtype === null) return opaque(record, fields, sink)
  if (SYSTEM_BOOKKEEPING.has(subtype)) return Bin.Bookkeeping
  if (!SPEAKING_SUBTYPES.has(subtype)) return opaque(record, fields, sink)
  const at = timeOf(record, fields.timestamp)
  enter(record, fields.session_id, at, state, sink)
  const expired = authFromError(record, fields.error, at, state.credentialSource, sink)
  const bin = systemRecord(record, subtype, at, state.denied, sink)
  if (expired) return Bin.Translated
  return bin ?? opaque(record, fields, sink)
}

/** The opening record. Sent again for the same session, it begins another turn of a long-lived process. */
function init(record: RecordView, fields: StreamRecord, state: StreamState, sink: Sink): Bin {
  const session = record.text(fields.session_id)
  state.credentialSource = record.text(record.get(record.root, K.apiKeySource))
  if (state.isFromInit && session === state.session) return Bin.Bookkeeping
  const isAnother = state.started && session !== state.session
  changeSession(session, state, sink)
  if (isAnother) sink.notice('second-session', record.line, 'another session begins in the same transcript')
  state.started = true
  state.isFromInit = true
  sink.sessionStarted(sessionFromInit(record, timeOf(record, fields.timestamp)))
  return Bin.Translated
}

/**
 * The end of a turn. Its totals run on over the turns of a process, so a later one takes the place of an earlier one;
 * totals that go back are those of another process.
 */
function result(record: RecordView, fields: StreamRecord, state: StreamState, sink: Sink): Bin {
  const at = timeOf(record, fields.timestamp)
  enter(record, fields.session_id, at, state, sink)
  closeAll(state.messages, sink)
  const { reason, total } = resultRecord(record, at, state.credentialSource, sink)
  state.ending = { reason, terminal: true, promised: true }
  if (total.models === null && total.picoUsd === null) return Bin.Translated
  if (state.total !== null && !isContinued(state.total, total)) nextProcess(state)
  const { models, picoUsd: reportedPicoUsd } = total
  const { process, session } = state
  sink.settled({ process, session, at: keptTime(record, at), models, reportedPicoUsd })
  state.total = total
  state.messages.since?.clear()
  return Bin.Translated
}

function rateLimit(record: RecordView, fields: StreamRecord, state: StreamState, sink: Sink): Bin {
  const info = record.get(record.root, K.rate_limit_info)
  const status = textAt(record, record.get(info, K.status))
  const window = textAt(record, record.get(info, K.rateLimitType))
  const resetsAt = record.integer(record.get(info, K.resetsAt))
  const share = record.get(info, K.utilization)
  const utilization = record.kind(share) === Kind.Number ? share : null
  const usingOverage = record.bool(record.get(info, K.isUsingOverage))
  const isRead = status ?? window ?? resetsAt ?? utilization ?? usingOverage
  if (isRead === null) return opaque(record, fields, sink)
  const at = timeOf(record, fields.timestamp)
  enter(record, fields.session_id, at, state, sink)
  sink.rateLimit({ at, status, window, resetsAt, utilization, usingOverage })
  return Bin.Translated
}

/** State of the login: of interest only when it has run out. */
function authStatus(
  record: RecordView,
  { error, timestamp }: StreamRecord,
  state: StreamState,
  sink: Sink,
): Bin {
  const at = timeOf(record, timestamp)
  return authFromError(record, error, at, state.credentialSource, sink) ? Bin.Translated : Bin.Bookkeeping
}

function opaque(record: RecordView, { type, subtype, timestamp }: StreamRecord, sink: Sink): Bin {
  const vendorSubtype = textAt(record, subtype)
  sink.opaque({ at: timeOf(record, timestamp), vendorType: textAt(record, type), vendorSubtype })
  return Bin.Opaque
}
