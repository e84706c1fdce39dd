import type { Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import type { Node, RecordView } from '../../kernel/record.ts'
import { sessionStart } from '../session-events.ts'
import { beginSegment, type State } from './state.ts'

/** One event of Copilot being read. */
export interface Event {
  readonly record: RecordView
  readonly type: string
  readonly data: Node
  /** The event's own id. */
  readonly id: Node
  readonly at: Text
  /** Inside a subagent. */
  readonly ofSubagent: boolean
  readonly state: State
  readonly sink: Sink
}

/** A file whose beginning is missing opens with a session of which nothing is known. */
export function open({ at, state, sink }: Event): void {
  if (state.segments > 0) return
  beginSegment(null, state)
  sink.sessionStarted(sessionStart('copilot', { at }))
}
