import { Bin, type Sink } from '../event/sink.ts'
import type { CloseReason } from '../event/events.ts'
import { type Node, NONE, type RecordView } from '../kernel/record.ts'
import { Vocabulary } from '../kernel/vocabulary.ts'
import type { Adapter, Ending } from './adapter.ts'
import {
  approvalRequired,
  approvalResolved,
  completed,
  hookRan,
  keepInputs,
  requested,
} from './b10x/calls.ts'
import { compacted, credentialRenewed, retried, warning } from './b10x/diagnoses.ts'
import * as flow from './b10x/flow.ts'
import { answered, finished, openSession, refused, started } from './b10x/session.ts'
import { price, settleHeld, use } from './b10x/spend.ts'
import { forgetCalls, initialState, type State, type Step } from './b10x/state.ts'
import { hear, say, type Voice } from './b10x/talk.ts'
import { type Delta, plainDelta, textOf } from './b10x/deltas.ts'
import { evidenceOf, K, LINE, sessionIdOf, WRAPPER } from './b10x/words.ts'

/** What a kind of record is, and what becomes of it. */
interface Kind {
  readonly name: string
  readonly act: (step: Step) => Bin
  /** In a delegate it is written as nothing: its talk and its course are not those of the run. */
  readonly silentInDelegates: boolean
  /** May stand amid the text of a turn, which therefore stays held (`warning` too: see `movesOn`). */
  readonly amidText: boolean
  /** May stand between a usage and its price. */
  readonly beforePrice: boolean
  /** Of a run that is going on: where none was started, one is opened. Flow kinds come before `started`. */
  readonly inSession: boolean
}

/** The kind that wraps a line of a delegate. */
const DELEGATED = 'delegated'

const bookkeeping = (): Bin => Bin.Bookkeeping

const ACTS: readonly (readonly [string, (step: Step) => Bin])[] = [
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
]

const SILENT_IN_DELEGATES: readonly string[] =
  `started rates turn-started text-delta reasoning-delta tool-arguments-delta answered finished session
  flow-started step-started step-finished flow-finished flow-paused`.split(/\s+/)

const AMID_TEXT: readonly string[] = ['text-delta', 'reasoning-delta', 'tool-arguments-delta', 'turn-retried']

const IN_SESSION: readonly string[] =
  `refused turn-started turn-retried text-delta reasoning-delta usage cost tool-requested approval-required
  approval-resolved hook-ran tool-completed compacted answered delegate-started delegate-finished
  finished`.split(/\s+/)

/** Every kind (spec b10x-harness §2). One that is not here is opaque. */
const KINDS: readonly Kind[] = ACTS.map(([name, act]) => ({
  name,
  act,
  silentInDelegates: SILENT_IN_DELEGATES.includes(name),
  amidText: AMID_TEXT.includes(name),
  beforePrice: name === 'cost' || name === 'warning',
  inSession: IN_SESSION.includes(name),
}))
/** The wrapper is among them, so that it is told as fast as they are. */
const NAMES = new Vocabulary(...KINDS.map(({ name }) => name), DELEGATED)

/** Warnings of the loop that come when a turn is over; all others may come while it is still talking. */
const AFTER_TURN: ReadonlySet<string> = new Set([
  'conversation-compacted',
  'summary-failed',
  'answer-nudged',
  'stop-hook-exhausted',
])

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
  runKey: K.id,
  initial: initialState,

  step(record: RecordView, state: State, sink: Sink): Bin {
    const plain = plainDelta(record)
    if (plain !== null) return plainlyHeard(plain, record, state, sink)
    let node: Node = record.root
    let scope = ''
    let fields = LINE.read(record, node)
    let kind = kindAt(record, fields.kind)
    if (kind === null && record.is(fields.kind, DELEGATED)) {
      ;({ node, scope } = unwrap(record))
      fields = LINE.read(record, node)
      kind = kindAt(record, fields.kind)
    }
    if (kind === null) {
      return opaque(record, scope, node === NONE ? DELEGATED : record.word(fields.kind), sink)
    }
    const step: Step = { record, node, fields, scope, state, sink }
    settleTurn(step, kind)
    if (scope !== '' && kind.silentInDelegates) return Bin.Bookkeeping
    if (kind.inSession) openSession(state, sink)
    const bin = scope !== '' && kind.name === 'refused' ? delegateRefused(step) : kind.act(step)
    return bin === Bin.Opaque ? opaque(record, scope, kind.name, sink) : bin
  },

  leave: keepInputs,

  end(state: State, sink: Sink): Ending {
    say(state.talk, sink)
    settleHeld(state.spend, '', sink)
    const terminal = state.stop !== null && state.flow.open === 0
    return { reason: terminal ? closeReason(state.stop?.kind ?? null) : 'error', terminal, promised: true }
  },
}

/** As `settleTurn` and `delta` have it, for a delta of the run itself. */
function plainlyHeard(what: Delta, record: RecordView, state: State, sink: Sink): Bin {
  settleHeld(state.spend, '', sink)
  if (what === 'arguments') return Bin.Folded
  openSession(state, sink)
  hear(state.talk, what, record, textOf(record), sink)
  return state.talk.joined ? Bin.Folded : Bin.Translated
}

function kindAt(record: RecordView, node: Node): Kind | null {
  const index = NAMES.indexOf(record, node)
  return index < 0 ? null : (KINDS[index] ?? null)
}

interface Unwrapped {
  /** The record of the run or of the innermost delegate; `NONE` when a wrapper is not readable. */
  readonly node: Node
  readonly scope: string
}

/** Out of a line of a delegate. A loop, not a recursion: delegates nest as deep as JSON does. */
function unwrap(record: RecordView): Unwrapped {
  let node = record.root
  let scope = ''
  for (let depth = 0; ; depth++) {
    const { kind, call_id, event } = WRAPPER.read(record, node)
    if (!record.is(kind, DELEGATED)) return { node, scope }
    const call = record.word(call_id)
    if (call === null || !record.isObject(event)) return { node: NONE, scope }
    scope = depth === 0 ? call : `${scope}/${call}`
    node = event
  }
}

/** Write what was held for this record to come, if it shows that it can be held no longer. */
function settleTurn({ record, node, scope, state, sink }: Step, kind: Kind): void {
  const { spend, talk } = state
  if (!kind.beforePrice) settleHeld(spend, scope, sink)
  if (talk.held.length > 0 && (scope !== '' || movesOn(record, node, kind))) {
    openSession(state, sink)
    say(talk, sink)
  }
}

function movesOn(record: RecordView, node: Node, kind: Kind): boolean {
  if (kind.name === 'warning') return AFTER_TURN.has(record.word(record.get(node, K.code)) ?? '')
  return !kind.amidText
}

function turnStarted({ record, fields, state, sink }: Step): Bin {
  const turn = record.integer(fields.turn)
  if (turn === null || turn < 0) return Bin.Opaque
  state.turn = turn
  state.talk.written = null
  forgetCalls(state)
  sink.turnStarted({ at: null, turn, frameDigest: null })
  return Bin.Translated
}

/** With `--deltas` every delta becomes an event of its own; else its content is in the event of its turn. */
function delta({ record, fields, state, sink }: Step, voice: Voice): Bin {
  const { text } = fields
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
