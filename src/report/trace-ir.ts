import { EVENT_NAMES } from '../event/events.ts'
import { Kind } from '../kernel/layout.ts'
import { keys } from '../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'
import { instantMs, reindented } from './trace-ir-values.ts'

const K = keys(
  'format',
  'seq',
  'run',
  'at',
  'event',
  'events',
  'reason',
  'request_id',
  'model',
  'usage',
  'transcript',
  'withheld',
  'available_operations',
  'hermetic',
  'census',
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
)
const ENVELOPE: ReadonlySet<string> = new Set(['format', 'seq', 'run', 'at'])

/** Families of `trace-ir/1`; events without one are `unk` (spec metaharness-event-1 §7). */
const FAMILIES: Readonly<Record<string, string>> = {
  'session.started': 'session_start',
  'session.ended': 'run_outcome',
  usage: 'run_outcome',
  text: 'assistant_text',
  thinking: 'assistant_thinking',
  'thinking.estimate': 'thinking_estimate',
  injection: 'synthetic_injection',
  'tool.requested': 'tool_call',
  'tool.result': 'tool_result',
  rate_limit: 'rate_limit',
  opaque: 'opaque',
  'stream.closed': 'stream_closed',
}
const KNOWN: ReadonlySet<string> = new Set(EVENT_NAMES)

interface Request {
  readonly head: string
  readonly id: string | null
  readonly index: number
}

/**
 * Projects a stream of events into one `trace-ir/1` document (spec metaharness-event-1 §7): `node` gives the text for each
 * line in turn, `tail` what follows the last. The same stream gives the same bytes; numbers keep their spelling.
 *
 * Memory grows with the number of requests and of texts that name one.
 */
export class TraceProjection {
  private nodes = 0
  private readonly families = new Map<string, number>()
  private readonly unknownKinds = new Map<string, number>()
  private readonly requests: Request[] = []
  private readonly byRequest = new Map<string, number[]>()
  private run: string | null = null
  private marker: {
    readonly line: number
    readonly events: number | null
    readonly reason: string | null
  } | null = null
  private markers = 0
  private started: Readonly<Record<'transcript' | 'withheld' | 'operations' | 'hermetic', string>> | null =
    null
  private census = 'null'

  /** @param digest SHA-256 of the bytes of the stream */
  head(digest: string): string {
    return (
      `{\n  "format": "trace-ir/1",\n  "transcript_digest": "${digest}",\n  "adapter": {\n` +
      `    "name": "metaharness/project",\n    "written_against": [\n      "metaharness.event/1"\n    ]\n  },\n  "events": [`
    )
  }

  /** @param line 1-based line of the stream */
  node(record: RecordView, line: number): string {
    const { root } = record
    const name = record.text(record.get(root, K.event))
    const family = (name === null ? undefined : FAMILIES[name]) ?? 'unk'
    const index = this.nodes++
    bump(this.families, family)
    if (family === 'unk') bump(this.unknownKinds, name ?? 'unreadable')
    this.note(record, name, index, line)
    const at = record.text(record.get(root, K.at))
    const timestamp = at === null ? 'null' : JSON.stringify(at)
    const kind = family === 'unk' ? unknownKind(record, name) : knownKind(record, family)
    return (
      `${index === 0 ? '' : ','}\n    {\n      "index": ${index},\n      "source_line": ${line},\n` +
      `      "timestamp": ${timestamp},\n      "timestamp_ms": ${at === null ? 'null' : instantMs(at)},\n` +
      `      "kind": ${reindented(kind, 3)}\n    }`
    )
  }

  /** @param source path of the stream */
  tail(source: string): string {
    const requests = this.requests.map(({ head, id, index }) => {
      const events = id === null ? [index] : (this.byRequest.get(id) ?? [index])
      return `{${head},"events":[${events.join(',')}]}`
    })
    const { marker, started } = this
    const closed = marker === null ? 'null' : JSON.stringify({ events: marker.events, reason: marker.reason })
    const own = [
      ['source', JSON.stringify(source)],
      ['run', JSON.stringify(this.run)],
      ['events_total', String(this.nodes)],
      ['families', countsJson(this.families)],
      ['unk_kinds', countsJson(this.unknownKinds)],
      ['stream_complete', String(this.isComplete())],
      ['closed', closed],
      ['vendor_transcript', started?.transcript ?? 'null'],
      ['withheld', started?.withheld ?? 'null'],
      ['available_operations', started?.operations ?? 'null'],
      ['hermetic', started?.hermetic ?? 'null'],
      ['census', this.census],
    ]
    const fields = own.map(([name, json]) => `"${name}":${json}`).join(',')
    const close = this.nodes === 0 ? ']' : '\n  ]'
    return (
      `${close},\n  "requests": ${reindented(`[${requests.join(',')}]`, 1)},\n` +
      `  "metaharness": ${reindented(`{${fields}}`, 1)}\n}\n`
    )
  }

  /** One marker, on the last line, that counts the lines before it. */
  private isComplete(): boolean {
    const { marker } = this
    return (
      this.markers === 1 && marker !== null && marker.line === this.nodes && marker.events === this.nodes - 1
    )
  }

  private note(record: RecordView, name: string | null, index: number, line: number): void {
    const { root } = record
    this.run ??= record.text(record.get(root, K.run))
    const id = record.text(record.get(root, K.request_id))
    if (id !== null && (name === 'text' || name === 'thinking' || name === 'usage')) {
      const known = this.byRequest.get(id)
      if (known === undefined) this.byRequest.set(id, [index])
      else known.push(index)
    }
    if (name === 'usage') {
      this.requests.push({ head: requestHead(record, line), id, index })
    } else if (name === 'session.started' && this.started === null) {
      this.started = {
        transcript: jsonAt(record, record.get(root, K.transcript)),
        withheld: jsonAt(record, record.get(root, K.withheld)),
        operations: jsonAt(record, record.get(root, K.available_operations)),
        hermetic: jsonAt(record, record.get(root, K.hermetic)),
      }
    } else if (name === 'session.ended') {
      this.census = jsonAt(record, record.get(root, K.census))
    } else if (name === 'stream.closed') {
      this.markers++
      const events = record.integer(record.get(root, K.events))
      this.marker = { line, events, reason: record.text(record.get(root, K.reason)) }
    }
  }
}

function requestHead(record: RecordView, line: number): string {
  const { root } = record
  const usage = record.get(root, K.usage)
  const field = (name: string, node: Node): string => `"${name}":${jsonAt(record, node)}`
  return [
    `"source_line":${line}`,
    field('request_id', record.get(root, K.request_id)),
    field('model', record.get(root, K.model)),
    field('input_tokens', record.get(usage, K.input_tokens)),
    field('output_tokens', record.get(usage, K.output_tokens)),
    field('cache_read_input_tokens', record.get(usage, K.cache_read_input_tokens)),
    field('cache_creation_input_tokens', record.get(usage, K.cache_creation_input_tokens)),
  ].join(',')
}

/** The payload, with the family in place of the event's name. */
function knownKind(record: RecordView, family: string): string {
  const fields = payload(record).filter(([name]) => name !== 'event')
  return `{"event":"${family}"${fields.map(([name, json]) => `,${JSON.stringify(name)}:${json}`).join('')}}`
}

function unknownKind(record: RecordView, name: string | null): string {
  const isEvent = name !== null && KNOWN.has(name)
  const reason = isEvent ? 'no trace-ir/1 family' : 'no event of metaharness.event/1'
  const whole = `{${payload(record)
    .map(([field, json]) => `${JSON.stringify(field)}:${json}`)
    .join(',')}}`
  return `{"event":"unk","event_kind":${JSON.stringify(name)},"reason":"${reason}","payload":${whole}}`
}

/** The event's own fields, without the envelope. */
function payload(record: RecordView): [name: string, json: string][] {
  const fields: [string, string][] = []
  if (record.kind(record.root) !== Kind.Object) return fields
  for (let child = record.first(record.root); child !== NONE; child = record.next(child)) {
    const name = record.key(child)
    if (!ENVELOPE.has(name)) fields.push([name, record.raw(child)])
  }
  return fields
}

function jsonAt(record: RecordView, node: Node): string {
  return node === NONE ? 'null' : record.raw(node)
}

function bump(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

function countsJson(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${sorted.map(([name, n]) => `${JSON.stringify(name)}:${n}`).join(',')}}`
}
