import { compactText } from './compact-text.ts'
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
    return { json: { bytes: Buffer.from(compactText(text)), suspect: true }, subjects: pathsIn(value) }
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
