import { Bin, type Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { Shape } from '../../kernel/shape.ts'
import { keptTimeOf, timeAt } from '../times.ts'
import { textAt } from '../values.ts'
import { failure } from './failure.ts'
import { noteStep, type OpenMessage, type State } from './store-state.ts'
import { readCost, readTokens } from './tokens.ts'
import { toolPart } from './tool.ts'

const PART = new Shape(
  'id',
  'messageID',
  'type',
  'text',
  'synthetic',
  'time',
  'tool',
  'callID',
  'state',
  'reason',
  'tokens',
  'cost',
)
const K = keys('start', 'created', 'prompt', 'error', 'attempt', 'auto', 'overflow')

/**
 * Parts that put nothing into the conversation: snapshots and patches of the workspace, mentions of agents, and
 * references to files, whose text stands in a part of its own.
 */
const BOOKKEEPING: ReadonlySet<string> = new Set(['agent', 'file', 'patch', 'snapshot'])

type Fields = ReturnType<typeof PART.read>

/** The id of the message that a part belongs to. */
export function messageOf(record: RecordView, node: Node): string | null {
  return record.text(PART.read(record, node).messageID)
}

/** One part of a message. `Bin.Opaque` when it is not understood; nothing was written then. */
export function storePart(
  record: RecordView,
  node: Node,
  message: OpenMessage | null,
  state: State,
  sink: Sink,
): Bin {
  const fields = PART.read(record, node)
  const { time } = fields
  const own = timeAt(record, record.get(time, K.start)) ?? timeAt(record, record.get(time, K.created))
  const at = own ?? message?.at ?? null
  const type = record.word(fields.type)
  switch (type) {
    case 'text':
      return text(record, fields, message, at, state, sink)
    case 'reasoning':
      if (record.isNullish(fields.text)) return Bin.Bookkeeping
      if (!record.isString(fields.text)) return Bin.Opaque
      if (isEmpty(record, fields.text)) return Bin.Bookkeeping
      sink.thinking({ at, text: fields.text, requestId: message?.id ?? null })
      return Bin.Translated
    case 'tool': {
      const word = record.word(fields.tool)
      if (word === null) return Bin.Opaque
      const callId = textAt(record, fields.callID) ?? textAt(record, fields.id) ?? ''
      toolPart(record, { name: fields.tool, word, callId, state: fields.state, at }, sink)
      return Bin.Translated
    }
    case 'step-start':
      state.turn++
      state.isInside = true
      sink.turnStarted({ at, turn: state.turn, frameDigest: null })
      return Bin.Translated
    case 'step-finish':
      return stepFinish(record, fields, message, at, state, sink)
    case 'subtask':
      return subtask(record, node, at, sink)
    case 'retry':
      return failure(record, record.get(node, K.error), 'retry', at, sink) === null
        ? Bin.Opaque
        : Bin.Translated
    case 'compaction': {
      const isAuto = record.bool(record.get(node, K.auto)) === true
      const isFull = record.bool(record.get(node, K.overflow)) === true
      const why = isFull ? ' because the context was full' : isAuto ? ' by the harness' : ''
      sink.warning({ at, code: 'compaction', message: `the conversation was compacted${why}` })
      return Bin.Translated
    }
    default:
      return type !== null && BOOKKEEPING.has(type) ? Bin.Bookkeeping : Bin.Opaque
  }
}

/** Words: of the model, of the user, or put there by the harness. Without their message nobody knows whose they are. */
function text(
  record: RecordView,
  fields: Fields,
  message: OpenMessage | null,
  at: Text,
  state: State,
  sink: Sink,
): Bin {
  const { text: words, synthetic } = fields
  if (!record.isString(words) || message === null || message.role === null) return Bin.Opaque
  if (isEmpty(record, words)) return Bin.Bookkeeping
  const isMade = record.bool(synthetic) === true
  if (message.role === 'assistant' && !isMade) sink.text({ at, text: words, requestId: message.id })
  else sink.injection({ at, text: words, origin: isMade || state.subagent ? 'synthetic' : 'user' })
  return Bin.Translated
}

/** The end of a step. Its counts wait until it is known whether the message had more than one. */
function stepFinish(
  record: RecordView,
  fields: Fields,
  message: OpenMessage | null,
  at: Text,
  state: State,
  sink: Sink,
): Bin {
  const tokens = readTokens(record, fields.tokens, sink)
  if (tokens !== null && message !== null) {
    const cost = readCost(record, fields.cost, sink)
    noteStep(message, { tokens, cost, at: keptTimeOf(record, at), line: record.line }, state, sink)
  }
  if (!state.isInside) return tokens === null ? Bin.Bookkeeping : Bin.Folded
  state.isInside = false
  sink.turnEnded({ at, turn: state.turn, stopReason: textAt(record, fields.reason) })
  return Bin.Translated
}

/** The task that a command of the user hands to a subagent. */
function subtask(record: RecordView, node: Node, at: Text, sink: Sink): Bin {
  const prompt = record.get(node, K.prompt)
  if (prompt === NONE || !record.isString(prompt)) return Bin.Opaque
  sink.injection({ at, text: prompt, origin: 'synthetic' })
  return Bin.Translated
}

function isEmpty(record: RecordView, node: Node): boolean {
  return record.rawBytes(node) === 2
}
