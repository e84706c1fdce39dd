import { Bin, type Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { type Key, keys } from '../../kernel/key.ts'
import { type JsonBytes, NONE, type Node, type RecordView } from '../../kernel/record.ts'
import type { State } from './state.ts'

const K = keys(
  'action',
  'command',
  'endLine',
  'exitCode',
  'isSuccess',
  'path',
  'query',
  'skillName',
  'startLine',
  'subagentId',
  'subagentName',
  'workingDirectory',
)

/** What a type does, and the fields that say to what. */
const TOOLS: Readonly<
  Record<string, { readonly operations: readonly string[]; readonly input: readonly Key[] }>
> = {
  command: { operations: ['shell'], input: [K.command, K.workingDirectory] },
  read: { operations: ['file.read'], input: [K.path, K.startLine, K.endLine] },
  write: { operations: ['file.write'], input: [K.path, K.startLine, K.endLine] },
  search: { operations: ['search'], input: [K.query, K.path] },
  list: { operations: ['dir.list'], input: [K.path] },
  skill: { operations: ['skill.load'], input: [K.path, K.skillName, K.startLine, K.endLine] },
}
const tools = new Map(Object.entries(TOOLS))
const SPAWN = ['subagent.spawn'] as const

/** Subagents that are followed from their beginning to their end. */
const MOST_SUBAGENTS = 10_000
const LONGEST_ID = 512

/**
 * A tool event: a call and, when it tells how the call ended, its result. The name is the type: which tool of the harness
 * it was is not told. Contents never are.
 */
export function callRecord(record: RecordView, type: string, at: Text, sink: Sink): Bin {
  const { root } = record
  const tool = tools.get(type)
  if (tool === undefined) return Bin.Opaque
  const [first] = tool.input
  if (type !== 'list' && (first === undefined || !record.isString(record.get(root, first)))) return Bin.Opaque
  const path = type === 'command' ? null : record.text(record.get(root, K.path))
  request(
    record,
    at,
    idOf(record),
    type,
    tool.operations,
    tool.input,
    path === null ? [] : [`file:${path}`],
    sink,
  )
  answer(record, at, idOf(record), sink)
  return Bin.Translated
}

/** A subagent: begun, and ended by another event with the same id, or by one that stands alone. */
export function orchestration(record: RecordView, at: Text, { begun }: State, sink: Sink): Bin {
  const { root } = record
  const action = record.word(record.get(root, K.action))
  const isStart = action === 'subagent_started'
  if (!isStart && action !== 'subagent_completed' && action !== 'subagent_failed') return Bin.Opaque
  const id = record.text(record.get(root, K.subagentId))
  const call = id === null || id.length > LONGEST_ID ? null : id
  const callId = call ?? idOf(record)
  if (isStart || call === null || !begun.has(call)) {
    request(record, at, callId, 'orchestration', SPAWN, [K.subagentId, K.subagentName], [], sink)
  }
  if (isStart && call !== null && begun.size < MOST_SUBAGENTS) begun.add(call)
  if (isStart) return Bin.Translated
  answer(record, at, callId, sink, action === 'subagent_failed')
  return Bin.Translated
}

function request(
  record: RecordView,
  at: Text,
  callId: string,
  name: string,
  operations: readonly string[],
  input: readonly Key[],
  subjects: readonly string[],
  sink: Sink,
): void {
  sink.toolRequested({
    at,
    callId,
    name,
    input: part(record, input),
    operations,
    subjects,
    decisionRequired: false,
    deadlineMs: null,
    seam: 'none',
  })
}

/** Whether a call succeeded is a field of three values: absent is unknown, and then there is nothing to be written. */
function answer(
  record: RecordView,
  at: Text,
  callId: string,
  sink: Sink,
  hasFailed: boolean | null = null,
): void {
  const { root } = record
  const success = record.bool(record.get(root, K.isSuccess))
  const exitCode = record.integer(record.get(root, K.exitCode))
  const isError = success === null ? hasFailed : !success
  if (isError === null && exitCode === null) return
  sink.toolResult({
    at,
    exitCode,
    outcomeSource: null,
    callId,
    isError,
    content: null,
    bytes: null,
    toolUseResult: null,
  })
}

/** Calls have no ids. */
function idOf(record: RecordView): string {
  return `line-${record.line}`
}

/** An object of some fields of the record, as they are spelled there; lists and objects are none of theirs. */
function part(record: RecordView, fields: readonly Key[]): JsonBytes {
  const named = fields
    .map((field): [Key, Node] => [field, record.get(record.root, field)])
    .filter(([, node]) => node !== NONE && !record.isObject(node) && !record.isArray(node))
  const text = named.map(([{ name }, node]) => `"${name}":${record.raw(node)}`).join(',')
  return { bytes: Buffer.from(`{${text}}`), suspect: record.suspect }
}
