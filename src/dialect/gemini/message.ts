import type { Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { Shape } from '../../kernel/shape.ts'
import { keptTimeOf, timeAt } from '../times.ts'
import { firstOf, textAt } from '../values.ts'
import { callOf, responseOf, toolCall } from './chat-calls.ts'
import { closeUsage, keyOf, noteMessage, type Seen, seenOf, type State } from './chat-state.ts'
import { readContent, wordsIn } from './parts.ts'
import { isUncounted, readCounts, tokensOf } from './tokens.ts'

const MESSAGE = new Shape(
  'id',
  'timestamp',
  'ts',
  'type',
  'role',
  'content',
  'parts',
  'model',
  'thoughts',
  'tokens',
  'toolCalls',
)
const K = keys('subject', 'description', 'timestamp')
const TOKENS = {
  ...keys('cached', 'thoughts', 'tool', 'total'),
  prompt: keys('input').input,
  candidates: keys('output').output,
}

/** Where a message stands: in the log, or in a list that takes the place of the history. */
export type Standing = 'log' | 'history'

export type Outcome = 'written' | 'repeated' | 'unknown'

type Fields = ReturnType<typeof MESSAGE.read>

/**
 * One state of a message. A message is appended again whenever it changes, so only what is new becomes events; its
 * usage waits for the next message, since its counts may come with a later state (spec vendor-transcripts §6).
 */
export function message(
  record: RecordView,
  node: Node,
  standing: Standing,
  state: State,
  sink: Sink,
): Outcome {
  const fields = MESSAGE.read(record, node)
  const type = record.word(fields.type) ?? record.word(fields.role)
  const at = timeAt(record, fields.timestamp === NONE ? fields.ts : fields.timestamp)
  const id = record.text(fields.id)
  if (state.open !== null && (id === null || state.open.id !== id)) closeUsage(state, sink)
  const known = seenOf(state, id)
  switch (type) {
    case 'user':
      return said(record, fields, at, known ?? noteMessage(state, id), known !== null, standing, state, sink)
    case 'gemini':
    case 'model': {
      const seen = known ?? noteMessage(state, id)
      return answered(record, fields, id, at, seen, known !== null, standing, state, sink)
    }
    case 'info':
    case 'warning':
    case 'error':
      if (known !== null) return 'repeated'
      noteMessage(state, id)
      sink.warning({
        at,
        code: type,
        message: wordsIn(record, contentOf(fields)),
        severity: type === 'error' ? 'error' : 'warning',
      })
      return 'written'
    default:
      return 'unknown'
  }
}

function contentOf({ content, parts }: Fields): Node {
  return content === NONE ? parts : content
}

/** A message of the user. In a list that replaces the history, one that is new was put there by the harness. */
function said(
  record: RecordView,
  fields: Fields,
  at: Text,
  seen: Seen,
  isKnown: boolean,
  standing: Standing,
  state: State,
  sink: Sink,
): Outcome {
  const origin = standing === 'history' || state.subagent ? 'synthetic' : 'user'
  const content = contentOf(fields)
  if (!isNew(record, content, seen, isKnown, standing, sink)) return 'repeated'
  const inject = (text: Node): number => {
    sink.injection({ at, text, origin })
    return 1
  }
  const written = readContent(
    record,
    content,
    at,
    'user',
    {
      text: inject,
      thought: inject,
      call: (call) => callOf(record, call, at, state, sink),
      response: (response) => responseOf(record, response, at, state, sink),
    },
    sink,
  )
  return written > 0 ? 'written' : 'repeated'
}

/** A message of the model: its thoughts, its words, its calls and what came back from them. */
function answered(
  record: RecordView,
  fields: Fields,
  id: string | null,
  at: Text,
  seen: Seen,
  isKnown: boolean,
  standing: Standing,
  state: State,
  sink: Sink,
): Outcome {
  const { thoughts, tokens, toolCalls, model } = fields
  const content = contentOf(fields)
  const hasCalls = firstOf(record, toolCalls) !== NONE
  // The reply to a summary of the history, which no model gave.
  const isMadeUp = standing === 'history' && !isKnown && !hasCalls && !record.isObject(tokens)
  let written = think(record, thoughts, at, id, seen, sink)
  if (isNew(record, content, seen, isKnown, standing, sink)) {
    written += readContent(
      record,
      content,
      at,
      'gemini',
      {
        text(text) {
          if (isMadeUp) sink.injection({ at, text, origin: 'synthetic' })
          else sink.text({ at, text, requestId: id })
          return 1
        },
        thought(text) {
          sink.thinking({ at, text, requestId: id })
          return 1
        },
        call: (call) => (hasCalls ? 0 : callOf(record, call, at, state, sink)),
        response: (response) => responseOf(record, response, at, state, sink),
      },
      sink,
    )
  }
  let number = 0
  for (let call = firstOf(record, toolCalls); call !== NONE; call = record.next(call), number++) {
    written += toolCall(record, call, `${id ?? ''}#${number}`, at, state, sink)
  }
  if (count(record, tokens, id, record.word(model), at, seen, state, sink)) written++
  return written > 0 ? 'written' : 'repeated'
}

/**
 * Is there content that was not written yet? In the log a content that changed is written again, since the last state
 * counts; a replaced history changes contents too (it masks them), and says nothing new.
 */
function isNew(
  record: RecordView,
  content: Node,
  seen: Seen,
  isKnown: boolean,
  standing: Standing,
  sink: Sink,
): boolean {
  if (record.isNullish(content)) return false
  const length = record.compactBytes(content)
  if (length <= 2 || length === seen.content) return false
  if (isKnown && seen.content > 0) {
    sink.notice('message-edited', record.line, 'a message was written again with another content')
    if (standing === 'history') return false
  }
  seen.content = length
  return true
}

/** Thoughts are only added to a message, never changed. */
function think(
  record: RecordView,
  thoughts: Node,
  at: Text,
  id: string | null,
  seen: Seen,
  sink: Sink,
): number {
  let number = 0
  let written = 0
  for (let thought = firstOf(record, thoughts); thought !== NONE; thought = record.next(thought)) {
    if (number++ < seen.thoughts) continue
    const text = thoughtText(record, thought)
    const own = timeAt(record, record.get(thought, K.timestamp))
    if (text === null) sink.opaque({ at, vendorType: 'gemini', vendorSubtype: 'thought', block: thought })
    else sink.thinking({ at: own ?? at, text, requestId: id })
    written++
  }
  seen.thoughts = Math.max(seen.thoughts, number)
  return written
}

/** A thought is a heading and a text. */
function thoughtText(record: RecordView, thought: Node): Text {
  const subject = record.get(thought, K.subject)
  const description = textAt(record, record.get(thought, K.description))
  const heading = record.text(subject)
  if (heading === null || heading === '')
    return description ?? textAt(record, thought) ?? textAt(record, subject)
  if (typeof description !== 'number') return subject
  return `${heading}\n\n${record.text(description) ?? ''}`
}

/** Hold the counts of this state; true when they are not those that were held or written before. */
function count(
  record: RecordView,
  node: Node,
  id: string | null,
  model: string | null,
  at: Text,
  seen: Seen,
  state: State,
  sink: Sink,
): boolean {
  if (record.isNullish(node)) return false
  const counts = readCounts(record, node, TOKENS, sink)
  if (isUncounted(counts)) {
    sink.notice('bad-usage', record.line, 'counts of tokens that cannot be read were taken as unknown')
    return false
  }
  const tokens = tokensOf(counts, false, record.line, sink)
  const spent = JSON.stringify(tokens)
  if (spent === seen.spent) return false
  if (seen.spent !== null && state.open === null) {
    sink.notice('late-counts', record.line, 'a message was counted again after its usage had been written')
  }
  seen.spent = spent
  const time = keptTimeOf(record, at)
  state.open = { id, key: keyOf(state, id), at: time, line: record.line, model, tokens }
  return true
}
