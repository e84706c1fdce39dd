import { join } from 'node:path'
import { generate } from '../corpora.ts'
import { Conversion, clear, copying } from './conversion.ts'
import type { GroupResult, Settings } from './group.ts'
import { alternate, best } from './program.ts'

/** What to ask of the generator for files of 2 KB in the mean: it ends with the first whole step past the size. */
const ASKED_BYTES = 800

/** Many small files for a folder of 1 GB: 100,000. */
const FILES_A_GIGABYTE = 100_000

const OURS = 'millrace convert'

/** How many small files belong to a folder of so many bytes. */
export function smallFileCount(sizeBytes: number): number {
  return Math.max(100, Math.round((sizeBytes / 1e9) * FILES_A_GIGABYTE))
}

/** Files so small that opening, naming and listing them is most of the work. */
export async function measureSmallFiles(
  scratch: string,
  { sizeBytes, rounds }: Settings,
): Promise<GroupResult> {
  const count = smallFileCount(sizeBytes)
  const [from, to] = [join(scratch, 'small'), join(scratch, 'out')]
  const recipe = {
    dialect: 'claude-session',
    sizeBytes: count * ASKED_BYTES,
    files: count,
    path: from,
  } as const
  const { bytes, facts } = await generate('small', recipe)
  const conversion = new Conversion(from, to, facts?.records ?? 0)
  const timings = await alternate([conversion.program(OURS), copying(from, to, bytes)], rounds, scratch)
  clear(to)
  clear(from)
  const [ours = 0] = timings.map(best)
  const note = `${count.toLocaleString('en-US')} files`
  return {
    measured: [{ name: 'small-files', value: count / ours, note }],
    fields: [{ title: `${note} of 2 KB converted`, bytes, ours: OURS, timings }],
  }
}
