const STEP = '  '
const OPEN = new Set(['{', '['])
const CLOSE: Readonly<Record<string, string>> = { '{': '}', '[': ']' }

/**
 * Valid JSON printed over lines, two spaces a level, strings and numbers as they are spelled.
 *
 * @param level of the line on which the value begins
 */
export function reindented(json: string, level: number): string {
  let out = ''
  let depth = level
  let at = 0
  while (at < json.length) {
    const char = json[at] ?? ''
    if (char === '"') {
      const end = stringEnd(json, at)
      out += json.slice(at, end)
      at = end
    } else if (OPEN.has(char)) {
      const inner = skipSpace(json, at + 1)
      if (json[inner] === CLOSE[char]) {
        out += char + CLOSE[char]
        at = inner + 1
      } else {
        depth++
        out += `${char}\n${STEP.repeat(depth)}`
        at = inner
      }
    } else if (char === '}' || char === ']') {
      depth--
      out += `\n${STEP.repeat(depth)}${char}`
      at++
    } else if (char === ',') {
      out += `,\n${STEP.repeat(depth)}`
      at = skipSpace(json, at + 1)
    } else if (char === ':') {
      out += ': '
      at = skipSpace(json, at + 1)
    } else {
      if (char > ' ') out += char
      at++
    }
  }
  return out
}

/**
 * Milliseconds since 1970 of `YYYY-MM-DDTHH:MM:SS[.digits]Z`, the fraction cut to three digits; null for every other form
 * (spec metaharness-event-1 §7). Second 60 counts as the next minute's first.
 */
export function instantMs(at: string): number | null {
  const match = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?Z$/.exec(at)
  if (match === null) return null
  const [, year, month, day, hour, minute, second, fraction = ''] = match
  const [mm, dd, h, m, s] = [Number(month), Number(day), Number(hour), Number(minute), Number(second)]
  if (mm < 1 || mm > 12 || dd < 1 || h > 23 || m > 59 || s > 60) return null
  const midnight = new Date(0)
  midnight.setUTCFullYear(Number(year), mm - 1, dd)
  if (midnight.getUTCDate() !== dd) return null
  return midnight.getTime() + ((h * 60 + m) * 60 + s) * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'))
}

function stringEnd(json: string, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at + 1
}

function skipSpace(json: string, at: number): number {
  let next = at
  while (next < json.length && (json[next] ?? '') <= ' ') next++
  return next
}
