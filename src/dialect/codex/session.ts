import { Bin, type Sink } from '../../event/sink.ts'
import { type Node, NONE, type RecordView } from '../../kernel/record.ts'
import { sessionStart } from '../session-events.ts'
import { textAt } from '../values.ts'
import { newThread, type State, type Step } from './state.ts'
import { chooseModel, endThread } from './turns.ts'
import { K, LONGEST_ID, PAYLOAD } from './words.ts'

/** Ancestors remembered: each fork of a fork declares one more. */
const MOST_ANCESTORS = 64

/** Who a `session_meta` says it is about. */
interface About {
  readonly id: string | null
  readonly parent: string | null
  readonly session: string | null
  readonly subagent: boolean
}

function aboutOf(record: RecordView, meta: Node): About {
  const id = idAt(record, record.get(meta, K.id))
  const source = record.get(record.get(meta, K.source), K.subagent)
  const spawned = idAt(record, record.get(record.get(source, K.thread_spawn), K.parent_thread_id))
  const threadParent = idAt(record, record.get(meta, K.parent_thread_id)) ?? spawned
  const parent = idAt(record, record.get(meta, K.forked_from_id)) ?? threadParent
  const subagent =
    source !== NONE || threadParent !== null || record.is(record.get(meta, K.thread_source), 'subagent')
  // A subagent belongs to the session of its parent, as long as it does not say which.
  const session = idAt(record, record.get(meta, K.session_id)) ?? (subagent ? threadParent : null) ?? id
  return { id, parent: parent === id ? null : parent, session, subagent }
}

function idAt(record: RecordView, node: Node): string | null {
  const id = record.text(node)
  return id === null || id === '' || id.length > LONGEST_ID ? null : id
}

/** The run id of a stream: the thread, of a subagent below its session (design §5.1). */
export function runOf(record: RecordView, meta: Node): string | null {
  const { id, session, subagent } = aboutOf(record, meta)
  return subagent && session !== null && id !== null && session !== id ? `${session}/${id}` : id
}

/**
 * `session_meta`. The first is the owner's. A later one with another id is history that was copied from the thread it names,
 * when that is declared as a parent or follows at once; else another session begins in the same file.
 */
export function sessionMeta(step: Step): Bin {
  const { record, payload, state, sink, thread } = step
  const about = aboutOf(record, payload)
  if (about.id === null) return Bin.Opaque
  if (state.sessions === 0) return begin(step, about)
  if (about.id === thread.id) return Bin.Bookkeeping
  if (thread.id !== null && (thread.ancestors.includes(about.id) || !thread.hasContent)) {
    // Old builds copied without saying from where: what follows the own record at once is the parent.
    thread.parent ??= about.id
    for (const id of [about.id, about.parent]) {
      if (id !== null && !thread.ancestors.includes(id) && thread.ancestors.length < MOST_ANCESTORS) {
        thread.ancestors.push(id)
      }
    }
    sink.notice('copied-history', record.line, 'the transcript holds copied history of another thread')
    return Bin.Bookkeeping
  }
  sink.notice('second-session', record.line, 'the transcript holds more than one session')
  endThread(thread, sink)
  return begin(step, about)
}

function begin({ record, payload, at, state, sink }: Step, about: About): Bin {
  state.thread = newThread(about)
  state.sessions++
  sink.sessionStarted(
    sessionStart('codex', {
      at,
      harnessVersion: textAt(record, record.get(payload, K.cli_version)),
      sessionId: about.session,
      cwd: textAt(record, record.get(payload, K.cwd)),
      subagent: about.subagent,
    }),
  )
  return Bin.Translated
}

/** A file that begins in the middle of a session still opens with one, of which nothing is known. True when it did now. */
export function openSession(state: State, sink: Sink): boolean {
  if (state.sessions > 0) return false
  state.sessions = 1
  sink.sessionStarted(sessionStart('codex'))
  return true
}

/** `turn_context`: the model of what follows. */
export function turnContext(step: Step): Bin {
  const { record, payload } = step
  if (!record.isObject(payload)) return Bin.Opaque
  const id = idAt(record, PAYLOAD.read(record, payload).turn_id)
  chooseModel(step, idAt(record, record.get(payload, K.model)), id)
  return Bin.Bookkeeping
}

/** `event_msg/thread_settings_applied`: model and tier may change within a turn. */
export function settings(step: Step): Bin {
  const { record, payload, thread } = step
  const chosen = record.get(payload, K.thread_settings)
  const model = idAt(record, record.get(chosen, K.model))
  if (model !== null && model !== thread.model) chooseModel(step, model, null)
  const tier = record.get(chosen, K.service_tier)
  if (tier !== NONE) thread.tier = tierOf(record.word(tier))
  return Bin.Bookkeeping
}

/** What Codex calls `fast` is the priority tier of the API. */
function tierOf(word: string | null): string | null {
  return word === 'fast' ? 'priority' : word
}
