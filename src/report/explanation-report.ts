import type { Explanation } from '../usage/explain.ts'
import type { LeftOutReason } from '../usage/trace.ts'
import type { UsageReport } from './usage-report.ts'

/** An explanation before it is given a form. */
export interface ExplanationReport extends Pick<UsageReport, 'zone' | 'prices'> {
  readonly explanation: Explanation
  /** Of transcripts, by the numbers that entries carry. */
  readonly paths: readonly string[]
}

/** Why something was left out, for people. */
export const LEFT_OUT_WORDS: Readonly<Record<LeftOutReason, string>> = {
  repeated: 'told again, with more output or later',
  'in-process-total': 'in the total of its process',
  'earlier-total': 'a later total of the process',
  'same-request': 'the same request',
  'same-process': 'the same process, in a total',
  'side-question': 'a side chain repeats the main one',
  replayed: 'copied history',
  'same-thread': 'the same thread',
  'thread-total': 'a total of known requests',
  'other-form': 'the same run in another form',
  'same-bytes': 'the same bytes',
}
