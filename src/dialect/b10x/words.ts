import { type Key, key, keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { Shape } from '../../kernel/shape.ts'
import type { Evidence } from '../adapter.ts'

/** Fields of the record (spec b10x-harness §2). */
export const K = keys(
  'agents',
  'approved',
  'arguments',
  'attempt',
  'bytes_after',
  'bytes_before',
  'cache_creation_input_tokens',
  'cached_input_tokens',
  'call_id',
  'clean',
  'code',
  'connection',
  'credential_source',
  'decision',
  'elided_bytes',
  'elided_results',
  'event',
  'failed',
  'flow',
  'id',
  'input_tokens',
  'kind',
  'mcp',
  'message',
  'micro_usd',
  'missing',
  'model',
  'moment',
  'name',
  'operation',
  'operations',
  'output_tokens',
  'path',
  'point',
  'program',
  'provider',
  'published_tools',
  'reason',
  'skills',
  'stop',
  'subjects',
  'summarised_items',
  'text',
  'tool',
  'turn',
  'turns',
  'value',
  'withheld',
)

/** The fields of the kinds that come again and again, looked up for every record. */
export const LINE = new Shape(
  'approved',
  'arguments',
  'cache_creation_input_tokens',
  'cached_input_tokens',
  'call_id',
  'failed',
  'input_tokens',
  'kind',
  'micro_usd',
  'model',
  'name',
  'operation',
  'output_tokens',
  'subjects',
  'text',
  'turn',
)

/** What stands around the record of a delegate. */
export const WRAPPER = new Shape('call_id', 'event', 'kind')

/** The fields without which a record of that kind would not be one of this dialect. */
const SHAPES: Readonly<Record<string, string>> = {
  'credential-renewed': 'provider refresh_token_rotated',
  started: 'model published_tools',
  refused: 'reason',
  rates: 'source as_of',
  'turn-started': 'turn',
  'turn-retried': 'turn attempt',
  'text-delta': 'text',
  'reasoning-delta': 'text',
  'tool-arguments-delta': 'call_id delta',
  usage: 'input_tokens output_tokens',
  cost: 'micro_usd',
  'tool-requested': 'call_id name arguments',
  'approval-required': 'call_id name',
  'approval-resolved': 'call_id',
  'hook-ran': 'point decision',
  'tool-completed': 'call_id failed',
  warning: 'code message',
  compacted: 'bytes_before bytes_after',
  answered: 'call_id value',
  'delegate-started': 'call_id task',
  delegated: 'call_id event',
  'delegate-finished': 'call_id stop',
  finished: 'stop',
  session: 'id path',
  'flow-started': 'flow steps',
  'group-entered': 'path layers',
  'layer-ready': 'path nodes',
  'step-started': 'path',
  'step-finished': 'path failed',
  'node-skipped': 'path because',
  'group-repeating': 'path attempt',
  'handoff-incomplete': 'path missing',
  'transition-refused': 'path moment',
  'group-left': 'path failed',
  'flow-finished': 'flow clean',
}

const shapes: ReadonlyMap<string, readonly Key[]> = new Map(
  Object.entries(SHAPES).map(([kind, fields]) => [kind, fields.split(' ').map(key)]),
)

/** A known kind with the fields of its page is proof; nothing else is anything. */
export function evidenceOf(record: RecordView, value: Node): Evidence | null {
  const kind = record.word(record.get(value, K.kind))
  const fields = kind === null ? undefined : shapes.get(kind)
  if (fields === undefined || fields.some((field) => record.get(value, field) === NONE)) return null
  return { weight: 'proof', reason: `kind "${kind}" with the fields of a b10x record` }
}

/** Only the line `session`, which a run with `--session-dir` ends with, carries an id. */
export function sessionIdOf(record: RecordView, value: Node): string | null {
  const id = record.get(value, K.id)
  return record.is(record.get(value, K.kind), 'session') ? record.text(id) : null
}
