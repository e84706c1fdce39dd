import type { Text } from '../event/value.ts'
import type { RecordView } from '../kernel/record.ts'

/** A word of a small vocabulary (tool and model names, codes), shared between equal ones; null when it is no string. */
export function wordIn(record: RecordView | null, text: Text): string | null {
  if (typeof text === 'number') return record === null ? null : record.word(text)
  return keptText(text)
}

/** A text that is rarely the same twice, such as an id; null when it is no string. */
export function textIn(record: RecordView | null, text: Text): string | null {
  if (typeof text === 'number') return record === null ? null : record.text(text)
  return keptText(text)
}

function keptText(text: Exclude<Text, number>): string | null {
  if (text === null || typeof text === 'string') return text
  const value: unknown = JSON.parse(Buffer.from(text.bytes).toString())
  return typeof value === 'string' ? value : null
}
