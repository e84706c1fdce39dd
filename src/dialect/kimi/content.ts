import type { Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { Shape } from '../../kernel/shape.ts'
import { firstOf, textAt } from '../values.ts'

const PART = new Shape('type', 'text', 'think', 'encrypted')

/** One part of what the model said; one that is neither text nor thought is opaque as a block. */
export function sayPart(record: RecordView, part: Node, at: Text, requestId: Text, sink: Sink): void {
  const fields = PART.read(record, part)
  const { text, think } = fields
  if (record.is(fields.type, 'text') && record.isString(text)) sink.text({ at, text, requestId })
  else if (record.is(fields.type, 'think') && record.isString(think))
    sink.thinking({ at, text: think, requestId })
  else
    sink.opaque({ at, vendorType: 'content.part', vendorSubtype: textAt(record, fields.type), block: part })
}

/** The texts of a content as one string, null when it holds other parts as well. */
export function plainText(record: RecordView, content: Node): string | null {
  if (record.isString(content)) return record.text(content)
  const texts: string[] = []
  for (let part = firstOf(record, content); part !== NONE; part = record.next(part)) {
    const fields = PART.read(record, part)
    const text = record.text(fields.text)
    if (!record.is(fields.type, 'text') || text === null) return null
    texts.push(text)
  }
  return texts.length === 0 ? null : texts.join('\n')
}
