import { Bin, type Sink } from '../event/sink.ts'
import type { Tokens } from '../event/billing.ts'
import { keys } from '../kernel/key.ts'
import { RecordFlag } from '../kernel/layout.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'
import { Shape } from '../kernel/shape.ts'
import type { Adapter, Evidence } from './adapter.ts'
import { WITHOUT_END } from './endings.ts'
import { sessionEnd, sessionStart } from './session-events.ts'
import { answerCall } from './calls.ts'
import { compactText } from './compact-text.ts'
import { count } from './figures.ts'
import { operationsOf } from './operations.ts'
import { classes, figuresOf, outsideCache } from './spend.ts'
import { b10xEntry, b10xSubjects } from './subjects.ts'
import { isoOf } from './times.ts'
import { firstOf, textAt, wholeAt } from './values.ts'

const SESSION = new Shape(
  'version',
  'id',
  'wire',
  'model',
  'base_url',
  'workspace',
  'created_unix',
  'updated_unix',
  'turns',
  'items',
  'usage',
  'cost_micro_usd',
  'structured',
  'kind',
)
const ITEM = new Shape('kind', 'text', 'call_id', 'name', 'arguments', 'output', 'failed', 'wire')
const K = keys('model', 'input_tokens', 'output_tokens', 'cached_input_tokens', 'cache_creation_input_tokens')

const PICO_PER_MICRO = 1_000_000n
/** UTF-16 units of an answer that is kept. */
const LONGEST_ANSWER = 4 * 1024 * 1024

interface State {
  started: boolean
  session: string | null
  updatedAt: string | null
  turns: number | null
  microUsd: number | null
  answer: string | null
  line: number
}

/**
 * A session file of b10x-harness, one JSON document (spec b10x-harness §5): the session is the first record, its items are
 * the others. They are what the model was told last, so that earlier turns may be missing after a compaction; usage and
 * cost are those of all runs, added up as the runs ended. How the last run ended is not said.
 */
export const b10xSession: Adapter<State> = {
  dialect: 'b10x-session',
  summary: 'session files of b10x-harness',
  evidence,
  runId: (record, value) =>
    evidence(record, value) === null ? null : record.text(SESSION.read(record, value).id),
  items: (record, root) => (evidence(record, root) === null ? NONE : SESSION.read(record, root).items),
  initial: () => ({
    started: false,
    session: null,
    updatedAt: null,
    turns: null,
    microUsd: null,
    answer: null,
    line: 1,
  }),
  step(record, state, sink) {
    const { root } = record
    const { kind, items } = SESSION.read(record, root)
    if (kind !== NONE || items === NONE) return item(record, root, sink)
    session(record, root, state, sink)
    // On one line, the session and its items are one record.
    const isWhole = (record.flags & RecordFlag.Item) === 0
    const list = SESSION.read(record, root).items
    for (let one = isWhole ? firstOf(record, list) : NONE; one !== NONE; one = record.next(one))
      item(record, one, sink)
    return Bin.Translated
  },
  end(state, sink) {
    const { turns, microUsd, answer, updatedAt: at, line } = state
    if (state.started) {
      const finalAnswer = answer === null ? null : { text: answer, turnId: null }
      sink.sessionEnded(sessionEnd({ at, line, finalAnswer, numTurns: turns, totalCostUsd: usdOf(microUsd) }))
    }
    return WITHOUT_END
  },
}

function session(record: RecordView, root: Node, state: State, sink: Sink): void {
  const fields = SESSION.read(record, root)
  const { usage } = fields
  const structured = fields.structured
  if (state.started)
    sink.notice('second-session', record.line, 'another session begins in the same transcript')
  state.started = true
  state.session = record.text(fields.id)
  state.updatedAt = isoOf(wholeAt(record, fields.updated_unix))
  state.turns = count(record, fields.turns, sink)
  state.microUsd = count(record, fields.cost_micro_usd, sink)
  state.line = record.line
  const isAnswer = !record.isNullish(structured) && record.rawBytes(structured) <= LONGEST_ANSWER
  state.answer = isAnswer ? compactText(record.raw(structured)) : null
  sink.sessionStarted(
    sessionStart('b10x', {
      adapterClass: 'direct_provider',
      at: isoOf(wholeAt(record, fields.created_unix)),
      sessionId: textAt(record, fields.id),
      model: textAt(record, fields.model),
      cwd: textAt(record, fields.workspace),
    }),
  )
  let index = 0
  for (let one = firstOf(record, usage); one !== NONE; one = record.next(one), index++)
    spent(record, one, index, state, sink)
  const { microUsd, session: known, updatedAt: at } = state
  if (microUsd === null) return
  const reportedPicoUsd = BigInt(microUsd) * PICO_PER_MICRO
  sink.settled({ process: processOf(state), session: known, at, models: null, reportedPicoUsd })
}

/** One turn. On the wire the input of b10x stays whole; in the bill it lies outside the cache. */
function spent(record: RecordView, node: Node, index: number, state: State, sink: Sink): void {
  if (!record.isObject(node)) return
  const { session: known, updatedAt: at } = state
  const read = count(record, record.get(node, K.cached_input_tokens), sink)
  const written = count(record, record.get(node, K.cache_creation_input_tokens), sink)
  const whole = count(record, record.get(node, K.input_tokens), sink)
  const output = count(record, record.get(node, K.output_tokens), sink)
  const model = record.word(record.get(node, K.model))
  const tokens: Tokens = classes(outsideCache(whole, read, written, record.line, sink), read, written, output)
  sink.usage({ at, requestId: null, model, usage: figuresOf(classes(whole, read, written, output)) })
  sink.billed({
    key: known === null ? null : `b10x-session:${known}:${index}`,
    process: processOf(state),
    session: known,
    model,
    at,
    tokens,
    webSearches: null,
    final: true,
    reportedPicoUsd: null,
    serviceTier: null,
    speed: null,
    geo: null,
    sidechain: false,
  })
}

function item(record: RecordView, node: Node, sink: Sink): Bin {
  if (isRead(record, node, sink)) return Bin.Translated
  const { kind, wire } = ITEM.read(record, node)
  const block = node === record.root ? {} : { block: node }
  sink.opaque({ at: null, vendorType: textAt(record, kind), vendorSubtype: textAt(record, wire), ...block })
  return Bin.Opaque
}

/** An item `opaque` is a provider's own, mostly sealed reasoning: nobody but the provider can read it. */
function isRead(record: RecordView, node: Node, sink: Sink): boolean {
  const { kind, text, call_id: callId, name, arguments: input, output, failed } = ITEM.read(record, node)
  switch (record.word(kind)) {
    case 'user-text':
      if (!record.isString(text)) return false
      sink.injection({ at: null, text, origin: 'user' })
      return true
    case 'assistant-text':
      if (!record.isString(text)) return false
      sink.text({ at: null, text, requestId: null })
      return true
    case 'tool-call': {
      const word = record.word(name)
      if (word === null || !record.isString(callId)) return false
      const [entry, inner] = b10xEntry(record, word, input)
      sink.toolRequested({
        at: null,
        callId,
        name,
        input: input === NONE ? null : input,
        operations: operationsOf('b10x', entry),
        subjects: b10xSubjects(record, entry, inner),
        decisionRequired: false,
        deadlineMs: null,
        seam: 'none',
      })
      return true
    }
    case 'tool-result':
      if (!record.isString(callId)) return false
      answerCall(record, { at: null, callId, content: output, isError: record.bool(failed) }, sink)
      return true
    default:
      return false
  }
}

function processOf({ session: known }: State): string {
  return known ?? 'session'
}

/** Micro-dollars with six digits behind the point. */
function usdOf(microUsd: number | null): string | null {
  if (microUsd === null) return null
  const digits = String(microUsd).padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`
}

function evidence(record: RecordView, value: Node): Evidence | null {
  const { version, wire, model, base_url: url, items } = SESSION.read(record, value)
  if (version === NONE || !record.isString(wire) || !record.isString(model) || !record.isString(url))
    return null
  return record.isArray(items)
    ? { weight: 'proof', reason: 'session of b10x-harness with its wire and items' }
    : null
}
