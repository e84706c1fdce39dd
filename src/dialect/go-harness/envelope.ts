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
  /** It has an id; records of rollouts have none. */
  readonly isNamed: boolean
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
    const seq = numberAt(record, fields.seq) ?? sequenceAt(record, fields.event_id)
    const at = textAt(record, fields.timestamp)
    const run = record.word(fields.run_id)
    const isNamed = fields.event_id !== NONE
    return type === null ? null : { type, run, seq, isNamed, at, data: fields.payload }
  }
  const { frame } = record
  const type = record.word(fields.type) ?? frame?.event ?? null
  if (type === null) return null
  if (fields.id === NONE && (fields.ts !== NONE || fields.data !== NONE)) {
    const seq = numberAt(record, fields.seq)
    return { type, run: null, seq, isNamed: false, at: textAt(record, fields.ts), data: fields.data }
  }
  const isFramed = fields.id === NONE && frame !== null && frame.id !== null
  return {
    type,
    run: record.word(fields.run_id) ?? runOf(isFramed ? frame.id : record.text(fields.id)),
    seq: isFramed ? sequenceOf(frame.id) : sequenceAt(record, fields.id),
    isNamed: isFramed || fields.id !== NONE,
    at: textAt(record, fields.timestamp),
    data: fields.payload,
  }
}

/** The first run id that a value names, null for events that belong to a conversation only. */
export function runIdOf(record: RecordView, value: Node): string | null {
  if (record.get(value, K.entry_hash) !== NONE) return null
  const run = record.text(record.get(value, K.run_id))
  for (const field of [K.id, K.event_id]) {
    const id = record.text(record.get(value, field))
    if (id !== null) return sequenceOf(id) === null ? null : (run ?? runOf(id))
  }
  return record.is(record.get(value, K.type), 'run') ? run : null
}

/** The part of an id behind its last colon, when it is a number. */
function sequenceOf(id: string | null): number | null {
  const digits = id === null ? undefined : /:(\d{1,15})$/.exec(id)?.[1]
  return digits === undefined ? null : Number(digits)
}

const QUOTE_LENGTH = 1
const COLON = 0x3a
const MOST_DIGITS = 15

/** The same for an id in the record, which is long and different on every line: only its digits are looked at. */
function sequenceAt(record: RecordView, node: Node): number | null {
  if (!record.isString(node)) return null
  const { bytes, words } = record
  const start = (words[node] ?? 0) + QUOTE_LENGTH
  let at = (words[node + 1] ?? 0) - QUOTE_LENGTH - 1
  let value = 0
  let scale = 1
  for (let digits = 0; at >= start && digits <= MOST_DIGITS; at--, digits++, scale *= 10) {
    const byte = bytes[at] ?? 0
    if (byte === COLON) return digits === 0 ? null : value
    const digit = byte - 0x30
    if (digit < 0 || digit > 9) return null
    value += digit * scale
  }
  return null
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
