import type { TranscriptResult } from '../pipeline/job.ts'
import { groupedInteger } from '../report/money.ts'
import type { Console } from './console.ts'
import type { Overview } from './overview.ts'

/** `12 transcripts, 3.4 MB, 900 records` and what was odd about them. */
export function inWords(overview: Overview): string {
  const { transcripts, bytes, records, opaqueRecords, unparsed, failed, skipped } = overview
  const parts = [many(transcripts, 'transcript'), megabytes(bytes), many(records, 'record')]
  const odd = [
    [opaqueRecords, 'opaque'],
    [unparsed, 'unparsed'],
    [failed.count, 'failed'],
    [skipped, skipped === 1 ? 'other file skipped' : 'other files skipped'],
  ] as const
  for (const [count, what] of odd) if (count > 0) parts.push(`${groupedInteger(count)} ${what}`)
  return parts.join(', ')
}

/** Counts finished transcripts into a progress line. */
export function progressOf(console: Console, verb: string): (result: TranscriptResult) => void {
  const started = performance.now()
  let files = 0
  let bytes = 0
  return (result) => {
    files++
    bytes += result.bytes
    console.progress(() => {
      const seconds = (performance.now() - started) / 1000
      return `${verb} ${files} files, ${megabytes(bytes)}, ${megabytes(bytes / seconds)}/s`
    })
  }
}

/** `1 record`, `2,000 records`. */
export function many(count: number, what: string): string {
  return `${groupedInteger(count)} ${what}${count === 1 ? '' : 's'}`
}

/** Bytes in decimal units: `3.4 MB`. */
export function megabytes(bytes: number): string {
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} KB`
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`
}
