import type { Recorded } from './recording-sink.ts'

/** An event in one line, for tables of expectations: its name and what tells it from others of that name. */
function short(fields: Recorded): string {
  const { event, origin, text, code, name, callId, turn, stopReason, vendorType, vendorSubtype } = fields
  if (event === 'opaque') return `opaque ${word(vendorType)}/${word(vendorSubtype)}`
  return [event, origin, turn, name, callId, text, code, stopReason]
    .filter((part) => part !== undefined && part !== null)
    .map(word)
    .join(' ')
}

export function shorts(events: readonly Recorded[]): string[] {
  return events.map((event) => short(event))
}

function word(value: unknown): string {
  return typeof value === 'string'
    ? value
    : value === undefined || value === null
      ? ''
      : JSON.stringify(value)
}
