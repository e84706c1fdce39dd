/** Plain data. */
export interface State {
  started: boolean
  session: string | null
  /** Subagents that were begun, by id. */
  readonly begun: Set<string>
  /** A stage of the orchestrator failed, which ends the run. */
  failed: boolean
}
