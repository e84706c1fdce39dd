import { EVENT_NAMES } from '../event/events.ts'
import { Bin, type Sink } from '../event/sink.ts'
import { key } from '../kernel/key.ts'
import type { Node, RecordView } from '../kernel/record.ts'
import type { Adapter, AdapterContext, Evidence } from './adapter.ts'
import { EMIT } from './metaharness/emit.ts'
import { fieldsOf, type Line } from './metaharness/line.ts'
import { read } from './metaharness/refusal.ts'
import { inconsistency, initialState, refuse, type State } from './metaharness/state.ts'
import { textAt } from './values.ts'
import type { ReadEnding } from './verdict.ts'

const FAMILY = 'metaharness.event/'
const formatKey = key('format')
const runKey = key('run')

/** In the order of `EVENT_NAMES`: found by number, which takes less than by name. */
const emitters = EVENT_NAMES.map((name) => EMIT[name])
const CLOSED = EVENT_NAMES.indexOf('stream.closed')

/**
 * A stream of events read back (spec metaharness-event-1). Every event is written again as it is, with our numbers and
 * our closing line. A strict reader refuses what is not of the wire; a tolerant one accepts what the converter of
 * b10x leaves out. A refused line becomes opaque, and its refusal is kept for `check`.
 */
export const metaharness: Adapter<State> = {
  dialect: 'metaharness',
  summary: 'metaharness.event/1 stream, written by metaharness, b10x-harness events or millrace',

  evidence(record: RecordView, value: Node): Evidence | null {
    const format = record.word(record.get(value, formatKey))
    if (format === null || !format.startsWith(FAMILY)) return null
    return { weight: 'proof', reason: `format "${FAMILY}…"` }
  },

  runId(record: RecordView, value: Node): string | null {
    return record.text(record.get(value, runKey))
  },

  initial({ run, tolerant }: AdapterContext): State {
    return initialState(run, tolerant)
  },

  step(record: RecordView, state: State, sink: Sink): Bin {
    state.read++
    const fields = fieldsOf(record)
    compareEnvelope(record, fields, state, sink)
    const event = read(record, fields, state.tolerant)
    if (typeof event !== 'number') {
      refuse(state, event)
      sink.notice('refused-line', record.line, `${event.refusal}: ${event.detail}`)
      sink.opaque({ at: null, vendorType: null, vendorSubtype: null })
      return Bin.Opaque
    }
    const { root } = record
    emitters[event]?.({ record, root, fields, at: textAt(record, fields.at), state, sink })
    return event === CLOSED ? Bin.Folded : Bin.Translated
  },

  end(state: State): ReadEnding {
    const { marker, ended } = state
    const inconsistent = inconsistency(state)
    const unclosed = marker === null && ended !== null
    return {
      refusals: state.refusals,
      refused: state.refused,
      reason: marker?.reason ?? ended ?? 'error',
      terminal: marker !== null || ended !== null,
      promised: true,
      ...(unclosed ? { unclosed } : {}),
      ...(marker?.process ? { process: marker.process } : {}),
      ...(inconsistent === undefined ? {} : { inconsistent }),
    }
  },
}

/** Our stream has a run and numbers of its own; where these differ from what was read, a notice says so. */
function compareEnvelope(record: RecordView, fields: Line['fields'], state: State, sink: Sink): void {
  const { line } = record
  const seq = record.integer(fields.seq)
  if (seq !== null) {
    const expected = state.seq === null ? 1 : state.seq + 1
    if (seq !== expected) sink.notice('seq-gap', line, `seq ${seq} where ${expected} was expected`)
    state.seq = seq
  }
  const { run } = fields
  if (record.isString(run) && (state.run === null || !record.is(run, state.run))) {
    if (state.run !== null)
      sink.notice('run-changed', line, 'a line belongs to another run than the one before it')
    state.run = record.word(run)
  }
}
