import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CallCost } from './cases/vocabulary.ts'
import type { Machine } from './machine.ts'
import { projectDir } from './project.ts'
import type { Row, Sampled } from './sampled.ts'

/** All that one run gave. */
export interface BenchDocument {
  readonly format: 'millrace.bench/1'
  /** ISO 8601, UTC. */
  readonly at: string
  readonly machine: Machine
  readonly inMemory: boolean
  readonly corpus: string | null
  readonly rows: readonly Row[]
  readonly calls: readonly CallCost[]
  readonly samples: readonly Sampled[]
}

/** Keep the raw samples of a run under its date and commit; the path of the file. */
export function writeRecord(document: BenchDocument): string {
  const folder = join(projectDir, 'bench/records')
  const stamp = document.at.slice(0, 19).replaceAll(':', '')
  const path = join(folder, `${stamp}-${document.machine.commit ?? 'no-commit'}.json`)
  mkdirSync(folder, { recursive: true })
  const rounded = JSON.stringify(document, (_, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value,
  )
  writeFileSync(path, `${rounded}\n`)
  return path
}
