import { Bin, type Sink } from '../event/sink.ts'
import type { Text } from '../event/value.ts'
import { keys } from '../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'
import type { Adapter, Ending } from './adapter.ts'
import { sessionStart } from './session-events.ts'
import { callRecord, orchestration } from './cabinet/calls.ts'
import { type State } from './cabinet/state.ts'
import { evidenceOf } from './cabinet/wire.ts'
import { count, plus } from './figures.ts'
import { classes, spend } from './spend.ts'
import { timeAt } from './times.ts'
import { textAt } from './values.ts'

const K = keys(
  'type',
  'timestamp',
  'sessionId',
  'message',
  'code',
  'raw',
  'event',
  'tokens',
  'cost',
  'uncachedInput',
  'cachedInput',
  'output',
  'reasoning',
  'stage',
  'status',
)

/**
 * Normalized events of The Test Cabinet, `events.jsonl` (spec test-cabinet §1): 13 types, and `usage` and `gg`, which newer
 * versions have. A tool event is a call and its result in one; calls have no ids, so ours are the numbers of their lines.
 *
 * What the harness was is not told. Nothing says that a run ended, but a stage that failed ends it.
 */
export const cabinet: Adapter<State> = {
  dialect: 'cabinet',
  summary: 'events.jsonl of The Test Cabinet',
  evidence: evidenceOf,
  runId: (record, value) => record.text(record.get(value, K.sessionId)),
  initial: () => ({ started: false, session: null, begun: new Set(), failed: false }),

  step(record: RecordView, state: State, sink: Sink): Bin {
    const type = record.word(record.get(record.root, K.type))
    const at = timeAt(record, record.get(record.root, K.timestamp))
    const bin = type === null ? Bin.Opaque : event(record, type, at, state, sink)
    if (bin === Bin.Opaque && type !== 'unknown' && type !== 'gg') {
      sink.opaque({ at, vendorType: type, vendorSubtype: null })
    }
    return bin
  },

  end: ({ failed }: State): Ending => ({ reason: 'error', terminal: failed, promised: false }),
}

function event(record: RecordView, type: string, at: Text, state: State, sink: Sink): Bin {
  const { root } = record
  if (type === 'system') return system(record, at, state, sink)
  openSession(record, at, state, sink)
  const message = record.get(root, K.message)
  switch (type) {
    case 'agent':
    case 'reasoning': {
      if (!record.isString(message)) return Bin.Opaque
      const said = { at, text: message, requestId: null }
      if (type === 'agent') sink.text(said)
      else sink.thinking(said)
      return Bin.Translated
    }
    case 'error':
    case 'warning':
      if (!record.isString(message)) return Bin.Opaque
      sink.warning({ at, code: textAt(record, record.get(root, K.code)) ?? type, message, severity: type })
      return Bin.Translated
    case 'orchestration':
      return orchestration(record, at, state, sink)
    case 'usage':
      return usage(record, at, state, sink)
    case 'unknown':
      return inside(record, at, type, K.raw, sink)
    case 'gg':
      return inside(record, at, type, K.event, sink)
    default:
      return callRecord(record, type, at, sink)
  }
}

/** What was not classified is the smallest piece of what the harness wrote; its own words name it. */
function inside(record: RecordView, at: Text, type: string, field: typeof K.raw, sink: Sink): Bin {
  const block = record.get(record.root, field)
  const vendorType = textAt(record, record.get(block, K.type)) ?? type
  sink.opaque({ at, vendorType, vendorSubtype: null, ...(block === NONE ? {} : { block }) })
  return Bin.Opaque
}

/** Stages of the orchestrator around the harness: no event of ours, but a failed one ends the run (spec §5). */
function system(record: RecordView, at: Text, state: State, sink: Sink): Bin {
  const stage = textAt(record, record.get(record.root, K.stage))
  const status = textAt(record, record.get(record.root, K.status))
  const message = textAt(record, record.get(record.root, K.message))
  if (stage === null || status === null) return Bin.Opaque
  sink.system({ at, stage, status, message })
  if (!record.is(status, 'failed')) return Bin.Bookkeeping
  openSession(record, at, state, sink)
  state.failed = true
  sink.warning({ at, code: stage, message: message ?? 'the stage failed', severity: 'error' })
  return Bin.Translated
}

/** One turn. Input holds what went into the cache, output does not hold the reasoning (spec §3.1). */
function usage(record: RecordView, at: Text, state: State, sink: Sink): Bin {
  const tokens = record.get(record.root, K.tokens)
  if (!record.isObject(tokens)) return Bin.Opaque
  const of = (field: Node): number | null => count(record, field, sink)
  const reasoning = of(record.get(tokens, K.reasoning))
  const output = plus(of(record.get(tokens, K.output)), reasoning)
  const cost = record.get(record.root, K.cost)
  spend(
    record,
    {
      at,
      requestId: null,
      model: null,
      tokens: classes(
        of(record.get(tokens, K.uncachedInput)),
        of(record.get(tokens, K.cachedInput)),
        0,
        output,
        reasoning,
      ),
      key: null,
      session: state.session,
      costUsd: record.number(cost) === null ? null : cost,
    },
    sink,
  )
  return Bin.Translated
}

/** The session id is on events from when it was seen; another one is another session. */
function openSession(record: RecordView, at: Text, state: State, sink: Sink): void {
  const node = record.get(record.root, K.sessionId)
  const session = record.text(node)
  if (state.started && (session === null || session === state.session)) return
  const isNamedLate = state.started && state.session === null
  const isSecond = state.started && !isNamedLate
  state.session = session
  if (isNamedLate) {
    sink.notice('late-session', record.line, 'the session id came after the first events of the session')
    return
  }
  if (isSecond) sink.notice('second-session', record.line, 'another session begins in the same transcript')
  state.started = true
  sink.sessionStarted(sessionStart('test-cabinet', { at, sessionId: textAt(record, node) }))
}
