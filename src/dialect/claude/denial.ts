import type { Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { firstItem, LONGEST_ID } from './fields.ts'

const { type: TYPE, text: TEXT } = keys('type', 'text')

/** Denied calls that are remembered, so that one denial told twice is one warning. */
const REMEMBERED = 64

/** Kinds of the vendor's `toolDenialKind` that say the call was broken off, not that anybody refused it. */
const INTERRUPTIONS: ReadonlySet<string> = new Set(['interrupted', 'cancelled'])

/**
 * What a result says in place of the tool's own words when the call was refused, in versions without a field for it
 * (spec vendor-transcripts §2.6). Looked for at the start only, after an optional `Error: `.
 */
const PHRASES = [
  /^The user doesn't want to (?:proceed with this tool use|take this action right now)/,
  /^Permission prompt was aborted/,
  /^Claude requested permissions to /,
  /^Permission to use .{1,200} has been denied/s,
  /^This command requires approval/,
  /^[\w-]{1,64} (?:is|was) not (?:allowed|permitted) in .{0,40}mode/,
]

/** A failed result was a denial: warn, naming the call and by what it was recognised. True when it warned. */
export function warnOfDenial(
  record: RecordView,
  denialKind: Node,
  content: Node,
  call: Text,
  at: Text,
  denied: string[],
  sink: Sink,
): boolean {
  const kind = record.word(denialKind)
  if (kind !== null && kind !== '') {
    if (INTERRUPTIONS.has(kind)) return false
    return deny(record, call, at, `said by the field toolDenialKind (${kind})`, denied, sink)
  }
  if (!isRefusal(headOf(record, content))) return false
  return deny(record, call, at, 'recognised by the text of its result', denied, sink)
}

/**
 * One warning for one denied call.
 *
 * @param how what told us, for the message
 * @param denied ids of the calls already warned of; a call named there gives no second warning
 */
export function deny(
  record: RecordView,
  call: Text,
  at: Text,
  how: string,
  denied: string[],
  sink: Sink,
): boolean {
  const id = typeof call === 'number' ? record.text(call) : typeof call === 'string' ? call : null
  if (!noteDenied(id, denied)) return false
  const named = id === null || id === '' ? 'a call without an id' : `the call ${id}`
  sink.warning({
    at,
    code: 'approval-denied',
    message: `${named} was denied, ${how}`,
    ...(call === null ? {} : { deniedCall: call }),
  })
  return true
}

/** Remember a denied call; false when it was remembered already. */
export function noteDenied(id: string | null, denied: string[]): boolean {
  if (id === null || id === '' || id.length > LONGEST_ID) return true
  if (denied.includes(id)) return false
  denied.push(id)
  if (denied.length > REMEMBERED) denied.shift()
  return true
}

/** The beginning of a result's text: of a string, or of its first text block. */
function headOf(record: RecordView, content: Node): string {
  const first = record.isArray(content) ? firstText(record, content) : content
  const text = record.head(first, 512) ?? ''
  return text.startsWith('Error: ') ? text.slice(7) : text
}

function firstText(record: RecordView, content: Node): Node {
  for (let block = firstItem(record, content); block !== NONE; block = record.next(block)) {
    if (record.word(record.get(block, TYPE)) === 'text') return record.get(block, TEXT)
  }
  return NONE
}

function isRefusal(head: string): boolean {
  return head !== '' && PHRASES.some((phrase) => phrase.test(head))
}
