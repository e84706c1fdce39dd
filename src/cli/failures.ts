import { completenessOf } from '../dialect/verdict.ts'
import type { Counted } from '../pipeline/count.ts'
import type { TranscriptResult } from '../pipeline/job.ts'
import { type Console, plain } from './console.ts'
import { Exit, UsageError } from './exit.ts'

/** What `--fail-on` takes. */
export const FAILURES = ['opaque', 'unparsed', 'truncated', 'unpriced', 'partial'] as const
export type Failure = (typeof FAILURES)[number]

/** Say what could not be read or was not understood. Returns the exit code that follows. @param failOn what else is a failure */
export function sayFailures(console: Console, counted: Counted, failOn: readonly Failure[] = []): number {
  const { results, failures } = counted
  for (const failure of failures) console.say(`millrace: ${plain(failure.message)}`)
  const broken = results.filter((result) => result.error !== null)
  for (const { error } of broken.slice(0, MOST_NAMED)) console.say(`millrace: ${plain(error?.message ?? '')}`)
  if (broken.length > MOST_NAMED)
    console.say(`millrace: … and ${broken.length - MOST_NAMED} more that could not be read`)
  for (const result of results.filter(nothingRecognised).slice(0, MOST_NAMED)) {
    console.say(
      `millrace: ${plain(result.path)}: no dialect was recognised in it, so every record is opaque` +
        `${result.opaqueTypes.length === 0 ? '' : ` (most are ${result.opaqueTypes.map(plain).join(', ')})`}; ` +
        `name one with --from, or see 'millrace dialects --explain FILE'`,
    )
  }
  const faults = results.some(({ notices }) => notices.some(({ code }) => FAULT_CODES.has(code)))
  if (faults) console.say('millrace: a fault of its own was noticed, see the notices; please report it')
  const cut = results.filter((result) => result.broken)
  for (const { path, notices } of cut.slice(0, MOST_NAMED)) {
    const why = notices.find(({ code }) => code.startsWith('source-'))
    console.say(`millrace: ${plain(path)}: ${why?.message ?? 'broke off'}`)
  }
  const failed = failures.length > 0 || broken.length > 0 || cut.length > 0 || faults
  return failed || failsOn(results, failOn) ? Exit.Failed : Exit.Ok
}

/** @throws UsageError when nothing at all was found */
export function refuseNothing(counted: Counted, paths: readonly string[]): void {
  const { results, failures, skipped } = counted
  if (results.length > 0) return
  if (failures.length > 0) {
    if (failures.some((failure) => failure.code !== 'ERR_NOT_FOUND')) return
    throw new UsageError(failures.map((failure) => plain(failure.message)).join('\nmillrace: '))
  }
  throw new UsageError(
    `no transcripts in ${paths.map(plain).join(', ')}: looked for files named *.jsonl *.ndjson *.json *.sse *.log *.txt` +
      (skipped > 0 ? `; ${skipped} found were of no known dialect (a file named itself is always read)` : ''),
  )
}

const MOST_NAMED = 10

/** Notices that say that millrace or the stream's writer is at fault. */
const FAULT_CODES = new Set(['scanner-disagreement', 'adapter-fault'])

function nothingRecognised(result: TranscriptResult): boolean {
  return result.dialect === 'unknown' && result.records.opaque > 0
}

function failsOn(results: readonly TranscriptResult[], failOn: readonly Failure[]): boolean {
  return results.some(
    (result) =>
      (failOn.includes('opaque') && result.opaque > 0) ||
      (failOn.includes('unparsed') && result.records.unparsed > 0) ||
      (failOn.includes('truncated') &&
        result.ending !== null &&
        completenessOf(result.ending, result.cut) !== 'complete'),
  )
}
