import type { JsonBytes, Node, RecordView } from '../kernel/record.ts'

/** JSON that a record holds inside a string, as some harnesses keep the arguments of calls. */
export interface EncodedJson {
  readonly json: JsonBytes
  /** As `subjectsOf` finds them. */
  readonly subjects: readonly string[]
}

/** The object or array written inside a string; null when the string holds none, and then stands for itself. */
export function encodedJson(record: RecordView, node: Node): EncodedJson | null {
  const text = record.text(node)
  if (text === null || !/^\s*[[{]/.test(text)) return null
  try {
    const value: unknown = JSON.parse(text)
    return { json: { bytes: Buffer.from(compacted(text)), suspect: true }, subjects: pathsIn(value) }
  } catch {
    return null
  }
}

function pathsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const fields = new Map<string, unknown>(Object.entries(value))
  return ['file_path', 'notebook_path', 'path'].flatMap((name) => {
    const path = fields.get(name)
    return typeof path === 'string' ? [`file:${path}`] : []
  })
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20

/** Valid JSON without white space between its tokens, strings and numbers as spelled. */
function compacted(json: string): string {
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
