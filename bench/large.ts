import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { peakRssOf } from './command.ts'
import { stage } from './corpora.ts'
import { peakLimit, readGuard } from './guard.ts'
import { command } from './project.ts'
import { openWorkplace } from './workplace.ts'

/** Room for a transcript of 1 GB and its output. */
const ROOM_BYTES = 2.3e9

/**
 * Convert one transcript of 1 GB, in this thread, with two workers and with one for each core, and check the peak memory
 * that the operating system saw; the exit code.
 */
export async function measureLarge(): Promise<number> {
  const workplace = openWorkplace(ROOM_BYTES)
  try {
    const { path, bytes } = await stage('large', workplace.folder)
    const guard = readGuard()
    let ok = true
    for (const workers of new Set([0, 2, availableParallelism()])) {
      const to = join(workplace.folder, 'out/')
      const options = ['--quiet', '--jobs', String(workers)]
      const startedMs = performance.now()
      const asked = [process.execPath, command, 'convert', path, '-o', to, ...options] as const
      const peak = peakRssOf(asked, workplace.folder) / 1e6
      const seconds = (performance.now() - startedMs) / 1000
      const limit = peakLimit(guard, workers)
      ok &&= peak <= limit
      console.log(
        `${peak <= limit ? 'ok   ' : 'SHORT'} one transcript of ${(bytes / 1e9).toFixed(1)} GB, ${workers} workers: ` +
          `peak RSS ${Math.round(peak)} MB, at most ${limit} MB; ${Math.round(bytes / 1e6 / seconds)} MB/s`,
      )
    }
    return ok ? 0 : 1
  } finally {
    workplace.close()
  }
}
