import type { Counted } from '../pipeline/count.ts'
import { type Console, plain } from './console.ts'
import { Exit, UsageError } from './exit.ts'
import { MOST_NAMED, type Overview } from './overview.ts'

/** What `--fail-on` takes. */
export const FAILURES = ['opaque', 'unparsed', 'truncated', 'unpriced', 'partial'] as const
export type Failure = (typeof FAILURES)[number]

/** Say what could not be read or was not understood. Returns the exit code that follows. @param failOn what else is a failure */
export function sayFailures(console: Console, overview: Overview, failOn: readonly Failure[] = []): number {
  const { failures, failed, broken, unrecognised, hasFaults } = overview
  for (const failure of failures) console.say(`millrace: ${plain(failure.message)}`)
  for (const { error } of failed.first) console.say(`millrace: ${plain(error?.message ?? '')}`)
  if (failed.count > MOST_NAMED)
    console.say(`millrace: … and ${failed.count - MOST_NAMED} more that could not be read`)
  for (const { path, opaqueTypes } of unrecognised.first) {
    console.say(
      `millrace: ${plain(path)}: no dialect was recognised in it, so every record is opaque` +
        `${opaqueTypes.length === 0 ? '' : ` (most are ${opaqueTypes.map(plain).join(', ')})`}; ` +
        `name one with --from, or see 'millrace dialects --explain FILE'`,
    )
  }
  if (hasFaults) console.say('millrace: a fault of its own was noticed, see the notices; please report it')
  for (const { path, notices } of broken.first) {
    const why = notices.find(({ code }) => code.startsWith('source-'))
    console.say(`millrace: ${plain(path)}: ${why?.message ?? 'broke off'}`)
  }
  const isFailed = failures.length > 0 || failed.count > 0 || broken.count > 0 || hasFaults
  return isFailed || failsOn(overview, failOn) ? Exit.Failed : Exit.Ok
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

function failsOn(overview: Overview, failOn: readonly Failure[]): boolean {
  return (
    (failOn.includes('opaque') && overview.opaqueEvents > 0) ||
    (failOn.includes('unparsed') && overview.unparsed > 0) ||
    (failOn.includes('truncated') && overview.hasTruncated)
  )
}
