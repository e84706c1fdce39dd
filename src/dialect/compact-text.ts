const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20

/** Valid JSON without white space between its tokens, strings and numbers as spelled. */
export function compactText(json: string): string {
  let made = ''
  let from = 0
  let inString = false
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i)
    if (code === QUOTE) inString = !inString
    else if (inString && code === BACKSLASH) i++
    else if (!inString && code <= SPACE) {
      made += json.slice(from, i)
      from = i + 1
    }
  }
  return made + json.slice(from)
}
