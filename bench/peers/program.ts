import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Contender } from '../case.ts'
import { type Command, peakRssOf, runCommand } from '../command.ts'
import { race } from '../race.ts'

/** A program of a comparison, and how to tell whether its answer is right. */
export interface Program {
  readonly name: string
  readonly command: Command
  readonly environment?: NodeJS.ProcessEnv
  /** Ours is asked for its peak memory in a run of its own; others are watched from outside while they are timed. */
  readonly isOurs: boolean
  /** Not timed, before each run. */
  prepare?(): void
  /** What is wrong with what it said or left behind, in words; none when it is right. Not timed. */
  faults?(said: string): readonly string[]
}

/** What the runs of a program gave. */
export interface Timing {
  readonly name: string
  readonly isOurs: boolean
  /** Of each run, by the clock, from start to exit. */
  readonly seconds: readonly number[]
  /** Null where nothing can tell. */
  readonly peakRssBytes: number | null
  /** In the order in which they were seen, each once. */
  readonly faults: readonly string[]
}

/**
 * Run programs in turn, each `rounds` times, the order turning with every round. A wrong answer does not end the race: it is
 * what somebody may want to know.
 *
 * @param scratch a folder for notes
 * @throws Error when a program fails
 */
export async function alternate(
  programs: readonly Program[],
  rounds: number,
  scratch: string,
): Promise<Timing[]> {
  const watched = programs.map((program) => watch(program, scratch))
  const contenders = watched.map(({ contender }) => contender)
  const seconds = await race(contenders, { budgetMs: 0, leastRounds: rounds, clock: 'wall' })
  return watched.map(({ program, peaks, faults }, i) => {
    const all = program.isOurs ? [ownPeak(program, scratch)] : peaks
    return {
      name: program.name,
      isOurs: program.isOurs,
      seconds: seconds[i] ?? [],
      peakRssBytes: all.length === 0 ? null : Math.max(...all),
      faults: [...faults],
    }
  })
}

/** Seconds of the best run: a busy neighbour makes runs longer, never shorter. */
export function best({ seconds }: Timing): number {
  return Math.min(...seconds)
}

interface Watched {
  readonly program: Program
  readonly contender: Contender
  /** Bytes, one for each run. */
  readonly peaks: number[]
  readonly faults: Set<string>
}

function watch(program: Program, scratch: string): Watched {
  const { name, command, environment, isOurs, prepare } = program
  const peaks: number[] = []
  const faults = new Set<string>()
  const notes = join(scratch, 'peak')
  const isWatched = !isOurs && hasGnuTime()
  const run = isWatched ? (['/usr/bin/time', '-f', '%M', '-o', notes, ...command] as const) : command
  const contender: Contender = {
    name,
    expected: 'an answer',
    ...(prepare === undefined ? {} : { prepare: () => prepare() }),
    run: () => runCommand(run, environment),
    answer: (said) => {
      if (isWatched) peaks.push(Number(readFileSync(notes, 'utf8')) * 1024)
      for (const fault of program.faults?.(String(said)) ?? []) faults.add(fault)
      return 'an answer'
    },
  }
  return { program, contender, peaks, faults }
}

function ownPeak({ prepare, command }: Program, scratch: string): number {
  prepare?.()
  return peakRssOf(command, scratch)
}

/** GNU time tells the high-water mark of whatever it started. The `time` of other systems speaks otherwise. */
function hasGnuTime(): boolean {
  const { status, stdout, stderr } = spawnSync('/usr/bin/time', ['--version'], { encoding: 'utf8' })
  return status === 0 && /GNU/.test(`${stdout}${stderr}`)
}
