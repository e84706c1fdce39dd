import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CallCost } from './cases/vocabulary.ts'
import type { Machine } from './machine.ts'
import type { PeersDocument } from './peers/document.ts'
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

/**
 * Keep the raw samples of a run under its date and commit; the path of the file.
 *
 * @param kind a word for the name of the file, when it is no ordinary run
 */
export function writeRecord(document: BenchDocument | PeersDocument, kind = ''): string {
  const folder = join(projectDir, 'bench/records')
  const stamp = document.at.slice(0, 19).replaceAll(':', '')
  const commit = document.machine.commit ?? 'no-commit'
  const path = join(folder, `${[stamp, kind, commit].filter((word) => word !== '').join('-')}.json`)
  mkdirSync(folder, { recursive: true })
  const rounded = JSON.stringify(document, (_, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value,
  )
  writeFileSync(path, `${rounded}\n`)
  return path
}
