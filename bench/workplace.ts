import { mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'
import { projectDir } from './project.ts'

/** Memory that looks like a disk, so that no disk is measured. Linux has it here. */
const MEMORY_DISK = '/dev/shm'
const PREFIX = 'millrace-bench-'

/** Of the memory that is free, what files may take: programs need some, and a full memory disk cannot be told to wait. */
const SHARE_FOR_FILES = 0.75

/** Where corpora and outputs of one run are kept. */
export interface Workplace {
  readonly folder: string
  /** It is in memory; else on a disk, which the measured times then include. */
  readonly inMemory: boolean
  close(): void
}

/**
 * A folder for one run, in memory when there is room for `bytes` there, else below `corpora/generated`. It goes when the
 * run ends, also when it is interrupted; what a killed run left is removed by the next one.
 *
 * @throws Error when there is no room anywhere
 */
export function openWorkplace(bytes: number): Workplace {
  const inMemory = Math.min(roomIn(MEMORY_DISK), freemem() * SHARE_FOR_FILES) >= bytes
  const parent = inMemory ? MEMORY_DISK : join(projectDir, 'corpora/generated')
  mkdirSync(parent, { recursive: true })
  for (const name of readdirSync(parent)) {
    if (name.startsWith(PREFIX) && !isRunning(Number.parseInt(name.slice(PREFIX.length))))
      remove(join(parent, name))
  }
  if (!inMemory && roomIn(parent) < bytes)
    throw new Error(`${parent} has no room for ${(bytes / 1e9).toFixed(1)} GB`)
  const folder = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`))
  const close = (): void => remove(folder)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      close()
      process.exit(130)
    })
  }
  return { folder, inMemory, close }
}

function roomIn(folder: string): number {
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return 0
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of somebody else is there, and may not be asked.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}
