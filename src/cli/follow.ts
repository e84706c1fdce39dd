import { statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { followAll } from '../pipeline/follow.ts'
import type { Followed, FollowResult } from '../pipeline/live-transcript.ts'
import type { JobOptions } from '../pipeline/job.ts'
import { jobOptions } from '../pipeline/options.ts'
import { DescriptorOutput } from '../pipeline/output.ts'
import { endingOf, outputNames } from '../pipeline/paths.ts'
import { HTTP_ADDRESS } from '../source/address.ts'
import { Console, plain } from './console.ts'
import { COMPRESSIONS } from '../source/compress.ts'
import { cabinet, type CabinetFlags, compression, type CompressFlags, languageOptions } from './convert.ts'
import { Exit, UsageError } from './exit.ts'
import { interruptible } from './interruption.ts'
import { inputOptions, reading, type ReadingFlags } from './reading.ts'
import { many } from './summary.ts'

interface Flags extends CabinetFlags, CompressFlags, Pick<ReadingFlags, 'from' | 'header' | 'quiet'> {
  readonly output?: string
  readonly sinceNow?: boolean
  readonly deltas?: boolean
  readonly opaque?: string
  readonly silence?: number
}

/** The input that is standard input. */
const STDIN = '-'

/** Exit codes of runs, those of go-agent-harness's own command line (spec go-agent-harness §1.6). */
const RunExit = { Completed: 0, Failed: 2, Waiting: 3, Cancelled: 6 } as const

/** Add `millrace follow`. @param done gets its exit code */
export function followCommand(program: Command, done: (code: number) => void): void {
  inputOptions(languageOptions(program.command('follow')))
    .summary('translate transcripts while they are written')
    .description(
      'Translate transcripts while they are written: files that grow, standard input, and event streams of go-agent-harness servers. Ends with their runs. A folder gets one file each, and a manifest at the end.',
    )
    .argument('<input...>', 'files, addresses of event streams, or - for standard input')
    .option('-o, --output <path>', 'a folder, a file, or - for standard output (default: -)')
    .option('--since-now', 'leave out what was there before')
    .addOption(
      new Option(
        '--compress <format>',
        'compress outputs; readers get what is new after half a second of silence',
      )
        .choices(['none', ...COMPRESSIONS])
        .default('none'),
    )
    .option(
      '--silence <seconds>',
      'time without an event after which a connection is made anew (default: 60)',
      seconds,
    )
    .option('-q, --quiet', 'no summary line')
    .addHelpText(
      'after',
      `
Exit codes: 0 the run completed, 1 the stream broke off or could not be read, 2 the run failed, 3 it waits for an
answer and standard input is no terminal, 6 it was cancelled, 130 interrupted. Of several, the first that is not 0.

Examples:
  millrace follow run.jsonl
  my-agent --json | millrace follow -
  millrace follow http://localhost:8080/v1/runs/ID/events -H "Authorization: Bearer $KEY"`,
    )
    .action(async (inputs: string[], flags: Flags) => {
      done(await run(inputs, flags))
    })
}

async function run(inputs: readonly string[], flags: Flags): Promise<number> {
  const console = new Console(flags.quiet ?? false)
  const options: JobOptions = {
    ...jobOptions(reading(flags)),
    deltas: flags.deltas ?? false,
    provenance: flags.provenance ?? false,
    opaqueAll: flags.opaque === 'all',
    cabinet: cabinetOptions(flags),
    traceIr: flags.to === 'trace-ir',
    compress: await compression(flags),
  }
  const { followed, folder } = placed(inputs, flags, options)
  const results = await interruptible((signal) =>
    followAll(followed, {
      options,
      stream: new DescriptorOutput(1, 'standard output'),
      sinceNow: flags.sinceNow ?? false,
      ...(flags.silence === undefined ? {} : { limits: { silenceMs: flags.silence * 1000 } }),
      canAnswer: process.stdin.isTTY ?? false,
      manifest: folder,
      signal,
    }),
  )
  for (const result of results) {
    if (result.message !== null) console.say(`millrace: ${plain(result.path)}: ${plain(withoutPath(result))}`)
    else if (result.how === 'waiting')
      console.say(`millrace: ${plain(result.path)}: the run waits for an answer`)
  }
  const events = results.reduce((sum, result) => sum + result.events, 0)
  const records = results.reduce((sum, result) => sum + result.records, 0)
  console.summary(
    `millrace: followed ${many(results.length, 'transcript')}, ${many(records, 'record')} → ${many(events, 'event')}`,
  )
  if (results.some(({ how }) => how === 'interrupted')) return Exit.Interrupted
  return results.map(exitOf).find((code) => code !== Exit.Ok) ?? Exit.Ok
}

function exitOf({ how, ending, terminal }: FollowResult): number {
  if (how === 'waiting') return RunExit.Waiting
  if (how !== 'ended' || ending === null) return Exit.Failed
  if (!ending.terminal) return ending.promised ? Exit.Failed : Exit.Ok
  // Also after it reached its cost limit, which the reason would not tell.
  if (terminal === 'run.completed' || ending.reason === 'completed') return RunExit.Completed
  return ending.reason === 'killed' ? RunExit.Cancelled : RunExit.Failed
}

/** Where each input goes, what its events call it, and the folder of all, if that is one. @throws UsageError */
function placed(
  inputs: readonly string[],
  { output, sinceNow }: Flags,
  options: JobOptions,
): { readonly followed: Followed[]; readonly folder: string | null } {
  if (inputs.filter((input) => input === STDIN).length > (sinceNow === true ? 0 : 1)) {
    throw new UsageError(
      sinceNow === true
        ? '--since-now goes with files and addresses: of standard input nothing was there before'
        : 'standard input can be followed once',
    )
  }
  for (const input of inputs) {
    if (input === STDIN) continue
    if (HTTP_ADDRESS.test(input)) {
      if (!URL.canParse(input)) throw new UsageError(`${plain(input)}: is no address`)
      continue
    }
    const status = statSync(input, { throwIfNoEntry: false })
    if (status === undefined) throw new UsageError(`${plain(input)}: no such file`)
    if (!status.isFile())
      throw new UsageError(`${plain(input)}: is no file; follow takes files and addresses`)
  }
  const paths = inputs.map(pathOf)
  if (output === undefined || output === '-')
    return {
      followed: inputs.map((input, i) => ({ input, path: paths[i] ?? '', output: null })),
      folder: null,
    }
  const isFolder =
    inputs.length > 1 ||
    output.endsWith('/') ||
    (statSync(output, { throwIfNoEntry: false })?.isDirectory() ?? false)
  const names = outputNames(paths, endingOf(options))
  const followed = inputs.map((input, i) => ({
    input,
    path: paths[i] ?? '',
    output: isFolder ? join(output, names[i] ?? '') : output,
  }))
  return { followed, folder: isFolder ? output : null }
}

/** Addresses of runs end all alike: what is before says which run it is. */
function pathOf(input: string): string {
  if (input === STDIN) return input
  if (!HTTP_ADDRESS.test(input)) return basename(input)
  const parts = new URL(input).pathname.split('/').filter((part) => part !== '')
  const last = parts.at(-1) ?? ''
  return (last === 'events' ? parts.at(-2) : last) ?? last
}

/** A message may begin with the path already. */
function withoutPath({ message, path }: FollowResult): string {
  const text = message ?? ''
  return text.startsWith(`${path}: `) ? text.slice(path.length + 2) : text
}

function cabinetOptions(flags: Flags): JobOptions['cabinet'] {
  const wanted = cabinet(flags).cabinet
  if (wanted === undefined) return null
  return {
    usage: wanted.usage ?? false,
    shell: wanted.shell ?? 'classify',
    observedAt: wanted.observedAt ?? null,
  }
}

function seconds(text: string): number {
  const value = Number(text)
  if (!/^\d+(?:\.\d+)?$/.test(text) || value <= 0)
    throw new InvalidArgumentError('a number of seconds is wanted.')
  return value
}
