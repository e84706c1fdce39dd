import { Bin, type Sink } from '../event/sink.ts'
import type { Text } from '../event/value.ts'
import { keys } from '../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'
import { Shape } from '../kernel/shape.ts'
import type { Adapter, Ending, Evidence } from './adapter.ts'
import { UNFINISHED } from './endings.ts'
import { sessionEnd, sessionStart } from './session-events.ts'
import { count } from './figures.ts'
import { gooseBlock, readGooseBlock } from './goose/content.ts'
import { fragment, say, type Span } from './goose/span.ts'
import { classes, figuresOf, spend } from './spend.ts'
import { keptTimeOf, timeAt } from './times.ts'
import { firstOf, textAt } from './values.ts'

const RECORD = new Shape('type', 'id', 'message', 'error', 'input_tokens', 'output_tokens', 'total_tokens')
const K = keys('id', 'role', 'created', 'content', 'type', 'message', 'extension_id', 'log', 'progress')
type Fields = ReturnType<typeof RECORD.read>

interface Totals {
  readonly input: number | null
  readonly output: number | null
}

interface State {
  started: boolean
  span: Span | null
  /** Running totals of the last `complete`. */
  totals: Totals | null
  ending: Ending
}

/**
 * `goose run --output-format stream-json` (spec test-cabinet §4.6). Text comes in fragments, each either what is new or
 * all that was said so far; they are joined until something else comes. There is no session id, and of usage only the
 * running totals in `complete`, with the cache inside and no split.
 */
export const gooseStream: Adapter<State> = {
  dialect: 'goose-stream',
  summary: 'goose run --output-format stream-json',
  evidence,
  runId: null,
  initial: () => ({
    started: false,
    span: null,
    totals: null,
    ending: UNFINISHED,
  }),
  step(record, state, sink) {
    const fields = RECORD.read(record, record.root)
    switch (record.word(fields.type)) {
      case 'message':
        return message(record, fields, state, sink) ?? opaque(record, sink)
      case 'notification':
        return Bin.Bookkeeping
      case 'error':
        return error(record, fields, state, sink)
      case 'complete':
        return complete(record, fields, state, sink)
      default:
        flush(state, sink)
        return opaque(record, sink)
    }
  },
  end(state, sink) {
    flush(state, sink)
    return state.ending
  },
}

function message(record: RecordView, fields: Fields, state: State, sink: Sink): Bin | null {
  const { message: node, id } = fields
  const role = record.word(record.get(node, K.role))
  const content = record.get(node, K.content)
  if ((role !== 'user' && role !== 'assistant') || !record.isArray(content)) return null
  const at = timeAt(record, record.get(node, K.created))
  const isFirst = open(at, state, sink)
  const own = record.get(node, K.id)
  const known = record.text(id === NONE ? own : id)
  let written = 0
  let held = 0
  for (let block = firstOf(record, content); block !== NONE; block = record.next(block)) {
    const kind = role === 'assistant' ? hear(record, block, known, at, state, sink) : null
    if (kind === 'held') held++
    else if (kind === null) {
      flush(state, sink)
      written++
      const read = readGooseBlock(record, block)
      if (gooseBlock(record, read, role === 'user', at, sink)) continue
      sink.opaque({ at, vendorType: role, vendorSubtype: textAt(record, read.type), block })
    }
  }
  if (written > 0 || isFirst) return Bin.Translated
  return held > 0 ? Bin.Folded : Bin.Bookkeeping
}

/** Text and thinking of the model are held; null for any other block. */
function hear(
  record: RecordView,
  block: Node,
  id: string | null,
  at: Text,
  state: State,
  sink: Sink,
): 'held' | 'nothing' | null {
  const fields = readGooseBlock(record, block)
  const type = record.word(fields.type)
  // Redacted thinking has no words, and comes amid those of its message.
  if (type === 'redactedThinking') return 'nothing'
  if (type !== 'text' && type !== 'thinking') return null
  const text = record.text(type === 'text' ? fields.text : fields.thinking)
  if (text === null) return null
  const heard = { voice: type, id, text, at: keptTimeOf(record, at), line: record.line } as const
  state.span = fragment(state.span, heard, sink)
  return 'held'
}

function flush(state: State, sink: Sink): void {
  say(state.span, sink)
  state.span = null
}

/** Not the end: goose may go on, and says `complete` when it has. */
function error(record: RecordView, { error: node }: Fields, state: State, sink: Sink): Bin {
  flush(state, sink)
  open(null, state, sink)
  const said = textAt(record, node) ?? textAt(record, record.get(node, K.message))
  sink.warning({ at: null, code: 'error', message: said ?? 'goose failed', severity: 'error' })
  return Bin.Translated
}

/** Totals run on over the prompts of a session: what a record has more than the last one is what was used since. */
function complete(record: RecordView, fields: Fields, state: State, sink: Sink): Bin {
  flush(state, sink)
  open(null, state, sink)
  const now: Totals = {
    input: count(record, fields.input_tokens, sink),
    output: count(record, fields.output_tokens, sink),
  }
  const isKnown = now.input !== null || now.output !== null
  if (isKnown) {
    const tokens = classes(
      grown(now.input, state.totals?.input),
      null,
      null,
      grown(now.output, state.totals?.output),
    )
    spend(record, { at: null, requestId: null, model: null, tokens, key: null, session: null }, sink)
    state.totals = now
  }
  const usage = isKnown ? figuresOf(classes(now.input, null, null, now.output)) : null
  sink.sessionEnded(sessionEnd({ isError: false, subtype: 'complete', usage }))
  state.ending = { reason: 'completed', terminal: true, promised: true }
  return Bin.Translated
}

/** A counter that went back has begun anew. */
function grown(now: number | null, before: number | null | undefined): number | null {
  if (now === null || before === null || before === undefined) return now
  return now >= before ? now - before : now
}

/** True when this record opened the session. */
function open(at: Text, state: State, sink: Sink): boolean {
  if (state.started) return false
  state.started = true
  sink.sessionStarted(sessionStart('goose', { at }))
  return true
}

function opaque(record: RecordView, sink: Sink): Bin {
  const { type, message: node } = RECORD.read(record, record.root)
  sink.opaque({
    at: null,
    vendorType: textAt(record, type),
    vendorSubtype: textAt(record, record.get(node, K.role)),
  })
  return Bin.Opaque
}

/** Blocks of these types are of goose and of nobody else. */
const OURS: ReadonlySet<string> = new Set([
  'toolRequest',
  'toolResponse',
  'redactedThinking',
  'systemNotification',
])

function evidence(record: RecordView, value: Node): Evidence | null {
  const { type, message: node, total_tokens: total } = RECORD.read(record, value)
  switch (record.word(type)) {
    case 'message': {
      const content = record.get(node, K.content)
      if (!record.isString(record.get(node, K.role)) || !record.isArray(content)) return null
      for (let block = firstOf(record, content); block !== NONE; block = record.next(block)) {
        const word = record.word(record.get(block, K.type))
        if (word !== null && OURS.has(word)) return { weight: 'proof', reason: `message with a ${word}` }
      }
      return { weight: 'weak', reason: 'message with a role and content' }
    }
    case 'complete':
      return total === NONE ? null : { weight: 'proof', reason: 'complete with total_tokens' }
    case 'notification':
      if (record.get(value, K.extension_id) === NONE) return null
      return { weight: 'weak', reason: 'notification of an extension' }
    default:
      return null
  }
}
