import { spawnSync } from 'node:child_process'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { projectDir } from './project.ts'

/** What a number of a benchmark is worth nothing without. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryBytes: number
  readonly platform: string
  readonly node: string
  /** Hash of the commit; `+` behind it when files were changed since, null outside a checkout. */
  readonly commit: string | null
  /** Load of the last minute when the run began: what others took of the machine. */
  readonly loadBefore: number
}

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    commit: commit(),
    loadBefore: loadavg()[0] ?? 0,
  }
}

function commit(): string | null {
  const hash = git('rev-parse', '--short=12', 'HEAD')
  if (hash === null) return null
  return git('status', '--porcelain', '--untracked-files=no') === '' ? hash : `${hash}+`
}

function git(...args: string[]): string | null {
  const { status, stdout } = spawnSync('git', args, { cwd: projectDir, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : null
}
