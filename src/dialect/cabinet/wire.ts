import { type Key, key, keys } from '../../kernel/key.ts'
import { Kind } from '../../kernel/layout.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import type { Evidence } from '../adapter.ts'

const K = keys('type', 'timestamp')

/** Fields of each type (spec test-cabinet §1.2): required ones with the kind they have, then the others. */
const FIELDS: Readonly<Record<string, readonly [required: string, optional: string]>> = {
  agent: ['message', ''],
  reasoning: ['message', ''],
  command: ['command', 'workingDirectory exitCode isSuccess'],
  read: ['path', 'startLine endLine isSuccess'],
  write: ['path', 'startLine endLine isSuccess'],
  search: ['query', 'path isSuccess'],
  list: ['', 'path isSuccess'],
  skill: ['path', 'skillName startLine endLine isSuccess'],
  orchestration: ['action', 'subagentId subagentName isSuccess'],
  usage: ['tokens', 'cost'],
  error: ['message', 'code'],
  warning: ['message', 'code'],
  system: ['stage status message', ''],
  gg: ['event', ''],
  unknown: ['raw', ''],
}

/** Types that other dialects have too, with the same few fields: alone they prove nothing. */
const SHARED: ReadonlySet<string> = new Set(['error', 'warning', 'list'])

interface Shape {
  readonly required: readonly Key[]
  readonly known: ReadonlySet<string>
}

const shapes: ReadonlyMap<string, Shape> = new Map(
  Object.entries(FIELDS).map(([type, [required, optional]]) => {
    const names = required.split(' ').filter(Boolean)
    const known = new Set([
      'type',
      'timestamp',
      'sessionId',
      ...names,
      ...optional.split(' ').filter(Boolean),
    ])
    return [type, { required: names.map((name) => key(name)), known }]
  }),
)

/** Required fields that are no strings. */
const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['tokens', Kind.Object],
  ['event', Kind.Object],
])

/**
 * A flat object of one of the types with nothing but its fields. With the time that every event has it is proof; without
 * one, as when times were taken out for comparing, it is a weak sign.
 */
export function evidenceOf(record: RecordView, value: Node): Evidence | null {
  const type = record.word(record.get(value, K.type))
  const shape = type === null ? undefined : shapes.get(type)
  if (type === null || shape === undefined) return null
  for (const field of shape.required) {
    const kind = record.kind(record.get(value, field))
    const wanted = field.name === 'raw' ? kind : (KINDS.get(field.name) ?? Kind.String)
    if (kind === Kind.None || kind !== wanted) return null
  }
  for (let child = record.first(value); child !== NONE; child = record.next(child)) {
    if (!shape.known.has(record.key(child))) return null
  }
  const isTimed = record.isString(record.get(value, K.timestamp))
  const weight = isTimed && !SHARED.has(type) ? 'proof' : 'weak'
  return {
    weight,
    reason: `type ${type} with ${isTimed ? 'timestamp and' : ''} its fields and no others`.replace('  ', ' '),
  }
}
