import type { Adapter, Evidence } from '../../src/dialect/adapter.ts'
import type { RecordView } from '../../src/kernel/record.ts'
import { Scanner } from '../../src/kernel/scanner.ts'

/** What a value says to an adapter about being of its dialect. */
export function evidenceOf<State>(adapter: Adapter<State>, value: unknown): Evidence | null {
  const record = recordOf(value)
  return adapter.evidence(record, record.root)
}

export function runIdOf<State>(adapter: Adapter<State>, value: unknown): string | null {
  const record = recordOf(value)
  return adapter.runId?.(record, record.root) ?? null
}

function recordOf(value: unknown): RecordView {
  const scanner = new Scanner()
  scanner.scanBytes(Buffer.from(JSON.stringify(value)))
  return scanner.select(0, 1)
}
