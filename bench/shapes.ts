/** A corpus of one odd shape, and what has to come of it. */
export interface Shaped {
  readonly bytes: Buffer
  readonly records: number
  readonly unparsed: number
}

interface ShapeRecipe {
  readonly title: string
  /** @param size bytes, more or less */
  make(size: number): Shaped
}

const MEGABYTE = 1_000_000

/** Inputs on which a reader may fall off a cliff. The name says what a sample is made of. */
export const shapes: Readonly<Record<string, ShapeRecipe>> = {
  'even-lines': {
    title: 'lines of 1.3 KB with nothing odd, to compare with',
    make: (size) => repeated((i) => record(i, `"${text(900)}"`), size),
  },
  'short-lines': {
    title: 'many short lines',
    make: (size) => repeated(() => '{"type":"mode","mode":"x"}', size),
  },
  'blank-lines': {
    title: 'five million empty lines',
    make: (size) => ({
      bytes: Buffer.alloc(size >= MEGABYTE ? 5 * MEGABYTE : size, '\n'),
      records: 0,
      unparsed: 0,
    }),
  },
  'broken-lines': {
    title: 'all lines cut short',
    make: (size) => broken(repeated((i) => record(i, `"${text(900)}"`).slice(0, -40), size)),
  },
  escapes: {
    title: 'an escape every few characters',
    make: (size) =>
      repeated((i) => record(i, `"${'a\\n\\"b\\\\c\\u00e9\\ud83d\\ude00 '.repeat(120)}"`), size),
  },
  'non-ascii': {
    title: 'no ASCII in texts',
    make: (size) => repeated((i) => record(i, `"${'мельница水車粉挽き🌾'.repeat(60)}"`), size),
  },
  numbers: {
    title: 'long arrays of numbers',
    make: (size) => repeated((i) => record(i, '"done"', `[${numbers(i, 400)}]`), size),
  },
  deep: {
    title: 'objects nested 100 deep',
    make: (size) => repeated((i) => record(i, '"done"', nested(100)), size),
  },
  'too-deep': {
    title: 'objects nested 200 deep, which are rewritten',
    make: (size) => repeated((i) => record(i, '"done"', nested(200)), size),
  },
  'many-keys': {
    title: 'objects with 2,000 keys, records too',
    make: (size) => repeated((i) => manyKeys(i, 2000), size),
  },
  'long-line': {
    title: 'one line of 200 MB',
    make: (size) => {
      const words = Buffer.alloc(size >= MEGABYTE ? 200 * MEGABYTE : size, text(4096))
      const [head, tail] = record(0, '"@"').split('@')
      return {
        bytes: Buffer.concat([Buffer.from(head ?? ''), words, Buffer.from(`${tail}\n`)]),
        records: 1,
        unparsed: 0,
      }
    },
  },
  crlf: {
    title: 'lines that end with CR LF',
    make: (size) => repeated((i) => `${record(i, `"${text(900)}"`)}\r`, size),
  },
  surrogates: {
    title: 'half a surrogate pair in every line, rewritten',
    make: (size) => repeated((i) => record(i, `"${text(900)}\\ud800"`), size),
  },
  'bad-utf8': {
    title: 'bytes that are not UTF-8 in every line, rewritten',
    make: (size) => {
      const made = repeated((i) => record(i, `"${text(900)}@"`), size)
      for (let at = made.bytes.indexOf('@'); at >= 0; at = made.bytes.indexOf('@', at + 1))
        made.bytes[at] = 0xff
      return made
    },
  },
}

/** A user record with a tool result. */
function record(index: number, content: string, structured = '{}'): string {
  return (
    `{"parentUuid":null,"isSidechain":false,"cwd":"/home/dev/mill","sessionId":"5f0c8b1e-0000-4000-8000-000000000001","type":"user",` +
    `"message":{"role":"user","content":[{"tool_use_id":"toolu_gen${index}","type":"tool_result","content":${content}}]},` +
    `"toolUseResult":${structured},"uuid":"u${index}","timestamp":"2026-03-28T07:30:00.000Z"}`
  )
}

function repeated(line: (index: number) => string, size: number): Shaped {
  const lines: string[] = []
  let length = 0
  for (let i = 0; length < size; i++) {
    const made = line(i)
    length += made.length + 1
    lines.push(made)
  }
  return { bytes: Buffer.from(`${lines.join('\n')}\n`), records: lines.length, unparsed: 0 }
}

function broken(shaped: Shaped): Shaped {
  return { ...shaped, unparsed: shaped.records }
}

/** ASCII without escapes. */
function text(length: number): string {
  return 'the wheel turns and the sluice is open, '.repeat(Math.ceil(length / 40)).slice(0, length)
}

function numbers(seed: number, count: number): string {
  const kinds = [(i: number) => i, (i: number) => i * 31_337.25, (i: number) => -i, (i: number) => i * 1e-7]
  return Array.from({ length: count }, (_, i) => kinds[i % 4]!(seed * 7 + i)).join(',')
}

function nested(depth: number): string {
  return '{"in":'.repeat(depth) + '1' + '}'.repeat(depth)
}

function manyKeys(index: number, count: number): string {
  const keys = Array.from({ length: count / 2 }, (_, i) => `"key${i}_of_${index % 7}":${i}`).join(',')
  return `{${keys},${record(index, '"done"', `{${keys}}`).slice(1)}`
}
