import { Bin } from '../../event/sink.ts'
import { NONE, type Node } from '../../kernel/record.ts'
import { children, textAt } from '../values.ts'
import type { Step } from './state.ts'
import { fingerprint, isTwin, type Side, takeTwin, type Voice } from './twins.ts'
import { K, PAYLOAD } from './words.ts'

/** Parts of a message that hold no text, and what of it there is: images, sounds, and what only the vendor can read. */
const SILENT_PARTS: ReadonlySet<string> = new Set(
  'input_image output_image image local_image input_audio audio input_file encrypted_content skill mention'.split(
    ' ',
  ),
)

/** How texts begin that Codex puts into the conversation under the user's name. */
const WRAPPED =
  /^\s*(?:<(?:environment_context|user_instructions|INSTRUCTIONS|permissions instructions|turn_aborted|skill|skills_instructions|plugins_instructions|apps_instructions|collaboration_mode|codex_internal_context|subagent_notification|user_shell_command|model_switch|personality_spec|realtime_conversation|goal_context|hook_prompt|heartbeat|user_action|git_attribution)[\s>]|# AGENTS\.md instructions)/

/** Units of a text that are looked at for such a beginning. */
const BEGINNING_BYTES = 160

/** `response_item/message`. */
export function message(step: Step): Bin {
  const { record, payload } = step
  const role = record.word(PAYLOAD.read(record, payload).role)
  const content = record.get(payload, K.content)
  const texts = textsOf(step, content)
  if (texts === null) return Bin.Opaque
  if (role === 'assistant') return sayAll(step, 'text', 'item', texts)
  if (role === 'user') return heard(step, texts)
  if (role !== 'developer' && role !== 'system') return Bin.Opaque
  for (const text of texts) step.sink.injection({ at: step.at, text, origin: 'synthetic' })
  return texts.length > 0 ? Bin.Translated : Bin.Bookkeeping
}

/** `response_item/agent_message`: another agent speaks. */
export function otherAgent(step: Step): Bin {
  const texts = textsOf(step, step.record.get(step.payload, K.content))
  if (texts === null) return Bin.Opaque
  for (const text of texts) step.sink.injection({ at: step.at, text, origin: 'synthetic' })
  return texts.length > 0 ? Bin.Translated : Bin.Bookkeeping
}

/** `response_item/reasoning`: what of it can be read; the whole is encrypted. */
export function reasoning(step: Step): Bin {
  const { record, payload } = step
  const lists = [K.summary, K.content].map((key) => textsOf(step, record.get(payload, key)))
  if (lists.every((texts) => texts === null)) return Bin.Opaque
  return sayAll(
    step,
    'thinking',
    'item',
    lists.flatMap((texts) => texts ?? []),
  )
}

/** An event that repeats words of the conversation, or has them alone. */
export function told(step: Step, voice: Voice, text: Node): Bin {
  if (!step.record.isString(text)) return Bin.Opaque
  return sayAll(step, voice, 'event', [text])
}

/** The texts of a whole turn item, which repeats the conversation as events do. */
export function toldAll(step: Step, voice: Voice, lists: readonly Node[]): Bin {
  const { record } = step
  const texts = lists.flatMap((list) =>
    record.isString(list)
      ? [list]
      : children(record, list, (part) => textAt(record, part) ?? textAt(record, record.get(part, K.text))),
  )
  return sayAll(step, voice, 'event', texts)
}

function sayAll(step: Step, voice: Voice, side: Side, texts: readonly Node[]): Bin {
  const { record, thread } = step
  let said = false
  for (const text of texts) {
    if (isTwin(thread.twins, fingerprint(record, voice, [text]), side)) continue
    say(step, voice, text)
    said = true
  }
  if (said) return Bin.Translated
  return texts.length > 0 ? Bin.Folded : Bin.Bookkeeping
}

/** A message of the user may be several items' parts and one event. */
function heard(step: Step, texts: readonly Node[]): Bin {
  const { record, thread } = step
  if (texts.length < 2) return sayAll(step, 'user', 'item', texts)
  const joined = fingerprint(record, 'user', texts)
  if (takeTwin(thread.twins, joined, 'item')) return Bin.Folded
  const bin = sayAll(step, 'user', 'item', texts)
  if (bin === Bin.Translated) isTwin(thread.twins, joined, 'item')
  return bin
}

function say(step: Step, voice: Voice, text: Node): void {
  const { at, sink, thread } = step
  if (voice === 'text') sink.text({ at, text, requestId: null })
  else if (voice === 'thinking') sink.thinking({ at, text, requestId: null })
  else sink.injection({ at, text, origin: thread.subagent || isWrapped(step, text) ? 'synthetic' : 'user' })
}

function isWrapped({ record }: Step, text: Node): boolean {
  const start = record.words[text]! + 1
  const end = Math.min(record.words[text + 1]! - 1, start + BEGINNING_BYTES)
  return WRAPPED.test(record.bytes.latin1Slice(start, end))
}

/** The texts of a list of parts, or of a text by itself; parts that nobody knows become opaque. Null when it is neither. */
function textsOf(step: Step, list: Node): Node[] | null {
  const { record, payload, at, sink } = step
  if (record.isNullish(list)) return []
  if (record.isString(list)) return [list]
  if (!record.isArray(list)) return null
  const texts: Node[] = []
  for (let part = record.first(list); part !== NONE; part = record.next(part)) {
    const text = textAt(record, record.get(part, K.text)) ?? textAt(record, record.get(part, K.refusal))
    const type = record.word(record.get(part, K.type))
    if (text !== null) texts.push(text)
    else if (type === null || !SILENT_PARTS.has(type)) {
      sink.opaque({
        at,
        vendorType: textAt(record, record.get(payload, K.type)),
        vendorSubtype: type,
        block: part,
      })
    }
  }
  return texts
}
