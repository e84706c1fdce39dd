import { Bin } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { type JsonBytes, NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { operationsOf } from '../operations.ts'
import { b10xEntry, b10xSubjects } from '../subjects.ts'
import { jsonAt, textAt, textsAt } from '../values.ts'
import { K } from './words.ts'
import { KEPT_BYTES, type OpenCall, type State, type Step } from './state.ts'

/** Calls without a result that are remembered. */
const OPEN_CALLS = 65_536

/** `tool-requested`: the record's own operation and subjects, which only newer builds write, else those of its entry. */
export function requested(step: Step): Bin {
  const { record, fields, scope, state, sink } = step
  const id = textAt(record, fields.call_id)
  const name = textAt(record, fields.name)
  if (id === null || name === null) return Bin.Opaque
  const input = fields.arguments
  const [entry, entryInput] = b10xEntry(record, record.word(name), input)
  const operation = textAt(record, fields.operation)
  sink.toolRequested({
    at: null,
    callId: scoped(step, id),
    name,
    input: jsonAt(input),
    operations: operation === null ? operationsOf('b10x', entry) : [operation],
    subjects: textsAt(record, fields.subjects) ?? b10xSubjects(record, entry, entryInput),
    decisionRequired: false,
    deadlineMs: null,
    seam: 'none',
  })
  const call: OpenCall = { name: record.word(name), input: null }
  nameLatest(record, state)
  if (state.calls.size === 0) state.latest = { scope, id, call }
  else open(state, key(scope, record.word(id) ?? ''), call)
  rememberInput(call, record, input, state)
  return Bin.Translated
}

/** `tool-completed`: the record holds no content. */
export function completed(step: Step): Bin {
  const { record, fields, scope, state, sink } = step
  const id = textAt(record, fields.call_id)
  if (id === null) return Bin.Opaque
  sink.toolResult({
    at: null,
    exitCode: null,
    outcomeSource: null,
    callId: scoped(step, id),
    isError: record.bool(fields.failed),
    content: null,
    bytes: null,
    toolUseResult: null,
  })
  const { latest } = state
  if (latest !== null && latest.scope === scope && record.isSpelledAs(id, latest.id)) {
    state.latest = null
    state.callBytes = 0
  } else {
    nameLatest(record, state)
    close(state, key(scope, record.word(id) ?? ''))
  }
  return Bin.Translated
}

/** `approval-required`: names the entry that the approver is asked about, also behind `tool_invoke`. */
export function approvalRequired({ record, fields, scope, state }: Step): Bin {
  const id = record.word(fields.call_id)
  if (id === null) return Bin.Bookkeeping
  const call = key(scope, id)
  const name = record.word(fields.name)
  nameLatest(record, state)
  const asked = state.calls.get(call)
  if (asked === undefined) open(state, call, { name, input: null })
  else asked.name = name
  return Bin.Bookkeeping
}

/** `approval-resolved`: whatever is not `approved: true` is a denial (spec §7). */
export function approvalResolved(step: Step): Bin {
  const { record, fields, scope, state, sink } = step
  if (record.bool(fields.approved) === true) return Bin.Bookkeeping
  const id = record.word(fields.call_id)
  const callId = id === null ? null : key(scope, id)
  sink.warning({
    at: null,
    code: 'approval-denied',
    message: `the approver denied ${callId ?? 'an unnamed call'}`,
    ...(callId === null ? {} : { deniedCall: callId }),
  })
  nameLatest(record, state)
  const call = callId === null ? undefined : state.calls.get(callId)
  const bytes = 64 + (callId?.length ?? 0) + (call?.input?.length ?? 0)
  if (state.denialBytes + bytes > KEPT_BYTES) {
    sink.notice('denials-left-out', record.line, 'the list of permission denials is too long and was cut')
    return Bin.Translated
  }
  state.denialBytes += bytes
  state.denials.push({ toolName: call?.name ?? null, toolUseId: callId, toolInput: inputOf(record, call) })
  return Bin.Translated
}

/** `hook-ran`: a hook that lets things pass says nothing; one that blocks or breaks is a warning. */
export function hookRan({ record, fields, node, scope, sink }: Step): Bin {
  const decision = record.get(node, K.decision)
  const kind = record.word(record.get(decision, K.kind))
  if (kind === 'proceed') return Bin.Bookkeeping
  if (kind !== 'block' && kind !== 'failed') return Bin.Opaque
  const point = record.word(record.get(node, K.point)) ?? 'unnamed'
  const id = record.word(fields.call_id)
  const callId = id === null ? null : key(scope, id)
  const reason = record.text(record.get(decision, K.reason)) ?? record.text(record.get(decision, K.program))
  const verb = kind === 'block' ? 'refused' : 'failed'
  const about = callId === null ? '' : kind === 'block' ? ` ${callId}` : ` for ${callId}`
  sink.warning({
    at: null,
    code: `hook-${verb}`,
    message: `the ${point} hook ${verb}${about}${reason === null ? '' : `: ${reason}`}`,
    ...(kind === 'block' && point === 'before-call' && callId !== null ? { deniedCall: callId } : {}),
  })
  return Bin.Translated
}

/** The id of a call as written: a delegate's own ids could collide with those of the run (spec §7). */
function scoped({ record, scope }: Step, id: Text): Text {
  if (scope === '' || typeof id !== 'number') return id
  return key(scope, record.text(id) ?? '')
}

function key(scope: string, id: string): string {
  return scope === '' ? id : `${scope}/${id}`
}

/** Ids repeat: the last request of an id is the open one. Of too many that never end the oldest are forgotten. */
function open(state: State, id: string, call: OpenCall): void {
  close(state, id)
  if (state.calls.size >= OPEN_CALLS) close(state, state.calls.keys().next().value ?? id)
  state.calls.set(id, call)
}

/** Put the only open call among those with a name: another comes, or it is asked for. */
function nameLatest(record: RecordView, state: State): void {
  const { latest } = state
  if (latest === null) return
  state.latest = null
  open(state, key(latest.scope, record.word(latest.id) ?? ''), latest.call)
}

function close(state: State, call: string): void {
  const known = state.calls.get(call)
  if (known === undefined) return
  state.calls.delete(call)
  state.callBytes -= known.input?.length ?? 0
}

function rememberInput(call: OpenCall, record: RecordView, node: Node, state: State): void {
  const length = record.rawBytes(node)
  if (node === NONE || state.callBytes + length > KEPT_BYTES) return
  call.input = { node, length, suspect: record.suspect, bytes: null }
  state.callBytes += length
}

/** Copy the inputs of the calls that are still open when their records go. */
export function keepInputs(record: RecordView, state: State): void {
  nameLatest(record, state)
  for (const { input } of state.calls.values())
    if (input !== null) input.bytes ??= record.keep(input.node).bytes
}

function inputOf(record: RecordView, call: OpenCall | undefined): JsonBytes | null {
  const input = call?.input ?? null
  if (input === null) return null
  return { bytes: input.bytes ?? record.keep(input.node).bytes, suspect: input.suspect }
}
