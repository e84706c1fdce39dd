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
/** The name of an event on the wire. */
export type EventName = (typeof EVENT_NAMES)[number]

/** The place at which a call can be decided; `none` where it is only recorded. */
export type Seam = 'registration' | 'hook' | 'control_request' | 'owned_tool' | 'none'
/** Who decided a call, as metaharness names them. */
export type Decider = 'embedder' | 'frame' | 'deadline' | 'adapter' | 'observe'
/** Why a stream was closed. `completed` only with evidence, `error` where nothing says how the run ended. */
export type CloseReason = 'completed' | 'budget' | 'killed' | 'error' | 'steer-halt'

/** What every event has: the time the vendor recorded, untouched; null when there is none. */
export interface Timed {
  readonly at: Text
  /** 1-based line of the record the event stands for, when that is not the record being read. */
  readonly line?: number | undefined
  /** 1-based lines of earlier records whose content is in this event. */
  readonly foldedLines?: readonly number[] | undefined
}

/** `session.started`: what is known of a session when it begins. Null is unknown; an empty list says that there are none. */
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
  /** Tools that were asked for and not admitted, and why. */
  readonly withheld: readonly { readonly tool: Text; readonly reason: Text }[] | null
  readonly slashCommands: TextList
  readonly skills: TextList
  readonly agents: TextList
  readonly plugins: readonly { readonly name: Text; readonly source: Text; readonly version: Text }[] | null
  readonly mcpServers: readonly { readonly name: Text; readonly status: Text }[] | null
  /** Digest of the tree of files that the run was given. */
  readonly inputsDigest: Text
  /** The stream's own claims, when it is one being read back; else null and the writer states ours. */
  readonly transcript: Json
  readonly hermetic: Json
  /** A transcript of a subagent, not a session of its own. */
  readonly subagent: boolean
}

/** A call that was not permitted, as the vendor lists it at the end. */
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

/** `session.ended`: how a session or a turn of its process ended, in the words of its terminal record. */
export interface SessionEnded extends Timed {
  readonly finalAnswer: { readonly text: Text; readonly turnId: Text } | null
  /** The model that was selected for each turn. */
  readonly observedModels: Json
  readonly isError: boolean | null
  readonly subtype: Text
  readonly stopReason: Text
  readonly terminalReason: Text
  readonly apiErrorStatus: Text
  readonly numTurns: number | null
  readonly durationMs: number | null
  readonly durationApiMs: number | null
  /** Until the first token. */
  readonly ttftMs: number | null
  /** Until the first request. */
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

/** A step of a workflow. */
export interface Step {
  readonly workflow: Text
  readonly state: Text
  /** In the order of first entry, from 0. */
  readonly index: number
  /** From 1. */
  readonly attempt: number
}

/** `step.entered`: a step begins. */
export interface StepEntered extends Timed {
  readonly step: Step
  readonly frameDigest: Text
}

/** `step.left`: a step is over. */
export interface StepLeft extends Timed {
  readonly step: Step
  readonly outcome: 'completed' | 'failed' | 'no_verdict'
  /** Required with `failed` and `no_verdict`. */
  readonly reason: Text
}

/** `turn.started`: the model is asked for the next turn. */
export interface TurnStarted extends Timed {
  /** From 1. */
  readonly turn: number
  readonly frameDigest: Text
}

/** `turn.ended`: the turn is over. */
export interface TurnEnded extends Timed {
  readonly turn: number
  readonly stopReason: Text
}

/** `text` and `thinking`: what the model said, and its reasoning. */
export interface Said extends Timed {
  readonly text: Text
  readonly requestId: Text
}

/** `thinking.estimate`: a guess in the middle of a stream, never billed. */
export interface ThinkingEstimate extends Timed {
  /** Tokens of the reasoning so far. */
  readonly estimate: number
  /** By how many tokens it changed. */
  readonly delta: number | null
}

/** `injection`: words that were put before the model. */
export interface Injection extends Timed {
  readonly text: Text
  /** `user`: typed by a person; `synthetic`: put there by a program. */
  readonly origin: Text
}

/** `tool.requested`: the model asks for a call. */
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

/** `tool.decided`: a decision of metaharness's own seam; it only passes through from its streams (design §5.4). */
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

/** `tool.result`: what came of a call. Null in `isError` says that nothing tells. */
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

/** `usage`: one request, or one turn where the harness reports no less, once (design §5.5). */
export interface Usage extends Timed {
  readonly requestId: Text
  readonly model: Text
  readonly usage: UsageFigures
}

/** `rate_limit`: where the account stands. */
export interface RateLimit extends Timed {
  readonly status: Text
  readonly window: Text
  /** Seconds since 1970, as recorded. */
  readonly resetsAt: number | null
  readonly utilization: Decimal
  readonly usingOverage: boolean | null
}

/** `command.result`: the answer to a command that was sent to the run. */
export interface CommandResult extends Timed {
  readonly id: Text
  readonly outcome: Json
}

/** `warning`: a diagnosis of the harness, or a denial by its own gate (design §5.4). */
export interface Warning extends Timed {
  readonly code: Text
  readonly message: Text
  /** What the harness itself called it; sinks with an event for errors use it. Default `warning`. */
  readonly severity?: 'warning' | 'error'
  /** With the denial of a tool call: its id, so that the census can count it by tool. */
  readonly deniedCall?: Text
}

/** `opaque`: what was not understood, named by its digest and line and never dropped (design §5.2). */
export interface Opaque extends Timed {
  readonly vendorType: Text
  readonly vendorSubtype: Text
  /** The content block that was not understood; without it the event stands for the whole record. */
  readonly block?: Node
  /** The digest a stream that is read back already states. */
  readonly digest?: Text
  readonly sourceLine?: number | null
}

/** `auth.expired`: the login no longer holds. */
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

/** `stream.closed`: the last event of every stream. */
export interface StreamClosed {
  readonly reason: CloseReason
  /** How the process of the harness ended, where somebody saw it. */
  readonly process?: ProcessEnd | undefined
}

/** How a process ended: by itself, or by the signal with this number. */
export type ProcessEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signaled'; readonly signal: number }
