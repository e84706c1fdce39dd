import type { TokenTotals } from './facts.ts'
import type { RunContext } from './run.ts'

/** The accounts of one process: what its `result` records say, which the messages do not fully show. */
export interface StreamLedger {
  readonly models: Record<string, TokenTotals>
  /** The main loop of the current turn, without subagents and side calls: what `result.usage` covers. */
  turn: TokenTotals
  turnMessages: number
  nanoUsd: number
  spawned: number
}

export interface StreamState {
  readonly sessionId: string
  readonly model: string
  readonly ledger: StreamLedger
  /** Assistant messages still to come in this turn; a turn is open while `turns` is above `results`. */
  messagesLeft: number
  turns: number
  results: number
  /** JSON of the calls that were denied in this turn. */
  denials: string[]
}

/** End a record with what every one of them carries. */
export function finish(ctx: RunContext, state: StreamState, parentCall: string | null = null): void {
  const parent = parentCall === null ? 'null' : `"${parentCall}"`
  ctx.out.put(
    `"parent_tool_use_id":${parent},"session_id":"${state.sessionId}","uuid":"${ctx.random.uuid()}"}`,
  )
  ctx.out.end()
  ctx.facts.records += 1
}

export function putSystem(ctx: RunContext, state: StreamState, subtype: string, fields: string): void {
  ctx.out.put(
    `{"type":"system","subtype":"${subtype}",${fields}"session_id":"${state.sessionId}","uuid":"${ctx.random.uuid()}"}`,
  )
  ctx.out.end()
  ctx.facts.records += 1
}
