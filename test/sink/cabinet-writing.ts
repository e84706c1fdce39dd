import type { Adapter } from '../../src/dialect/adapter.ts'
import { operationsOfHarness } from '../../src/dialect/operations.ts'
import type { Sink } from '../../src/event/sink.ts'
import type { JsonBytes } from '../../src/kernel/record.ts'
import { Scanner } from '../../src/kernel/scanner.ts'
import { Translation } from '../../src/pipeline/translation.ts'
import { type CabinetOptions, CabinetWriter } from '../../src/sink/cabinet-writer.ts'
import { Notices } from '../../src/sink/notices.ts'
import { Splice } from '../../src/sink/splice.ts'
import { type CabinetEvent, readCabinet } from '../cabinet-schema.ts'

export interface Written {
  readonly events: readonly CabinetEvent[]
  readonly notices: Notices
}

/** What the writer makes of events that no record stands behind, every line checked against the schema. */
export function cabinetOf(tell: (sink: Sink) => void, options: Partial<CabinetOptions> = {}): Written {
  const scanner = new Scanner()
  scanner.scanBytes(Buffer.from(''))
  const splice = new Splice(scanner)
  const { writer, notices } = writerInto(scanner, splice, options)
  tell(writer)
  return { events: readCabinet(splice.output()), notices }
}

/** What it makes of a transcript: lines as they stand, or values that are written as JSON. */
export function cabinetFrom(
  adapter: Adapter<unknown>,
  lines: readonly (string | object)[],
  options: Partial<CabinetOptions> = {},
): Written {
  const scanner = new Scanner()
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)) + '\n').join('')
  scanner.scanBytes(Buffer.from(text))
  const splice = new Splice(scanner)
  const { writer, notices } = writerInto(scanner, splice, options)
  const translation = new Translation({
    adapter,
    dialects: null,
    context: { run: 'run', deltas: false, tolerant: true, parts: [] },
    sink: writer,
    census: null,
    crossCheck: false,
  })
  translation.chunk(scanner)
  translation.end()
  return { events: readCabinet(splice.output()), notices }
}

/** Events without the fields that nearly all of them have. */
export function bare(events: readonly CabinetEvent[]): object[] {
  return events.map((event) => {
    const fields: Record<string, unknown> = { ...event }
    delete fields['timestamp']
    delete fields['sessionId']
    return fields
  })
}

export function json(value: unknown): JsonBytes {
  return { bytes: Buffer.from(JSON.stringify(value)), suspect: false }
}

function writerInto(scanner: Scanner, splice: Splice, options: Partial<CabinetOptions>) {
  const notices = new Notices()
  const writer = new CabinetWriter(splice, scanner.view, {
    usage: false,
    shell: 'classify',
    observedAt: null,
    opaqueAll: false,
    operationsOf: operationsOfHarness,
    notice: (code, line, message) => notices.add(code, line, message),
    ...options,
  })
  return { writer, notices }
}
