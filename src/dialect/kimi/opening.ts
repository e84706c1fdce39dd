import type { Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import type { Node, RecordView } from '../../kernel/record.ts'
import { sessionStart } from '../session-events.ts'
import { keptTimeOf } from '../times.ts'
import { children } from '../values.ts'
import type { State } from './state.ts'

const K = keys(
  'cwd',
  'modelAlias',
  'model',
  'names',
  'activeToolNames',
  'tools',
  'name',
  'mode',
  'environmentDisclosure',
  'app_version',
  'appVersion',
)
/** Tools and the bytes of a name that are kept for the opening. */
const MOST_TOOLS = 1000
const LONGEST = 512

/**
 * Note what a record about the set-up says, for `session.started`; the last word before it counts. True when the
 * record will be in that event.
 */
export function noteSetUp(record: RecordView, state: State): boolean {
  const { root } = record
  const model = short(record, record.get(root, K.modelAlias))
  if (model !== null) state.model = model
  if (state.started) return false
  const { opening } = state
  const disclosed = record.get(root, K.environmentDisclosure)
  opening.model = state.model
  opening.cwd =
    short(record, record.get(root, K.cwd)) ?? short(record, record.get(disclosed, K.cwd)) ?? opening.cwd
  opening.permissionMode = short(record, record.get(root, K.mode)) ?? opening.permissionMode
  opening.harnessVersion =
    short(record, record.get(root, K.app_version)) ??
    short(record, record.get(root, K.appVersion)) ??
    opening.harnessVersion
  opening.tools =
    namesIn(record, record.get(root, K.names)) ??
    namesIn(record, record.get(root, K.activeToolNames)) ??
    opening.tools ??
    namesIn(record, record.get(root, K.tools))
  return true
}

function namesIn(record: RecordView, list: Node): string[] | null {
  if (!record.isArray(list)) return null
  const names = children(
    record,
    list,
    (item) => short(record, item) ?? short(record, record.get(item, K.name)),
  )
  return names.length === 0 || names.length > MOST_TOOLS ? null : names
}

function short(record: RecordView, node: Node): string | null {
  const text = record.text(node)
  return text === null || text.length > LONGEST ? null : text
}

/** Write `session.started`, before the first event. `at` is the time of the record that needs it. */
export function open(record: RecordView | null, at: Text, state: State, sink: Sink): void {
  if (state.started) return
  state.started = true
  const { opening } = state
  sink.sessionStarted(
    sessionStart('kimi', {
      at: opening.at ?? (record === null ? null : keptTimeOf(record, at)),
      harnessVersion: opening.harnessVersion,
      sessionId: state.session,
      model: opening.model,
      cwd: opening.cwd,
      permissionMode: opening.permissionMode,
      offeredTools: opening.tools,
      subagent: opening.subagent,
    }),
  )
}
