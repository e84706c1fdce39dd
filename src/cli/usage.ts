import { readFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { countUsage } from '../pipeline/count.ts'
import { openOutput } from '../pipeline/output.ts'
import { explanationJson } from '../report/explanation-json.ts'
import { explanationTable } from '../report/explanation-table.ts'
import { usageCsv } from '../report/usage-csv.ts'
import { usageJson } from '../report/usage-json.ts'
import { usageParquet } from '../report/usage-parquet.ts'
import type { UsageReport } from '../report/usage-report.ts'
import { usageTable } from '../report/usage-table.ts'
import { dayName, zoneName } from '../usage/calendar.ts'
import type { Checked } from '../usage/checked.ts'
import { GROUP_KEYS, parseGroupKeys } from '../usage/group.ts'
import { parsePriceFile } from '../usage/price-input.ts'
import { PriceTable } from '../usage/prices.ts'
import type { Pricer } from '../usage/pricing.ts'
import { parseRateCard } from '../usage/rate-card.ts'
import { Console, plain } from './console.ts'
import { Exit, UsageError } from './exit.ts'
import { interruptible } from './interruption.ts'
import { Overview } from './overview.ts'
import { PATHS_OR_PLACES, pathsOrPlaces } from './places.ts'
import { refuseNothing, sayFailures } from './failures.ts'
import { reading, type ReadingFlags, readingOptions } from './reading.ts'
import { inWords, progressOf } from './summary.ts'
import { terminalStyle } from './style.ts'

interface Flags extends ReadingFlags {
  readonly by?: string
  readonly zone?: string
  readonly since?: string
  readonly until?: string
  readonly json?: boolean
  readonly csv?: boolean
  readonly parquet?: string
  readonly rates?: string
  readonly prices?: string
  readonly digest?: boolean
  readonly explain?: string
}

/** Add `millrace usage`. @param done gets its exit code */
export function usageCommand(program: Command, done: (code: number) => void): void {
  readingOptions(
    program
      .command('usage')
      .summary('tokens and cost, each request counted once')
      .description('Count tokens and cost, each request once over the whole corpus.')
      .argument('[path...]', PATHS_OR_PLACES)
      .option('--by <keys>', GROUP_KEYS.join(', '))
      .option('--zone <name>', 'IANA time zone of days and hours (default: that of this machine)')
      .option('--since <day>', 'first day, as 2026-01-31')
      .option('--until <day>', 'last day, included')
      .option('--json', 'one JSON document')
      .addOption(new Option('--csv', 'one header and one line a row').conflicts('json'))
      .addOption(
        new Option('--parquet <file>', 'the rows as a Parquet file; - for standard output').conflicts([
          'json',
          'csv',
          'explain',
        ]),
      )
      .option('--rates <file>', 'price by this b10x rate card')
      .option('--prices <file>', 'price by this table')
      .option('--digest', 'compute the digest of the corpus')
      .addOption(
        new Option(
          '--explain <what>',
          'the records behind one number: a day, a model, an id of a session, message or request',
        ).conflicts('csv'),
      )
      .addHelpText(
        'after',
        '\nExample:\n  millrace usage ~/.claude/projects --by day,model --zone Europe/Madrid\n',
      ),
  ).action(async (paths: string[], flags: Flags) => {
    done(await run(paths, flags))
  })
}

async function run(given: readonly string[], flags: Flags): Promise<number> {
  const console = new Console(flags.quiet ?? false)
  const by = checked('--by', parseGroupKeys(flags.by ?? 'model'))
  const zone = flags.zone === undefined ? {} : { zone: checkedZone(flags.zone) }
  const span = { since: dayOf('--since', flags.since), until: dayOf('--until', flags.until) }
  const pricer = await pricerOf(flags)
  const paths = pathsOrPlaces(given, console)
  const { report, explanation, ...counted } = await interruptible((signal) =>
    countUsage({
      ...reading(flags),
      paths,
      by,
      ...zone,
      span,
      ...(pricer === null ? {} : { pricer }),
      digest: flags.digest ?? false,
      ...(flags.explain === undefined ? {} : { explain: flags.explain }),
      progress: progressOf(console, 'counted'),
      signal,
    }),
  )
  if (flags.explain !== undefined) {
    refuseNothing(counted, paths)
    if (explanation === null) throw new UsageError(unexplained(flags.explain))
    if (flags.json === true) dataInPieces(console, explanationJson(explanation))
    else console.data(explanationTable(explanation, terminalStyle()))
    return sayFailures(console, new Overview(counted), flags.failOn)
  }
  // A program that asked for a document gets one, also when there was nothing to count.
  if (flags.json === true) console.data(`${usageJson(report)}\n`)
  refuseNothing(counted, paths)
  if (flags.csv === true) console.data(usageCsv(report))
  else if (flags.parquet !== undefined) await writeParquet(report, flags.parquet, console)
  else if (flags.json !== true) console.data(usageTable(report, terminalStyle()))
  const overview = new Overview(counted)
  const code = sayFailures(console, overview, flags.failOn)
  console.summary(`millrace: ${inWords(overview)}`)
  const { unpriced, totals } = report.usage
  const failOn = flags.failOn ?? []
  const partial = failOn.includes('partial') && (unpriced.length > 0 || totals.lowerBound)
  return (failOn.includes('unpriced') && unpriced.length > 0) || partial ? Exit.Failed : code
}

async function writeParquet(report: UsageReport, file: string, console: Console): Promise<void> {
  const bytes = await usageParquet(report)
  if (file === '-') {
    console.data(bytes)
    return
  }
  const output = openOutput(file, false)
  output.write(bytes)
  output.finish()
}

function unexplained(what: string): string {
  return (
    `--explain: nothing was counted or left out under '${plain(what)}'; take a day as 2026-01-31, a model as the table ` +
    `names it, or an id of a session, message or request`
  )
}

/** Characters that are written at once. */
const PIECE = 1 << 16

function dataInPieces(console: Console, pieces: Iterable<string>): void {
  let text = ''
  for (const piece of pieces) {
    text += piece
    if (text.length < PIECE) continue
    console.data(text)
    text = ''
  }
  console.data(`${text}\n`)
}

async function pricerOf(flags: Flags): Promise<Pricer | null> {
  if (flags.rates !== undefined && flags.prices !== undefined) {
    throw new UsageError('--rates and --prices both name prices; give one of them')
  }
  if (flags.rates !== undefined) return checked('--rates', parseRateCard(await textOf(flags.rates)))
  if (flags.prices === undefined) return null
  return new PriceTable(checked('--prices', await parsePriceFile(await textOf(flags.prices))))
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch {
    throw new UsageError(`${plain(path)}: cannot be read; check the name and its permissions`)
  }
}

function checked<T>(flag: string, value: Checked<T>): T {
  if (!value.ok) throw new UsageError(`${flag}: ${value.message}`)
  return value.value
}

function checkedZone(name: string): string {
  const zone = zoneName(name)
  if (zone === null) {
    throw new UsageError(
      `--zone: '${plain(name)}' is no time zone; take an IANA name such as Europe/Madrid or UTC`,
    )
  }
  return zone
}

function dayOf(flag: string, text: string | undefined): string | null {
  if (text === undefined) return null
  const day = dayName(text)
  if (day === null) throw new UsageError(`${flag}: '${plain(text)}' is no day; write it as 2026-01-31`)
  return day
}
