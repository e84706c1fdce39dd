import type { Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import type { Node, RecordView } from '../../kernel/record.ts'
import { textAt } from '../values.ts'

const K = keys('name', 'data', 'message')

/** The name of an error whose cause is that somebody stopped the run. */
export const ABORTED = 'MessageAbortedError'
/** The name of an error whose cause is the login. */
const AUTH = 'ProviderAuthError'

/**
 * An error as the harness names it: `{name, data: {message, …}}`, a warning under that name, and `auth.expired` besides
 * when the provider refused the login. Returns the name; null when the value is no such error, and nothing was written.
 *
 * @param fallback the code of an error without a name
 */
export function failure(
  record: RecordView,
  error: Node,
  fallback: string,
  at: Text,
  sink: Sink,
): string | null {
  const data = record.get(error, K.data)
  const message = textAt(record, record.get(data, K.message)) ?? textAt(record, record.get(error, K.message))
  const name = record.word(record.get(error, K.name))
  const words = message ?? textAt(record, error)
  if (name === null && words === null) return null
  const code = name ?? fallback
  if (name === AUTH) sink.authExpired({ at, credentialSource: null, detail: words })
  sink.warning({ at, code, message: words ?? code, severity: code === ABORTED ? 'warning' : 'error' })
  return code
}
