import type { ToolResult } from '../../event/events.ts'
import type { Json } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { Shape } from '../../kernel/shape.ts'
import type { Lines } from './step.ts'

/** Words by which harnesses say that a call was broken off, of the result itself or of their own record of it. */
const INTERRUPTIONS = new Shape('interrupted', 'is_interrupted', 'is_interruption')

/** Harnesses whose results name only failures: one that says nothing succeeded. */
const SILENCE_IS_SUCCESS: ReadonlySet<string> = new Set(['claude'])

const K = keys('file', 'filePath', 'startLine', 'numLines', 'status', 'tool_use_result', 'toolUseResult')

/** How a call came out; null when the harness does not say. */
export interface Outcome {
  readonly success: boolean | null
  readonly exitCode: number | null
}

/** @param piece the value that the result was made from */
export function outcomeOf(
  record: RecordView,
  result: ToolResult,
  piece: Node,
  harness: string | null,
): Outcome {
  const exitCode = isInt32(result.exitCode) ? result.exitCode : null
  if (wasInterrupted(record, piece) || wasInterrupted(record, nodeIn(result.toolUseResult))) {
    return { success: false, exitCode }
  }
  if (result.isError !== null) return { success: !result.isError, exitCode }
  if (exitCode !== null) return { success: exitCode === 0, exitCode }
  return { success: SILENCE_IS_SUCCESS.has(harness ?? '') ? true : null, exitCode }
}

/** A subagent that the result says was only started. */
export function isLaunchOnly(record: RecordView, result: ToolResult): boolean {
  return record.word(record.get(nodeIn(result.toolUseResult), K.status)) === 'async_launched'
}

/** The file that a result without a call says it shows; null when it names none. */
export function shownFile(
  record: RecordView,
  result: ToolResult,
  piece: Node,
): ({ readonly path: string } & Lines) | null {
  for (const own of [
    nodeIn(result.toolUseResult),
    record.get(piece, K.tool_use_result),
    record.get(piece, K.toolUseResult),
  ]) {
    const file = record.get(own, K.file)
    const path = record.text(record.get(file, K.filePath))
    if (path === null || path === '') continue
    const start = record.integer(record.get(file, K.startLine))
    const count = record.integer(record.get(file, K.numLines))
    const startLine = start === null || start < 1 ? null : start
    const endLine = startLine === null || count === null || count < 1 ? null : startLine + count - 1
    return { path, startLine, endLine }
  }
  return null
}

function wasInterrupted(record: RecordView, node: Node): boolean {
  if (node === NONE) return false
  const said = INTERRUPTIONS.read(record, node)
  return (
    record.bool(said.interrupted) === true ||
    record.bool(said.is_interrupted) === true ||
    record.bool(said.is_interruption) === true
  )
}

function nodeIn(value: Json): Node {
  return typeof value === 'number' ? value : NONE
}

function isInt32(value: number | null): value is number {
  return value !== null && Number.isInteger(value) && value >= -0x80000000 && value <= 0x7fffffff
}
