import type { Tokens } from '../../event/billing.ts'
import type { Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { type Key, keys } from '../../kernel/key.ts'
import type { Node, RecordView } from '../../kernel/record.ts'
import { count } from '../figures.ts'
import { classes, spend } from '../spend.ts'
import { keptTimeOf } from '../times.ts'
import type { State } from './state.ts'

const CODE = keys('inputOther', 'output', 'inputCacheRead', 'inputCacheCreation')
const CLI = keys('input_other', 'output', 'input_cache_read', 'input_cache_creation')

/** The usage object of Kimi Code; its classes are disjoint. */
export function codeTokens(record: RecordView, usage: Node, sink: Sink): Tokens {
  const { inputOther, output, inputCacheRead, inputCacheCreation } = CODE
  return tokensOf(record, usage, inputOther, inputCacheRead, inputCacheCreation, output, sink)
}

/** The usage object of kimi-cli. */
export function cliTokens(record: RecordView, usage: Node, sink: Sink): Tokens {
  const { input_other: input, output, input_cache_read: read, input_cache_creation: write } = CLI
  return tokensOf(record, usage, input, read, write, output, sink)
}

function tokensOf(
  record: RecordView,
  usage: Node,
  input: Key,
  cacheRead: Key,
  cacheWrite: Key,
  output: Key,
  sink: Sink,
): Tokens {
  return classes(
    count(record, record.get(usage, input), sink),
    count(record, record.get(usage, cacheRead), sink),
    count(record, record.get(usage, cacheWrite), sink),
    count(record, record.get(usage, output), sink),
  )
}

/**
 * The end of a step tells the usage that `usage.record` tells too, before or after it: it counts only when that record
 * never comes, as in a wire that was cut.
 */
export function holdStepUsage(record: RecordView, usage: Node, at: Text, state: State, sink: Sink): void {
  if (state.recorded || !record.isObject(usage)) return
  state.held = { tokens: codeTokens(record, usage, sink), at: keptTimeOf(record, at), line: record.line }
}

/** Write the usage of a step whose own record did not come. */
export function settleStep(state: State, sink: Sink): void {
  const { held } = state
  if (held === null) return
  state.held = null
  const { at, line, tokens } = held
  sink.notice(
    'usage-from-step',
    line,
    'the usage of a step was taken from its end: its own record is missing',
  )
  spend(
    null,
    { at, line, requestId: state.step, model: state.model, tokens, key: null, session: state.session },
    sink,
  )
}
