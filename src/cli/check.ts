import type { Command } from 'commander'
import { type CheckLine, verdictOf } from '../dialect/verdict.ts'
import { inspect } from '../pipeline/count.ts'
import type { TranscriptResult } from '../pipeline/job.ts'
import { nativeIsValid } from '../kernel/second-opinion.ts'
import { Console, plain } from './console.ts'
import { Exit, UsageError } from './exit.ts'
import { interruptible } from './interruption.ts'
import { refuseNothing, sayFailures } from './failures.ts'
import { Overview } from './overview.ts'
import { PATHS, reading, type ReadingFlags, readingOptions } from './reading.ts'
import { inWords, progressOf } from './summary.ts'

interface Flags extends ReadingFlags {
  readonly json?: boolean
  readonly tolerant?: boolean
  readonly crossCheck?: boolean
}

/** Add `millrace check`. @param done gets its exit code */
export function checkCommand(program: Command, done: (code: number) => void): void {
  readingOptions(
    program
      .command('check')
      .summary('is a transcript whole and well-formed')
      .description(
        'Judge transcripts line by line: refusals of event streams, damage, completeness, and whether it can be said what a run never did.',
      )
      .argument('<path...>', PATHS)
      .option('--json', 'one JSON line a transcript')
      .option('--tolerant', "accept event streams as b10x's own converter writes them")
      .option('--cross-check', 'ask JSON.parse and simdjson about every line')
      .addHelpText('after', '\nExample:\n  millrace check events/*.jsonl\n'),
  ).action(async (paths: string[], flags: Flags) => {
    done(await run(paths, flags))
  })
}

async function run(paths: readonly string[], flags: Flags): Promise<number> {
  const console = new Console(flags.quiet ?? false)
  if (flags.crossCheck === true && nativeIsValid() === null) {
    throw new UsageError(
      '--cross-check needs the optional package simdjson with its native part: npm rebuild simdjson',
    )
  }
  const counted = await interruptible((signal) =>
    inspect({
      ...reading(flags),
      paths,
      tolerant: flags.tolerant ?? false,
      crossCheck: flags.crossCheck ?? false,
      progress: progressOf(console, 'checked'),
      signal,
    }),
  )
  refuseNothing(counted, paths)
  let areOk = true
  for (const result of counted.results) {
    const line = lineOf(result)
    if (line === null) continue
    areOk &&= line.verdict === 'ok'
    console.data(flags.json === true ? `${JSON.stringify(line)}\n` : inPlainWords(line))
  }
  const overview = new Overview(counted)
  const code = sayFailures(console, overview, flags.failOn)
  console.summary(`millrace: ${inWords(overview)}`)
  return areOk ? code : Exit.Failed
}

function lineOf(result: TranscriptResult): CheckLine | null {
  if (result.ending === null) return null
  return verdictOf({
    path: result.path,
    dialect: result.dialect ?? 'unknown',
    ending: result.ending,
    cut: result.cut,
    unparsedLines: result.unparsedLines,
    unparsed: result.records.unparsed,
    opaque: result.opaque,
    notices: result.notices,
  })
}

function inPlainWords(line: CheckLine): string {
  const claims = line.negative_claims === 'decidable' ? '' : ', what never happened cannot be said'
  const opaque = line.opaque === 0 ? '' : `, ${line.opaque} opaque`
  const head = `${line.verdict.padEnd(8)} ${plain(line.path)}: ${line.dialect}, ${line.completeness}${opaque}${claims}\n`
  const refusals = line.refusals
    .slice(0, 20)
    .map(({ line: at, refusal, detail }) => `         line ${at}: ${refusal}: ${plain(detail)}\n`)
  const notices = line.notices.map(
    ({ line: at, code, count, message }) =>
      `         ${at === null ? '' : `line ${at}: `}${plain(code)}${count > 1 ? ` × ${count}` : ''}: ${plain(message)}\n`,
  )
  return head + refusals.join('') + notices.join('')
}
