import type { EventName, Step, ToolDecided } from '../../event/events.ts'
import { keys } from '../../kernel/key.ts'
import { type Node, NONE, type RecordView } from '../../kernel/record.ts'
import { jsonAt, textAt, textsAt } from '../values.ts'
import { bill } from './books.ts'
import { readUsage } from './figures.ts'
import { digestAt, type Line, wholeAt } from './line.ts'
import { sessionEnded, sessionStarted } from './session.ts'
import { processAt } from './closing.ts'
import { CLOSE_REASONS, DECIDERS, DECISIONS, OUTCOMES, SEAMS } from './vocabulary.ts'

const K = keys(
  'attempt',
  'decision',
  'index',
  'input',
  'outcome',
  'reason',
  'resets_at',
  'state',
  'status',
  'using_overage',
  'utilization',
  'window',
  'workflow',
)

/** Warnings by which a harness's own gate says that a call was denied (design §5.4). */
const DENIALS: ReadonlySet<string> = new Set([
  'approval-denied',
  'call-blocked',
  'hook-denied',
  'hook-refused',
])
const DENIED_BY_APPROVER = 'the approver denied '

/** Write each event again as it was read, its types having been checked. `stream.closed` is kept: ours comes last. */
export const EMIT: Readonly<Record<EventName, (line: Line) => void>> = {
  'session.started': sessionStarted,
  'session.ended': sessionEnded,
  'step.entered': (line) =>
    line.sink.stepEntered({
      at: line.at,
      step: stepOf(line),
      frameDigest: digestAt(line, line.fields.frame_digest),
    }),
  'step.left': (line) => {
    const { record, fields, at, sink } = line
    const outcome = fields.outcome
    sink.stepLeft({
      at,
      step: stepOf(line),
      outcome: OUTCOMES.at(record, record.get(outcome, K.outcome)) ?? 'no_verdict',
      reason: textAt(record, record.get(outcome, K.reason)),
    })
  },
  'turn.started': (line) =>
    line.sink.turnStarted({
      at: line.at,
      turn: wholeAt(line.record, line.fields.turn) ?? 0,
      frameDigest: digestAt(line, line.fields.frame_digest),
    }),
  'turn.ended': (line) =>
    line.sink.turnEnded({
      at: line.at,
      turn: wholeAt(line.record, line.fields.turn) ?? 0,
      stopReason: textAt(line.record, line.fields.stop_reason),
    }),
  text: (line) => line.sink.text(saidOf(line)),
  thinking: (line) => line.sink.thinking(saidOf(line)),
  'thinking.estimate': (line) =>
    line.sink.thinkingEstimate({
      at: line.at,
      estimate: wholeAt(line.record, line.fields.estimate) ?? 0,
      delta: line.record.integer(line.fields.delta),
    }),
  injection: (line) =>
    line.sink.injection({
      at: line.at,
      text: textAt(line.record, line.fields.text),
      origin: textAt(line.record, line.fields.origin),
    }),
  'tool.requested': (line) => {
    const { record, fields, at, sink } = line
    sink.toolRequested({
      at,
      callId: textAt(line.record, line.fields.call_id),
      name: textAt(line.record, line.fields.name),
      input: jsonAt(fields.input),
      operations: textsAt(record, fields.operations) ?? [],
      subjects: textsAt(record, fields.subjects) ?? [],
      decisionRequired: record.bool(fields.decision_required) ?? false,
      deadlineMs: wholeAt(line.record, line.fields.deadline_ms),
      seam: SEAMS.at(record, fields.seam) ?? 'none',
    })
  },
  'tool.decided': (line) => line.sink.toolDecided(decidedOf(line)),
  'tool.result': (line) => {
    const { record, fields, at, sink } = line
    sink.toolResult({
      at,
      exitCode: record.integer(fields.exit_code),
      outcomeSource: textAt(line.record, line.fields.outcome_source),
      callId: textAt(line.record, line.fields.call_id),
      isError: record.bool(fields.is_error),
      content: valueAt(line.record, line.fields.content),
      bytes: wholeAt(line.record, line.fields.bytes),
      toolUseResult: valueAt(line.record, line.fields.tool_use_result),
    })
  },
  usage: (line) => {
    const { record, fields, at, state, sink } = line
    const read = readUsage(record, fields.usage, sink)
    const requestId = textAt(record, fields.request_id)
    const model = textAt(record, fields.model)
    sink.usage({ at, requestId, model, usage: read.figures })
    bill(state.books, record, { requestId, model, at, read }, sink)
  },
  rate_limit: ({ record, fields, at, sink }) => {
    const info = fields.info
    const utilization = record.get(info, K.utilization)
    sink.rateLimit({
      at,
      status: textAt(record, record.get(info, K.status)),
      window: textAt(record, record.get(info, K.window)),
      resetsAt: record.integer(record.get(info, K.resets_at)),
      utilization: record.isNullish(utilization) ? null : utilization,
      usingOverage: record.bool(record.get(info, K.using_overage)),
    })
  },
  'command.result': (line) =>
    line.sink.commandResult({
      at: line.at,
      id: textAt(line.record, line.fields.id),
      outcome: valueAt(line.record, line.fields.outcome),
    }),
  warning: (line) => {
    const call = deniedCallOf(line)
    line.sink.warning({
      at: line.at,
      code: textAt(line.record, line.fields.code),
      message: textAt(line.record, line.fields.message),
      ...(call === null ? {} : { deniedCall: call }),
    })
  },
  opaque: (line) => {
    const digest = digestAt(line, line.fields.digest)
    line.sink.opaque({
      at: line.at,
      vendorType: textAt(line.record, line.fields.vendor_type),
      vendorSubtype: textAt(line.record, line.fields.vendor_subtype),
      // Without a digest to take over, the event stands for the line that is being read.
      ...(digest === null ? {} : { digest, sourceLine: wholeAt(line.record, line.fields.source_line) }),
    })
  },
  'auth.expired': (line) =>
    line.sink.authExpired({
      at: line.at,
      credentialSource: textAt(line.record, line.fields.credential_source),
      detail: textAt(line.record, line.fields.detail),
      sourceLine: wholeAt(line.record, line.fields.source_line),
    }),
  'stream.closed': (line) => {
    const { record, root, fields, state } = line
    state.markers++
    state.marker = {
      reason: CLOSE_REASONS.at(record, fields.reason) ?? 'error',
      process: processAt(record, root),
      events: wholeAt(record, fields.events),
      read: state.read - 1,
      line: record.line,
    }
  },
}

function valueAt(record: RecordView, node: Node): Node | null {
  return record.isNullish(node) ? null : node
}

/** The call a warning says was denied: a field that readers of the wire pass over, else upstream's own sentence. */
function deniedCallOf(line: Line): Node | string | null {
  const { record, fields } = line
  if (!DENIALS.has(record.word(fields.code) ?? '')) return null
  const named = textAt(line.record, line.fields.call_id)
  if (named !== null) return named
  const message = record.text(fields.message) ?? ''
  return message.startsWith(DENIED_BY_APPROVER) ? message.slice(DENIED_BY_APPROVER.length) : null
}

function saidOf(line: Line) {
  return {
    at: line.at,
    text: textAt(line.record, line.fields.text),
    requestId: textAt(line.record, line.fields.request_id),
  }
}

function stepOf({ record, fields }: Line): Step {
  const step = fields.step
  return {
    workflow: textAt(record, record.get(step, K.workflow)),
    state: textAt(record, record.get(step, K.state)),
    index: wholeAt(record, record.get(step, K.index)) ?? 0,
    attempt: wholeAt(record, record.get(step, K.attempt)) ?? 0,
  }
}

function decidedOf(line: Line): ToolDecided {
  const { record, fields, at } = line
  const decision = fields.decision
  const input = record.get(decision, K.input)
  return {
    at,
    callId: textAt(line.record, line.fields.call_id),
    decision: DECISIONS.at(record, record.get(decision, K.decision)) ?? 'abstain',
    reason: textAt(record, record.get(decision, K.reason)),
    input: input === NONE ? null : input,
    decidedBy: DECIDERS.at(record, fields.decided_by) ?? 'observe',
    seam: SEAMS.at(record, fields.seam) ?? 'none',
    latencyMs: wholeAt(line.record, line.fields.latency_ms),
  }
}
