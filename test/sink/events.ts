import { sessionEnd, sessionStart } from '../../src/dialect/session-events.ts'
import type * as E from '../../src/event/events.ts'
import type { Sink } from '../../src/event/sink.ts'
import type { Text } from '../../src/event/value.ts'

/** Events in which everything a test does not speak of is unknown. */
export const sessionStarted = (given: Partial<E.SessionStarted> = {}): E.SessionStarted => ({
  ...sessionStart('claude', { sessionId: 's1' }),
  ...given,
})

export const sessionEnded = (given: Partial<E.SessionEnded> = {}): E.SessionEnded => sessionEnd(given)

export const toolRequested = (callId: Text, name: Text, operations: Text[] = []): E.ToolRequested => ({
  at: null,
  callId,
  name,
  input: null,
  operations,
  subjects: [],
  decisionRequired: false,
  deadlineMs: null,
  seam: 'none',
})

export const toolResult = (callId: Text, isError: boolean | null = null): E.ToolResult => ({
  at: null,
  exitCode: null,
  outcomeSource: null,
  callId,
  isError,
  content: null,
  bytes: null,
  toolUseResult: null,
})

export const toolDecided = (callId: Text, decision: E.ToolDecided['decision']): E.ToolDecided => ({
  at: null,
  callId,
  decision,
  reason: null,
  input: null,
  decidedBy: 'frame',
  seam: 'hook',
  latencyMs: null,
})

/** One event of each kind, as calls to make. */
export const oneOfEach: readonly ((sink: Sink) => void)[] = [
  (sink) => sink.sessionStarted(sessionStarted()),
  (sink) => sink.sessionEnded(sessionEnded()),
  (sink) => sink.stepEntered({ at: null, step: step(), frameDigest: null }),
  (sink) => sink.stepLeft({ at: null, step: step(), outcome: 'completed', reason: null }),
  (sink) => sink.turnStarted({ at: null, turn: 1, frameDigest: null }),
  (sink) => sink.turnEnded({ at: null, turn: 1, stopReason: null }),
  (sink) => sink.text({ at: null, text: 'x', requestId: null }),
  (sink) => sink.thinking({ at: null, text: 'x', requestId: null }),
  (sink) => sink.thinkingEstimate({ at: null, estimate: 1, delta: null }),
  (sink) => sink.injection({ at: null, text: 'x', origin: 'user' }),
  (sink) => sink.toolRequested(toolRequested('c', 'Bash')),
  (sink) => sink.toolDecided(toolDecided('c', 'allow')),
  (sink) => sink.toolResult(toolResult('c')),
  (sink) => sink.usage({ at: null, requestId: null, model: null, usage: noUsage() }),
  (sink) =>
    sink.rateLimit({
      at: null,
      status: 'ok',
      window: null,
      resetsAt: null,
      utilization: null,
      usingOverage: null,
    }),
  (sink) => sink.commandResult({ at: null, id: 'i', outcome: null }),
  (sink) => sink.warning({ at: null, code: 'w', message: 'x' }),
  (sink) => sink.opaque({ at: null, vendorType: 'a', vendorSubtype: null }),
  (sink) => sink.authExpired({ at: null, credentialSource: null, detail: null }),
  (sink) => sink.streamClosed({ reason: 'completed' }),
]

function step(): E.Step {
  return { workflow: 'w', state: 's', index: 0, attempt: 1 }
}

export function noUsage(): E.UsageFigures {
  return {
    inputTokens: null,
    outputTokens: null,
    cacheReadInputTokens: null,
    cacheCreationInputTokens: null,
    serviceTier: null,
    thinkingTokens: null,
    iterations: null,
    speed: null,
    costUsd: null,
  }
}
