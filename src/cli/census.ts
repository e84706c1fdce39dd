import type { Command } from 'commander'
import { countRecords } from '../pipeline/count.ts'
import { censusJson } from '../report/census-json.ts'
import { censusTable } from '../report/census-table.ts'
import { Console } from './console.ts'
import { interruptible } from './interruption.ts'
import { Overview } from './overview.ts'
import { PATHS_OR_PLACES, pathsOrPlaces } from './places.ts'
import { refuseNothing, sayFailures } from './failures.ts'
import { reading, type ReadingFlags, readingOptions } from './reading.ts'
import { inWords, progressOf } from './summary.ts'
import { terminalStyle } from './style.ts'

interface Flags extends ReadingFlags {
  readonly json?: boolean
  readonly digest?: boolean
}

/** Add `millrace census`. @param done gets its exit code */
export function censusCommand(program: Command, done: (code: number) => void): void {
  readingOptions(
    program
      .command('census')
      .summary('what is in there: records, events, tools, decisions, models')
      .description(
        'Count what transcripts hold: records, events, tools, decisions, warnings, models, sessions.',
      )
      .argument('[path...]', PATHS_OR_PLACES)
      .option('--json', 'one JSON document')
      .option('--digest', 'compute the digest of the corpus')
      .addHelpText('after', '\nExample:\n  millrace census runs/ --json\n'),
  ).action(async (given: string[], flags: Flags) => {
    const console = new Console(flags.quiet ?? false)
    const paths = pathsOrPlaces(given, console)
    const { report, ...counted } = await interruptible((signal) =>
      countRecords({
        ...reading(flags),
        paths,
        digest: flags.digest ?? false,
        progress: progressOf(console, 'counted'),
        signal,
      }),
    )
    // A program that asked for a document gets one, also when there was nothing to count.
    if (flags.json === true) console.data(`${censusJson(report)}\n`)
    refuseNothing(counted, paths)
    if (flags.json !== true) console.data(censusTable(report, terminalStyle()))
    const overview = new Overview(counted)
    const code = sayFailures(console, overview, flags.failOn)
    console.summary(`millrace: ${inWords(overview)}`)
    done(code)
  })
}
