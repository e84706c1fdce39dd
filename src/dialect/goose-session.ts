import { Bin, type Sink } from '../event/sink.ts'
import type { Text } from '../event/value.ts'
import { keys } from '../kernel/key.ts'
import { Kind } from '../kernel/layout.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'
import { Shape } from '../kernel/shape.ts'
import type { Adapter, Evidence } from './adapter.ts'
import { WITHOUT_END } from './endings.ts'
import { sessionStart } from './session-events.ts'
import { count } from './figures.ts'
import { gooseBlock, readGooseBlock } from './goose/content.ts'
import { classes, spend } from './spend.ts'
import { timeAt } from './times.ts'
import { firstOf, textAt } from './values.ts'

const RECORD = new Shape('role', 'content', 'created', 'id', 'type', 'working_dir', 'message')
const K = keys(
  'message_count',
  'total_tokens',
  'input_tokens',
  'output_tokens',
  'accumulated_total_tokens',
  'accumulated_input_tokens',
  'accumulated_output_tokens',
  'description',
)

interface State {
  started: boolean
  /** The run id of the stream: the name of the file is the id of the session. */
  readonly run: string
}

/**
 * Session files of goose before its database (spec vendor-transcripts §8): the metadata of the session, then its messages.
 * The metadata is written anew with every message, so the totals in it are those of the whole session; the cache is inside
 * them, without a split.
 */
export const gooseSession: Adapter<State> = {
  dialect: 'goose-session',
  summary: 'session files of goose (before its database)',
  evidence,
  runId: null,
  initial: ({ run }) => ({ started: false, run }),
  step(record, state, sink) {
    const { role, content, created, id, working_dir: place } = RECORD.read(record, record.root)
    const word = record.word(role)
    if (word === null && (place !== NONE || isMetadata(record, record.root))) {
      return metadata(record, place, state, sink)
    }
    const at = timeAt(record, created)
    if ((word === 'user' || word === 'assistant') && record.isArray(content)) {
      return said(record, word, content, textAt(record, id), at, state, sink)
    }
    sink.opaque({ at, vendorType: textAt(record, role), vendorSubtype: null })
    return Bin.Opaque
  },
  end: () => WITHOUT_END,
}

function metadata(record: RecordView, place: Node, state: State, sink: Sink): Bin {
  if (state.started)
    sink.notice('second-session', record.line, 'another session begins in the same transcript')
  const isFirst = !state.started
  const { root } = record
  state.started = true
  sink.sessionStarted(sessionStart('goose', { sessionId: state.run, cwd: textAt(record, place) }))
  const input = figure(record, root, 'accumulated_input_tokens', 'input_tokens', sink)
  const output = figure(record, root, 'accumulated_output_tokens', 'output_tokens', sink)
  if (input === null && output === null) return Bin.Translated
  const tokens = classes(input, null, null, output)
  const { run: session } = state
  const key = isFirst ? `goose:${session}` : null
  spend(record, { at: null, requestId: null, model: null, tokens, key, session }, sink)
  return Bin.Translated
}

/** What was used over the whole session, else the figures of its last request: all that old files have. */
function figure(
  record: RecordView,
  root: Node,
  name: 'accumulated_input_tokens' | 'accumulated_output_tokens',
  older: 'input_tokens' | 'output_tokens',
  sink: Sink,
): number | null {
  const node = record.get(root, K[name])
  return count(record, record.isNullish(node) ? record.get(root, K[older]) : node, sink)
}

function said(
  record: RecordView,
  role: 'user' | 'assistant',
  content: Node,
  requestId: Text,
  at: Text,
  state: State,
  sink: Sink,
): Bin {
  if (!state.started) {
    state.started = true
    sink.sessionStarted(sessionStart('goose', { at, sessionId: state.run }))
  }
  let given = 0
  for (let block = firstOf(record, content); block !== NONE; block = record.next(block), given++) {
    const fields = readGooseBlock(record, block)
    const { text, thinking } = fields
    const type = record.word(fields.type)
    const isAnswer = role === 'assistant'
    if (isAnswer && type === 'text' && record.isString(text)) sink.text({ at, text, requestId })
    else if (isAnswer && type === 'thinking' && record.isString(thinking))
      sink.thinking({ at, text: thinking, requestId })
    else if (isAnswer && type === 'redactedThinking') sink.thinking({ at, text: '', requestId })
    else if (!gooseBlock(record, fields, !isAnswer, at, sink)) {
      sink.opaque({
        at,
        vendorType: role,
        vendorSubtype: textAt(record, readGooseBlock(record, block).type),
        block,
      })
    }
  }
  return given > 0 ? Bin.Translated : Bin.Bookkeeping
}

function isMetadata(record: RecordView, value: Node): boolean {
  return record.get(value, K.message_count) !== NONE && record.get(value, K.description) !== NONE
}

function evidence(record: RecordView, value: Node): Evidence | null {
  const { role, content, created, type, working_dir: place, message } = RECORD.read(record, value)
  if (type !== NONE || message !== NONE) return null
  const hasCounts =
    record.get(value, K.message_count) !== NONE || record.get(value, K.accumulated_total_tokens) !== NONE
  if (record.isString(place) && (hasCounts || record.get(value, K.total_tokens) !== NONE)) {
    return { weight: 'proof', reason: 'metadata with working_dir and counts' }
  }
  if (!record.isString(role) || !record.isArray(content) || record.kind(created) !== Kind.Number) return null
  return { weight: 'weak', reason: 'message with a role, content and an epoch' }
}
