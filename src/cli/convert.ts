import { statSync } from 'node:fs'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { convert, type ConvertRequest, type Destination } from '../pipeline/convert.ts'
import { DescriptorOutput } from '../pipeline/output.ts'
import { Console, plain } from './console.ts'
import { COMPRESSIONS, type Compression, compressorFor } from '../source/compress.ts'
import { SourceError } from '../source/source-error.ts'
import { utcOf } from '../sink/cabinet/clock.ts'
import { Exit, UsageError } from './exit.ts'
import { interruptible } from './interruption.ts'
import { refuseNothing, sayFailures } from './failures.ts'
import { Overview } from './overview.ts'
import { PATHS, reading, type ReadingFlags, readingOptions } from './reading.ts'
import { inWords, many, progressOf } from './summary.ts'

interface Flags extends ReadingFlags {
  readonly output?: string
  readonly deltas?: boolean
  readonly provenance?: boolean
  readonly opaque?: string
  readonly digest: boolean
  readonly to: 'metaharness' | 'cabinet' | 'trace-ir'
  readonly cabinetUsage?: boolean
  readonly cabinetShell?: 'classify' | 'command'
  readonly observedAt?: string
  readonly compress: Compression | 'none'
}

/** What says which events are written, and how. */
export type CabinetFlags = Pick<Flags, 'to' | 'provenance' | 'cabinetUsage' | 'cabinetShell' | 'observedAt'>

/** What says how outputs are compressed. */
export type CompressFlags = Pick<Flags, 'compress'>

/** Options that say which events are written, and how. */
export function languageOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--to <language>', 'the event language to write')
        .choices(['metaharness', 'cabinet', 'trace-ir'])
        .default('metaharness'),
    )
    .option('--deltas', 'keep one event a delta instead of one joined text a turn')
    .option('--provenance', 'add the source line to every event')
    .addOption(
      new Option('--opaque <which>', 'write an opaque event for folded and bookkeeping records too').choices([
        'all',
      ]),
    )
    .option('--cabinet-usage', "with --to cabinet: write what requests used, as events of type 'usage'")
    .addOption(
      new Option(
        '--cabinet-shell <how>',
        "with --to cabinet: 'command' leaves every call of a shell a command",
      ).choices(['classify', 'command']),
    )
    .option(
      '--observed-at <time>',
      'with --to cabinet: the time of events before the first that has one',
      observed,
    )
}

/** Add `millrace convert`. @param done gets its exit code */
export function convertCommand(program: Command, done: (code: number) => void): void {
  readingOptions(
    languageOptions(program.command('convert'))
      .summary('translate transcripts into one event language')
      .description('Translate transcripts into streams of events, one a transcript, with a manifest.')
      .argument('<path...>', PATHS)
      .option('-o, --output <path>', 'a folder, a file, or - for standard output (default: -)')
      .addOption(
        new Option('--compress <format>', 'compress outputs, which get the suffix of the format')
          .choices(['none', ...COMPRESSIONS])
          .default('none'),
      )
      .option('--no-digest', 'leave the digests out of the manifest')
      .addHelpText('after', '\nExample:\n  millrace convert ~/.claude/projects -o events/\n'),
  ).action(async (paths: string[], flags: Flags) => {
    done(await run(paths, flags))
  })
}

async function run(paths: readonly string[], flags: Flags): Promise<number> {
  const console = new Console(flags.quiet ?? false)
  const started = performance.now()
  const compress = await compression(flags)
  const request: ConvertRequest = {
    ...reading(flags),
    paths,
    to: (single) => destination(flags.output, single),
    digest: flags.digest,
    deltas: flags.deltas ?? false,
    provenance: flags.provenance ?? false,
    opaqueAll: flags.opaque === 'all',
    ...cabinet(flags),
    traceIr: flags.to === 'trace-ir',
    compress,
    progress: progressOf(console, 'converted'),
  }
  // A stream leaves nothing to clean up, and its reader may keep this thread waiting: there an interrupt just ends it.
  const converted = await (toStream(flags)
    ? convert(request)
    : interruptible((signal) => convert({ ...request, signal })))
  refuseNothing(converted, paths)
  const overview = new Overview(converted)
  const code = sayFailures(console, overview, flags.failOn)
  const seconds = ((performance.now() - started) / 1000).toFixed(2)
  const where = flags.output === undefined || toStream(flags) ? '' : ` in ${plain(flags.output)}`
  console.summary(`millrace: ${inWords(overview)} → ${many(overview.events, 'event')}${where}, ${seconds} s`)
  for (const result of overview.refused.first) {
    console.say(
      `millrace: ${plain(result.path)}: some lines were refused and kept as opaque; see 'millrace check'`,
    )
  }
  return overview.refused.count > 0 ? Exit.Failed : code
}

/** What the flags say of events of the Test Cabinet. @throws UsageError when they go with another language */
export function cabinet(flags: CabinetFlags): Pick<ConvertRequest, 'cabinet'> {
  const { to, cabinetUsage, cabinetShell, observedAt } = flags
  if (to === 'cabinet') {
    if (flags.provenance === true)
      throw new UsageError(
        '--provenance goes with --to metaharness: events of the Test Cabinet have no place for it',
      )
    return {
      cabinet: {
        usage: cabinetUsage ?? false,
        shell: cabinetShell ?? 'classify',
        observedAt: observedAt ?? null,
      },
    }
  }
  if (cabinetUsage !== undefined || cabinetShell !== undefined || observedAt !== undefined) {
    throw new UsageError('--cabinet-usage, --cabinet-shell and --observed-at go with --to cabinet')
  }
  return {}
}

/** How outputs are compressed. @throws UsageError when what makes the format is missing */
export async function compression({ compress }: CompressFlags): Promise<Compression | null> {
  if (compress === 'none') return null
  try {
    await compressorFor(compress)
    return compress
  } catch (error) {
    if (error instanceof SourceError) throw new UsageError(error.message)
    throw error
  }
}

/** A time of the command line, in UTC. @throws InvalidArgumentError */
function observed(text: string): string {
  const time = utcOf(text)
  if (time === null) throw new InvalidArgumentError('a time like 2026-02-28T12:00:00Z is wanted.')
  return time
}

function toStream({ output }: Flags): boolean {
  return output === undefined || output === '-'
}

/** `-o` names a folder for several inputs, when it ends with a slash, and when it is one; else a file. */
function destination(output: string | undefined, single: boolean): Destination {
  if (output === undefined || output === '-') {
    return { kind: 'stream', output: new DescriptorOutput(1, 'standard output') }
  }
  const isFolder =
    !single || output.endsWith('/') || (statSync(output, { throwIfNoEntry: false })?.isDirectory() ?? false)
  return isFolder ? { kind: 'folder', path: output } : { kind: 'file', path: output }
}
