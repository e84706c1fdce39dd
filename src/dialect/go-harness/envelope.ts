import type { Text } from '../../event/value.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { Shape } from '../../kernel/shape.ts'
import { textAt } from '../values.ts'
import { K } from './words.ts'

const ROOT = new Shape(
  'id',
  'run_id',
  'type',
  'timestamp',
  'payload',
  'ts',
  'seq',
  'data',
  'event_type',
  'event_id',
)

/** One event of a run, out of whatever it is wrapped in (spec go-agent-harness §1.1, §3.1, §3.3). */
export interface Envelope {
  readonly type: string
  /** Null in rollouts, which are named after their run. */
  readonly run: string | null
  /** Number of the event in its run, from 0; null for events of the conversation around it. */
  readonly seq: number | null
  /** The id as written; rollouts have none. */
  readonly id: string | null
  readonly at: Text
  /** The payload; `NONE` when there is none. */
  readonly data: Node
}

/**
 * The event in a record, null when it is none:
 *
 *     {id,run_id,type,timestamp,payload}                      server, also behind `data:` and in the command line's output
 *     {ts,seq,type,data}                                      rollout file
 *     {type:"event",run_id,seq,event_id,event_type,…}         S3 backup
 *     {type,payload}                                          a frame without id: its conversation's, not a run's
 */
export function readEnvelope(record: RecordView): Envelope | null {
  const fields = ROOT.read(record, record.root)
  if (fields.event_type !== NONE) {
    const type = record.word(fields.event_type)
    const id = record.text(fields.event_id)
    const seq = numberAt(record, fields.seq) ?? sequenceOf(id)
    const at = textAt(record, fields.timestamp)
    return type === null ? null : { type, run: record.text(fields.run_id), seq, id, at, data: fields.payload }
  }
  const type = record.word(fields.type) ?? record.frame?.event ?? null
  if (type === null) return null
  const id = record.text(fields.id) ?? record.frame?.id ?? null
  if (id === null && (fields.ts !== NONE || fields.data !== NONE)) {
    return {
      type,
      run: null,
      seq: numberAt(record, fields.seq),
      id,
      at: textAt(record, fields.ts),
      data: fields.data,
    }
  }
  const run = record.text(fields.run_id) ?? runOf(id)
  return { type, run, seq: sequenceOf(id), id, at: textAt(record, fields.timestamp), data: fields.payload }
}

/** The first run id that a value names, null for events that belong to a conversation only. */
export function runIdOf(record: RecordView, value: Node): string | null {
  const id = record.text(record.get(value, K.id)) ?? record.text(record.get(value, K.event_id))
  const run = record.text(record.get(value, K.run_id))
  if (record.get(value, K.entry_hash) !== NONE) return null
  if (id !== null) return sequenceOf(id) === null ? null : (run ?? runOf(id))
  return record.is(record.get(value, K.type), 'run') ? run : null
}

/** The part of an id behind its last colon, when it is a number. */
export function sequenceOf(id: string | null): number | null {
  const digits = id === null ? null : /:(\d{1,15})$/.exec(id)?.[1]
  return digits === undefined || digits === null ? null : Number(digits)
}

function runOf(id: string | null): string | null {
  const colon = id === null ? -1 : id.lastIndexOf(':')
  return id === null || colon <= 0 ? null : id.slice(0, colon)
}

/** A number, also one that was written as a string. */
function numberAt(record: RecordView, node: Node): number | null {
  const value = record.integer(node) ?? Number(/^\d{1,15}$/.exec(record.text(node) ?? '')?.[0] ?? Number.NaN)
  return Number.isInteger(value) && value >= 0 ? value : null
}
