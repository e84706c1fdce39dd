import { rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Compression } from '../src/source/compress.ts'
import { peakRssOf } from './command.ts'
import { compressFile } from './packed.ts'
import { generate } from './corpora.ts'
import { peakLimit, readGuard } from './guard.ts'
import { command } from './project.ts'
import { openWorkplace } from './workplace.ts'

/** Room for a transcript and its output, as a multiple of the transcript. */
const ROOM = 2.3

/** What the conversion of one very large transcript took. */
export interface LargeRun {
  readonly bytes: number
  readonly workers: number
  readonly peakRssBytes: number
  readonly seconds: number
}

/**
 * Convert one transcript of `sizeBytes`, compressed or plain, in this thread, with two workers and with one for each core, and check the peak
 * memory that the operating system saw; the exit code.
 */
export async function measureLarge(sizeBytes: number, as: Compression | null): Promise<number> {
  const guard = readGuard()
  const workers = new Set([0, 2, availableParallelism()])
  const runs = await runLarge(sizeBytes, [...workers], as, (run) => {
    const [peak, limit] = [run.peakRssBytes / 1e6, peakLimit(guard, run.workers)]
    console.log(
      `${peak <= limit ? 'ok   ' : 'SHORT'} one transcript of ${(run.bytes / 1e9).toFixed(1)} GB${as === null ? '' : ` as ${as}`}, ${run.workers} workers: ` +
        `peak RSS ${Math.round(peak)} MB, at most ${limit} MB; ${Math.round(run.bytes / 1e6 / run.seconds)} MB/s`,
    )
  })
  return runs.every((run) => run.peakRssBytes / 1e6 <= peakLimit(guard, run.workers)) ? 0 : 1
}

/**
 * Convert one transcript with each number of workers.
 *
 * @param as how it is compressed
 * @param done told of every run when it is over
 */
export async function runLarge(
  sizeBytes: number,
  workers: readonly number[],
  as: Compression | null = null,
  done: (run: LargeRun) => void = () => {},
): Promise<LargeRun[]> {
  const workplace = openWorkplace(sizeBytes * ROOM)
  try {
    const path = join(workplace.folder, 'large')
    const { bytes, files } = await generate('large', { dialect: 'claude-session', sizeBytes, files: 1, path })
    if (as !== null) for (const file of files) compressFile(file.path, as)
    return workers.map((count) => {
      const run = { bytes, workers: count, ...convertLarge(path, count, workplace.folder) }
      done(run)
      return run
    })
  } finally {
    workplace.close()
  }
}

function convertLarge(
  path: string,
  workers: number,
  folder: string,
): { readonly peakRssBytes: number; readonly seconds: number } {
  const to = join(folder, 'out/')
  rmSync(to, { recursive: true, force: true })
  const startedMs = performance.now()
  const options = ['--quiet', '--jobs', String(workers)]
  const peakRssBytes = peakRssOf([process.execPath, command, 'convert', path, '-o', to, ...options], folder)
  return { peakRssBytes, seconds: (performance.now() - startedMs) / 1000 }
}
