import { type Command, InvalidArgumentError, Option } from 'commander'
import { Dialects } from '../dialect/registry.ts'
import type { ReadOptions } from '../pipeline/options.ts'
import type { HttpHeaders } from '../source/address.ts'
import { plain } from './console.ts'
import { UsageError } from './exit.ts'
import { type Failure, FAILURES } from './failures.ts'

/** Options of every command that reads transcripts. */
export interface ReadingFlags {
  readonly from?: string
  readonly jobs?: number
  readonly lineLimit?: number
  readonly chunkBytes?: number
  readonly failOn?: readonly Failure[]
  readonly quiet?: boolean
  readonly header?: HttpHeaders
}

/** What a PATH may be, for the help of the commands that take some. */
export const PATHS = 'files, folders, globs, addresses, or - for standard input'

/** Add the options that say how inputs are to be read, at rest or while they are written. */
export function inputOptions(command: Command): Command {
  return command
    .option('--from <dialect>', 'read every input as this dialect, whatever its content says')
    .option('-H, --header <header>', "'Name: value' for inputs that are addresses; may be repeated", header)
}

/** Add the options that every command has that reads to the end of its inputs. */
export function readingOptions(command: Command): Command {
  return inputOptions(command)
    .addOption(
      new Option(
        '-j, --jobs <n>',
        'threads that read; 0 runs all in the main thread (default: one a core, where threads pay)',
      )
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

function failureList(text: string): Failure[] {
  return text.split(',').map((word) => {
    const known = FAILURES.find((failure) => failure === word.trim())
    if (known === undefined)
      throw new InvalidArgumentError(`'${plain(word)}' is none of ${FAILURES.join(', ')}.`)
    return known
  })
}

/** A header of the command line, behind those before it. @throws InvalidArgumentError */
function header(text: string, before: HttpHeaders = []): HttpHeaders {
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
