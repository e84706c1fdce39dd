import type { SessionEnded, SessionStarted } from '../event/events.ts'
import type { Text } from '../event/value.ts'

/*
 * Each of the two events is one literal: spread over a blank one, or put together by every adapter in an order of its own,
 * the same event would have many layouts in memory, and the engine would look up each field of it anew.
 */

/**
 * A `session.started` of a harness.
 *
 * @param known what the records say; all else is null
 */
export function sessionStart(
  adapter: Text,
  known: Partial<Omit<SessionStarted, 'adapter'>> = {},
): SessionStarted {
  return {
    at: known.at ?? null,
    line: known.line,
    foldedLines: known.foldedLines,
    adapter,
    adapterClass: known.adapterClass ?? 'harness',
    harnessVersion: known.harnessVersion ?? null,
    sessionId: known.sessionId ?? null,
    model: known.model ?? null,
    permissionMode: known.permissionMode ?? null,
    credentialSource: known.credentialSource ?? null,
    outputStyle: known.outputStyle ?? null,
    cwd: known.cwd ?? null,
    offeredTools: known.offeredTools ?? null,
    availableOperations: known.availableOperations ?? null,
    withheld: known.withheld ?? null,
    slashCommands: known.slashCommands ?? null,
    skills: known.skills ?? null,
    agents: known.agents ?? null,
    plugins: known.plugins ?? null,
    mcpServers: known.mcpServers ?? null,
    inputsDigest: known.inputsDigest ?? null,
    transcript: known.transcript ?? null,
    hermetic: known.hermetic ?? null,
    subagent: known.subagent ?? false,
  }
}

/** A `session.ended`. @param known what the records say; all else is null */
export function sessionEnd(known: Partial<SessionEnded>): SessionEnded {
  return {
    at: known.at ?? null,
    line: known.line,
    foldedLines: known.foldedLines,
    finalAnswer: known.finalAnswer ?? null,
    observedModels: known.observedModels ?? null,
    isError: known.isError ?? null,
    subtype: known.subtype ?? null,
    stopReason: known.stopReason ?? null,
    terminalReason: known.terminalReason ?? null,
    apiErrorStatus: known.apiErrorStatus ?? null,
    numTurns: known.numTurns ?? null,
    durationMs: known.durationMs ?? null,
    durationApiMs: known.durationApiMs ?? null,
    ttftMs: known.ttftMs ?? null,
    timeToRequestMs: known.timeToRequestMs ?? null,
    totalCostUsd: known.totalCostUsd ?? null,
    permissionDenials: known.permissionDenials ?? null,
    subagentsSpawned: known.subagentsSpawned ?? null,
    usage: known.usage ?? null,
    modelUsage: known.modelUsage ?? null,
    census: known.census ?? null,
  }
}
