import { join } from 'node:path'
import { generate } from '../corpora.ts'
import { Conversion, clear } from './conversion.ts'
import type { GroupResult, Settings } from './group.ts'
import { alternate, best } from './program.ts'

const OURS = 'millrace convert'

/** One transcript as large as the folder: what threads bring, and that they change no byte. */
export async function measureTranscript(
  scratch: string,
  { sizeBytes, rounds }: Settings,
): Promise<GroupResult> {
  const from = join(scratch, 'transcript')
  const { bytes, facts } = await generate('transcript', {
    dialect: 'claude-session',
    sizeBytes,
    files: 1,
    path: from,
  })
  const conversion = new Conversion(from, join(scratch, 'out'), facts?.records ?? 0)
  const programs = [conversion.program(OURS), conversion.program(`${OURS} --jobs 0`, '--jobs', '0')]
  const timings = await alternate(programs, rounds, scratch)
  clear(join(scratch, 'out'))
  clear(from)
  const [ours = 0, alone = 0] = timings.map(best)
  return {
    measured: [{ name: 'transcript', value: alone / ours, note: '' }],
    fields: [{ title: 'one transcript converted', bytes, ours: OURS, timings }],
  }
}
