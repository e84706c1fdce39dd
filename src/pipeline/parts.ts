import { readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Adapter, Part } from '../dialect/adapter.ts'
import type { TranscriptJob } from './job.ts'

/** Sidecars are settings and summaries; what is larger is none. */
const MOST_BYTES = 16 * 1024 * 1024

/** The sidecars of a transcript that are there and can be read. */
export function partsOf(job: TranscriptJob, adapter: Adapter<unknown>): Part[] {
  const { file } = job
  if (file === null || adapter.sidecars === undefined) return []
  return adapter.sidecars(basename(file)).flatMap((path) => {
    const text = textOf(join(dirname(file), path))
    return text === null ? [] : [{ path, text }]
  })
}

function textOf(path: string): string | null {
  try {
    const stat = statSync(path)
    return stat.isFile() && stat.size <= MOST_BYTES ? readFileSync(path, 'utf8') : null
  } catch {
    return null
  }
}
