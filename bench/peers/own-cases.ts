import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { measureOne } from '../measure-one.ts'
import { rowsOf } from '../sampled.ts'
import { clear } from './conversion.ts'
import type { Measured } from './goals.ts'

/** Goals that cases of the ordinary benchmark measure, and by what of them. */
const CASES = [
  { name: 'scan', baseline: 'JSON.parse', by: 'ratio' },
  { name: 'convert', baseline: 'JSON.parse, map, JSON.stringify', by: 'ratio' },
  { name: 'version', baseline: 'node -e 0', by: 'milliseconds' },
  { name: 'ten-kilobytes', baseline: 'node -e 0', by: 'milliseconds' },
] as const

/** What a case has in common with a group of programs: it can be asked for by its name. */
export const ownCases: readonly string[] = CASES.map(({ name }) => name)

/** Run one case of the ordinary benchmark. @throws Error when it failed */
export async function measureOwnCase(wanted: string, scratch: string): Promise<Measured[]> {
  const known = CASES.find(({ name }) => name === wanted)
  if (known === undefined) throw new TypeError(`there is no case ${wanted}`)
  const room = join(scratch, 'case')
  mkdirSync(room, { recursive: true })
  const report = await measureOne({ case: wanted, corpora: scratch, given: null, scratch: room })
  clear(room)
  if (report.kind !== 'sampled') throw new Error(`the case ${wanted} gave no samples`)
  const row = rowsOf(report.sampled).find(({ baseline }) => baseline === known.baseline)
  if (row === undefined) throw new Error(`the case ${wanted} has no baseline ${known.baseline}`)
  const isTime = known.by === 'milliseconds'
  const note = isTime ? `${known.baseline}: ${Math.round(row.milliseconds * row.ratio)} ms` : ''
  return [{ name: known.name, value: isTime ? row.milliseconds : row.ratio, note }]
}
