import type { Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { firstItem } from './fields.ts'

const { message: MESSAGE, text: TEXT, content: CONTENT } = keys('message', 'text', 'content')

/** What the harness writes when its login has run out (spec metaharness-event-1 §8). */
const PHRASES = /session has expired|session expired|failed to refresh access token|please run \/login/i

/** Write `auth.expired` when this text says so. Ask only about words of the harness itself, never about quoted ones. */
export function authFromText(
  record: RecordView,
  text: Node,
  at: Text,
  credentialSource: Text,
  sink: Sink,
): boolean {
  const spoken = record.text(text)
  if (spoken === null || !PHRASES.test(spoken)) return false
  sink.authExpired({ at, credentialSource, detail: text })
  return true
}

/** The same for an `error` field, which is a string or an object with a `message`. */
export function authFromError(
  record: RecordView,
  error: Node,
  at: Text,
  credentialSource: Text,
  sink: Sink,
): boolean {
  const text = record.isObject(error) ? record.get(error, MESSAGE) : error
  return authFromText(record, text, at, credentialSource, sink)
}

/** The same for the content of a message: the first block that says so. */
export function authFromContent(
  record: RecordView,
  content: Node,
  at: Text,
  credentialSource: Text,
  sink: Sink,
): boolean {
  if (record.isString(content)) return authFromText(record, content, at, credentialSource, sink)
  for (let block = firstItem(record, content); block !== NONE; block = record.next(block)) {
    if (authFromText(record, record.get(block, TEXT), at, credentialSource, sink)) return true
    if (authFromText(record, record.get(block, CONTENT), at, credentialSource, sink)) return true
  }
  return false
}
