import type { Tokens } from '../../event/billing.ts'
import type { Sink } from '../../event/sink.ts'
import type { RecordView } from '../../kernel/record.ts'
import { spend } from '../spend.ts'
import { isZero, UNCOUNTED } from './tokens.ts'

/** Counts of one step or message. Plain data. */
export interface Counted {
  readonly tokens: Tokens
  /** The characters of a price in USD. */
  readonly cost: string | null
  readonly at: string | null
  readonly line: number
}

/** The message whose parts are being read. */
export interface OpenMessage {
  readonly id: string | null
  /** `user`, `assistant`, or what else it says. */
  readonly role: string | null
  readonly at: string | null
  readonly model: string | null
  /** What the message itself says it used. */
  readonly used: Counted | null
  /** The message was finished: its counts are final. */
  readonly isFinal: boolean
  /** What its steps say they used, as far as it is not written yet. */
  readonly steps: Counted[]
  /** Steps whose usage is written. */
  stepsBilled: number
}

/** All that is remembered between records. Plain data; nothing in it points into a record. */
export interface State {
  readonly run: string
  started: boolean
  session: string | null
  readonly sessions: string[]
  subagent: boolean
  turn: number
  isInside: boolean
  message: OpenMessage | null
}

export function initialState(run: string): State {
  return {
    run,
    started: false,
    session: null,
    sessions: [],
    subagent: false,
    turn: 0,
    isInside: false,
    message: null,
  }
}

/** Steps of one message that are held. */
const MOST_STEPS = 100

/** Keep what a step used until its message is over, or until there are so many that they can only count by themselves. */
export function noteStep(message: OpenMessage, step: Counted, state: State, sink: Sink): void {
  if (message.steps.length >= MOST_STEPS) billSteps(message, state, sink)
  message.steps.push(step)
}

/**
 * All parts of the message were read: its usage is written. The counts of old versions are those of the last step only,
 * so that several steps count by themselves; else the message does.
 */
export function closeMessage(state: State, sink: Sink): void {
  const { message } = state
  if (message === null) return
  state.message = null
  const { used, steps, isFinal } = message
  if (message.stepsBilled + steps.length > 1) {
    billSteps(message, state, sink)
    return
  }
  const counted = used ?? steps[0]
  if (counted === undefined) return
  // Counts begin at zero: those of a message that never ended say nothing.
  const isUnknown = !isFinal && isZero(counted.tokens)
  const figures = isUnknown ? { ...counted, tokens: UNCOUNTED, cost: null } : counted
  bill(message, figures, 0, isFinal, state, sink)
}

function billSteps(message: OpenMessage, state: State, sink: Sink): void {
  for (const step of message.steps) bill(message, step, message.stepsBilled++, true, state, sink)
  message.steps.length = 0
}

function bill(
  { id, model }: OpenMessage,
  { tokens, cost, at, line }: Counted,
  index: number,
  final: boolean,
  state: State,
  sink: Sink,
): void {
  const requestId = id === null || index === 0 ? id : `${id}:${index + 1}`
  const key = requestId === null ? null : `opencode:${requestId}`
  const { session, subagent } = state
  // No node is in it, so no record is needed to read it.
  const noRecord: RecordView | null = null
  spend(
    noRecord,
    { at, line, requestId, key, model, tokens, session, final, costUsd: cost, sidechain: subagent },
    sink,
  )
}
