import { Bin, type Sink } from '../event/sink.ts'
import type { Text } from '../event/value.ts'
import { type Key, keys } from '../kernel/key.ts'
import { type Node, NONE, type RecordView } from '../kernel/record.ts'
import { Shape } from '../kernel/shape.ts'
import type { Adapter, Ending, Evidence } from './adapter.ts'
import { enterSession, initStream } from './begun-session.ts'
import { UNFINISHED } from './endings.ts'
import { sessionEnd, sessionStart } from './session-events.ts'
import { assistantBlock, type Block, eachBlock, resultBlock } from './blocks.ts'
import { count } from './figures.ts'
import { mcpServersAt } from './mcp-servers.ts'
import { authorOf } from './reminder.ts'
import { resultReason } from './result-reason.ts'
import { classes, spend } from './spend.ts'
import { timeAt } from './times.ts'
import { textAt, textsAt, wholeAt } from './values.ts'

const RECORD = new Shape('type', 'subtype', 'session_id', 'message', 'parent_tool_use_id', 'timestamp')
const MESSAGE = new Shape('id', 'model', 'content', 'usage', 'stop_reason')
const K = keys(
  'cwd',
  'tools',
  'mcp_servers',
  'model',
  'agent_mode',
  'is_error',
  'result',
  'error',
  'num_turns',
  'duration_ms',
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'message',
)
type Fields = ReturnType<typeof RECORD.read>

interface State {
  started: boolean
  session: string | null
  model: string | null
  ending: Ending
}

/**
 * `amp --stream-json`: Claude's stream under thread ids that begin with `T-` (spec vendor-transcripts §7). Here every
 * line is a whole message with the usage of its request, subagents included, and nothing repeats it; there is no price.
 */
export const ampStream: Adapter<State> = {
  dialect: 'amp-stream',
  summary: 'amp --stream-json',
  evidence,
  runId(record, value) {
    const session = record.text(RECORD.read(record, value).session_id)
    return session?.startsWith('T-') === true ? session : null
  },
  initial: () => ({
    started: false,
    session: null,
    model: null,
    ending: UNFINISHED,
  }),
  step(record, state, sink) {
    const fields = RECORD.read(record, record.root)
    const { type, subtype } = fields
    const at = timeAt(record, fields.timestamp)
    const bin = translate(record, fields, at, state, sink)
    if (bin !== null) return bin
    sink.opaque({ at, vendorType: textAt(record, type), vendorSubtype: textAt(record, subtype) })
    return Bin.Opaque
  },
  end: (state) => state.ending,
}

function translate(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): Bin | null {
  switch (record.word(fields.type)) {
    case 'system':
      return record.is(fields.subtype, 'init') ? init(record, fields, at, state, sink) : null
    case 'assistant':
      return assistant(record, fields, at, state, sink)
    case 'user':
      return user(record, fields, at, state, sink)
    case 'result':
      return result(record, fields, at, state, sink)
    default:
      return null
  }
}

function assistant(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): Bin | null {
  const { content, usage, ...message } = pick(record, fields.message)
  if (!record.isString(content) && !record.isArray(content) && !record.isObject(usage)) return null
  enter(record, fields, at, state, sink)
  const requestId = textAt(record, message.id)
  const speaker = { at, requestId, dialect: 'amp' } as const
  let given = 0
  if (record.isString(content)) {
    sink.text({ at, text: content, requestId })
    given++
  }
  given += eachBlock(record, content, 'assistant', at, sink, (_block, block) =>
    assistantBlock(record, block, speaker, sink),
  )
  if (record.isObject(usage)) {
    const id = record.text(message.id)
    const figure = (name: Key): number | null => count(record, record.get(usage, name), sink)
    const written = figure(K.cache_creation_input_tokens)
    const tokens = classes(
      figure(K.input_tokens),
      figure(K.cache_read_input_tokens),
      written,
      figure(K.output_tokens),
    )
    const model = record.word(message.model) ?? state.model
    const key = id === null ? null : `amp:${id}`
    const sidechain = record.isString(fields.parent_tool_use_id)
    spend(record, { at, requestId, model, tokens, key, session: state.session, sidechain }, sink)
    given++
  }
  return given > 0 ? Bin.Translated : Bin.Bookkeeping
}

/** The fields of a message, to be kept while its blocks are read. */
function pick(record: RecordView, node: Node): { id: Node; model: Node; content: Node; usage: Node } {
  const { id, model, content, usage } = MESSAGE.read(record, node)
  return { id, model, content, usage }
}

/** What is said inside a subagent, its parent said. */
function user(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): Bin | null {
  const { content } = MESSAGE.read(record, fields.message)
  const ofSubagent = record.isString(fields.parent_tool_use_id)
  const isText = record.isString(content)
  if (!isText && !record.isArray(content)) return null
  enter(record, fields, at, state, sink)
  const inject = (text: Node): void =>
    sink.injection({ at, text, origin: ofSubagent ? 'synthetic' : authorOf(record.text(text)) })
  if (isText) {
    inject(content)
    return Bin.Translated
  }
  const given = eachBlock(record, content, 'user', at, sink, (_block, block: Block) => {
    if (resultBlock(record, block, at, sink)) return true
    if (!record.is(block.type, 'text') || !record.isString(block.text)) return false
    inject(block.text)
    return true
  })
  return given > 0 ? Bin.Translated : Bin.Bookkeeping
}

function result(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): Bin {
  const { root } = record
  const isError = record.bool(record.get(root, K.is_error))
  const subtype = record.word(fields.subtype)
  enter(record, fields, at, state, sink)
  const error = record.get(root, K.error)
  const said = record.text(error) ?? record.text(record.get(error, K.message))
  if (said !== null) sink.warning({ at, code: subtype ?? 'result', message: said, severity: 'error' })
  const reason = resultReason(isError, subtype)
  const answer = textAt(record, record.get(root, K.result))
  sink.sessionEnded(
    sessionEnd({
      at,
      finalAnswer: reason !== 'completed' || answer === null ? null : { text: answer, turnId: null },
      isError,
      subtype: textAt(record, fields.subtype),
      numTurns: wholeAt(record, record.get(root, K.num_turns)),
      durationMs: wholeAt(record, record.get(root, K.duration_ms)),
    }),
  )
  state.ending = { reason, terminal: true, promised: true }
  return Bin.Translated
}

function init(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): Bin {
  const { root } = record
  const model = record.get(root, K.model)
  const started = sessionStart('amp', {
    at,
    sessionId: textAt(record, fields.session_id),
    model: textAt(record, model),
    cwd: textAt(record, record.get(root, K.cwd)),
    offeredTools: textsAt(record, record.get(root, K.tools)),
    mcpServers: mcpServersAt(record, record.get(root, K.mcp_servers)),
  })
  return initStream(record, fields.session_id, model, started, state, sink)
}

function enter(record: RecordView, fields: Fields, at: Text, state: State, sink: Sink): void {
  enterSession(record, fields.session_id, 'amp', at, state, sink)
}

const TYPES: ReadonlySet<string> = new Set(['assistant', 'result', 'system', 'user'])

function evidence(record: RecordView, value: Node): Evidence | null {
  const { type, session_id: session } = RECORD.read(record, value)
  const word = record.word(type)
  if (word === null || !TYPES.has(word) || session === NONE) return null
  if (record.text(session)?.startsWith('T-') !== true) return null
  return { weight: 'proof', reason: `${word} record of a thread T-…` }
}
