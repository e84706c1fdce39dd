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

/** What to say of each kind of repair. */
const NOTICES = [
  ['surrogates', 'half a surrogate pair was written as U+FFFD'],
  ['utf8', 'bytes that are not UTF-8 were written as U+FFFD'],
  [
    'numbers',
    'a number outside the double range was written as a string, or as null where only numbers may stand',
  ],
  ['depths', 'a value nested more than 120 levels was written as a string of its JSON text'],
] as const

/** Say of every repair what it was, and forget it. `line` is that of the record it was made in. */
export function tellRepairs(
  repairs: Repairs,
  line: number | null,
  notice: (code: string, line: number | null, message: string) => void,
): void {
  // Asked after every record, and hardly ever there.
  if (repairs.surrogates + repairs.utf8 + repairs.numbers + repairs.depths === 0) return
  for (const [kind, message] of NOTICES) {
    for (; repairs[kind] > 0; repairs[kind]--) notice(`repaired-${kind}`, line, message)
  }
}

/** Strict readers refuse values nested deeper than this. */
const MOST_LEVELS = 120

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
        out += raw.slice(copied, at) + JSON.stringify(repairString(raw.slice(at, end), repairs))
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

/** A decoded string without half surrogate pairs. */
export function wellFormed(text: string, repairs: Repairs): string {
  return text.replace(LONE, () => {
    repairs.surrogates++
    return '\ufffd'
  })
}

/** With `u` a pair is one character, and only a half alone is a surrogate. */
const LONE = /\p{Surrogate}/gu

/**
 * A spelled string, or the JSON text of any value, without escapes of half surrogate pairs. Escape by escape: a pattern
 * over runs of them overflows the stack of the matcher on long ones.
 */
function repairString(spelled: string, repairs: Repairs): string {
  let out = ''
  let copied = 0
  let at = spelled.indexOf('\\')
  while (at >= 0) {
    const unit = spelled[at + 1] === 'u' ? unitAt(spelled, at) : -1
    if (unit < 0) {
      at += 2
    } else if (!isSurrogate(unit)) {
      at += 6
    } else if (isHigh(unit) && spelled.startsWith('\\u', at + 6) && isLow(unitAt(spelled, at + 6))) {
      at += 12
    } else {
      repairs.surrogates++
      out += `${spelled.slice(copied, at)}\\ufffd`
      at += 6
      copied = at
    }
    at = spelled.indexOf('\\', at)
  }
  return copied === 0 ? spelled : out + spelled.slice(copied)
}

/** The UTF-16 unit of the escape that begins at `at`. */
function unitAt(spelled: string, at: number): number {
  return parseInt(spelled.slice(at + 2, at + 6), 16)
}

function isSurrogate(unit: number): boolean {
  return (unit & 0xf800) === 0xd800
}
function isHigh(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800
}
function isLow(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00
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
