/** What a repair had to change, by kind, so that the writer can count it in notices. */
export interface Repairs {
  surrogates: number
  utf8: number
  numbers: number
  depths: number
}

export function noRepairs(): Repairs {
  return { surrogates: 0, utf8: 0, numbers: 0, depths: 0 }
}

/** Strict readers refuse values nested deeper than this. */
const MOST_LEVELS = 120

const LONE = /\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}/g

/**
 * A valid JSON value in the nearest form that strict readers take (design §5.3): half surrogate pairs and bytes that are
 * not UTF-8 become U+FFFD, numbers outside the double range a string of their characters, values nested more than 120
 * levels a string of their JSON text. Everything else stays as it is spelled.
 *
 * @param raw the value's bytes decoded as UTF-8, so that bad bytes are U+FFFD already
 * @param badUtf8 true when that decoding changed something
 */
export function repaired(raw: string, badUtf8: boolean, repairs: Repairs): string {
  if (badUtf8) repairs.utf8++
  let out = ''
  let depth = 0
  let at = 0
  let copied = 0
  while (at < raw.length) {
    const char = raw[at]
    if (char === '"') {
      const end = stringEnd(raw, at)
      const token = raw.slice(at, end)
      const fixed = repairString(token, repairs)
      if (fixed !== token) {
        out += raw.slice(copied, at) + fixed
        copied = end
      }
      at = end
    } else if (char === '{' || char === '[') {
      if (depth === MOST_LEVELS) {
        const end = valueEnd(raw, at)
        repairs.depths++
        out += raw.slice(copied, at) + JSON.stringify(repairAll(raw.slice(at, end), repairs))
        copied = end
        at = end
      } else {
        depth++
        at++
      }
    } else if (char === '}' || char === ']') {
      depth--
      at++
    } else if (char === '-' || (char !== undefined && char >= '0' && char <= '9')) {
      let end = at + 1
      while (end < raw.length && '+-.eE0123456789'.includes(raw[end]!)) end++
      const token = raw.slice(at, end)
      if (!Number.isFinite(Number(token))) {
        repairs.numbers++
        out += `${raw.slice(copied, at)}"${token}"`
        copied = end
      }
      at = end
    } else {
      at++
    }
  }
  return out + raw.slice(copied)
}

/** A decoded string of ours without half surrogate pairs. */
export function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
}

function repairString(token: string, repairs: Repairs): string {
  if (!token.includes('\\u')) return token
  // Other escapes are matched too, so that the \u of `\\ud83d` is not taken for one.
  return token.replace(/\\[^u]|(?:\\u[0-9a-fA-F]{4})+/g, (run) =>
    run[1] !== 'u'
      ? run
      : run.replace(LONE, () => {
          repairs.surrogates++
          return '\\ufffd'
        }),
  )
}

function repairAll(text: string, repairs: Repairs): string {
  return wellFormed(text.includes('\\u') ? repairString(text, repairs) : text)
}

/** End of the string token that begins at `start`. */
function stringEnd(raw: string, start: number): number {
  let at = start + 1
  while (raw[at] !== '"') at += raw[at] === '\\' ? 2 : 1
  return at + 1
}

/** End of the object or array that begins at `start`. */
function valueEnd(raw: string, start: number): number {
  let depth = 0
  let at = start
  do {
    const char = raw[at]
    if (char === '"') {
      at = stringEnd(raw, at)
      continue
    }
    if (char === '{' || char === '[') depth++
    else if (char === '}' || char === ']') depth--
    at++
  } while (depth > 0)
  return at
}
