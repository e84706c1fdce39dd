import type { Tokens } from '../../event/billing.ts'

/** What is known of the session before `session.started` is written. */
interface Opening {
  at: string | null
  harnessVersion: string | null
  model: string | null
  cwd: string | null
  permissionMode: string | null
  tools: string[] | null
  /** The first prompt came from a parent agent. */
  subagent: boolean
}

/** Usage that the end of a step told, waiting for the record that tells it again. */
interface StepUsage {
  readonly tokens: Tokens
  readonly at: string | null
  readonly line: number
}

/** A call that was not approved; it is recorded only after that. */
export interface DeniedCall {
  readonly code: string
  readonly message: string
  readonly at: string | null
  readonly line: number
}

export interface State {
  started: boolean
  /** The wire holds no session id: it is in the run, when that was read out of the path. */
  readonly session: string | null
  opening: Opening
  /** Turns begun. */
  turn: number
  /** The current turn has not ended. */
  inTurn: boolean
  /** Id of the current step: one request of the model. */
  step: string | null
  /** The usage of the current step was recorded. */
  recorded: boolean
  held: StepUsage | null
  model: string | null
  /** Prompts that the context will repeat, as `fingerprintOf` knows them. */
  readonly prompts: string[]
  readonly calls: Set<string>
  readonly denied: Map<string, DeniedCall>
  /** Approvals asked for, with the call each is about (older wire). */
  readonly approvals: Map<string, string>
  /** A request will be made again, and why was told. */
  isRetryTold: boolean
}

export function initialState(run: string): State {
  const [session, agent] = run.split('/')
  const isKnown = session !== undefined && isSession(session)
  return {
    started: false,
    session: isKnown ? session : null,
    opening: {
      at: null,
      harnessVersion: null,
      model: null,
      cwd: null,
      permissionMode: null,
      tools: null,
      subagent: isKnown && agent !== undefined,
    },
    turn: 0,
    inTurn: false,
    step: null,
    recorded: false,
    held: null,
    model: null,
    prompts: [],
    calls: new Set(),
    denied: new Map(),
    approvals: new Map(),
    isRetryTold: false,
  }
}

/** Session ids of kimi-cli are UUIDs; those of Kimi Code say what they are. */
export function isSession(name: string): boolean {
  return /^(?:session_.+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.test(name)
}

/** Prompts that are waited for. */
const MOST_PROMPTS = 64
const PRINT = 256

/** Enough of a text to know it again. */
function fingerprintOf(text: string): string {
  return `${text.length}:${text.slice(0, PRINT)}`
}

/** A prompt was told that its turn will repeat. */
export function expectPrompt(state: State, text: string): void {
  state.prompts.push(fingerprintOf(text))
  if (state.prompts.length > MOST_PROMPTS) state.prompts.shift()
}

/** True when this text was a prompt that had not been repeated yet. */
export function isExpected(state: State, text: string): boolean {
  const at = state.prompts.indexOf(fingerprintOf(text))
  if (at < 0) return false
  state.prompts.splice(at, 1)
  return true
}
