import { StringDecoder } from 'node:string_decoder'
import type { Json, Text } from '../../event/value.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { wellFormed } from '../repair.ts'
import { literal } from '../splice.ts'
import { type LineWriter, typed } from './line-writer.ts'

/** How an event begins of which nothing is known but what was read. */
export const UNKNOWN = typed('unknown', 'raw')
const QUOTE = literal('"')

/** Bytes of a line that are decoded at a time. */
const BLOCK = 32 * 1024

/** Write a line that is no JSON as a string. */
function lineAsString({ out, values }: LineWriter, record: RecordView): void {
  const decoder = new StringDecoder('utf8')
  const put = (text: string): void => {
    out.text(JSON.stringify(wellFormed(text, values.repairs)).slice(1, -1))
    out.breathe()
  }
  out.literal(QUOTE)
  for (let at = record.start; at < record.end; at += BLOCK) {
    put(decoder.write(record.bytes.subarray(at, Math.min(at + BLOCK, record.end))))
  }
  put(decoder.end())
  out.literal(QUOTE)
}

/**
 * Write what an event without a type of its own stands for: a value of the record, else the record, as a string when it
 * is no JSON. Of a line over the limit only its digest and length are known.
 */
export function rawValue(lines: LineWriter, record: RecordView, piece: Node): void {
  if (record.oversize !== null) {
    const { digest, bytes } = record.oversize
    lines.out.text(JSON.stringify({ digest, bytes }))
  } else if (record.root === NONE) {
    lineAsString(lines, record)
  } else {
    lines.values.json(piece)
  }
}

/** Write a call that was told when no record was at hand any more. */
export function rawCall(lines: LineWriter, callId: Text, name: Text, input: Json): void {
  const { out, values } = lines
  out.text('{"call_id":')
  values.text(callId)
  out.text(',"name":')
  values.text(name)
  out.text(',"input":')
  values.json(input)
  out.text('}')
}
