import { Bin, type Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import type { RecordView } from '../../kernel/record.ts'
import { compaction } from './other-roles.ts'

const K = keys(
  'aborted',
  'attempt',
  'error',
  'errorMessage',
  'finalError',
  'maxAttempts',
  'result',
  'success',
)

/**
 * A record of what went wrong outside of messages, or of the history being compacted; null when it is none.
 *
 * @param open opens the session, before the first event
 */
export function trouble(
  record: RecordView,
  type: string,
  at: Text,
  open: () => void,
  sink: Sink,
): Bin | null {
  const { root } = record
  const said = (name: 'errorMessage' | 'finalError' | 'error'): string | null =>
    record.text(record.get(root, K[name]))
  switch (type) {
    case 'auto_retry_start': {
      const attempt = record.integer(record.get(root, K.attempt))
      const of = record.integer(record.get(root, K.maxAttempts))
      const which = attempt === null ? '' : ` (attempt ${attempt}${of === null ? '' : ` of ${of}`})`
      open()
      sink.warning({
        at,
        code: type,
        message: `${said('errorMessage') ?? 'a request failed'}: made again${which}`,
      })
      return Bin.Translated
    }
    case 'auto_retry_end':
      if (record.bool(record.get(root, K.success)) !== false) return Bin.Bookkeeping
      open()
      sink.warning({
        at,
        code: type,
        message: said('finalError') ?? 'a request failed for good',
        severity: 'error',
      })
      return Bin.Translated
    case 'auto_compaction_end':
    case 'compaction_end':
      return compacted(record, at, open, sink)
    case 'extension_error':
      open()
      sink.warning({ at, code: type, message: said('error') ?? 'an extension failed' })
      return Bin.Translated
    default:
      return null
  }
}

function compacted(record: RecordView, at: Text, open: () => void, sink: Sink): Bin {
  const result = record.get(record.root, K.result)
  open()
  if (record.isObject(result)) {
    compaction(record, result, at, sink)
    return Bin.Translated
  }
  const why = record.text(record.get(record.root, K.errorMessage))
  const isAborted = record.bool(record.get(record.root, K.aborted)) === true
  const words = why ?? (isAborted ? 'a compaction was aborted' : 'a compaction failed')
  sink.warning({ at, code: 'compaction', message: words })
  return Bin.Translated
}
