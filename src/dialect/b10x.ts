import { Bin, type Sink } from '../event/sink.ts'
import type { CloseReason } from '../event/events.ts'
import { type Node, NONE, type RecordView } from '../kernel/record.ts'
import type { Adapter, Ending } from './adapter.ts'
import { approvalRequired, approvalResolved, completed, hookRan, requested } from './b10x/calls.ts'
import { compacted, credentialRenewed, retried, warning } from './b10x/diagnoses.ts'
import * as flow from './b10x/flow.ts'
import { answered, finished, openSession, refused, started } from './b10x/session.ts'
import { price, settleHeld, use } from './b10x/spend.ts'
import { initialState, type State, type Step } from './b10x/state.ts'
import { hear, say, type Voice } from './b10x/talk.ts'
import { evidenceOf, K, sessionIdOf } from './b10x/words.ts'

const bookkeeping = (): Bin => Bin.Bookkeeping

/** What becomes of each kind (spec b10x-harness §2). A kind that is not here is opaque. */
const KINDS: ReadonlyMap<string, (step: Step) => Bin> = new Map([
  ['credential-renewed', credentialRenewed],
  ['started', started],
  ['refused', refused],
  ['rates', bookkeeping],
  ['turn-started', turnStarted],
  ['turn-retried', retried],
  ['text-delta', (step) => delta(step, 'text')],
  ['reasoning-delta', (step) => delta(step, 'thinking')],
  ['tool-arguments-delta', () => Bin.Folded],
  ['usage', usage],
  ['cost', (step) => (price(step) ? Bin.Folded : Bin.Opaque)],
  ['tool-requested', requested],
  ['approval-required', approvalRequired],
  ['approval-resolved', approvalResolved],
  ['hook-ran', hookRan],
  ['tool-completed', completed],
  ['warning', warning],
  ['compacted', compacted],
  ['answered', answered],
  ['delegate-started', delegateStarted],
  ['delegate-finished', bookkeeping],
  ['finished', finished],
  ['session', bookkeeping],
  ['context-changed', bookkeeping],
  ['inventory-changed', bookkeeping],
  ['flow-started', flow.flowStarted],
  ['group-entered', bookkeeping],
  ['layer-ready', bookkeeping],
  ['step-started', flow.stepStarted],
  ['step-finished', flow.stepFinished],
  ['node-skipped', bookkeeping],
  ['group-repeating', bookkeeping],
  ['handoff-incomplete', flow.handoffIncomplete],
  ['transition-refused', flow.transitionRefused],
  ['group-left', bookkeeping],
  ['flow-finished', flow.flowFinished],
  ['flow-paused', flow.flowPaused],
])

/** Kinds of a delegate that are written as nothing: its talk and its course are not those of the run. */
const SILENT_IN_DELEGATES: ReadonlySet<string> = new Set(
  `started rates turn-started text-delta reasoning-delta tool-arguments-delta answered finished session
  flow-started step-started step-finished flow-finished flow-paused`.split(/\s+/),
)

/** Kinds that may stand amid the text of a turn, which therefore stays held (`warning` too: see `movesOn`). */
const AMID_TEXT: ReadonlySet<string> = new Set([
  'text-delta',
  'reasoning-delta',
  'tool-arguments-delta',
  'turn-retried',
])

/** Warnings of the loop that come when a turn is over; all others may come while it is still talking. */
const AFTER_TURN: ReadonlySet<string> = new Set([
  'conversation-compacted',
  'summary-failed',
  'answer-nudged',
  'stop-hook-exhausted',
])

/** Kinds of a run that is going on: where none was started, one is opened. Flow kinds come before `started`. */
const IN_SESSION: ReadonlySet<string> = new Set(
  `refused turn-started turn-retried text-delta reasoning-delta usage cost tool-requested approval-required
  approval-resolved hook-ran tool-completed compacted answered delegate-started delegate-finished
  finished`.split(/\s+/),
)

/**
 * The run record of b10x-harness (`run --json`): no times, no ids, one line an event of the loop.
 *
 * Text is held until its turn moves on, because `turn-retried` takes it back; a `usage` is held for the `cost` that
 * prices it. Lines of delegates come wrapped in `delegated`, any number of times.
 */
export const b10x: Adapter<State> = {
  dialect: 'b10x',
  summary: 'b10x-harness run record (run --json, chat, workflow run)',
  evidence: evidenceOf,
  runId: sessionIdOf,
  initial: initialState,

  step(record: RecordView, state: State, sink: Sink): Bin {
    let node: Node = record.root
    let scope = ''
    let kind = record.word(record.get(node, K.kind))
    if (kind === 'delegated') ({ node, scope, kind } = unwrap(record))
    const act = kind === null ? undefined : KINDS.get(kind)
    if (node === NONE || kind === null || act === undefined) return opaque(record, scope, kind, sink)
    const step: Step = { record, node, scope, state, sink }
    settleTurn(step, kind)
    if (scope !== '' && SILENT_IN_DELEGATES.has(kind)) return Bin.Bookkeeping
    if (IN_SESSION.has(kind)) openSession(state, sink)
    const bin = scope !== '' && kind === 'refused' ? delegateRefused(step) : act(step)
    return bin === Bin.Opaque ? opaque(record, scope, kind, sink) : bin
  },

  end(state: State, sink: Sink): Ending {
    say(state.talk, sink)
    settleHeld(state.spend, '', sink)
    const terminal = state.stop !== null && state.flow.open === 0
    return { reason: terminal ? closeReason(state.stop?.kind ?? null) : 'error', terminal, promised: true }
  },
}

interface Unwrapped {
  /** The record of the run or of the innermost delegate; `NONE` when a wrapper is not readable. */
  readonly node: Node
  readonly scope: string
  readonly kind: string | null
}

/** Out of a line of a delegate. A loop, not a recursion: delegates nest as deep as JSON does. */
function unwrap(record: RecordView): Unwrapped {
  let node = record.root
  let kind: string | null = 'delegated'
  const calls: string[] = []
  while (kind === 'delegated') {
    const call = record.text(record.get(node, K.call_id))
    const inner = record.get(node, K.event)
    if (call === null || !record.isObject(inner)) return { node: NONE, scope: calls.join('/'), kind }
    calls.push(call)
    node = inner
    kind = record.word(record.get(node, K.kind))
  }
  return { node, scope: calls.join('/'), kind }
}

/** Write what was held for this record to come, if it shows that it can be held no longer. */
function settleTurn({ record, node, scope, state, sink }: Step, kind: string): void {
  const { spend, talk } = state
  if (spend.pending.size > 0 && kind !== 'cost' && kind !== 'warning') settleHeld(spend, scope, sink)
  if (talk.held.length > 0 && (scope !== '' || movesOn(record, node, kind))) {
    openSession(state, sink)
    say(talk, sink)
  }
}

function movesOn(record: RecordView, node: Node, kind: string): boolean {
  if (kind === 'warning') return AFTER_TURN.has(record.word(record.get(node, K.code)) ?? '')
  return !AMID_TEXT.has(kind)
}

function turnStarted({ record, node, state, sink }: Step): Bin {
  const turn = record.integer(record.get(node, K.turn))
  if (turn === null || turn < 0) return Bin.Opaque
  state.turn = turn
  state.talk.written = null
  state.calls.clear()
  state.callBytes = 0
  sink.turnStarted({ at: null, turn, frameDigest: null })
  return Bin.Translated
}

/** With `--deltas` every delta becomes an event of its own; else its content is in the event of its turn. */
function delta({ record, node, state, sink }: Step, voice: Voice): Bin {
  const text = record.get(node, K.text)
  if (!record.isString(text)) return Bin.Opaque
  hear(state.talk, voice, record, text, sink)
  return state.talk.joined ? Bin.Folded : Bin.Translated
}

function usage(step: Step): Bin {
  use(step)
  return Bin.Translated
}

function delegateStarted({ state }: Step): Bin {
  state.subagents++
  return Bin.Bookkeeping
}

function delegateRefused({ record, node, scope, sink }: Step): Bin {
  const reason = record.text(record.get(node, K.reason))
  const why = reason === null ? '' : `: ${reason}`
  sink.warning({ at: null, code: 'refused', message: `the delegate ${scope} was refused${why}` })
  return Bin.Translated
}

function opaque(record: RecordView, scope: string, kind: string | null, sink: Sink): Bin {
  const subtype = scope === '' ? kind : `delegated/${kind ?? ''}`
  sink.opaque({ at: null, vendorType: 'b10x', vendorSubtype: subtype })
  return Bin.Opaque
}

/** Of all stops only `completed` is success; the harness's own limits are its budget (spec §3, design §5.1). */
function closeReason(kind: string | null): CloseReason {
  if (kind === null) return 'error'
  if (kind === 'completed') return 'completed'
  if (kind.startsWith('max-') || kind === 'deadline' || kind === 'budget-exhausted') return 'budget'
  return kind === 'cancelled' ? 'killed' : 'error'
}
