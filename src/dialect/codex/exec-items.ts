import { Bin, type Sink } from '../../event/sink.ts'
import type { Json, Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { Shape } from '../../kernel/shape.ts'
import { noteCall } from '../calls.ts'
import { operationsOf } from '../operations.ts'
import { subjectsOf } from '../subjects.ts'
import { children, textAt } from '../values.ts'
import { commandOutcome, type Outcome, otherOutcome, patchOutcome } from './outcome.ts'

/** What every item of `codex exec --json` is asked for; preview builds had `item_type`. */
export const ITEM = new Shape('id', 'type', 'item_type', 'text', 'message')

const K = keys(
  'action',
  'aggregated_output',
  'agents_states',
  'arguments',
  'changes',
  'command',
  'error',
  'items',
  'message',
  'path',
  'prompt',
  'query',
  'result',
  'server',
  'tool',
)

/** Types of items that are words; they come when they are complete. */
const WORDS: ReadonlySet<string> = new Set([
  'agent_message',
  'assistant_message',
  'plan',
  'reasoning',
  'error',
])
/** Types of items that are calls. */
const CALLS: ReadonlySet<string> = new Set(
  'command_execution file_change mcp_tool_call collab_tool_call web_search todo_list'.split(' '),
)

function typeOf(record: RecordView, item: Node): string {
  const { type, item_type: old } = ITEM.read(record, item)
  return record.word(type === NONE ? old : type) ?? ''
}

/** The model was at work: an item of its own, not an error. */
export function showsWork(record: RecordView, item: Node): boolean {
  return typeOf(record, item) !== 'error'
}

/** `item.started` and `item.updated`. A list of tasks is a call again each time it changes. */
export function seeItem(record: RecordView, item: Node, type: string, items: Set<string>, sink: Sink): Bin {
  const kind = typeOf(record, item)
  if (WORDS.has(kind)) return Bin.Folded
  if (!CALLS.has(kind)) return Bin.Opaque
  const { id } = ITEM.read(record, item)
  if (!record.isString(id)) return Bin.Opaque
  const isNew = noteCall(record.text(id), items)
  if (!isNew && (type === 'item.started' || kind !== 'todo_list')) return Bin.Folded
  ask(record, item, kind, sink)
  return Bin.Translated
}

/** `item.completed`: words, or the result of a call, which may never have been seen to start. */
export function completeItem(record: RecordView, item: Node, items: Set<string>, sink: Sink): Bin {
  const kind = typeOf(record, item)
  if (WORDS.has(kind)) return say(record, item, kind, sink)
  if (!CALLS.has(kind)) return Bin.Opaque
  const { id } = ITEM.read(record, item)
  const callId = textAt(record, id) ?? `${kind}@${record.line}`
  const known = record.text(id)
  if (known === null || !items.delete(known)) ask(record, item, kind, sink)
  const { outcome, content } = sessionEnd(record, item, kind)
  if (outcome.contradictory) {
    const message = `how ${known ?? kind} ended is not known: the evidence contradicts itself`
    sink.warning({ at: null, code: 'TOOL_OUTCOME_UNVERIFIED', message })
  }
  sink.toolResult({
    at: null,
    exitCode: outcome.exitCode,
    outcomeSource: outcome.isError === null ? null : 'retained_tool_completion',
    callId,
    isError: outcome.isError,
    content: jsonOf(content),
    bytes: record.isNullish(content) ? null : (record.textBytes(content) ?? record.compactBytes(content)),
    toolUseResult: item,
  })
  if (outcome.declined) {
    sink.warning({
      at: null,
      code: 'approval-denied',
      message: `approval was declined for ${known ?? ''}`,
      deniedCall: callId,
    })
  }
  return Bin.Translated
}

function say(record: RecordView, item: Node, kind: string, sink: Sink): Bin {
  const { text, message } = ITEM.read(record, item)
  if (kind === 'error') {
    if (!record.isString(message)) return Bin.Opaque
    sink.warning({ at: null, code: 'error', message, severity: 'error' })
    return Bin.Translated
  }
  if (!record.isString(text)) return Bin.Opaque
  if (kind === 'reasoning') sink.thinking({ at: null, text, requestId: null })
  else sink.text({ at: null, text, requestId: null })
  return Bin.Translated
}

/** Items name no tools but their kinds; MCP tools are named as in rollouts. */
function ask(record: RecordView, item: Node, kind: string, sink: Sink): void {
  const { id } = ITEM.read(record, item)
  const name = nameOf(record, item, kind)
  const input = inputOf(record, item, kind)
  sink.toolRequested({
    at: null,
    callId: textAt(record, id) ?? `${kind}@${record.line}`,
    name,
    input: jsonOf(input),
    operations: operationsOf('codex', typeof name === 'number' ? record.word(name) : name),
    subjects: kind === 'file_change' ? changedFiles(record, input) : subjectsOf(record, input),
    decisionRequired: false,
    deadlineMs: null,
    seam: 'none',
  })
}

function nameOf(record: RecordView, item: Node, kind: string): Node | string {
  const tool = textAt(record, record.get(item, K.tool))
  if (kind === 'collab_tool_call') return tool ?? kind
  if (kind !== 'mcp_tool_call' || tool === null) return kind
  return `mcp__${record.text(record.get(item, K.server)) ?? ''}__${record.text(tool) ?? ''}`
}

function inputOf(record: RecordView, item: Node, kind: string): Node {
  if (kind === 'command_execution') return record.get(item, K.command)
  if (kind === 'file_change') return record.get(item, K.changes)
  if (kind === 'mcp_tool_call') return record.get(item, K.arguments)
  if (kind === 'collab_tool_call') return record.get(item, K.prompt)
  if (kind === 'todo_list') return record.get(item, K.items)
  const action = record.get(item, K.action)
  return record.isNullish(action) ? record.get(item, K.query) : action
}

function changedFiles(record: RecordView, changes: Node): string[] {
  return children(record, changes, (change): Text => {
    const path = record.text(record.get(change, K.path))
    return path === null ? null : `file:${path}`
  }).filter((subject) => typeof subject === 'string')
}

function sessionEnd(
  record: RecordView,
  item: Node,
  kind: string,
): { readonly outcome: Outcome; readonly content: Node } {
  if (kind === 'command_execution') {
    return { outcome: commandOutcome(record, item), content: record.get(item, K.aggregated_output) }
  }
  if (kind === 'file_change') return { outcome: patchOutcome(record, item), content: NONE }
  const outcome = otherOutcome(record, item)
  if (kind === 'todo_list') return { outcome, content: record.get(item, K.items) }
  if (kind === 'collab_tool_call') return { outcome, content: record.get(item, K.agents_states) }
  const error = record.get(record.get(item, K.error), K.message)
  return { outcome, content: error === NONE ? record.get(item, K.result) : error }
}

function jsonOf(node: Node): Json {
  return node === NONE ? null : node
}
