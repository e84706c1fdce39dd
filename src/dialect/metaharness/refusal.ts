import { EVENT_NAMES } from '../../event/events.ts'
import type { RecordView } from '../../kernel/record.ts'
import { Vocabulary } from '../../kernel/vocabulary.ts'
import type { Refusal } from '../verdict.ts'
import type { Line } from './line.ts'
import { envelope, PAYLOADS } from './vocabulary.ts'

const FORMAT = 'metaharness.event/1'
const formats = new Vocabulary(FORMAT)

const names = new Vocabulary(...EVENT_NAMES)

/** Characters of a foreign word that a message may quote. */
const QUOTED = 60

const payloads = EVENT_NAMES.map((name) => PAYLOADS[name])

/**
 * The index in `EVENT_NAMES` of the event on this line, or why a reader refuses it: the four refusals in their order (spec §1).
 *
 * @param fields of this line, looked up just now
 */
export function read(record: RecordView, fields: Line['fields'], tolerant: boolean): number | Refusal {
  const { root, line } = record
  if (!record.isObject(root))
    return { line, refusal: 'NotAnObject', detail: 'the line is JSON but no object' }
  if (formats.indexOf(record, fields.format) < 0) {
    const format = record.word(fields.format)
    const found = format === null ? 'no format' : quote(format)
    return { line, refusal: 'UnknownFormat', detail: `${found}, expected "${FORMAT}"` }
  }
  const index = names.indexOf(record, fields.event)
  const payload = payloads[index]
  if (payload === undefined) {
    const word = record.word(fields.event) ?? ''
    return { line, refusal: 'UnknownName', detail: `${quote(word)} is none of the 20 events` }
  }
  const fault = envelope(record, root, tolerant) ?? payload(record, root, tolerant)
  return fault === null ? index : { line, refusal: 'Malformed', detail: `${EVENT_NAMES[index]}: ${fault}` }
}

/** A word of the transcript in a message: short, and harmless on a terminal. */
function quote(word: string): string {
  const cut = word.length > QUOTED ? `${word.slice(0, QUOTED)}…` : word
  return JSON.stringify(cut).replaceAll(/[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, '?')
}
