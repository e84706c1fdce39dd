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
  /** Ours can be asked for its peak memory where nothing watches from outside. */
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
  /** Of each run, what it took of all cores together; empty where nothing can tell. Others on the machine hardly change it. */
  readonly processorSeconds: readonly number[]
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
  return watched.map(({ program, costs, faults }, i) => {
    const peaks = costs.map(({ peakRssBytes }) => peakRssBytes)
    if (peaks.length === 0 && program.isOurs) peaks.push(ownPeak(program, scratch))
    return {
      name: program.name,
      isOurs: program.isOurs,
      seconds: seconds[i] ?? [],
      processorSeconds: costs.map((cost) => cost.processorSeconds),
      peakRssBytes: peaks.length === 0 ? null : Math.max(...peaks),
      faults: [...faults],
    }
  })
}

/** Seconds of the best run: a busy neighbour makes runs longer, never shorter. */
export function best({ seconds }: Timing): number {
  return Math.min(...seconds)
}

/** What one run took of the machine, as seen from outside. */
export interface Cost {
  readonly processorSeconds: number
  /** Of the largest process, if there were several. */
  readonly peakRssBytes: number
}

interface Watched {
  readonly program: Program
  readonly contender: Contender
  /** One for each run; none where nothing watches. */
  readonly costs: Cost[]
  readonly faults: Set<string>
}

function watch(program: Program, scratch: string): Watched {
  const { name, command, environment, prepare } = program
  const costs: Cost[] = []
  const faults = new Set<string>()
  const notes = join(scratch, 'cost')
  const isWatched = hasGnuTime()
  const run: Command = isWatched ? [GNU_TIME, '-f', COST_FORMAT, '-o', notes, ...command] : command
  const contender: Contender = {
    name,
    expected: 'an answer',
    ...(prepare === undefined ? {} : { prepare: () => prepare() }),
    run: () => runCommand(run, environment),
    answer: (said) => {
      if (isWatched) costs.push(parseCost(readFileSync(notes, 'utf8')))
      for (const fault of program.faults?.(String(said)) ?? []) faults.add(fault)
      return 'an answer'
    },
  }
  return { program, contender, costs, faults }
}

const GNU_TIME = '/usr/bin/time'

/** Seconds in user mode, seconds in the system, kilobytes. */
const COST_FORMAT = '%U %S %M'

/** @param noted what GNU time wrote. @throws Error when that is something else */
export function parseCost(noted: string): Cost {
  const match = /^([\d.]+) ([\d.]+) (\d+)$/.exec(noted.trim())
  if (match === null) throw new Error(`GNU time wrote ${noted.trim()}`)
  const [, user, system, kilobytes] = match
  return { processorSeconds: Number(user) + Number(system), peakRssBytes: Number(kilobytes) * 1024 }
}

function ownPeak({ prepare, command }: Program, scratch: string): number {
  prepare?.()
  return peakRssOf(command, scratch)
}

/** GNU time tells what a program took that it started, and all that this one started. The `time` of other systems speaks otherwise. */
function hasGnuTime(): boolean {
  const { status, stdout, stderr } = spawnSync(GNU_TIME, ['--version'], { encoding: 'utf8' })
  return status === 0 && /GNU/.test(`${stdout}${stderr}`)
}
