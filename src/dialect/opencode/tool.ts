import type { Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { Shape } from '../../kernel/shape.ts'
import { answerCall, requestCall } from '../calls.ts'
import { operationsOf } from '../operations.ts'
import { timeAt } from '../times.ts'

const STATE = new Shape('status', 'input', 'output', 'error', 'metadata', 'time')
const K = keys('start', 'end', 'exit', 'exitCode')
/** Exit codes of the wire are signed and have 32 bits. */
const MOST_EXIT = 2 ** 31

/** How a call ended, by its status; a call of any other status is still under way. */
const ENDS: Readonly<Record<string, boolean>> = {
  completed: false,
  success: false,
  done: false,
  ok: false,
  error: true,
  failed: true,
  failure: true,
  cancelled: true,
  canceled: true,
}

/** How the harness words that a call was not allowed: by its user, and by a rule. */
const REFUSED: readonly (readonly [words: string, code: string])[] = [
  ['The user rejected permission to use this specific tool call', 'approval-denied'],
  ['The user has specified a rule which prevents you from using this specific tool call', 'call-blocked'],
]

/** What stands for a call that could not be read. */
const INVALID = 'invalid'

/** A call as its part tells it. */
export interface ToolPart {
  readonly name: Node
  /** `name`, read. */
  readonly word: string
  readonly callId: Text
  readonly state: Node
  /** When the part has no times of its own. */
  readonly at: Text
}

/**
 * A part of type `tool`: the call, and once it ended its result. A shell command that failed is told by its exit code,
 * with status `completed` (spec vendor-transcripts §7).
 */
export function toolPart(record: RecordView, part: ToolPart, sink: Sink): void {
  const { name, word, callId, at } = part
  const { status, input, output, error, metadata, time } = STATE.read(record, part.state)
  const begun = timeAt(record, record.get(time, K.start)) ?? at
  const operations = operationsOf('opencode', word.toLowerCase())
  requestCall(record, { at: begun, callId, name, input, operations }, sink)
  const ended = ENDS[record.word(status) ?? '']
  if (ended === undefined) return
  const exitCode = exitOf(record, metadata)
  const isError = ended || word === INVALID || (exitCode !== null && exitCode !== 0)
  const content = error !== NONE && (ended || output === NONE) ? error : output
  const over = timeAt(record, record.get(time, K.end)) ?? at
  answerCall(record, { at: over, callId, content, isError, exitCode, own: metadata }, sink)
  const refusal = ended ? refusalIn(record.text(error)) : null
  if (refusal !== null) sink.warning({ at: over, code: refusal, message: error, deniedCall: callId })
}

function exitOf(record: RecordView, metadata: Node): number | null {
  const exit =
    record.integer(record.get(metadata, K.exit)) ?? record.integer(record.get(metadata, K.exitCode))
  return exit === null || exit < -MOST_EXIT || exit >= MOST_EXIT ? null : exit
}

function refusalIn(words: string | null): string | null {
  return REFUSED.find(([beginning]) => words?.startsWith(beginning) === true)?.[1] ?? null
}
