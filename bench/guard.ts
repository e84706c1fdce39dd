import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectDir } from './project.ts'
import type { Row } from './sampled.ts'
import { formatRatio } from './table.ts'

/** One guarded row: what it gave when the floor was set, and what it must give. */
export interface Floor {
  readonly measured: number
  readonly floor: number
}

/** `bench/guard.json`. Ratios to a baseline of the same run, and memory; never times. */
export interface Guard {
  readonly about: string
  /** By the name of a row. */
  readonly floors: Readonly<Record<string, Floor>>
  /** Peak memory of whole processes: so much, and so much more for each worker. */
  readonly peakRss: { readonly megabytes: number; readonly megabytesPerWorker: number }
}

/** One comparison with the guard file. */
export interface Finding {
  readonly name: string
  readonly measured: number
  readonly limit: number
  readonly unit: 'x' | 'MB'
  readonly ok: boolean
}

export function readGuard(): Guard {
  const guard: Guard = JSON.parse(readFileSync(join(projectDir, 'bench/guard.json'), 'utf8'))
  return guard
}

/**
 * Compare what was measured with the guard file. A guarded row that was not measured is one that fell short, unless
 * only some cases were asked for.
 *
 * @param cores threads that a whole process starts by itself
 */
export function judge(rows: readonly Row[], guard: Guard, cores: number, partly: boolean): Finding[] {
  const findings: Finding[] = []
  for (const [name, { floor }] of Object.entries(guard.floors)) {
    const row = rows.find((measured) => measured.name === name)
    if (row === undefined && (partly || isOptional(name))) continue
    const measured = row?.ratio ?? 0
    findings.push({ name, measured, limit: floor, unit: 'x', ok: measured >= floor })
  }
  const limit = peakLimit(guard, cores)
  for (const { case: name, peakRssBytes } of rows) {
    if (peakRssBytes === null || findings.some((finding) => finding.name === `${name}, peak RSS`)) continue
    const measured = peakRssBytes / 1e6
    findings.push({ name: `${name}, peak RSS`, measured, limit, unit: 'MB', ok: measured <= limit })
  }
  return findings
}

/** Megabytes that a whole process may take at most. */
export function peakLimit(guard: Guard, workers: number): number {
  return guard.peakRss.megabytes + guard.peakRss.megabytesPerWorker * workers
}

export function formatFindings(findings: readonly Finding[]): string {
  const lines = findings.map(({ name, measured, limit, unit, ok }) => {
    const word = unit === 'x' ? 'at least' : 'at most'
    const [got, wanted] = [measured, limit].map((value) =>
      unit === 'x' ? formatRatio(value) : value.toFixed(0),
    )
    const verdict = ok ? 'ok   ' : 'SHORT'
    return `${verdict} ${name}: ${got} ${unit}, ${word} ${wanted} ${unit}`
  })
  const short = findings.filter(({ ok }) => !ok)
  const end =
    short.length === 0
      ? `guard: all of ${findings.length} hold`
      : `guard: ${short.length} of ${findings.length} fell short: ${short.map(({ name }) => name).join('; ')}`
  return [...lines, end].join('\n')
}

/** The binding, or the tools of compressed files, may not be there on a machine; then they are no baseline. */
function isOptional(name: string): boolean {
  return name.endsWith('/ simdjson isValid') || name.startsWith('packed-')
}
