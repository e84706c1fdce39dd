import { iso, type RunContext } from './run.ts'

/** Where the conversation stands; a session is a chain of records, each naming the one before it. */
export interface SessionState {
  readonly sessionId: string
  /** Set in the file of a subagent, which carries the session id of its parent. */
  readonly agentId: string | null
  readonly project: string
  version: string
  model: string
  timeMs: number
  parent: string | null
  sidechain: boolean
  /** Assistant messages still to come in this turn. */
  messagesLeft: number
}

/** A record that is no part of the chain. */
export function putLine(ctx: RunContext, text: string): void {
  ctx.out.put(text)
  ctx.out.end()
  ctx.facts.records += 1
}

/** Begin a record of the chain; `fields` follow, then `finish`. */
export function begin(ctx: RunContext, state: SessionState, type: string): void {
  const parent = state.parent === null ? 'null' : `"${state.parent}"`
  const agent = state.agentId === null ? '' : `"agentId":"${state.agentId}",`
  ctx.out.put(
    `{"parentUuid":${parent},"isSidechain":${state.sidechain},"userType":"external","cwd":"${state.project}",` +
      `"sessionId":"${state.sessionId}","version":"${state.version}","gitBranch":"main",${agent}"type":"${type}",`,
  )
}

export function finish(ctx: RunContext, state: SessionState): void {
  state.parent = ctx.random.uuid()
  state.timeMs += ctx.random.between(5, 9_000)
  putLine(ctx, `"uuid":"${state.parent}","timestamp":"${iso(state.timeMs)}"}`)
}
