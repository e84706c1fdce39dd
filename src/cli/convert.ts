import { statSync } from 'node:fs'
import type { Command } from 'commander'
import { convert, type Destination } from '../pipeline/convert.ts'
import { DescriptorOutput } from '../pipeline/output.ts'
import { isReadEnding } from '../dialect/verdict.ts'
import { Console } from './console.ts'
import { Exit } from './exit.ts'
import {
  inWords,
  many,
  progressOf,
  reading,
  type ReadingFlags,
  readingOptions,
  refuseNothing,
  verdict,
} from './reading.ts'

interface Flags extends ReadingFlags {
  readonly output?: string
  readonly deltas?: boolean
  readonly provenance?: boolean
  readonly opaque?: string
  readonly digest: boolean
}

/** `millrace convert` */
export function convertCommand(program: Command, done: (code: number) => void): void {
  readingOptions(
    program
      .command('convert')
      .summary('translate transcripts into metaharness.event/1')
      .description('Translate transcripts into streams of metaharness.event/1, one a transcript, with a manifest.')
      .argument('<path...>', 'files, folders, globs, or - for standard input')
      .option('-o, --output <path>', 'a folder, a file, or - for standard output (default: -)')
      .option('--deltas', 'keep one event a delta instead of one joined text a turn')
      .option('--provenance', 'add the source line to every event')
      .option('--opaque <which>', "'all' writes an opaque event for folded and bookkeeping records too")
      .option('--no-digest', 'leave the digests out of the manifest')
      .addHelpText('after', '\nExample:\n  millrace convert ~/.claude/projects -o events/\n'),
  ).action(async (paths: string[], flags: Flags) => {
    done(await run(paths, flags))
  })
}

async function run(paths: readonly string[], flags: Flags): Promise<number> {
  const console = new Console(flags.quiet ?? false)
  const started = performance.now()
  const converted = await convert({
    ...reading(flags),
    paths,
    to: (single) => destination(flags.output, single),
    digest: flags.digest,
    deltas: flags.deltas ?? false,
    provenance: flags.provenance ?? false,
    opaqueAll: flags.opaque === 'all',
    progress: progressOf(console, 'converted'),
  })
  refuseNothing(converted, paths)
  const code = verdict(console, converted, flags)
  const events = converted.results.reduce((sum, result) => sum + result.events, 0)
  const seconds = ((performance.now() - started) / 1000).toFixed(2)
  const where = flags.output === undefined || flags.output === '-' ? '' : ` in ${flags.output}`
  console.summary(`millrace: ${inWords(converted)} → ${many(events, 'event')}${where}, ${seconds} s`)
  const refused = converted.results.filter(({ ending }) => ending !== null && isReadEnding(ending) && ending.refused > 0)
  for (const result of refused.slice(0, 10)) {
    console.say(`millrace: ${result.path}: some lines were refused and kept as opaque; see 'millrace check'`)
  }
  return refused.length > 0 ? Exit.Failed : code
}

/** `-o` names a folder for several inputs, when it ends with a slash, and when it is one; else a file. */
function destination(output: string | undefined, single: boolean): Destination {
  if (output === undefined || output === '-') {
    return { kind: 'stream', output: new DescriptorOutput(1, 'standard output') }
  }
  const isFolder = !single || output.endsWith('/') || (statSync(output, { throwIfNoEntry: false })?.isDirectory() ?? false)
  return isFolder ? { kind: 'folder', path: output } : { kind: 'file', path: output }
}
