import { Bin, type Sink } from '../event/sink.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'
import type { Adapter, Ending, Evidence } from './adapter.ts'
import { auditEntry, isAuditEntry } from './go-harness/audit.ts'
import { besideEvents } from './go-harness/beside.ts'
import * as calls from './go-harness/calls.ts'
import { open } from './go-harness/early.ts'
import { type Envelope, readEnvelope, runIdOf } from './go-harness/envelope.ts'
import * as hooks from './go-harness/hooks.ts'
import * as runs from './go-harness/run.ts'
import { missing, printOf, stand } from './go-harness/sequence.ts'
import { beginRun, identityOf, initialState, type Run, type State, type Step } from './go-harness/state.ts'
import { hear, say } from './go-harness/talk.ts'
import { billUnknown, turnUsage } from './go-harness/totals.ts'
import * as warnings from './go-harness/warnings.ts'
import { BOOKKEEPING, K, OPENING, RESERVED } from './go-harness/words.ts'
import { keptTimeOf } from './times.ts'
import { textAt } from './values.ts'

/** What becomes of each type. One that is neither here nor bookkeeping is opaque. */
const TYPES: ReadonlyMap<string, (step: Step) => Bin> = new Map([
  ...warnings.DIAGNOSES.map((type) => [type, warnings.warn] as const),
  ['run.queued', runs.queued],
  ['run.started', runs.runStarted],
  ['run.step.started', runs.stepStarted],
  ['run.step.completed', runs.stepCompleted],
  ['run.cost_limit_reached', costLimit],
  ['run.completed', runs.ended],
  ['run.failed', runs.ended],
  ['run.cancelled', runs.ended],
  ['llm.turn.requested', turnRequested],
  ['llm.turn.completed', runs.turnCompleted],
  ['assistant.message.delta', (step: Step) => delta(step, 'text')],
  ['assistant.thinking.delta', (step: Step) => delta(step, 'thinking')],
  ['assistant.message', runs.message],
  ['reasoning.complete', runs.reasoning],
  ['tool.call.started', calls.started],
  ['tool.call.completed', calls.completed],
  ['tool.call.delta', calls.callDelta],
  ['tool.output.delta', calls.outputDelta],
  ['tool.approval_denied', (step: Step) => calls.denied(step, 'approval-denied')],
  ['tool.call.blocked', (step: Step) => calls.denied(step, 'call-blocked')],
  ['audit.action', () => Bin.Folded],
  ['prompt.resolved', runs.promptResolved],
  ['prompt.warning', warnings.promptWarning],
  ['provider.resolved', runs.providerResolved],
  ['usage.delta', turnUsage],
  ['hook.failed', hooks.hookFailed],
  ['hook.completed', hooks.hookCompleted],
  ['tool_hook.failed', hooks.toolHookFailed],
  ['tool_hook.completed', hooks.toolHookCompleted],
  ['steering.received', runs.steering],
  ['context.reset', warnings.contextReset],
  ['max_turns.exhausted', mustFail],
  ['llm.request.snapshot', runs.toolsOffered],
  ['tool.decision', runs.toolsOffered],
  ['recorder.drop_detected', dropDetected],
  ['workspace.provisioned', runs.workspaceProvisioned],
  ['workspace.destroyed', warnings.workspaceDestroyed],
  ['workspace.provision_failed', mustFail],
])

/** Types that may stand amid the text of a step, which therefore stays held. */
const AMID_TEXT: ReadonlySet<string> = new Set(
  `assistant.message.delta assistant.thinking.delta tool.call.delta prompt.warning provider.resolved
  recorder.drop_detected llm.response.meta hook.started hook.completed hook.failed`.split(/\s+/),
)

/** Schema of all events up to now; another one would mean that fields have other meanings. */
const SCHEMA = '1'

/**
 * Runs of go-agent-harness: server events as an event stream or bare, what its command line prints, rollout files and S3
 * backups (spec go-agent-harness). An audit log is checked, and is no run.
 *
 * Numbers of events may repeat, be missing or come late: lines are read in their order, what is repeated is passed over,
 * and what is missing is said. Child runs are transcripts of their own, which nothing here names.
 */
export const goHarness: Adapter<State> = {
  dialect: 'go-harness',
  summary: 'go-agent-harness: SSE captures, harnesscli output, rollouts, S3 backups, audit logs',
  evidence,
  runId: runIdOf,
  initial: initialState,

  step(record: RecordView, state: State, sink: Sink): Bin {
    if (isAuditEntry(record, record.root)) return auditEntry(record, state.audit, sink)
    const beside = besideEvents(record, state)
    if (beside !== null) return beside
    const envelope = readEnvelope(record)
    if (envelope === null) return opaque(record, null, sink)
    state.isRun ||= envelope.seq !== null
    const bin = event(record, envelope, state, sink)
    return bin === Bin.Opaque ? opaque(record, envelope, sink) : bin
  },

  end(state: State, sink: Sink): Ending {
    for (const run of state.runs.values()) close(run, state, sink)
    const { audit, ended, reason, isRun } = state
    return {
      reason: ended ? reason : 'error',
      terminal: ended,
      promised: isRun,
      ...(state.gapped ? { gapped: true } : {}),
      ...(audit.broken === null ? {} : { inconsistent: audit.broken }),
    }
  },
}

/** One event: the run it is of, its place in it, and then what its type says. */
function event(record: RecordView, envelope: Envelope, state: State, sink: Sink): Bin {
  const { type, at, data, seq, isNamed } = envelope
  if (data !== NONE && !record.isObject(data)) return Bin.Opaque
  const name = envelope.run ?? state.fallback
  let run = state.runs.get(name) ?? beginRun(state, name, keptTimeOf(record, at), record.line)
  if (seq === null) {
    if (isNamed && isRepeated(record, state, sink)) return Bin.Folded
  } else {
    const standing = stand(run.sequence, seq, printOf(record), record.line, OPENING.has(type))
    if (standing === 'repeat') {
      sink.notice('seq-repeat', record.line, 'an event that was read before was passed over')
      return Bin.Folded
    }
    if (standing === 'late')
      sink.notice('seq-disorder', record.line, 'an event comes after later ones of its run')
    if (standing === 'conflict')
      sink.notice('seq-conflict', record.line, 'two events of a run have one number')
    if (standing === 'restart') {
      close(run, state, sink)
      run = beginRun(state, name, keptTimeOf(record, at), record.line)
      stand(run.sequence, seq, printOf(record), record.line, true)
    }
  }
  note(record, envelope, run, sink)
  const step: Step = { record, type, at, data, seq, run, state, sink }
  if (run.terminal !== null && seq !== null) {
    sink.notice('after-terminal', record.line, 'an event comes after the end of its run')
  }
  if (!AMID_TEXT.has(type)) runs.sayHeld(step)
  if (BOOKKEEPING.has(type)) return Bin.Bookkeeping
  const act = RESERVED.has(type) ? undefined : TYPES.get(type)
  const bin = act === undefined ? Bin.Opaque : act(step)
  if (bin === Bin.Opaque) open(run, state, sink)
  return bin
}

/** The fields that the journal puts into every payload. */
function note(record: RecordView, { data, run: name }: Envelope, { facts }: Run, sink: Sink): void {
  facts.conversation ??= record.text(record.get(data, K.conversation_id))
  facts.session ??= facts.conversation ?? name
  const schema = record.get(data, K.schema_version)
  if (schema !== NONE && !record.is(schema, SCHEMA)) {
    sink.notice('foreign-schema-version', record.line, 'an event is of another schema version than 1')
  }
}

const MOST_PRINTS = 1024
/** Turns lost by a recorder that are billed one by one. */
const MOST_LOST = 1000

function isRepeated(record: RecordView, state: State, sink: Sink): boolean {
  const print = printOf(record)
  if (state.prints.has(print)) {
    sink.notice('seq-repeat', record.line, 'an event that was read before was passed over')
    return true
  }
  if (state.prints.size >= MOST_PRINTS) state.prints.clear()
  state.prints.add(print)
  return false
}

function delta(step: Step, voice: 'text' | 'thinking'): Bin {
  const { record, data, at, run, state, sink } = step
  const content = record.get(data, K.content)
  if (!record.isString(content)) return Bin.Opaque
  open(run, state, sink)
  return hear(run.talk, voice, record, content, at, sink) ? Bin.Translated : Bin.Folded
}

function turnRequested({ run }: Step): Bin {
  run.spend.requested++
  return Bin.Folded
}

function costLimit(step: Step): Bin {
  step.run.costLimit = true
  return warnings.warn(step)
}

function mustFail(step: Step): Bin {
  step.run.mustFail = step.type
  return warnings.warn(step)
}

/** `recorder.drop_detected`: in the place of an event that was lost (spec §3.1). */
function dropDetected(step: Step): Bin {
  const { record, data, run, state } = step
  const type = record.word(record.get(data, K.dropped_event_type))
  run.dropped++
  state.gapped = true
  if (type === 'usage.delta') {
    if (run.spend.lost.length < MOST_LOST) run.spend.lost.push(identityOf(step))
    run.spend.line = record.line
  }
  return warnings.write(step, step.type, `the recorder dropped an event: ${type ?? '(unknown)'}`)
}

/** Nothing more comes of this run. */
function close(run: Run, state: State, sink: Sink): void {
  if (run.talk.held.length > 0 || run.held.length > 0 || run.pieces.size > 0) open(run, state, sink)
  say(run.talk, sink)
  calls.closePieces(run, 'call', sink)
  calls.closePieces(run, 'output', sink)
  if (run.terminal === null) billUnknown(run, sink)
  const lost = missing(run.sequence)
  if (lost === 0) return
  state.gapped = true
  const line = run.sequence.holes[0]?.line ?? run.line
  const what = lost === 1 ? 'one event of the run is' : `${lost} events of the run are`
  sink.notice('seq-gap', line, `${what} missing`)
}

function opaque(record: RecordView, envelope: Envelope | null, sink: Sink): Bin {
  const at = envelope?.at ?? null
  const vendorType = envelope?.type ?? textAt(record, record.get(record.root, K.type))
  sink.opaque({ at, vendorType, vendorSubtype: null })
  return Bin.Opaque
}

const proof = (reason: string): Evidence => ({ weight: 'proof', reason })

function evidence(record: RecordView, value: Node): Evidence | null {
  if (isAuditEntry(record, value)) {
    return { ...proof('entry of an audit log with prev_hash and entry_hash'), isRun: false }
  }
  const type = record.word(record.get(value, K.type))
  if (type === null) return null
  const has = (key: (typeof K)[keyof typeof K]): boolean => record.get(value, key) !== NONE
  const isText = (key: (typeof K)[keyof typeof K]): boolean => record.isString(record.get(value, key))
  if (isText(K.run_id) && isText(K.event_type) && has(K.payload)) return proof('event of an S3 backup')
  if (type === 'run' && isText(K.run_id) && isText(K.status)) return proof('head of an S3 backup')
  if (isText(K.run_id) && isText(K.id) && isText(K.timestamp) && type.includes('.')) {
    return proof('event with id, run_id, type and timestamp')
  }
  const isKnown = TYPES.has(type) || BOOKKEEPING.has(type) || RESERVED.has(type)
  if (isText(K.ts) && has(K.seq) && (isKnown || type.includes('.')))
    return proof('line of a rollout with ts and seq')
  return isKnown && has(K.payload) ? { weight: 'weak', reason: `type ${type} with a payload` } : null
}
