import { keys } from '../../kernel/key.ts'
import type { Node, RecordView } from '../../kernel/record.ts'

const {
  isMeta: IS_META,
  isCompactSummary: IS_COMPACT_SUMMARY,
  isSynthetic: IS_SYNTHETIC,
  origin: ORIGIN,
  kind: ORIGIN_KIND,
} = keys('isMeta', 'isCompactSummary', 'isSynthetic', 'origin', 'kind')

/** Bytes of a text that are looked at to tell a wrapper. */
const HEAD_BYTES = 64

const SPACE = 0x20
const BACKSLASH = 0x5c
const LESS_THAN = 0x3c

/** Tags in which programs wrap what they put into a conversation as if the user had said it. */
const WRAPPER_TAGS: ReadonlySet<string> = new Set([
  'agent-notification',
  'background-task-input',
  'background-task-output',
  'bash-input',
  'bash-notification',
  'bash-stderr',
  'bash-stdout',
  'channel',
  'command-args',
  'command-contents',
  'command-message',
  'command-name',
  'cross-session-message',
  'fork-boilerplate',
  'ide_diagnostics',
  'ide_opened_file',
  'ide_selection',
  'local-command-caveat',
  'local-command-stderr',
  'local-command-stdout',
  'mcp-polling-update',
  'mcp-resource-update',
  'new-diagnostics',
  'persisted-output',
  'post-tool-use-hook',
  'session-start-hook',
  'system-reminder',
  'task-notification',
  'teammate-message',
  'tick',
  'user-memory-input',
  'user-prompt-submit-hook',
])

/** Openings of texts that the harness itself words. */
const WRAPPER_OPENINGS = [
  '[Request interrupted by user',
  'Caveat: The messages below were generated',
  'This session is being continued from a previous conversation',
]

/**
 * Who put this text into the conversation. A text of a subagent's chain was written by the parent agent; one that
 * begins, after white space, with a known wrapper was written by a program (never a wrapper quoted further on).
 */
export function originOf(
  record: RecordView,
  root: Node,
  text: Node,
  ofSubagent: boolean,
): 'user' | 'synthetic' {
  if (ofSubagent) return 'synthetic'
  if (record.bool(record.get(root, IS_META)) === true) return 'synthetic'
  if (record.bool(record.get(root, IS_COMPACT_SUMMARY)) === true) return 'synthetic'
  if (record.bool(record.get(root, IS_SYNTHETIC)) === true) return 'synthetic'
  if (isOtherThanHuman(record, record.get(root, ORIGIN))) return 'synthetic'
  return isWrapped(record, text) ? 'synthetic' : 'user'
}

/** An `origin` that names somebody else than a person: a task notification, a coordinator, a peer. */
export function isOtherThanHuman(record: RecordView, origin: Node): boolean {
  const kind = record.word(record.get(origin, ORIGIN_KIND))
  return kind !== null && kind !== 'human'
}

/** The text begins with a wrapper. Reads its first bytes only. */
export function isWrapped(record: RecordView, text: Node): boolean {
  const { words, bytes } = record
  const end = words[text + 1]! - 1
  let start = words[text]! + 1
  for (;;) {
    if (bytes[start] === SPACE) start += 1
    else if (bytes[start] === BACKSLASH && isSpaceEscape(bytes[start + 1]!)) start += 2
    else break
  }
  if (start >= end) return false
  const head = bytes.latin1Slice(start, Math.min(end, start + HEAD_BYTES))
  if (bytes[start] === LESS_THAN) {
    const tag = /^<([a-z_-]+)[ />\\]/.exec(head)?.[1]
    return tag !== undefined && WRAPPER_TAGS.has(tag)
  }
  return WRAPPER_OPENINGS.some((opening) => head.startsWith(opening))
}

/** The letter of `\n`, `\r` or `\t`. */
function isSpaceEscape(letter: number): boolean {
  return letter === 0x6e || letter === 0x72 || letter === 0x74
}
