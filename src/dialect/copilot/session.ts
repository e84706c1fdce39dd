import type { SettledModel, Tokens } from '../../event/billing.ts'
import { Bin, type Sink } from '../../event/sink.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { sessionEnd, sessionStart } from '../session-events.ts'
import { count } from '../figures.ts'
import { classes, figuresOf, outsideCache, sumOf } from '../spend.ts'
import { keptTimeOf } from '../times.ts'
import { textAt, wholeAt } from '../values.ts'
import type { Event } from './event.ts'
import { beginSegment, type State } from './state.ts'

const K = keys(
  'sessionId',
  'copilotVersion',
  'selectedModel',
  'newModel',
  'context',
  'cwd',
  'shutdownType',
  'errorReason',
  'totalApiDurationMs',
  'modelMetrics',
  'usage',
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'reasoningTokens',
)
/** Models of one segment; more are no models. */
const MOST_MODELS = 1000

/** `session.start` and `session.resume`: each begins a segment, whose totals start at zero. */
export function segmentBegins({ record, type, data, at, state, sink }: Event): Bin | null {
  if (!record.isObject(data)) return null
  const node = record.get(data, K.sessionId)
  const named = record.text(node)
  if (state.segments > 0) {
    const isOther =
      named !== null && named !== state.session && (type === 'session.start' || state.session !== null)
    const [code, what] = isOther
      ? ['second-session', 'another session begins']
      : ['resumed', 'the session was resumed']
    sink.notice(code ?? '', record.line, `${what} in the same transcript`)
  }
  beginSegment(named, state)
  state.model = record.word(record.get(data, K.selectedModel)) ?? state.model
  sink.sessionStarted(
    sessionStart('copilot', {
      at,
      harnessVersion: textAt(record, record.get(data, K.copilotVersion)),
      sessionId: type === 'session.resume' && named === null ? state.session : textAt(record, node),
      model: textAt(record, record.get(data, K.selectedModel)),
      cwd: textAt(record, record.get(record.get(data, K.context), K.cwd)),
    }),
  )
  return Bin.Translated
}

/** `session.model_change`: what the next messages are by, where they do not say. */
export function modelChange({ record, data, state }: Event): Bin {
  state.model = record.word(record.get(data, K.newModel)) ?? state.model
  return Bin.Bookkeeping
}

/** `session.shutdown`: the totals of its segment by model, which take the place of what its messages told. */
export function shutdown(event: Event): Bin | null {
  const { record, data, at, state, sink } = event
  if (!record.isObject(data)) return null
  const subtype = record.get(data, K.shutdownType)
  const how = record.word(subtype)
  const models = modelsOf(record, record.get(data, K.modelMetrics), sink)
  const isKnown = models.length > 0
  sink.sessionEnded(
    sessionEnd({
      at,
      isError: how === null ? null : how === 'error',
      subtype: textAt(record, subtype),
      stopReason: textAt(record, record.get(data, K.errorReason)),
      durationApiMs: wholeAt(record, record.get(data, K.totalApiDurationMs)),
      subagentsSpawned: state.subagents,
      usage: isKnown ? figuresOf(sumOf(models.map(({ tokens }) => tokens))) : null,
      modelUsage: isKnown ? models.map(({ model, tokens }) => ({ model, usage: figuresOf(tokens) })) : null,
    }),
  )
  const { process, session } = state
  if (isKnown) sink.settled({ process, session, at: keptTimeOf(record, at), models, reportedPicoUsd: null })
  state.ending = { reason: reasonOf(how, state), terminal: true, promised: true }
  return Bin.Translated
}

function reasonOf(how: string | null, state: State): State['ending']['reason'] {
  if (how !== 'routine') return 'error'
  return state.aborted ? 'killed' : 'completed'
}

/** Models without a usage object are left out; `requests` counts plan units, not USD. */
function modelsOf(record: RecordView, metrics: Node, sink: Sink): SettledModel[] {
  const models: SettledModel[] = []
  if (!record.isObject(metrics)) return models
  for (
    let child = record.first(metrics);
    child !== NONE && models.length < MOST_MODELS;
    child = record.next(child)
  ) {
    const usage = record.get(child, K.usage)
    if (!record.isObject(usage)) continue
    const tokens = tokensOf(record, usage, sink)
    models.push({ model: record.key(child), tokens, webSearches: null, reportedPicoUsd: null })
  }
  return models
}

/** The input includes both classes of cache (spec vendor-transcripts §7). */
function tokensOf(record: RecordView, usage: Node, sink: Sink): Tokens {
  const read = count(record, record.get(usage, K.cacheReadTokens), sink)
  const written = count(record, record.get(usage, K.cacheWriteTokens), sink)
  const whole = count(record, record.get(usage, K.inputTokens), sink)
  return classes(
    outsideCache(whole, read, written, record.line, sink),
    read,
    written,
    count(record, record.get(usage, K.outputTokens), sink),
    count(record, record.get(usage, K.reasoningTokens), sink),
  )
}
