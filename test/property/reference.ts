/**
 * What a line holds, by `JSON.parse` and as few rules of ours as there are: NUL bytes and byte order marks around a
 * record are passed over, objects and arrays back to back are records of their own, also behind one that only a fault
 * inside a string keeps from being JSON. Slow, and right.
 */
export interface Reference {
  /** The text of the record as `JSON.parse` takes it; null when it is no JSON. */
  readonly text: string | null
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const BLANK = /^[ \t\r\n\0\ufeff]*/
const BLANK_BEHIND = /[ \t\r\n\0\ufeff]*$/

/** The records of one line, its line feed left out; none of a blank one. */
export function referenceRecords(line: Uint8Array): Reference[] {
  const found: Reference[] = []
  let rest = decoder.decode(line).replace(BLANK, '')
  while (rest !== '') {
    const bare = rest.replace(BLANK_BEHIND, '')
    if (parses(bare)) return [...found, { text: bare }]
    const end = recordEnd(rest)
    if (end === 0) return [...found, { text: null }]
    const after = rest.slice(end).replace(BLANK, '')
    if (after !== '' && after[0] !== '{' && after[0] !== '[') return [...found, { text: null }]
    const text = rest.slice(0, end)
    found.push({ text: parses(text) ? text : null })
    rest = after
  }
  return found
}

/** End of the object or array that `text` begins with, whatever is in its strings; 0 when it does not. */
function recordEnd(text: string): number {
  if (text[0] !== '{' && text[0] !== '[') return 0
  const shape = text.replaceAll(/"(?:[^"\\]|\\[^])*"/g, (token) => `"${'x'.repeat(token.length - 2)}"`)
  for (let end = 1; end <= shape.length; end++) {
    const last = shape[end - 1]
    if ((last === '}' || last === ']') && parses(shape.slice(0, end))) return end
  }
  return 0
}

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** True when a string or key in a JSON text holds half a surrogate pair. */
export function hasLoneSurrogate(text: string): boolean {
  return (text.match(/"(?:[^"\\]|\\.)*"/g) ?? []).some((token) => {
    const value: unknown = JSON.parse(token)
    return typeof value === 'string' && /\p{Surrogate}/u.test(value)
  })
}
