import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'

const K = keys('status', 'exit_code', 'success', 'result', 'error', 'Ok', 'Err', 'isError', 'is_error')

/** What a tool is, as far as evidence of its outcome goes (spec metaharness-event-1 §8). */
export type Family = 'command' | 'patch' | 'other'

const COMMANDS: ReadonlySet<string> = new Set(
  'exec exec_command shell shell_command local_shell container.exec unified_exec'.split(' '),
)

export function familyOf(tool: string | null): Family {
  if (tool === null) return 'other'
  if (COMMANDS.has(tool)) return 'command'
  return tool === 'apply_patch' ? 'patch' : 'other'
}

/** What the harness recorded of how a call ended. Null is unknown, which is not success. */
export interface Outcome {
  readonly isError: boolean | null
  readonly exitCode: number | null
  readonly declined: boolean
  /** Its fields contradict each other. */
  readonly contradictory: boolean
}

const UNKNOWN: Outcome = { isError: null, exitCode: null, declined: false, contradictory: false }
const CONTRADICTORY: Outcome = { ...UNKNOWN, contradictory: true }

/**
 * Of a command: success is `completed` with exit code 0, failure is `failed` or `declined` without code or with another. A
 * code that no process can have is none. Builds that write no status are taken by their exit code.
 */
export function commandOutcome(record: RecordView, item: Node): Outcome {
  const status = record.word(record.get(item, K.status))
  const node = record.get(item, K.exit_code)
  const exitCode = exitCodeOf(record, node)
  if (status === 'failed' || status === 'declined') {
    if (exitCode === 0) return CONTRADICTORY
    return { isError: true, exitCode, declined: status === 'declined', contradictory: false }
  }
  if (status === 'completed' || status === null) {
    if (exitCode === null) return record.isNullish(node) ? UNKNOWN : CONTRADICTORY
    if (status === 'completed' && exitCode !== 0) return CONTRADICTORY
    return { isError: exitCode !== 0, exitCode, declined: false, contradictory: false }
  }
  return UNKNOWN
}

/** Of a patch: `completed`, `failed`, `declined`, in older builds also `success`. A patch has no exit code. */
export function patchOutcome(record: RecordView, item: Node): Outcome {
  const status = record.word(record.get(item, K.status))
  const success = record.bool(record.get(item, K.success))
  const said = status === 'completed' ? true : status === 'failed' || status === 'declined' ? false : null
  if (said !== null && success !== null && said !== success) return CONTRADICTORY
  const well = said ?? success
  return well === null ? UNKNOWN : { ...UNKNOWN, isError: !well, declined: status === 'declined' }
}

/** Of a tool behind MCP or of a host: a status, a `Result` as Rust writes it, or a flag. */
export function otherOutcome(record: RecordView, item: Node): Outcome {
  const result = record.get(item, K.result)
  if (record.get(result, K.Err) !== NONE) return { ...UNKNOWN, isError: true }
  const ok = record.get(result, K.Ok)
  const flagged = isFlagged(record, ok) ?? isFlagged(record, result)
  if (flagged === true) return { ...UNKNOWN, isError: true }
  const status = record.word(record.get(item, K.status))
  const success = record.bool(record.get(item, K.success))
  if (status === 'failed' || status === 'declined' || success === false) {
    return { ...UNKNOWN, isError: true, declined: status === 'declined' }
  }
  if (!record.isNullish(record.get(item, K.error))) return { ...UNKNOWN, isError: true }
  const well = status === 'completed' || success === true || flagged === false || record.isObject(ok)
  return well ? { ...UNKNOWN, isError: false } : UNKNOWN
}

function isFlagged(record: RecordView, result: Node): boolean | null {
  return record.bool(record.get(result, K.isError)) ?? record.bool(record.get(result, K.is_error))
}

/** A code that a process can have, in 32 bits; null for anything else. */
function exitCodeOf(record: RecordView, node: Node): number | null {
  const code = record.integer(node)
  return code !== null && (code | 0) === code ? code : null
}

/** Bytes at the end of an output in which its metadata stand. */
const TAIL_BYTES = 160
const HEAD = '"{\\"output\\":'
const METADATA = /\\"metadata\\":\{\\"exit_code\\":(-?\d{1,10}),\\"duration_seconds\\":[\d.eE+-]+\}\}"$/

/**
 * The exit code that older builds put around the output of a command, `{"output":…,"metadata":{"exit_code":…}}` inside a
 * string. Read from its two ends, where the output itself cannot reach: its quotes are escaped twice. Null when the output is not
 * in that form. A sentence in the text is no evidence.
 */
export function wrappedExitCode(record: RecordView, output: Node): number | null {
  if (!record.isString(output)) return null
  const start = record.words[output]!
  const end = record.words[output + 1]!
  if (record.bytes.latin1Slice(start, Math.min(end, start + HEAD.length)) !== HEAD) return null
  const match = METADATA.exec(record.bytes.latin1Slice(Math.max(start, end - TAIL_BYTES), end))
  const code = match === null ? Number.NaN : Number(match[1])
  return (code | 0) === code ? code : null
}

/** Bytes at the beginning of an output that are looked at for the words of a refusal. */
const WORDS_BYTES = 240
const REFUSED_BY_USER =
  /^(?:(?:exec command|exec_command|command|patch|apply_patch|user)[: ]+)*(?:was )?(?:rejected by user|(?:rejected|cancelled) MCP tool call)|^(?:patch|command|exec command) rejected: .*rejected by user/i
const REFUSED_BY_SANDBOX = /^failed in sandbox .*sandbox denied|^approval required by policy/i

/** Who refused a call, by the fixed words that Codex then writes in place of its output; null when they are not there. */
export function refusedBy(record: RecordView, output: Node): 'user' | 'sandbox' | null {
  if (!record.isString(output)) return null
  const start = record.words[output]! + 1
  const words = record.bytes.latin1Slice(start, Math.min(record.words[output + 1]! - 1, start + WORDS_BYTES))
  if (REFUSED_BY_USER.test(words)) return 'user'
  return REFUSED_BY_SANDBOX.test(words) ? 'sandbox' : null
}
