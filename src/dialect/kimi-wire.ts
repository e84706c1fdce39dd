import { Bin, type Sink } from '../event/sink.ts'
import type { Text } from '../event/value.ts'
import { keys } from '../kernel/key.ts'
import { Kind } from '../kernel/layout.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'
import type { Adapter, Evidence } from './adapter.ts'
import { WITHOUT_END } from './endings.ts'
import { warnOfAll } from './kimi/denials.ts'
import { wireMessage } from './kimi/messages.ts'
import { open } from './kimi/opening.ts'
import { operation } from './kimi/operations.ts'
import { settleStep } from './kimi/spending.ts'
import { initialState, isSession, type State } from './kimi/state.ts'
import { timeAt } from './times.ts'
import { textAt } from './values.ts'

const K = keys(
  'type',
  'message',
  'payload',
  'event',
  'time',
  'timestamp',
  'created_at',
  'protocol_version',
  'data',
  'usage',
)

/**
 * Wire logs of Kimi, two generations (spec vendor-transcripts §8): `{timestamp, message}` of kimi-cli, and the flat
 * operations of Kimi Code. Neither holds its session id, which is the name of a folder; a subagent of Kimi Code has a
 * wire of its own. A session has no terminal record, and its turns may go on any time.
 *
 * The end of a step repeats what `usage.record` says; the call behind a compaction has only the latter.
 */
export const kimiWire: Adapter<State> = {
  dialect: 'kimi-wire',
  summary: 'wire logs of Kimi Code and kimi-cli',
  evidence,
  runId: null,
  runOfPath,
  initial: ({ run }) => initialState(run),
  step(record, state, sink) {
    const { root } = record
    const message = record.get(root, K.message)
    const type = record.word(record.get(root, K.type))
    if (type === null) {
      const at = timeAt(record, record.get(root, K.timestamp))
      return (
        wireMessage(record, message, at, state, sink) ??
        opaque(record, record.get(message, K.type), NONE, at, sink)
      )
    }
    const at = timeOf(record, root)
    if (type === 'metadata' && !state.started) state.opening.at ??= typeof at === 'string' ? at : null
    const bin = operation(record, type, at, state, sink)
    return (
      bin ?? opaque(record, record.get(root, K.type), record.get(record.get(root, K.event), K.type), at, sink)
    )
  },
  end(state, sink) {
    settleStep(state, sink)
    open(null, null, state, sink)
    warnOfAll(state, sink)
    return WITHOUT_END
  },
}

/**
 * `<session>/wire.jsonl`, or in Kimi Code `<session>/agents/<agent>/wire.jsonl`, where every agent but `main` is a
 * subagent of the session.
 */
function runOfPath(path: string): string | null {
  const [file, folder, above, session] = path.split(/[\\/]/).toReversed()
  if (file === undefined || folder === undefined || !file.startsWith('wire.jsonl')) return null
  if (above !== 'agents') return isSession(folder) ? folder : null
  if (session === undefined || !isSession(session)) return null
  return folder === 'main' ? session : `${session}/${folder}`
}

function timeOf(record: RecordView, root: Node): Text {
  const time = record.get(root, K.time)
  return timeAt(record, time === NONE ? record.get(root, K.created_at) : time)
}

function opaque(record: RecordView, type: Node, subtype: Node, at: Text, sink: Sink): Bin {
  sink.opaque({ at, vendorType: textAt(record, type), vendorSubtype: textAt(record, subtype) })
  return Bin.Opaque
}

/** Dots occur in types of Copilot and of `codex exec` too, but without a numeric `time`. */
function evidence(record: RecordView, value: Node): Evidence | null {
  const type = record.word(record.get(value, K.type))
  if (type === null) {
    const message = record.get(value, K.message)
    const inner = record.word(record.get(message, K.type))
    if (inner === null || record.get(message, K.payload) === NONE) return null
    if (record.kind(record.get(value, K.timestamp)) !== Kind.Number) return null
    return { weight: 'proof', reason: `message "${inner}" of the wire of kimi-cli` }
  }
  if (type === 'metadata' && record.get(value, K.protocol_version) !== NONE) {
    return { weight: 'proof', reason: 'metadata with protocol_version' }
  }
  if (record.kind(record.get(value, K.time)) !== Kind.Number || record.get(value, K.data) !== NONE)
    return null
  return /^[a-zA-Z_]+\.[a-zA-Z_.]+$/.test(type)
    ? { weight: 'proof', reason: `operation "${type}" with a time` }
    : null
}
