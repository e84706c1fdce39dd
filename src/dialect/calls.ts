import type { Sink } from '../event/sink.ts'
import type { Json, Text } from '../event/value.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'
import type { EncodedJson } from './encoded.ts'
import { subjectsOf } from './subjects.ts'

/** A call of a tool, whichever harness writes it. */
export interface Call {
  readonly at: Text
  readonly callId: Text
  readonly name: Text
  /** The input as a value of the record, or as JSON that was inside a string of it. */
  readonly input: Node | EncodedJson
  readonly operations: readonly string[]
}

/** Write a call. Decided by the harness itself, so by nobody of ours. */
export function requestCall(record: RecordView, call: Call, sink: Sink): void {
  const { at, callId, name, input, operations } = call
  const encoded = typeof input === 'number' ? null : input
  const node = typeof input === 'number' ? input : NONE
  sink.toolRequested({
    at,
    callId,
    name,
    input: encoded === null ? jsonOf(node) : encoded.json,
    operations,
    subjects: encoded === null ? subjectsOf(record, node) : encoded.subjects,
    decisionRequired: false,
    deadlineMs: null,
    seam: 'none',
  })
}

/** What came back from a tool. */
export interface Answer {
  readonly at: Text
  readonly callId: Text
  readonly content: Node
  /** Null when the harness does not say. */
  readonly isError: boolean | null
  readonly exitCode?: number | null
  /** The harness's own record of the result, beside its content. */
  readonly own?: Node
}

/** Write a result; `bytes` is the UTF-8 length of a string, else of the compact JSON. */
export function answerCall(record: RecordView, answer: Answer, sink: Sink): void {
  const { at, callId, content, isError, exitCode, own } = answer
  sink.toolResult({
    at,
    exitCode: exitCode ?? null,
    outcomeSource: null,
    callId,
    isError,
    content: jsonOf(content),
    bytes: content === NONE ? null : (record.textBytes(content) ?? record.compactBytes(content)),
    toolUseResult: own === undefined || record.isNullish(own) ? null : own,
  })
}

function jsonOf(node: Node): Json {
  return node === NONE ? null : node
}

/** Calls remembered by their ids, oldest first. */
const MOST_CALLS = 10_000
/** Ids longer than this are no ids: they are not remembered, so that memory stays bounded. */
const LONGEST_ID = 512

/** Remember a call; false when it was remembered already. */
export function noteCall(id: string | null, calls: Set<string>): boolean {
  if (id === null || id.length > LONGEST_ID) return true
  if (calls.has(id)) return false
  if (calls.size >= MOST_CALLS) calls.delete(calls.values().next().value ?? '')
  calls.add(id)
  return true
}
