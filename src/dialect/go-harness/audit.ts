import { createHash } from 'node:crypto'
import { Bin, type Sink } from '../../event/sink.ts'
import { Kind } from '../../kernel/layout.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { K } from './words.ts'

/** What the first entry of a log has in place of the hash of one before. */
const GENESIS = 'genesis'

/**
 * The audit log of go-agent-harness (spec §3.2): every entry holds the hash of the one before, over all runs of a day. It
 * is not a run, and nothing of it becomes an event.
 */
export interface Audit {
  entries: number
  /** Hash of the last entry as it says itself. */
  last: string
  /** What is wrong with the first broken entry; null when none is. */
  broken: string | null
}

export function emptyAudit(): Audit {
  return { entries: 0, last: GENESIS, broken: null }
}

/** Entries are told by the two hashes that chain them. */
export function isAuditEntry(record: RecordView, value: Node): boolean {
  return record.isString(record.get(value, K.entry_hash)) && record.isString(record.get(value, K.prev_hash))
}

/** Check one entry against its own hash and against the one before. */
export function auditEntry(record: RecordView, audit: Audit, sink: Sink): Bin {
  const { root, line } = record
  audit.entries++
  const own = record.text(record.get(root, K.entry_hash)) ?? ''
  const before = record.text(record.get(root, K.prev_hash)) ?? ''
  const name = `entry ${audit.entries}, line ${line}`
  if (hashOf(record) !== own) {
    broken(
      audit,
      line,
      `${name}: its hash is not that of its content; it was changed after it was written`,
      sink,
    )
  } else if (before !== audit.last) {
    broken(
      audit,
      line,
      `${name}: it does not follow the entry before; entries were removed, added or moved`,
      sink,
    )
  }
  audit.last = own
  return Bin.Bookkeeping
}

function broken(audit: Audit, line: number, message: string, sink: Sink): void {
  audit.broken ??= `the audit log is broken at ${message}`
  sink.notice('audit-chain-broken', line, message)
}

/** The hash that the entry should have: of its fields as Go writes them, the payload as JSON text inside. */
function hashOf(record: RecordView): string {
  const { root } = record
  const text = (node: Node): string => goString(record.text(node) ?? '')
  const payload = record.get(root, K.payload)
  const fields = [
    `"ts":${text(record.get(root, K.timestamp))}`,
    `"run_id":${text(record.get(root, K.run_id))}`,
    `"event_type":${text(record.get(root, K.event_type))}`,
    `"payload_json":${goString(payload === NONE ? 'null' : goJson(record, payload))}`,
    `"prev_hash":${text(record.get(root, K.prev_hash))}`,
  ]
  return createHash('sha256')
    .update(`{${fields.join(',')}}`)
    .digest('hex')
}

/** A value as Go's encoder writes a map: compact, keys in byte order, numbers as spelled. */
function goJson(record: RecordView, node: Node): string {
  const kind = record.kind(node)
  if (kind === Kind.String) return goString(record.text(node) ?? '')
  if (kind === Kind.Array) {
    const items: string[] = []
    for (let item = record.first(node); item !== NONE; item = record.next(item))
      items.push(goJson(record, item))
    return `[${items.join(',')}]`
  }
  if (kind !== Kind.Object) return record.raw(node)
  const fields = new Map<string, string>()
  for (let child = record.first(node); child !== NONE; child = record.next(child)) {
    fields.set(record.key(child), goJson(record, child))
  }
  const sorted = [...fields].toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  return `{${sorted.map(([name, value]) => `${goString(name)}:${value}`).join(',')}}`
}

/** A string as Go's encoder writes it: what HTML would take for markup is escaped too. */
function goString(text: string): string {
  const escaped = JSON.stringify(text)
  return escaped.replaceAll(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
