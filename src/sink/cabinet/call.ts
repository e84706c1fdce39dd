import type { CallArguments } from './call-arguments.ts'

/** A call, as far as it says what it does. */
export interface Call {
  /** Null when the call has none. */
  readonly id: string | null
  readonly tool: string | null
  /** In neutral words (spec metaharness-event-1 §5); empty when nothing is known of the tool. */
  readonly operations: readonly string[]
  readonly input: CallArguments
  /** What the call is about, `file:<path as written>` for a file. */
  readonly subjects: () => readonly string[]
}

/** What the calls of a session have in common. */
export interface Surroundings {
  /** Slug of the harness. */
  readonly harness: string | null
  readonly workingDirectory: string | null
  /** `command`: every call of a shell is a command, whatever its line does. */
  readonly shell: 'classify' | 'command'
}
