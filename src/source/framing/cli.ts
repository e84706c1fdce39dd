import { createHash } from 'node:crypto'
import type { FramedInput, FramingNotes } from './input.ts'
import { feedLineAt, SPACE } from './lines.ts'

/** A type in front of an event; longer ones are none. */
const TYPE = /^([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+) (?=\{)/
const LONGEST_TYPE = 128
const TYPE_KEY = Buffer.from('"type"')

/**
 * The three things the command line says in words of its own. They become JSON that fits in their place; as what is
 * said is short and plain, nothing has to be escaped.
 *
 *     run_id=X           "X"
 *     terminal_event=X   {"terminal":"X"}
 *     run X cancelled    {"killed":"X"}
 */
const WORDS: readonly { readonly pattern: RegExp; readonly json: (said: string) => string }[] = [
  { pattern: /^run_id=([\w.:-]+)\s*$/, json: (said) => `"${said}"` },
  { pattern: /^terminal_event=([\w.:-]+)\s*$/, json: (said) => `{"terminal":"${said}"}` },
  { pattern: /^run ([\w.:-]+) cancelled\s*$/, json: (said) => `{"killed":"${said}"}` },
]

/** Lines of harnesscli (spec go-agent-harness §1.6): `<type> {…}` gives up its type, all others stay as they are. */
export function unframeCli({ bytes, from, to, ended, limit }: FramedInput, notes: FramingNotes): number {
  let at = from
  while (at < to) {
    const [end, next] = feedLineAt(bytes, at, to, ended)
    if (next < 0) return at
    if (end - at <= limit) unframeLine(bytes, at, end, notes)
    at = next
  }
  return at
}

function unframeLine(bytes: Buffer, start: number, end: number, notes: FramingNotes): void {
  const head = bytes.latin1Slice(start, Math.min(end, start + LONGEST_TYPE + 2))
  const type = TYPE.exec(head)?.[1]
  if (type !== undefined) {
    const json = start + type.length + 1
    bytes.fill(SPACE, start, json)
    if (bytes.subarray(json, end).includes(TYPE_KEY)) return
    notes.keep(json, { event: type, id: null, digest: null })
    return
  }
  if (end - start > LONGEST_TYPE) return
  for (const { pattern, json } of WORDS) {
    const said = pattern.exec(head)?.[1]
    if (said === undefined) continue
    const digest = createHash('sha256').update(bytes.subarray(start, end)).digest('hex')
    const written = bytes.latin1Write(json(said), start)
    bytes.fill(SPACE, start + written, end)
    notes.keep(start, { event: null, id: null, digest })
    return
  }
}
