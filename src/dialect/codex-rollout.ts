import { Bin, type Sink } from '../event/sink.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'
import type { Adapter, Evidence } from './adapter.ts'
import { ledgerRecord } from './codex/accounting.ts'
import { compacted, EVENTS } from './codex/events.ts'
import { ITEMS } from './codex/items.ts'
import { openSession, runOf, sessionMeta, turnContext } from './codex/session.ts'
import { initialState, type State, type Step } from './codex/state.ts'
import { endThread } from './codex/turns.ts'
import { K, LINE, PAYLOAD } from './codex/words.ts'
import { classes } from './spend.ts'
import { timeAt } from './times.ts'
import { textAt } from './values.ts'

/** Types of lines with a `payload` (spec vendor-transcripts §4.2). */
const LINES: ReadonlySet<string> = new Set(
  `session_meta turn_context response_item event_msg compacted world_state token_usage_record
  inter_agent_communication inter_agent_communication_metadata`.split(/\s+/),
)

/** Lines that are written as nothing: the state of the program's own world. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  'world_state',
  'inter_agent_communication',
  'inter_agent_communication_metadata',
])

/** Items that the oldest builds wrote without an envelope. */
const BARE: ReadonlySet<string> = new Set(ITEMS.keys())
const INPUT_PARTS: ReadonlySet<string> = new Set(['input_text', 'input_image'])

/**
 * The rollout files of Codex (spec vendor-transcripts §4): `{timestamp,type,payload}`, in the oldest builds bare items.
 *
 * What is said stands twice, as an item and as an event: the first is written. Counts of tokens are running totals of the
 * thread, sent again and again, that can drop and begin anew; newer builds keep a ledger besides. Forks and
 * subagents begin with a copy of their parent's records, which is told here as it stands and told apart in the totals
 * (`src/usage/replay.ts`). What `compacted` repeats is neither told nor billed.
 */
export const codexRollout: Adapter<State> = {
  dialect: 'codex-rollout',
  summary: 'Codex session rollouts (~/.codex/sessions, archived_sessions)',
  evidence,
  runId(record, value) {
    const { type, payload, timestamp } = LINE.read(record, value)
    if (type === NONE) return record.isString(timestamp) ? textOrNull(record, record.get(value, K.id)) : null
    return record.is(type, 'session_meta') ? runOf(record, payload) : null
  },
  initial: initialState,
  step(record, state, sink) {
    const {
      type: typeNode,
      payload,
      timestamp,
      ordinal,
      record_type: marker,
    } = LINE.read(record, record.root)
    const type = record.word(typeNode)
    checkOrdinal(record, ordinal, state, sink)
    const at = timeAt(record, timestamp)
    const thread = state.thread
    if (type !== null && record.isObject(payload)) {
      return enveloped({ record, payload, at, state, thread, sink }, type)
    }
    const bare: Step = { record, payload: record.root, at, state, thread, sink }
    if (type === null) return bareLine(bare, marker)
    return BARE.has(type) && payload === NONE ? bareItem(bare, type) : opaque(bare, type, null)
  },
  end(state, sink) {
    if (state.bareLine !== null) unknownUsage(state, state.bareLine, sink)
    return endThread(state.thread, sink)
  },
}

function enveloped(step: Step, type: string): Bin {
  const { record, payload, state, sink } = step
  if (type === 'session_meta') {
    const bin = sessionMeta(step)
    return bin === Bin.Opaque ? opaque(step, type, null) : bin
  }
  if (type === 'turn_context') return turnContext(step)
  if (BOOKKEEPING.has(type)) return Bin.Bookkeeping
  const subtype = record.word(PAYLOAD.read(record, payload).type)
  const act = actOf(type, subtype)
  if (act === undefined) return opaque(step, type, subtype)
  step.thread.hasContent = true
  const opened = openSession(state, sink)
  const bin = act(step)
  if (bin === Bin.Opaque) return opaque(step, type, itemSubtype(step, subtype))
  return opened ? Bin.Translated : bin
}

function actOf(type: string, subtype: string | null): ((step: Step) => Bin) | undefined {
  if (type === 'response_item') return ITEMS.get(subtype ?? '')
  if (type === 'event_msg') return EVENTS.get(subtype ?? '')
  if (type === 'token_usage_record') return ledgerRecord
  return type === 'compacted' ? compacted : undefined
}

/** An item that was completed says more of what was not understood than the event that holds it. */
function itemSubtype({ record, payload }: Step, subtype: string | null): string | null {
  if (subtype !== 'item_completed') return subtype
  return `${subtype}/${record.word(record.get(record.get(payload, K.item), K.type)) ?? ''}`
}

/** The first line of a file of bare items is its session; markers of state stand between the items. */
function bareLine(step: Step, marker: Node): Bin {
  const { record, payload, state } = step
  if (record.isString(marker)) return Bin.Bookkeeping
  const isHead =
    record.isString(record.get(payload, K.id)) && record.isString(record.get(payload, K.timestamp))
  return isHead && state.sessions === 0 ? sessionMeta(step) : opaque(step, null, null)
}

function bareItem(step: Step, type: string): Bin {
  const { record, payload, state, sink } = step
  step.thread.hasContent = true
  const opened = openSession(state, sink)
  const bin = ITEMS.get(type)?.(step) ?? Bin.Opaque
  if (bin === Bin.Opaque) return opaque(step, type, null)
  if (record.is(PAYLOAD.read(record, payload).role, 'assistant')) state.bareLine ??= record.line
  return opened ? Bin.Translated : bin
}

function opaque({ sink, at }: Step, type: string | null, subtype: string | null): Bin {
  sink.opaque({ at, vendorType: type, vendorSubtype: subtype })
  return Bin.Opaque
}

/** Ordinals are told about and never obeyed: records count in the order of the file. */
function checkOrdinal(record: RecordView, node: Node, state: State, sink: Sink): void {
  const ordinal = record.integer(node)
  if (ordinal === null) return
  if (ordinal === state.ordinal) {
    sink.notice('duplicate-ordinal', record.line, 'two records carry the same ordinal')
  } else if (state.ordinal !== null && ordinal < state.ordinal) {
    sink.notice(
      'ordinal-went-back',
      record.line,
      'the ordinal of a record is lower than that of the one before',
    )
  }
  state.ordinal = ordinal
}

/** The model was asked at least once, and nothing says what that took. */
function unknownUsage({ thread, sessions }: State, line: number, sink: Sink): void {
  const nothing = classes(null, null, null, null)
  sink.notice('usage-not-recorded', line, 'this build of the harness wrote no usage: it is unknown')
  sink.usage({
    at: null,
    line,
    requestId: `session@${sessions}`,
    model: null,
    usage: {
      inputTokens: null,
      outputTokens: null,
      cacheReadInputTokens: null,
      cacheCreationInputTokens: null,
      serviceTier: null,
      thinkingTokens: null,
      iterations: null,
      speed: null,
      costUsd: null,
    },
  })
  sink.billed({
    key: thread.id === null ? null : `codex-unknown:${thread.id}`,
    process: null,
    session: thread.session,
    model: null,
    at: null,
    tokens: nothing,
    webSearches: null,
    final: false,
    reportedPicoUsd: null,
    serviceTier: null,
    speed: null,
    geo: null,
    sidechain: false,
  })
}

function evidence(record: RecordView, value: Node): Evidence | null {
  const { type, payload, timestamp, ordinal, record_type: marker } = LINE.read(record, value)
  const name = record.word(type)
  if (name !== null && LINES.has(name)) {
    if (record.isObject(payload)) {
      if (name === 'session_meta' && record.isString(record.get(payload, K.id)))
        return proof('session_meta with an id')
      if (timestamp !== NONE) return proof(`${name} with timestamp and payload`)
    }
    return payload !== NONE || ordinal !== NONE ? weak(`${name} without timestamp or payload`) : null
  }
  if (name === null) {
    if (record.is(marker, 'state')) return proof('a marker of state')
    const isHead = record.isString(record.get(value, K.id)) && record.isString(timestamp)
    return isHead && record.get(value, K.instructions) !== NONE
      ? proof('id, timestamp and instructions')
      : null
  }
  if (payload !== NONE || !BARE.has(name)) return null
  const part = record.first(record.get(value, K.content))
  const partType = record.word(record.get(part, K.type))
  if (name === 'message' && record.isString(record.get(value, K.role))) {
    if (partType !== null && INPUT_PARTS.has(partType)) return proof('a bare message of input parts')
    return partType === 'output_text' ? weak('a bare message of output parts') : null
  }
  const isCall = name === 'function_call' || name === 'local_shell_call'
  return isCall && textAt(record, PAYLOAD.read(record, value).call_id) !== null
    ? weak(`a bare ${name}`)
    : null
}

function proof(reason: string): Evidence {
  return { weight: 'proof', reason }
}

function weak(reason: string): Evidence {
  return { weight: 'weak', reason }
}

function textOrNull(record: RecordView, node: Node): string | null {
  const text = record.text(node)
  return text === '' ? null : text
}
