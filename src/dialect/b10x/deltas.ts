import { NODE_WORDS } from '../../kernel/layout.ts'
import { Patterns } from '../../kernel/patterns.ts'
import type { Node, RecordView } from '../../kernel/record.ts'
import type { Voice } from './talk.ts'

export type Delta = Voice | 'arguments'

/** How lines of deltas begin behind `{"`, up to the end of their second key; and the third key of the last of them. */
const PATTERNS = new Patterns(
  [
    'kind":"text-delta","text',
    'kind":"reasoning-delta","text',
    'kind":"tool-arguments-delta","call_id',
    'delta',
  ].map((text) => Buffer.from(text)),
)

/**
 * The delta that a line is when it is spelled as nearly all are; null of every other line:
 *
 *     {"kind":"text-delta","text":"…"}
 *       └──── compared at once ────┘    two fields and no more, so that none comes again with another value
 */
export function plainDelta(record: RecordView): Delta | null {
  const { words, data, root } = record
  const start = words[root]! + 2
  switch (words[root + 2]! - root) {
    case 3 * NODE_WORDS:
      if (!record.isString(textOf(record))) return null
      if (PATTERNS.match(data, start, 0)) return 'text'
      return PATTERNS.match(data, start, 1) ? 'thinking' : null
    case 4 * NODE_WORDS:
      if (!PATTERNS.match(data, start, 2)) return null
      return PATTERNS.match(data, words[root + 3 * NODE_WORDS + 4]!, 3) ? 'arguments' : null
    default:
      return null
  }
}

/** The text of a line that is a delta of a voice. */
export function textOf(record: RecordView): Node {
  return record.next(record.first(record.root))
}
