import type { Sink } from '../../event/sink.ts'
import type { Node, RecordView } from '../../kernel/record.ts'
import { Shape } from '../../kernel/shape.ts'
import { textAt } from '../values.ts'
import { isForeignDigest } from './shape.ts'
import type { State } from './state.ts'

/** The fields of events, of all but those of whole sessions. */
export const FIELDS = new Shape(
  'at',
  'bytes',
  'call_id',
  'code',
  'content',
  'credential_source',
  'deadline_ms',
  'decided_by',
  'decision',
  'decision_required',
  'delta',
  'detail',
  'digest',
  'estimate',
  'event',
  'events',
  'exit_code',
  'format',
  'frame_digest',
  'id',
  'info',
  'input',
  'is_error',
  'latency_ms',
  'message',
  'model',
  'name',
  'operations',
  'origin',
  'outcome',
  'outcome_source',
  'process',
  'reason',
  'request_id',
  'run',
  'run_id',
  'seam',
  'seq',
  'source_line',
  'step',
  'stop_reason',
  'subjects',
  'text',
  'tool_use_result',
  'turn',
  'usage',
  'vendor_subtype',
  'vendor_type',
)

/** Good until the next line is read. */
export function fieldsOf(record: RecordView): ReturnType<typeof FIELDS.read> {
  return FIELDS.read(record, record.root)
}

/** One line that was not refused, on its way to the sink. */
export interface Line {
  readonly record: RecordView
  readonly root: Node
  readonly fields: ReturnType<typeof fieldsOf>
  readonly at: Node | null
  readonly state: State
  readonly sink: Sink
}

/** A non-negative integer that a double holds exactly; null for anything else. */
export function wholeAt(record: RecordView, node: Node): number | null {
  const value = record.integer(node)
  return value !== null && value >= 0 ? value : null
}

/** A digest to be written again. One that is no SHA-256 is not, since strict readers refuse it; a notice counts it. */
export function digestAt({ record, sink }: Line, node: Node): Node | null {
  const digest = textAt(record, node)
  if (digest === null || !isForeignDigest(record, digest)) return digest
  sink.notice('foreign-digest', record.line, 'a digest that is no SHA-256 was not taken over')
  return null
}
