import type { Sink } from '../../event/sink.ts'
import type { Key } from '../../kernel/key.ts'
import type { Node, RecordView } from '../../kernel/record.ts'
import { textAt } from '../values.ts'
import { isForeignDigest } from './shape.ts'
import type { State } from './state.ts'

/** One line that was not refused, on its way to the sink. */
export interface Line {
  readonly record: RecordView
  readonly root: Node
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
export function digestAt({ record, root, sink }: Line, name: Key): Node | null {
  const digest = textAt(record, record.get(root, name))
  if (digest === null || !isForeignDigest(record, digest)) return digest
  sink.notice('foreign-digest', record.line, 'a digest that is no SHA-256 was not taken over')
  return null
}
