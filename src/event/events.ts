import type { Node } from '../kernel/record.ts'
import type { Decimal, Json, Text, TextList } from './value.ts'

/** The 20 names of `metaharness.event/1`, in the order of its page (spec metaharness-event-1 §2). */
export const EVENT_NAMES = [
  'session.started',
  'session.ended',
  'step.entered',
  'step.left',
  'turn.started',
  'turn.ended',
  'text',
  'thinking',
  'thinking.estimate',
  'injection',
  'tool.requested',
  'tool.decided',
  'tool.result',
  'usage',
  'rate_limit',
  'command.result',
  'warning',
  'opaque',
  'auth.expired',
  'stream.closed',
] as const
export type EventName = (typeof EVENT_NAMES)[number]

export type Seam = 'registration' | 'hook' | 'control_request' | 'owned_tool' | 'none'
export type Decider = 'embedder' | 'frame' | 'deadline' | 'adapter' | 'observe'
export type CloseReason = 'completed' | 'budget' | 'killed' | 'error' | 'steer-halt'

/** What every event has: the time the vendor recorded, untouched; null when there is none. */
export interface Timed {
  readonly at: Text
  /** 1-based line of the record the event stands for, when that is not the record being read. */
  readonly line?: number
  /** 1-based lines of earlier records whose content is in this event. */
  readonly foldedLines?: readonly number[]
}

export interface SessionStarted extends Timed {
  /** Harness slug (design §5.1); a node only when a stream of events is read back. */
  readonly adapter: Text
  readonly adapterClass: 'harness' | 'direct_provider'
  readonly harnessVersion: Text
  readonly sessionId: Text
  readonly model: Text
  readonly permissionMode: Text
  readonly credentialSource: Text
  readonly outputStyle: Text
  readonly cwd: Text
  readonly offeredTools: TextList
  readonly availableOperations: TextList
  readonly withheld: readonly { readonly tool: Text; readonly reason: Text }[] | null
  readonly slashCommands: TextList
  readonly skills: TextList
  readonly agents: TextList
  readonly plugins: readonly { readonly name: Text; readonly source: Text; readonly version: Text }[] | null
  readonly mcpServers: readonly { readonly name: Text; readonly status: Text }[] | null
  readonly inputsDigest: Text
  /** The stream's own claims, when it is one being read back; else null and the writer states ours. */
  readonly transcript: Json
  readonly hermetic: Json
  /** A transcript of a subagent, not a session of its own. */
  readonly subagent: boolean
}

export interface Denial {
  readonly toolName: Text
  readonly toolUseId: Text
  readonly toolInput: Json
}

/** Tokens as the wire knows them; `inputTokens` keeps the convention of its adapter (design §5.5). */
export interface UsageFigures {
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly cacheReadInputTokens: number | null
  readonly cacheCreationInputTokens: number | null
  readonly serviceTier: Text
  readonly thinkingTokens: number | null
  /** Length of the vendor's list of inner attempts. */
  readonly iterations: number | null
  readonly speed: Text
  readonly costUsd: Decimal
}

export interface SessionEnded extends Timed {
  readonly finalAnswer: { readonly text: Text; readonly turnId: Text } | null
  readonly observedModels: Json
  readonly isError: boolean | null
  readonly subtype: Text
  readonly stopReason: Text
  readonly terminalReason: Text
  readonly apiErrorStatus: Text
  readonly numTurns: number | null
  readonly durationMs: number | null
  readonly durationApiMs: number | null
  readonly ttftMs: number | null
  readonly timeToRequestMs: number | null
  readonly totalCostUsd: Decimal
  readonly permissionDenials: readonly Denial[] | null
  readonly subagentsSpawned: number | null
  readonly usage: UsageFigures | null
  readonly modelUsage: readonly { readonly model: Text; readonly usage: UsageFigures }[] | null
  readonly census: SeamCensus | null
}

/** What metaharness's own seam decided. Null in `SessionEnded` stands for all zero: nothing was decided by us. */
export interface SeamCensus {
  readonly allowed: number
  readonly denied: number
  readonly replaced: number
  readonly abstained: number
  readonly bySeam: Readonly<Record<string, number>>
  readonly byDecider: Readonly<Record<string, number>>
}

export interface Step {
  readonly workflow: Text
  readonly state: Text
  readonly index: number
  readonly attempt: number
}
export interface StepEntered extends Timed {
  readonly step: Step
  readonly frameDigest: Text
}
export interface StepLeft extends Timed {
  readonly step: Step
  readonly outcome: 'completed' | 'failed' | 'no_verdict'
  /** Required with `failed` and `no_verdict`. */
  readonly reason: Text
}
export interface TurnStarted extends Timed {
  readonly turn: number
  readonly frameDigest: Text
}
export interface TurnEnded extends Timed {
  readonly turn: number
  readonly stopReason: Text
}

export interface Said extends Timed {
  readonly text: Text
  readonly requestId: Text
}
export interface ThinkingEstimate extends Timed {
  readonly estimate: number
  readonly delta: number | null
}
export interface Injection extends Timed {
  readonly text: Text
  /** `user`: typed by a person; `synthetic`: put there by a program. */
  readonly origin: Text
}

export interface ToolRequested extends Timed {
  readonly callId: Text
  readonly name: Text
  readonly input: Json
  /** Neutral operations (spec metaharness-event-1 §5), left out of the wire when empty. */
  readonly operations: readonly Text[]
  readonly subjects: readonly Text[]
  readonly decisionRequired: boolean
  readonly deadlineMs: number | null
  readonly seam: Seam
}
export interface ToolDecided extends Timed {
  readonly callId: Text
  readonly decision: 'allow' | 'deny' | 'replace' | 'abstain'
  /** With `deny`. */
  readonly reason: Text
  /** With `replace`. */
  readonly input: Json
  readonly decidedBy: Decider
  readonly seam: Seam
  readonly latencyMs: number | null
}
export interface ToolResult extends Timed {
  readonly exitCode: number | null
  readonly outcomeSource: Text
  readonly callId: Text
  readonly isError: boolean | null
  readonly content: Json
  /** Bytes of the content: UTF-8 length of a string, else of its compact JSON. */
  readonly bytes: number | null
  readonly toolUseResult: Json
}

export interface Usage extends Timed {
  readonly requestId: Text
  readonly model: Text
  readonly usage: UsageFigures
}
export interface RateLimit extends Timed {
  readonly status: Text
  readonly window: Text
  readonly resetsAt: number | null
  readonly utilization: Decimal
  readonly usingOverage: boolean | null
}
export interface CommandResult extends Timed {
  readonly id: Text
  readonly outcome: Json
}
export interface Warning extends Timed {
  readonly code: Text
  readonly message: Text
  /** What the harness itself called it; sinks with an event for errors use it. Default `warning`. */
  readonly severity?: 'warning' | 'error'
  /** With the denial of a tool call: its id, so that the census can count it by tool. */
  readonly deniedCall?: Text
}
export interface Opaque extends Timed {
  readonly vendorType: Text
  readonly vendorSubtype: Text
  /** The content block that was not understood; without it the event stands for the whole record. */
  readonly block?: Node
  /** The digest a stream that is read back already states. */
  readonly digest?: Text
  readonly sourceLine?: number | null
}
export interface AuthExpired extends Timed {
  readonly credentialSource: Text
  readonly detail: Text
  readonly sourceLine?: number | null
}
/**
 * A stage in the life of the run around the harness (pulling an image, setting up, tearing down), told by the
 * orchestrator. No event of the wire: sinks with a word for it use it.
 */
export interface SystemStage extends Timed {
  readonly stage: Text
  readonly status: Text
  readonly message: Text
}
export interface StreamClosed {
  readonly reason: CloseReason
  /** How the process of the harness ended, where somebody saw it. */
  readonly process?: ProcessEnd | undefined
}

export type ProcessEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signaled'; readonly signal: number }
