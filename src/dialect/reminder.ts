/** Tags in which harnesses wrap what they put before, or in place of, the words of the user. */
const TAGS: readonly string[] = [
  'system-reminder',
  'system_reminder',
  'system-notification',
  'system_notification',
  'environment_context',
  'git-context',
  'attached_files',
  'additional_data',
]

/**
 * Who put this text into the conversation: a text that is nothing but blocks worded by the harness is its own, and so
 * is the empty one. Words behind such a block are the user's.
 */
export function authorOf(text: string | null): 'user' | 'synthetic' {
  let rest = text?.trimStart() ?? ''
  if (!rest.startsWith('<')) return 'user'
  for (;;) {
    const tag = TAGS.find((name) => rest.startsWith(`<${name}>`))
    if (tag === undefined) return rest === '' ? 'synthetic' : 'user'
    const end = rest.indexOf(`</${tag}>`)
    if (end < 0) return 'synthetic'
    rest = rest.slice(end + tag.length + 3).trimStart()
  }
}
