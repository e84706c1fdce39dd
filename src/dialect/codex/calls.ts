import type { Json, Text } from '../../event/value.ts'
import { Bin } from '../../event/sink.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { encodedJson } from '../encoded.ts'
import { operationsOf } from '../operations.ts'
import { subjectsOf } from '../subjects.ts'
import { type Call, MOST_CALLS } from './open-calls.ts'
import { type Family, familyOf, type Outcome, refusedBy, wrappedExitCode } from './outcome.ts'
import type { Step, Thread } from './state.ts'
import { K, LONGEST_ID } from './words.ts'

/** What a call is made of. */
export interface Request {
  readonly id: Text
  readonly name: Text
  readonly input: Node
  /** The input is JSON inside a string. */
  readonly encoded?: boolean
}

/** Write a call and remember it. A call id that comes twice says nothing of either outcome. */
export function request(step: Step, { id, name, input, encoded }: Request): void {
  const { record, at, thread, sink } = step
  const tool = typeof name === 'number' ? record.word(name) : typeof name === 'string' ? name : null
  const inner = encoded === true ? encodedJson(record, input) : null
  sink.toolRequested({
    at,
    callId: id,
    name,
    input: inner?.json ?? jsonOf(input),
    operations: operationsOf('codex', tool),
    subjects: inner?.subjects ?? subjectsOf(record, input),
    decisionRequired: false,
    deadlineMs: null,
    seam: 'none',
  })
  remember(thread, idOf(record, id), familyOf(tool))
}

function remember({ calls, turns }: Thread, id: string | null, family: Family): void {
  if (id === null) return
  const known = calls.byId.get(id)
  if (known !== undefined) {
    known.outcome = 'unverified'
    return
  }
  if (calls.byId.size >= MOST_CALLS) calls.byId.delete(calls.byId.keys().next().value ?? id)
  const turn = turns.open?.id ?? null
  calls.byId.set(id, { family, turn, answered: false, denied: false, outcome: null, held: null })
}

/** The output of a call, with the evidence of how it ended that came before. */
export function answer(step: Step, id: Text, output: Node): Bin {
  const { record, at, thread, sink } = step
  const call = callOf(thread, idOf(record, id))
  const recorded = call?.outcome ?? null
  const outcome = recorded === 'unverified' ? null : (recorded ?? outcomeIn(record, call, output))
  const held = call?.held ?? null
  sink.toolResult({
    at,
    ...(held === null ? {} : { foldedLines: [held.line] }),
    exitCode: outcome?.exitCode ?? null,
    outcomeSource: recorded === null && outcome !== null ? 'tool_output' : sourceOf(outcome),
    callId: id,
    isError: outcome?.isError ?? null,
    content: jsonOf(output),
    bytes: bytesOf(record, output),
    toolUseResult: held?.item ?? null,
  })
  if (call !== undefined) {
    call.answered = true
    release(thread, call)
  }
  warnRefused(step, id, call, refusedBy(record, output))
  return Bin.Translated
}

/** What an output says by itself: old builds wrap the exit code of commands around it, or flag failure. */
function outcomeIn(record: RecordView, call: Call | undefined, output: Node): Outcome | null {
  const success = record.bool(record.get(output, K.success))
  const plain = { declined: false, contradictory: false }
  if (success !== null) return { ...plain, isError: !success, exitCode: null }
  if (call === undefined || call.family === 'other') return null
  const exitCode = wrappedExitCode(record, output)
  if (exitCode === null) return null
  return { ...plain, isError: exitCode !== 0, exitCode: call.family === 'command' ? exitCode : null }
}

/** The word of the wire for outcomes that come from a record of their own. */
export function sourceOf(outcome: Outcome | null): string | null {
  return outcome === null || outcome.isError === null ? null : 'retained_tool_completion'
}

export function release(thread: Thread, call: Call): void {
  thread.calls.heldBytes -= call.held?.item.bytes.length ?? 0
  call.held = null
}

/** Once a call: a refusal is often told by a record and by an output. */
export function warnRefused(
  step: Step,
  id: Text,
  call: Call | undefined,
  by: 'user' | 'sandbox' | 'declined' | null,
): void {
  if (by === null || call?.denied === true) return
  const { record, at, sink } = step
  if (call !== undefined) call.denied = true
  const callId = idOf(record, id) ?? ''
  const what = {
    user: 'the user refused',
    sandbox: 'the sandbox refused',
    declined: 'approval was declined for',
  }[by]
  const source = by === 'declined' ? '' : ', by the words of its output'
  sink.warning({
    at,
    code: by === 'sandbox' ? 'call-blocked' : 'approval-denied',
    message: `${what} ${callId}${source}`,
    deniedCall: callId,
  })
}

export function callOf(thread: Thread, id: string | null): Call | undefined {
  return id === null ? undefined : thread.calls.byId.get(id)
}

/** An id that can be remembered. */
export function idOf(record: RecordView, id: Text): string | null {
  const text = typeof id === 'string' ? id : typeof id === 'number' ? record.text(id) : null
  return text === null || text.length > LONGEST_ID ? null : text
}

/** The wire wants an id for every call; where Codex wrote none, the line says which call is meant. */
export function madeId(record: RecordView, kind: string): string {
  return `${kind}@${record.line}`
}

export function jsonOf(node: Node): Json {
  return node === NONE ? null : node
}

export function bytesOf(record: RecordView, node: Node): number | null {
  if (record.isNullish(node)) return null
  return record.textBytes(node) ?? record.compactBytes(node)
}
