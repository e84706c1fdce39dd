import { createHash } from 'node:crypto'
import { Bin, type Sink } from '../../event/sink.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { answerCall, requestCall } from '../calls.ts'
import { encodedJson } from '../encoded.ts'
import { operationsOf } from '../operations.ts'
import { keptTimeOf } from '../times.ts'
import { textAt } from '../values.ts'
import { open } from './early.ts'
import type { Call, Run, Step } from './state.ts'
import { clip, write } from './warnings.ts'
import { K } from './words.ts'

/** Calls, and things in pieces, that are remembered for each run. */
const MOST_CALLS = 65_536
const MOST_PIECES = 4096
/** UTF-16 units; a longer id is not followed. */
const LONGEST_ID = 1024
/** Bytes of an output that are looked through for what it says of its end. */
const MOST_OUTPUT = 4 * 1024 * 1024

const MCP_CALL: readonly string[] = Object.freeze(['mcp.call'])

/** `tool.call.started`: arguments are JSON in a string, as the model sent it; what is no JSON stays a string. */
export function started(step: Step): Bin {
  const { record, data, at, run, state, sink } = step
  const callId = textAt(record, record.get(data, K.call_id))
  const name = textAt(record, record.get(data, K.tool))
  if (callId === null || name === null) return Bin.Opaque
  open(run, state, sink)
  const tool = record.word(name)
  const written = record.get(data, K.arguments)
  requestCall(
    record,
    { at, callId, name, input: encodedJson(record, written) ?? written, operations: operations(tool) },
    sink,
  )
  const id = record.text(callId) ?? ''
  remember(run, id, { tool, denied: false, done: false })
  run.pieces.delete(deltasOf(run, id))
  return Bin.Translated
}

/**
 * `tool.call.completed`. A variant without output only warns that the call cannot be undone, and the real one follows
 * (spec §2.1); of several real ones the first counts. A failure is an `error` beside the output or in it.
 */
export function completed(step: Step): Bin {
  const { record, data, at, run, state, sink } = step
  const callId = textAt(record, record.get(data, K.call_id))
  if (callId === null) return Bin.Opaque
  const output = record.get(data, K.output)
  const error = record.get(data, K.error)
  const rewind = record.text(record.get(data, K.rewind_warning))
  if (rewind !== null && output === NONE) return write(step, 'rewind_warning', clip(rewind))
  const id = record.text(callId) ?? ''
  const call = run.calls.get(id)
  if (call?.done === true) {
    sink.notice(
      'second-completion',
      record.line,
      'a call was completed a second time: the first completion counts',
    )
    return Bin.Opaque
  }
  open(run, state, sink)
  const tool = call?.tool ?? record.word(record.get(data, K.tool))
  const told = tell(record, output, tool)
  answerCall(
    record,
    {
      at,
      callId,
      content: output,
      isError: (!record.isNullish(error) && record.text(error) !== '') || told.failed,
      exitCode: told.exitCode,
    },
    sink,
  )
  if (call === undefined) remember(run, id, { tool, denied: false, done: true })
  else call.done = true
  run.pieces.delete(`output#${id}`)
  return Bin.Translated
}

/** `tool.call.blocked` and `tool.approval_denied`: a call that was not let through (design §5.4). */
export function denied(
  step: Step,
  code: 'call-blocked' | 'approval-denied' | 'hook-denied' | 'hook-failed',
): Bin {
  const { record, data, run } = step
  const id = record.text(record.get(data, K.call_id))
  const tool = record.text(record.get(data, K.tool))
  const why = record.text(record.get(data, K.reason)) ?? record.text(record.get(data, K.error)) ?? ''
  const hook = record.text(record.get(data, K.hook))
  const by = { 'call-blocked': 'was blocked', 'approval-denied': 'was not approved' } as const
  const verb =
    code === 'call-blocked' || code === 'approval-denied'
      ? by[code]
      : `was denied by the hook ${hook ?? '(unnamed)'}${code === 'hook-failed' ? ', which failed' : ''}`
  if (id !== null) {
    const call = run.calls.get(id)
    if (call === undefined) remember(run, id, { tool, denied: true, done: false })
    else call.denied = true
  }
  const text = `${tool ?? 'a call'}${id === null ? '' : ` (${id})`} ${verb}${why === '' ? '' : `: ${clip(why)}`}`
  return write(step, code, text, 'warning', id)
}

/** `tool.call.delta`: the arguments as they come; the call that follows holds them whole. */
export function callDelta(step: Step): Bin {
  const { record, data } = step
  if (!record.isObject(data)) return Bin.Opaque
  // Only the first delta of a call may have its id: they are joined by their place in the step (spec §2.2).
  const index = record.integer(record.get(data, K.index)) ?? 0
  return piece(step, `call#${index}`, record.text(record.get(data, K.call_id)))
}

/** `tool.output.delta`: the output as it comes; the completion that follows holds it whole. */
export function outputDelta(step: Step): Bin {
  const { record, data, run } = step
  const id = record.text(record.get(data, K.call_id))
  if (id === null) return Bin.Opaque
  if (run.calls.get(id)?.done === true) return Bin.Folded
  return piece(step, `output#${id}`, id)
}

/** Pieces whose whole never came leave one opaque event: that of the first, with the lines of all. */
export function closePieces(run: Run, what: 'call' | 'output', sink: Sink): void {
  for (const [name, { type, tool, at, line, digest, lines }] of run.pieces) {
    if (!name.startsWith(`${what}#`)) continue
    run.pieces.delete(name)
    sink.opaque({
      at,
      line,
      vendorType: type,
      vendorSubtype: tool,
      digest,
      sourceLine: line,
      foldedLines: lines,
    })
  }
}

/** Calls that ran and have no completion. */
export function unanswered(run: Run): number {
  let count = 0
  for (const { denied: isDenied, done } of run.calls.values()) if (!isDenied && !done) count++
  return count
}

function piece({ record, run, type, at, data }: Step, name: string, id: string | null): Bin {
  const known = run.pieces.get(name)
  if (known !== undefined) {
    known.lines.push(record.line)
    return Bin.Folded
  }
  if (name.length > LONGEST_ID || run.pieces.size >= MOST_PIECES) return Bin.Folded
  const tool = record.text(record.get(data, K.tool))
  const digest = createHash('sha256').update(record.bytes.subarray(record.start, record.end)).digest('hex')
  run.pieces.set(name, {
    type,
    call: id === '' ? null : id,
    tool: tool === '' ? null : tool,
    at: keptTimeOf(record, at),
    line: record.line,
    digest,
    lines: [record.line],
  })
  return Bin.Folded
}

/** The deltas of a call: those with its id, else the first of which no id is known. */
function deltasOf(run: Run, id: string): string {
  let nameless = ''
  for (const [name, { call }] of run.pieces) {
    if (!name.startsWith('call#')) continue
    if (call === id) return name
    if (call === null && nameless === '') nameless = name
  }
  return nameless
}

function remember(run: Run, id: string, call: Call): void {
  if (id.length > LONGEST_ID) return
  run.calls.delete(id)
  if (run.calls.size >= MOST_CALLS) {
    for (const oldest of run.calls.keys()) {
      run.calls.delete(oldest)
      break
    }
  }
  run.calls.set(id, call)
}

function operations(tool: string | null): readonly string[] {
  const known = operationsOf('go-agent-harness', tool)
  return known.length === 0 && tool?.startsWith('mcp_') === true ? MCP_CALL : known
}

/** What the output, mostly JSON in a string, says of the end of its call: a failure, and of a shell its exit code. */
function tell(
  record: RecordView,
  output: Node,
  tool: string | null,
): { readonly failed: boolean; readonly exitCode: number | null } {
  const nothing = { failed: false, exitCode: null }
  if (record.rawBytes(output) > MOST_OUTPUT) return nothing
  const text = record.text(output)
  if (text === null || !text.startsWith('{') || (tool !== 'bash' && !text.includes('"error"'))) return nothing
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return nothing
    const failed = 'error' in value && value.error !== null && value.error !== ''
    const code = tool === 'bash' && 'exit_code' in value ? value.exit_code : null
    return { failed, exitCode: typeof code === 'number' && Number.isInteger(code) ? code : null }
  } catch {
    return nothing
  }
}
