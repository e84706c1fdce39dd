import type { EventName, Step, ToolDecided } from '../../event/events.ts'
import { keys } from '../../kernel/key.ts'
import { type Node, NONE, type RecordView } from '../../kernel/record.ts'
import { jsonAt, textAt, textsAt } from '../values.ts'
import { bill } from './books.ts'
import { readUsage, serviceWords } from './figures.ts'
import { digestAt, type Line, wholeAt } from './line.ts'
import { sessionEnded, sessionStarted } from './session.ts'
import { processAt } from './closing.ts'
import { CLOSE_REASONS, DECIDERS, SEAMS } from './vocabulary.ts'

const K = keys(
  'attempt',
  'bytes',
  'call_id',
  'code',
  'content',
  'credential_source',
  'deadline_ms',
  'decided_by',
  'decision',
  'decision_required',
  'delta',
  'detail',
  'digest',
  'estimate',
  'events',
  'exit_code',
  'frame_digest',
  'id',
  'index',
  'info',
  'input',
  'is_error',
  'latency_ms',
  'message',
  'model',
  'name',
  'operations',
  'origin',
  'outcome',
  'outcome_source',
  'reason',
  'request_id',
  'resets_at',
  'seam',
  'source_line',
  'state',
  'status',
  'step',
  'stop_reason',
  'subjects',
  'text',
  'tool_use_result',
  'turn',
  'usage',
  'using_overage',
  'utilization',
  'vendor_subtype',
  'vendor_type',
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

const DECISIONS = ['allow', 'deny', 'replace', 'abstain'] as const
const OUTCOMES = ['completed', 'failed', 'no_verdict'] as const

/** Write each event again as it was read, its types having been checked. `stream.closed` is kept: ours comes last. */
export const EMIT: Readonly<Record<EventName, (line: Line) => void>> = {
  'session.started': sessionStarted,
  'session.ended': sessionEnded,
  'step.entered': (line) =>
    line.sink.stepEntered({ at: line.at, step: stepOf(line), frameDigest: digestAt(line, K.frame_digest) }),
  'step.left': (line) => {
    const { record, root, at, sink } = line
    const outcome = record.get(root, K.outcome)
    sink.stepLeft({
      at,
      step: stepOf(line),
      outcome: wordAt(record, record.get(outcome, K.outcome), OUTCOMES) ?? 'no_verdict',
      reason: textAt(record, record.get(outcome, K.reason)),
    })
  },
  'turn.started': (line) =>
    line.sink.turnStarted({
      at: line.at,
      turn: wholeIn(line, 'turn') ?? 0,
      frameDigest: digestAt(line, K.frame_digest),
    }),
  'turn.ended': (line) =>
    line.sink.turnEnded({
      at: line.at,
      turn: wholeIn(line, 'turn') ?? 0,
      stopReason: textIn(line, 'stop_reason'),
    }),
  text: (line) => line.sink.text(saidOf(line)),
  thinking: (line) => line.sink.thinking(saidOf(line)),
  'thinking.estimate': (line) =>
    line.sink.thinkingEstimate({
      at: line.at,
      estimate: wholeIn(line, 'estimate') ?? 0,
      delta: line.record.integer(line.record.get(line.root, K.delta)),
    }),
  injection: (line) =>
    line.sink.injection({ at: line.at, text: textIn(line, 'text'), origin: textIn(line, 'origin') }),
  'tool.requested': (line) => {
    const { record, root, at, sink } = line
    sink.toolRequested({
      at,
      callId: textIn(line, 'call_id'),
      name: textIn(line, 'name'),
      input: jsonAt(record.get(root, K.input)),
      operations: textsAt(record, record.get(root, K.operations)) ?? [],
      subjects: textsAt(record, record.get(root, K.subjects)) ?? [],
      decisionRequired: record.bool(record.get(root, K.decision_required)) ?? false,
      deadlineMs: wholeIn(line, 'deadline_ms'),
      seam: wordAt(record, record.get(root, K.seam), SEAMS) ?? 'none',
    })
  },
  'tool.decided': (line) => line.sink.toolDecided(decidedOf(line)),
  'tool.result': (line) => {
    const { record, root, at, sink } = line
    sink.toolResult({
      at,
      exitCode: record.integer(record.get(root, K.exit_code)),
      outcomeSource: textIn(line, 'outcome_source'),
      callId: textIn(line, 'call_id'),
      isError: record.bool(record.get(root, K.is_error)),
      content: valueIn(line, 'content'),
      bytes: wholeIn(line, 'bytes'),
      toolUseResult: valueIn(line, 'tool_use_result'),
    })
  },
  usage: (line) => {
    const { record, root, at, state, sink } = line
    const node = record.get(root, K.usage)
    const { figures, tokens, reportedPicoUsd } = readUsage(record, node, sink)
    const { tier, speed } = serviceWords(record, node)
    const requestId = textIn(line, 'request_id')
    const model = textIn(line, 'model')
    sink.usage({ at, requestId, model, usage: figures })
    bill(
      state.books,
      {
        requestId: requestId === null ? null : record.text(requestId),
        model: model === null ? null : record.word(model),
        at: at === null ? null : record.text(at),
        tokens,
        reportedPicoUsd,
        serviceTier: tier,
        speed,
        line: record.line,
      },
      sink,
    )
  },
  rate_limit: ({ record, root, at, sink }) => {
    const info = record.get(root, K.info)
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
    line.sink.commandResult({ at: line.at, id: textIn(line, 'id'), outcome: valueIn(line, 'outcome') }),
  warning: (line) => {
    const call = deniedCallOf(line)
    line.sink.warning({
      at: line.at,
      code: textIn(line, 'code'),
      message: textIn(line, 'message'),
      ...(call === null ? {} : { deniedCall: call }),
    })
  },
  opaque: (line) => {
    const digest = digestAt(line, K.digest)
    line.sink.opaque({
      at: line.at,
      vendorType: textIn(line, 'vendor_type'),
      vendorSubtype: textIn(line, 'vendor_subtype'),
      // Without a digest to take over, the event stands for the line that is being read.
      ...(digest === null ? {} : { digest, sourceLine: wholeIn(line, 'source_line') }),
    })
  },
  'auth.expired': (line) =>
    line.sink.authExpired({
      at: line.at,
      credentialSource: textIn(line, 'credential_source'),
      detail: textIn(line, 'detail'),
      sourceLine: wholeIn(line, 'source_line'),
    }),
  'stream.closed': (line) => {
    const { record, root, state } = line
    state.markers++
    state.marker = {
      reason: wordAt(record, record.get(root, K.reason), CLOSE_REASONS) ?? 'error',
      process: processAt(record, root),
      events: wholeIn(line, 'events'),
      read: state.read - 1,
      line: record.line,
    }
  },
}

type Name = keyof typeof K

function textIn({ record, root }: Line, name: Name): Node | null {
  return textAt(record, record.get(root, K[name]))
}

function wholeIn({ record, root }: Line, name: Name): number | null {
  return wholeAt(record, record.get(root, K[name]))
}

function valueIn({ record, root }: Line, name: Name): Node | null {
  const node = record.get(root, K[name])
  return record.isNullish(node) ? null : node
}

function wordAt<Word extends string>(record: RecordView, node: Node, words: readonly Word[]): Word | null {
  const found = record.word(node)
  return words.find((word) => word === found) ?? null
}

/** The call a warning says was denied: a field that readers of the wire pass over, else upstream's own sentence. */
function deniedCallOf(line: Line): Node | string | null {
  const { record, root } = line
  if (!DENIALS.has(record.word(record.get(root, K.code)) ?? '')) return null
  const named = textIn(line, 'call_id')
  if (named !== null) return named
  const message = record.text(record.get(root, K.message)) ?? ''
  return message.startsWith(DENIED_BY_APPROVER) ? message.slice(DENIED_BY_APPROVER.length) : null
}

function saidOf(line: Line) {
  return { at: line.at, text: textIn(line, 'text'), requestId: textIn(line, 'request_id') }
}

function stepOf({ record, root }: Line): Step {
  const step = record.get(root, K.step)
  return {
    workflow: textAt(record, record.get(step, K.workflow)),
    state: textAt(record, record.get(step, K.state)),
    index: wholeAt(record, record.get(step, K.index)) ?? 0,
    attempt: wholeAt(record, record.get(step, K.attempt)) ?? 0,
  }
}

function decidedOf(line: Line): ToolDecided {
  const { record, root, at } = line
  const decision = record.get(root, K.decision)
  const input = record.get(decision, K.input)
  return {
    at,
    callId: textIn(line, 'call_id'),
    decision: wordAt(record, record.get(decision, K.decision), DECISIONS) ?? 'abstain',
    reason: textAt(record, record.get(decision, K.reason)),
    input: input === NONE ? null : input,
    decidedBy: wordAt(record, record.get(root, K.decided_by), DECIDERS) ?? 'observe',
    seam: wordAt(record, record.get(root, K.seam), SEAMS) ?? 'none',
    latencyMs: wholeIn(line, 'latency_ms'),
  }
}
