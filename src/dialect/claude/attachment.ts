import { Bin, type Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { type Key, key, keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { textAt } from '../values.ts'
import { noteDenied } from './denial.ts'
import { isOtherThanHuman, isWrapped } from './origin.ts'
import { firstItem } from './fields.ts'

const K = keys(
  'type',
  'text',
  'prompt',
  'isMeta',
  'origin',
  'commandMode',
  'content',
  'stdout',
  'stderr',
  'exitCode',
  'hookName',
  'hookEvent',
  'toolUseID',
  'blockingError',
  'skills',
)

/**
 * Kinds of attachment that put a text into the conversation, and where the text stands in them: a string, a list of
 * strings, or nothing when the kind came without one.
 */
const TEXTS: ReadonlyMap<string, readonly Key[]> = new Map([
  ['agent_listing_delta', [key('addedLines')]],
  ['batching_reminder_sent', [key('text')]],
  ['deferred_tools_delta', [key('addedLines')]],
  ['edited_text_file', [key('snippet')]],
  ['file', [key('content'), key('file'), key('content')]],
  ['hook_additional_context', [key('content')]],
  ['mcp_instructions_delta', [key('addedBlocks')]],
  ['nested_memory', [key('content'), key('content')]],
  ['read_truncation_notice', [key('banner')]],
  ['silent_turn_reminder', [key('text')]],
  ['skill_listing', [key('content')]],
  ['total_tokens_reminder', [key('text')]],
])

/** Kinds that tell of the state of the session and hold no text of the conversation: bookkeeping. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  'auto_mode',
  'budget_usd',
  'command_permissions',
  'compact_file_reference',
  'date_change',
  'dynamic_skill',
  'goal_status',
  'plan_mode',
  'plan_mode_exit',
  'task_reminder',
  'task_status',
  'todo_reminder',
  'ultra_effort_enter',
  'ultra_effort_exit',
])

/** Hooks whose output is put into the conversation when they succeed. */
const SPEAKING_HOOKS: ReadonlySet<string> = new Set(['SessionStart', 'UserPromptSubmit'])

/** Kinds that `attachmentRecord` reads by a rule of their own. */
const SPECIAL: ReadonlySet<string> = new Set([
  'hook_blocking_error',
  'hook_non_blocking_error',
  'hook_success',
  'invoked_skills',
  'queued_command',
])

/** Is this a kind of attachment that is known? All others are opaque. */
export function isKnownAttachment(record: RecordView, attachment: Node): boolean {
  const kind = record.word(record.get(attachment, K.type))
  return kind !== null && (TEXTS.has(kind) || BOOKKEEPING.has(kind) || SPECIAL.has(kind))
}

/**
 * An `attachment` record of a session file (spec vendor-transcripts §2.7): text put into the conversation is an
 * injection, a hook that failed or blocked is a warning, the rest is bookkeeping. Null when nothing in it can be read.
 */
export function attachmentRecord(
  record: RecordView,
  attachment: Node,
  at: Text,
  ofSubagent: boolean,
  denied: string[],
  sink: Sink,
): Bin | null {
  const kind = record.word(record.get(attachment, K.type))
  switch (kind) {
    case null:
      return null
    case 'queued_command':
      return queuedCommand(record, attachment, at, ofSubagent, sink)
    case 'hook_blocking_error':
      return blockedByHook(record, attachment, at, denied, sink)
    case 'hook_non_blocking_error':
      sink.warning({ at, code: 'hook-failed', message: failureMessage(record, attachment) })
      return Bin.Translated
    case 'hook_success': {
      const event = record.word(record.get(attachment, K.hookEvent))
      if (event === null || !SPEAKING_HOOKS.has(event)) return Bin.Bookkeeping
      return injectAll(record, record.get(attachment, K.content), at, sink)
    }
    case 'invoked_skills':
      return invokedSkills(record, attachment, at, sink)
    default:
      break
  }
  const path = TEXTS.get(kind)
  if (path === undefined) return BOOKKEEPING.has(kind) ? Bin.Bookkeeping : null
  let text = attachment
  for (const step of path) text = record.get(text, step)
  return injectAll(record, text, at, sink)
}

/** A prompt that waited for its turn: a string, or blocks of which the texts count. */
function queuedCommand(
  record: RecordView,
  attachment: Node,
  at: Text,
  ofSubagent: boolean,
  sink: Sink,
): Bin | null {
  const prompt = record.get(attachment, K.prompt)
  const isOurs =
    ofSubagent ||
    record.bool(record.get(attachment, K.isMeta)) === true ||
    isOtherThanHuman(record, record.get(attachment, K.origin)) ||
    record.word(record.get(attachment, K.commandMode)) === 'task-notification'
  if (record.isString(prompt)) {
    sink.injection({ at, text: prompt, origin: isOurs || isWrapped(record, prompt) ? 'synthetic' : 'user' })
    return Bin.Translated
  }
  let given = 0
  for (let block = firstItem(record, prompt); block !== NONE; block = record.next(block), given++) {
    const text = record.get(block, K.text)
    if (record.isString(text)) {
      sink.injection({ at, text, origin: isOurs || isWrapped(record, text) ? 'synthetic' : 'user' })
    } else {
      const vendorSubtype = textAt(record, record.get(block, K.type))
      sink.opaque({ at, vendorType: 'attachment', vendorSubtype, block })
    }
  }
  return given > 0 ? Bin.Translated : null
}

/** A hook stopped something; before a tool ran, that denied the call. */
function blockedByHook(record: RecordView, attachment: Node, at: Text, denied: string[], sink: Sink): Bin {
  const error = record.get(attachment, K.blockingError)
  const reason = record.text(error) ?? record.text(record.get(error, K.blockingError))
  const call = record.text(record.get(attachment, K.toolUseID))
  const beforeTool = record.word(record.get(attachment, K.hookEvent)) === 'PreToolUse'
  const deniedCall = beforeTool && call !== null && noteDenied(call, denied) ? { deniedCall: call } : {}
  const message = `${hookOf(record, attachment)} blocked${reason === null ? '' : `: ${reason}`}`
  sink.warning({ at, code: 'hook-refused', message, ...deniedCall })
  return Bin.Translated
}

function failureMessage(record: RecordView, attachment: Node): string {
  const exitCode = record.integer(record.get(attachment, K.exitCode))
  const said = record.text(record.get(attachment, K.stderr)) || record.text(record.get(attachment, K.stdout))
  let message = `${hookOf(record, attachment)} failed`
  if (exitCode !== null) message += ` with exit code ${exitCode}`
  return said ? `${message}: ${said}` : message
}

function hookOf(record: RecordView, attachment: Node): string {
  const name =
    record.text(record.get(attachment, K.hookName)) ?? record.text(record.get(attachment, K.hookEvent))
  return name === null ? 'a hook' : `the hook ${name}`
}

function invokedSkills(record: RecordView, attachment: Node, at: Text, sink: Sink): Bin {
  let bin: Bin = Bin.Bookkeeping
  const skills = record.get(attachment, K.skills)
  for (let skill = firstItem(record, skills); skill !== NONE; skill = record.next(skill)) {
    if (injectAll(record, record.get(skill, K.content), at, sink) === Bin.Translated) bin = Bin.Translated
  }
  return bin
}

/** One injection for a string, or for the lines of a list; none for an empty text. */
function injectAll(record: RecordView, text: Node, at: Text, sink: Sink): Bin {
  if (record.isString(text)) {
    if (record.textBytes(text) === 0) return Bin.Bookkeeping
    sink.injection({ at, text, origin: 'synthetic' })
    return Bin.Translated
  }
  const lines: string[] = []
  if (record.isArray(text)) {
    for (let line = firstItem(record, text); line !== NONE; line = record.next(line)) {
      const said = record.text(line)
      if (said !== null) lines.push(said)
    }
  }
  if (lines.length === 0) return Bin.Bookkeeping
  sink.injection({ at, text: lines.join('\n'), origin: 'synthetic' })
  return Bin.Translated
}
