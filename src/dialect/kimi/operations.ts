import { Bin, type Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { type Key, keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { injectTexts } from '../blocks.ts'
import { answerCall, requestCall } from '../calls.ts'
import { encodedJson } from '../encoded.ts'
import { operationsOf } from '../operations.ts'
import { spend } from '../spend.ts'
import { firstOf, textAt } from '../values.ts'
import { plainText, sayPart } from './content.ts'
import { approval } from './denials.ts'
import { loopEvent } from './loop.ts'
import { noteSetUp, open } from './opening.ts'
import { codeTokens, settleStep } from './spending.ts'
import { expectPrompt, isExpected, type State } from './state.ts'

const K = keys(
  'input',
  'origin',
  'kind',
  'event',
  'message',
  'role',
  'content',
  'toolCalls',
  'toolCallId',
  'id',
  'name',
  'arguments',
  'function',
  'isError',
  'reason',
  'error',
  'errorMessage',
  'summary',
  'contextSummary',
  'tokensBefore',
  'tokensAfter',
  'model',
  'usage',
  'usageScope',
  'attempt',
)

/** Operations about the set-up of the agent: in `session.started` when they come before it. */
const SET_UP: ReadonlySet<string> = new Set([
  'config.update',
  'llm.tools_snapshot',
  'metadata',
  'permission.set_mode',
  'profile.bind',
  'tools.set_active_tools',
])

/**
 * Operations that change modes, budgets and books, or tell for a screen what another operation tells, and put nothing
 * into the conversation; what the model gets to know of them comes as a message of the context.
 */
const BOOKKEEPING: ReadonlySet<string> = new Set(
  `background.stop context.clear context.undo cron.add cron.cursor cron.delete forked full_compaction.begin
  goal.account_usage goal.clear goal.continuation goal.create goal.update interaction.request interaction.resolved
  interruptionReminder.recorded mcp.tools_discovered micro_compaction.apply plan.revision plan_mode.cancel
  plan_mode.enter plan_mode.exit plugin.session_start prompt.aborted prompt.accepted prompt.completed
  prompt.steered runtime.set_binding staleGuard.cleared staleGuard.recorded swarm_mode.enter swarm_mode.exit
  task.started task.terminated task.waitDelivered token_counting.measured token_counting.rebased
  token_counting.truncated token_counting.turn_recorded tools.register_user_tool tools.reset_active_tools
  tools.unregister_user_tool tools.update_store tower_mode.enter tower_mode.exit`.split(/\s+/),
)

/** One operation of Kimi Code's wire (spec vendor-transcripts §8); null when it is not known or cannot be read. */
export function operation(record: RecordView, type: string, at: Text, state: State, sink: Sink): Bin | null {
  const { root } = record
  switch (type) {
    case 'turn.prompt':
    case 'turn.steer':
      return prompt(record, type, at, state, sink)
    case 'turn.ended':
      return turnEnded(record, at, state, sink)
    case 'turn.cancel':
      return turnCancelled(at, state, sink)
    case 'context.append_message':
      return contextMessage(record, record.get(root, K.message), at, state, sink)
    case 'context.append_loop_event':
      return loopEvent(record, record.get(root, K.event), at, state, sink)
    case 'context.apply_compaction':
      return compaction(record, at, state, sink)
    case 'full_compaction.complete':
      // Only the first versions put the summary here.
      return record.get(root, K.summary) === NONE ? Bin.Bookkeeping : compaction(record, at, state, sink)
    case 'full_compaction.cancel':
      open(record, at, state, sink)
      sink.warning({ at, code: type, message: 'a compaction was cancelled' })
      return Bin.Translated
    case 'permission.record_approval_result':
      return approval(record, at, state, sink)
    case 'usage.record':
      return usage(record, at, state, sink)
    case 'llm.request':
      return retry(record, at, state, sink)
    case 'turn.step.retrying':
      state.isRetryTold = true
      return trouble(record, type, K.errorMessage, at, state, sink)
    case 'turn.step.interrupted':
      return trouble(record, type, K.message, at, state, sink)
    default:
      if (SET_UP.has(type)) return noteSetUp(record, state) ? Bin.Folded : Bin.Bookkeeping
      return BOOKKEEPING.has(type) ? Bin.Bookkeeping : null
  }
}

/** What a person typed begins a turn, or steers one; the context repeats it. A subagent's prompt is its parent's. */
function prompt(record: RecordView, type: string, at: Text, state: State, sink: Sink): Bin | null {
  const input = record.get(record.root, K.input)
  if (!record.isString(input) && firstOf(record, input) === NONE) return null
  settleStep(state, sink)
  if (record.is(record.get(record.get(record.root, K.origin), K.name), 'subagent'))
    state.opening.subagent = true
  open(record, at, state, sink)
  if (type === 'turn.prompt') beginTurn(at, state, sink)
  const text = plainText(record, input)
  if (text !== null) expectPrompt(state, text)
  injectTexts(record, input, originOf(record, record.root), type, at, sink)
  return Bin.Translated
}

function beginTurn(at: Text, state: State, sink: Sink): void {
  state.turn++
  state.inTurn = true
  sink.turnStarted({ at, turn: state.turn, frameDigest: null })
}

function turnEnded(record: RecordView, at: Text, state: State, sink: Sink): Bin {
  const reason = record.word(record.get(record.root, K.reason))
  settleStep(state, sink)
  open(record, at, state, sink)
  if (reason === 'failed' || reason === 'blocked') {
    const error = record.get(record.root, K.error)
    const message =
      record.text(error) ?? record.text(record.get(error, K.message)) ?? `a turn ended: ${reason}`
    sink.warning({ at, code: reason, message, severity: reason === 'failed' ? 'error' : 'warning' })
  }
  return endTurn(textAt(record, record.get(record.root, K.reason)), at, state, sink) ?? Bin.Translated
}

function turnCancelled(at: Text, state: State, sink: Sink): Bin {
  settleStep(state, sink)
  return endTurn('cancelled', at, state, sink) ?? Bin.Bookkeeping
}

/** Null when no turn was going on. */
function endTurn(stopReason: Text, at: Text, state: State, sink: Sink): Bin | null {
  if (!state.inTurn) return null
  state.inTurn = false
  sink.turnEnded({ at, turn: state.turn, stopReason })
  return Bin.Translated
}

/** Messages of the context: prompts again, reminders of the harness, and whole conversations after an import. */
function contextMessage(record: RecordView, message: Node, at: Text, state: State, sink: Sink): Bin | null {
  const content = record.get(message, K.content)
  switch (record.word(record.get(message, K.role))) {
    case 'user':
    case 'system': {
      const text = plainText(record, content)
      if (text !== null && isExpected(state, text)) return Bin.Folded
      open(record, at, state, sink)
      const origin = originOf(record, message)
      return injectTexts(record, content, origin, 'context.append_message', at, sink) ? Bin.Translated : null
    }
    case 'assistant':
      return assistantMessage(record, message, content, at, state, sink)
    case 'tool': {
      const callId = textAt(record, record.get(message, K.toolCallId))
      if (callId === null) return null
      open(record, at, state, sink)
      answerCall(record, { at, callId, content, isError: record.bool(record.get(message, K.isError)) }, sink)
      return Bin.Translated
    }
    default:
      return null
  }
}

function assistantMessage(
  record: RecordView,
  message: Node,
  content: Node,
  at: Text,
  state: State,
  sink: Sink,
): Bin | null {
  open(record, at, state, sink)
  let given = 0
  if (record.isString(content)) {
    sink.text({ at, text: content, requestId: null })
    given++
  }
  for (let part = firstOf(record, content); part !== NONE; part = record.next(part), given++) {
    sayPart(record, part, at, null, sink)
  }
  const calls = record.get(message, K.toolCalls)
  for (let call = firstOf(record, calls); call !== NONE; call = record.next(call)) {
    const named = record.isObject(record.get(call, K.function)) ? record.get(call, K.function) : call
    const name = record.get(named, K.name)
    if (!record.isString(name)) continue
    const args = record.get(named, K.arguments)
    const operations = operationsOf('kimi', record.word(name))
    const input = encodedJson(record, args) ?? args
    const callId = textAt(record, record.get(call, K.id)) ?? ''
    requestCall(record, { at, callId, name, input, operations }, sink)
    given++
  }
  return given > 0 ? Bin.Translated : null
}

function compaction(record: RecordView, at: Text, state: State, sink: Sink): Bin {
  const { root } = record
  const before = record.integer(record.get(root, K.tokensBefore))
  const after = record.integer(record.get(root, K.tokensAfter))
  const size = before === null || after === null ? '' : ` from ${before} to ${after} tokens`
  open(record, at, state, sink)
  sink.warning({ at, code: 'compaction', message: `the conversation was compacted${size}` })
  const whole = record.get(root, K.contextSummary)
  const summary = record.isNullish(whole) ? record.get(root, K.summary) : whole
  const content = record.isObject(summary) ? record.get(summary, K.content) : summary
  injectTexts(record, content, 'synthetic', 'context.apply_compaction', at, sink)
  return Bin.Translated
}

/** One request; those of a compaction are of scope `session` and of no step. */
function usage(record: RecordView, at: Text, state: State, sink: Sink): Bin | null {
  const { root } = record
  const node = record.get(root, K.usage)
  if (!record.isObject(node)) return null
  open(record, at, state, sink)
  const isOfStep = record.word(record.get(root, K.usageScope)) !== 'session'
  const tokens = codeTokens(record, node, sink)
  const model = record.word(record.get(root, K.model)) ?? state.model
  const folded = isOfStep && state.held !== null ? { foldedLines: [state.held.line] } : {}
  // Readers take usage with one request id for repeats of one request.
  const requestId = isOfStep && !state.recorded ? state.step : null
  spend(record, { at, ...folded, requestId, model, tokens, key: null, session: state.session }, sink)
  if (isOfStep) {
    state.held = null
    state.recorded = true
  }
  return Bin.Translated
}

function trouble(record: RecordView, code: string, words: Key, at: Text, state: State, sink: Sink): Bin {
  const { root } = record
  const message = record.text(record.get(root, words)) ?? record.text(record.get(root, K.reason)) ?? code
  open(record, at, state, sink)
  sink.warning({ at, code, message })
  return Bin.Translated
}

/**
 * A request of the model is told by what comes of it, but for one that is made again; newer versions tell that before
 * it, with a reason.
 */
function retry(record: RecordView, at: Text, state: State, sink: Sink): Bin {
  const { root } = record
  const attempt = record.text(record.get(root, K.attempt))
  const isTold = state.isRetryTold
  state.isRetryTold = false
  if (attempt === null || isTold) return Bin.Bookkeeping
  const model = record.text(record.get(root, K.model))
  open(record, at, state, sink)
  const message = `a request${model === null ? '' : ` to ${model}`} was made again (attempt ${attempt})`
  sink.warning({ at, code: 'llm.request', message })
  return Bin.Translated
}

function originOf(record: RecordView, node: Node): 'user' | 'synthetic' {
  const kind = record.word(record.get(record.get(node, K.origin), K.kind))
  return kind === null || kind === 'user' ? 'user' : 'synthetic'
}
