import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { projectDir } from '../shared.ts'

/** The command as it is installed: built, with the shebang. */
export const commandPath = join(projectDir, 'dist', 'src', 'cli', 'main.cjs')

/** How a command line ended. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: Buffer
  readonly stderr: string
}

export interface Surroundings {
  readonly cwd?: string
  readonly stdin?: Uint8Array | string
  readonly env?: Readonly<Record<string, string>>
}

/** Run the built command in UTC and without colour, whatever the machine says; standard input is empty by default. */
export function millrace(args: readonly string[], surroundings: Surroundings = {}): Promise<Ended> {
  const child = spawn(process.execPath, [commandPath, ...args], {
    cwd: surroundings.cwd ?? projectDir,
    env: { ...process.env, TZ: 'UTC', NO_COLOR: '1', MILLRACE_JOBS: undefined, ...surroundings.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  child.stdout.on('data', (bytes: Buffer) => stdout.push(bytes))
  child.stderr.on('data', (bytes: Buffer) => stderr.push(bytes))
  child.stdin.on('error', () => {}) // a command that needs no input may be gone before it is written
  child.stdin.end(surroundings.stdin ?? '')
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      const errors = Buffer.concat(stderr).toString()
      resolve({ code, signal, stdout: Buffer.concat(stdout), stderr: errors })
    })
  })
}

/** The JSON lines of an output. */
export function jsonLines(bytes: Uint8Array): Record<string, unknown>[] {
  return Buffer.from(bytes)
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}
