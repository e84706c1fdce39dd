import type { SessionEnded, SessionStarted } from '../event/events.ts'

/** A `session.started` of a harness of which nothing is known yet; adapters fill in what their records say. */
export function blankSession(adapter: string): SessionStarted {
  return {
    at: null,
    adapter,
    adapterClass: 'harness',
    harnessVersion: null,
    sessionId: null,
    model: null,
    permissionMode: null,
    credentialSource: null,
    outputStyle: null,
    cwd: null,
    offeredTools: null,
    availableOperations: null,
    withheld: null,
    slashCommands: null,
    skills: null,
    agents: null,
    plugins: null,
    mcpServers: null,
    inputsDigest: null,
    transcript: null,
    hermetic: null,
    subagent: false,
  }
}

/** A `session.ended` that says nothing. */
export const BLANK_END: SessionEnded = {
  at: null,
  finalAnswer: null,
  observedModels: null,
  isError: null,
  subtype: null,
  stopReason: null,
  terminalReason: null,
  apiErrorStatus: null,
  numTurns: null,
  durationMs: null,
  durationApiMs: null,
  ttftMs: null,
  timeToRequestMs: null,
  totalCostUsd: null,
  permissionDenials: null,
  subagentsSpawned: null,
  usage: null,
  modelUsage: null,
  census: null,
}
