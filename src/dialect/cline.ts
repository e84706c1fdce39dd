import { Bin, type Sink } from '../event/sink.ts'
import type { Text } from '../event/value.ts'
import { keys } from '../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'
import { Shape } from '../kernel/shape.ts'
import type { Adapter, Evidence } from './adapter.ts'
import { sessionEnd, sessionStart } from './session-events.ts'
import { agentEvent } from './cline/agent.ts'
import { sayAsk } from './cline/say-ask.ts'
import { initialState, type State } from './cline/state.ts'
import { beyond, tokensOf } from './cline/totals.ts'
import { figuresOf, spend } from './spend.ts'
import { timeAt } from './times.ts'
import { textAt, wholeAt } from './values.ts'

const RECORD = new Shape(
  'type',
  'event',
  'ts',
  'timestamp',
  'sessionId',
  'session_id',
  'id',
  'model',
  'say',
  'ask',
)
const K = keys(
  'type',
  'usage',
  'text',
  'finishReason',
  'durationMs',
  'iterations',
  'id',
  'error',
  'message',
  'name',
  'taskId',
  'modelId',
)
type Fields = ReturnType<typeof RECORD.read>

/**
 * `cline --json` (spec test-cabinet §4.5): the events of the agent and, at the end, the result of the run with its totals
 * and often the first mention of the session. What the totals have more than the requests is written as one more. Older
 * versions write flat `say` and `ask` records, without usage.
 */
export const cline: Adapter<State> = {
  dialect: 'cline',
  summary: 'cline --json',
  evidence,
  runId(record, value) {
    return evidence(record, value) === null
      ? null
      : record.text(sessionOf(record, RECORD.read(record, value)))
  },
  initial: initialState,
  step(record, state, sink) {
    const fields = RECORD.read(record, record.root)
    const at = timeAt(record, fields.ts === NONE ? fields.timestamp : fields.ts)
    const bin = translate(record, fields, at, state, sink)
    if (bin !== null) return bin
    const { type, event, say, ask } = RECORD.read(record, record.root)
    const inner = textAt(record, record.get(event, K.type)) ?? textAt(record, say) ?? textAt(record, ask)
    sink.opaque({ at, vendorType: textAt(record, type), vendorSubtype: inner })
    return Bin.Opaque
  },
  end: (state) => state.ending,
}

function translate(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): Bin | null {
  const type = record.word(fields.type)
  noteModel(record, fields, state)
  switch (type) {
    case 'hook_event':
    case 'run_start':
      return Bin.Bookkeeping
    case 'agent_event':
      if (!record.isObject(fields.event)) return null
      open(record, fields, at, state, sink)
      return agentEvent(record, fields.event, at, state, sink)
    case 'run_result':
      return runResult(record, fields, at, state, sink)
    case 'error': {
      open(record, fields, at, state, sink)
      const said =
        textAt(record, record.get(record.root, K.message)) ?? textAt(record, record.get(record.root, K.error))
      sink.warning({ at, code: 'error', message: said ?? 'the run failed', severity: 'error' })
      return Bin.Translated
    }
    case 'say':
    case 'ask':
      open(record, fields, at, state, sink)
      // The older stream never ends with a record of its own.
      state.ending = { ...state.ending, promised: false }
      return sayAsk(record, type, at, sink)
    default:
      return null
  }
}

function noteModel(record: RecordView, { model }: Fields, state: State): void {
  const known =
    record.word(model) ?? record.word(record.get(model, K.id)) ?? record.word(record.get(model, K.modelId))
  state.model = known ?? state.model
}

function runResult(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): Bin {
  const { root } = record
  open(record, fields, at, state, sink)
  const session = record.text(sessionOf(record, fields))
  if (state.session === null && session !== null) {
    sink.notice('late-session', record.line, 'the session id came after the first events of the session')
    state.session = session
  }
  const usage = record.get(root, K.usage)
  const total = record.isObject(usage) ? tokensOf(record, usage, sink) : null
  const rest = total === null ? null : beyond(total, state.spent, record.line, sink)
  if (rest !== null) {
    const { model, session: known } = state
    spend(record, { at, requestId: null, model, tokens: rest, key: null, session: known }, sink)
  }
  const finish = record.get(root, K.finishReason)
  const reason = reasonOf(record.word(finish))
  const text = textAt(record, record.get(root, K.text))
  sink.sessionEnded(
    sessionEnd({
      at,
      finalAnswer: text === null || reason !== 'completed' ? null : { text, turnId: null },
      isError: reason !== 'completed',
      subtype: 'run_result',
      stopReason: textAt(record, finish),
      numTurns: wholeAt(record, record.get(root, K.iterations)),
      durationMs: wholeAt(record, record.get(root, K.durationMs)),
      usage: total === null ? null : figuresOf(total),
    }),
  )
  state.ending = { reason, terminal: true, promised: true }
  return Bin.Translated
}

function reasonOf(finish: string | null): State['ending']['reason'] {
  if (finish === null || finish === 'completed' || finish === 'stop') return 'completed'
  if (finish.startsWith('max')) return 'budget'
  return finish === 'aborted' || finish === 'cancelled' ? 'killed' : 'error'
}

function open(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): void {
  if (state.started) return
  const session = sessionOf(record, fields)
  state.started = true
  state.session = record.text(session)
  sink.sessionStarted(sessionStart('cline', { at, sessionId: textAt(record, session), model: state.model }))
}

/** Never the id of the task, which is another. */
function sessionOf(record: RecordView, { sessionId, session_id: older, id }: Fields): Node {
  return [sessionId, older, id].find((node) => record.isString(node)) ?? NONE
}

function evidence(record: RecordView, value: Node): Evidence | null {
  const fields = RECORD.read(record, value)
  switch (record.word(fields.type)) {
    case 'agent_event':
      return { weight: 'proof', reason: 'agent_event' }
    case 'hook_event':
      if (record.get(value, K.name) === NONE && record.get(value, K.taskId) === NONE) return null
      return { weight: 'proof', reason: 'hook_event' }
    case 'run_result':
      return { weight: 'proof', reason: 'run_result' }
    case 'say':
      return record.isString(fields.say) ? { weight: 'proof', reason: 'say with its kind' } : null
    case 'ask':
      return record.isString(fields.ask) ? { weight: 'proof', reason: 'ask with its kind' } : null
    default:
      return null
  }
}
