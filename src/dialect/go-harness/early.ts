import type { Sink } from '../../event/sink.ts'
import { sessionStart } from '../session-events.ts'
import type { Held, Run, State, Step } from './state.ts'

/** Events, and bytes of their texts, that wait for the session to open. */
const MOST_HELD = 64
const HELD_BYTES = 8 * 1024 * 1024

/**
 * Write an event that may stand before the session has opened: what a run says before its first step (spec §2.1), until
 * its model, folder, skills and tools were named.
 */
export function early(step: Step, event: Held): void {
  const { run, state, sink } = step
  if (run.opened) {
    write(event, sink)
    return
  }
  run.held.push(event)
  if ('text' in event) run.heldBytes += event.text.bytes.length
  if (run.held.length > MOST_HELD || run.heldBytes > HELD_BYTES) open(run, state, sink)
}

/** Write `session.started`, and what waited for it. */
export function open(run: Run, state: State, sink: Sink): void {
  if (run.opened) return
  run.opened = true
  if (state.sessions > 0) {
    sink.notice('second-session', run.line, 'another run begins in the same transcript')
  }
  state.sessions++
  const { at, line, facts } = run
  const { session: sessionId, model, cwd, skills, offered: offeredTools } = facts
  sink.sessionStarted(
    sessionStart('go-agent-harness', { at, line, sessionId, model, cwd, skills, offeredTools }),
  )
  for (const event of run.held) write(event, sink)
  run.held = []
  run.heldBytes = 0
}

function write(event: Held, sink: Sink): void {
  const { at, line } = event
  switch (event.kind) {
    case 'prompt':
    case 'steering':
      sink.injection({ at, line, text: event.text, origin: 'user' })
      return
    case 'turn':
      sink.turnStarted({ at, line, turn: event.turn, frameDigest: null })
      return
    case 'warning': {
      const { code, message, severity, deniedCall } = event
      sink.warning({ at, line, code, message, severity, ...(deniedCall === null ? {} : { deniedCall }) })
    }
  }
}
