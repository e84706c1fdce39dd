import type { Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import type { Node, RecordView } from '../../kernel/record.ts'
import { injectTexts } from '../blocks.ts'

const K = keys('command', 'output', 'exitCode', 'content', 'summary', 'tokensBefore')

/**
 * Messages that neither the user typed nor the model wrote: a shell command of the user with its output, what an
 * extension puts in, summaries of what was left behind. False for a role that is not known, or not readable.
 */
export function otherRole(record: RecordView, message: Node, role: string, at: Text, sink: Sink): boolean {
  switch (role) {
    case 'bashExecution': {
      const command = record.get(message, K.command)
      const output = record.get(message, K.output)
      if (!record.isString(command)) return false
      sink.injection({ at, text: command, origin: 'user' })
      if (record.isString(output)) sink.injection({ at, text: output, origin: 'synthetic' })
      return true
    }
    case 'custom':
    case 'hookMessage':
      return injectTexts(record, record.get(message, K.content), 'synthetic', role, at, sink)
    case 'branchSummary':
    case 'compactionSummary':
      return injectTexts(record, record.get(message, K.summary), 'synthetic', role, at, sink)
    default:
      return false
  }
}

/** A compaction: a warning, and the summary that took the place of the conversation. */
export function compaction(record: RecordView, node: Node, at: Text, sink: Sink): void {
  const before = record.integer(record.get(node, K.tokensBefore))
  const summary = record.get(node, K.summary)
  const of = before === null ? '' : ` of ${before} tokens`
  sink.warning({ at, code: 'compaction', message: `the conversation${of} was compacted` })
  if (record.isString(summary)) sink.injection({ at, text: summary, origin: 'synthetic' })
}
