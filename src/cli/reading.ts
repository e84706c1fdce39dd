import { type Command, InvalidArgumentError, Option } from 'commander'
import { Dialects } from '../dialect/registry.ts'
import type { HttpHeaders } from '../source/address.ts'
import type { Counted } from '../pipeline/count.ts'
import type { TranscriptResult } from '../pipeline/job.ts'
import type { ReadOptions } from '../pipeline/options.ts'
import { completenessOf } from '../dialect/verdict.ts'
import { groupedInteger } from '../report/money.ts'
import { type Console, plain } from './console.ts'
import { Exit, UsageError } from './exit.ts'

/** Options of every command that reads transcripts. */
export interface ReadingFlags {
  readonly from?: string
  readonly jobs?: number
  readonly lineLimit?: number
  readonly chunkBytes?: number
  readonly failOn?: readonly string[]
  readonly quiet?: boolean
  readonly header?: HttpHeaders
}

const FAILURES = ['opaque', 'unparsed', 'truncated', 'unpriced', 'partial'] as const
export type Failure = (typeof FAILURES)[number]

/** What a PATH may be, for the help of the commands that take some. */
export const PATHS = 'files, folders, globs, addresses, or - for standard input'

/** Add the options that say how inputs are to be read, at rest or while they are written. */
export function inputOptions(command: Command): Command {
  return command
    .option('--from <dialect>', 'read every input as this dialect, whatever its content says')
    .option(
      '-H, --header <header>',
      "'Name: value' for inputs that are addresses; may be repeated",
      header,
      [],
    )
}

/** Add the options that every command has that reads to the end of its inputs. */
export function readingOptions(command: Command): Command {
  return inputOptions(command)
    .addOption(
      new Option('-j, --jobs <n>', 'threads that read; 0 runs all in the main thread (default: one a core)')
        .env('MILLRACE_JOBS')
        .argParser((text) => whole(text, 0)),
    )
    .option('--line-limit <bytes>', 'longer lines are kept as their digest only', (text) => whole(text, 1))
    .option('--chunk-bytes <bytes>', 'bytes of a chunk; results do not depend on it', (text) =>
      whole(text, 64),
    )
    .option('--fail-on <list>', `exit 1 when there are any: ${FAILURES.join(', ')}`, failureList)
    .option('-q, --quiet', 'no progress and no summary line')
}

/** What the flags say of reading. @throws UsageError for an unknown dialect */
export function reading(flags: ReadingFlags): ReadOptions & { readonly jobs?: number } {
  if (flags.from !== undefined && new Dialects().named(flags.from) === null) {
    const known = new Dialects().adapters.map((adapter) => adapter.dialect).join(', ')
    throw new UsageError(`unknown dialect '${plain(flags.from)}'; known are ${known}, unknown`)
  }
  return {
    ...(flags.from === undefined ? {} : { from: flags.from }),
    ...(flags.header === undefined ? {} : { headers: flags.header }),
    ...(flags.jobs === undefined ? {} : { jobs: flags.jobs }),
    ...(flags.lineLimit === undefined ? {} : { lineLimit: flags.lineLimit }),
    ...(flags.chunkBytes === undefined ? {} : { chunkBytes: flags.chunkBytes }),
  }
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

/** Say what could not be read or was not understood, and the exit code that follows. */
export function verdict(console: Console, counted: Counted, flags: ReadingFlags): number {
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
  return failed || failsOn(results, flags.failOn ?? []) ? Exit.Failed : Exit.Ok
}

/** `12 transcripts, 3.4 MB, 900 records` and what was odd about them. */
export function inWords(counted: Counted): string {
  const { results, skipped } = counted
  const sum = (of: (result: TranscriptResult) => number): number =>
    results.reduce((all, one) => all + of(one), 0)
  const parts = [
    many(results.length, 'transcript'),
    megabytes(sum((result) => result.bytes)),
    many(
      sum((result) => result.records.read),
      'record',
    ),
  ]
  const odd = [
    [sum((result) => result.records.opaque), 'opaque'],
    [sum((result) => result.records.unparsed), 'unparsed'],
    [results.filter((result) => result.error !== null).length, 'failed'],
    [skipped, skipped === 1 ? 'other file skipped' : 'other files skipped'],
  ] as const
  for (const [count, what] of odd) if (count > 0) parts.push(`${groupedInteger(count)} ${what}`)
  return parts.join(', ')
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

/** `1 record`, `2,000 records`. */
export function many(count: number, what: string): string {
  return `${groupedInteger(count)} ${what}${count === 1 ? '' : 's'}`
}

/** Bytes in decimal units: `3.4 MB`. */
export function megabytes(bytes: number): string {
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} KB`
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`
}

const MOST_NAMED = 10

/** Notices that say that millrace or the stream's writer is at fault. */
const FAULT_CODES = new Set(['scanner-disagreement', 'adapter-fault'])

function nothingRecognised(result: TranscriptResult): boolean {
  return result.dialect === 'unknown' && result.records.opaque > 0
}

function failsOn(results: readonly TranscriptResult[], failOn: readonly string[]): boolean {
  return results.some(
    (result) =>
      (failOn.includes('opaque') && result.opaque > 0) ||
      (failOn.includes('unparsed') && result.records.unparsed > 0) ||
      (failOn.includes('truncated') &&
        result.ending !== null &&
        completenessOf(result.ending, result.cut) !== 'complete'),
  )
}

function failureList(text: string): Failure[] {
  return text.split(',').map((word) => {
    const known = FAILURES.find((failure) => failure === word.trim())
    if (known === undefined)
      throw new InvalidArgumentError(`'${plain(word)}' is none of ${FAILURES.join(', ')}.`)
    return known
  })
}

/** A header of the command line, behind those before it. @throws InvalidArgumentError */
function header(text: string, before: HttpHeaders): HttpHeaders {
  const colon = text.indexOf(':')
  // The value may be a secret: it is not repeated.
  if (colon < 1) throw new InvalidArgumentError("'Name: value' is wanted.")
  return [...before, [text.slice(0, colon).trim(), text.slice(colon + 1).trim()]]
}

function whole(text: string, least: number): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < least)
    throw new InvalidArgumentError(`a whole number from ${least} is wanted.`)
  return value
}
