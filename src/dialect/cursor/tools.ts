import { Bin, type Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { answerCall, noteCall, requestCall } from '../calls.ts'
import { encodedJson } from '../encoded.ts'
import { operationsOf } from '../operations.ts'

const K = keys('args', 'result', 'function', 'name', 'arguments', 'exitCode', 'reason', 'toolName')

/** Outcomes that are a failure of the tool, and those that are a refusal to run it. */
const FAILED: ReadonlySet<string> = new Set(['error', 'failure', 'timeout', 'fileNotFound', 'invalidFile'])
const REFUSED: ReadonlySet<string> = new Set(['permissionDenied', 'rejected', 'spawnError', 'userRejected'])

interface Tool {
  /** The word that says which tool it is. */
  readonly name: string
  readonly args: Node
  readonly result: Node
}

/** `{"readToolCall":{args,result}}`, or in older versions `{"function":{name,arguments}}`; null when it is neither. */
function toolOf(record: RecordView, node: Node): Tool | null {
  for (let child = record.first(node); child !== NONE; child = record.next(child)) {
    if (!record.isObject(child)) continue
    const word = record.key(child)
    const result = record.get(child, K.result)
    if (word === 'function') {
      const name = record.text(record.get(child, K.name))
      return name === null ? null : { name, args: record.get(child, K.arguments), result }
    }
    if (word.endsWith('ToolCall')) return { name: word, args: record.get(child, K.args), result }
  }
  return null
}

/** A `tool_call` record: the call when it starts, its result when it is over. Null when it cannot be read. */
export function toolCall(
  record: RecordView,
  call: {
    readonly subtype: string | null
    readonly callId: Node
    readonly toolCall: Node
    readonly at: Text
  },
  calls: Set<string>,
  sink: Sink,
): Bin | null {
  const { subtype, callId, at } = call
  const tool = toolOf(record, call.toolCall)
  const id = record.text(callId)
  if (tool === null || id === null) return null
  const isNew = noteCall(id, calls)
  if (subtype === 'started' || isNew) {
    const input = encodedJson(record, tool.args) ?? tool.args
    const operations = operationsOf('cursor', tool.name)
    requestCall(record, { at, callId, name: tool.name, input, operations }, sink)
  }
  if (subtype === 'started') return Bin.Translated
  if (subtype !== 'completed') return isNew ? Bin.Translated : Bin.Bookkeeping
  answer(record, callId, id, tool.result, at, sink)
  return Bin.Translated
}

/** The result is one object whose only key is the outcome. A refusal is told by a key of its own. */
function answer(record: RecordView, callId: Node, id: string, node: Node, at: Text, sink: Sink): void {
  const child = record.isObject(node) ? record.first(node) : NONE
  const outcome = child === NONE ? null : record.key(child)
  const isRefused = outcome !== null && REFUSED.has(outcome)
  answerCall(
    record,
    {
      at,
      callId,
      content: child === NONE ? node : child,
      isError:
        outcome === 'success' ? false : isRefused || (outcome !== null && FAILED.has(outcome)) ? true : null,
      exitCode: exitCodeOf(record, child),
    },
    sink,
  )
  if (!isRefused) return
  const why = record.text(record.get(child, K.reason)) ?? ''
  const message = `${id} was refused (${outcome})${why === '' ? '' : `: ${why}`}`
  sink.warning({ at, code: 'approval-denied', message, deniedCall: callId })
}

function exitCodeOf(record: RecordView, outcome: Node): number | null {
  const code = record.integer(record.get(outcome, K.exitCode))
  return code !== null && Math.abs(code) < 2 ** 31 ? code : null
}
