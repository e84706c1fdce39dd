import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { projectDir } from './project.ts'

/** A program and its arguments. */
export type Command = readonly [program: string, ...args: string[]]

/**
 * What programs are run with. Node parses the certificates that `NODE_EXTRA_CA_CERTS` names before it does anything else: with
 * the list of a whole system that takes as long again as its start, and has nothing to do with what is measured.
 */
const { NODE_EXTRA_CA_CERTS: _, ...environment } = process.env
const QUIET_ENVIRONMENT = { ...environment, NO_COLOR: '1' }

/** Run a program to its end; what it wrote to standard output. @throws Error when it failed */
export function runCommand([program, ...args]: Command, extra: NodeJS.ProcessEnv = {}): string {
  const { status, signal, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    env: { ...QUIET_ENVIRONMENT, ...extra },
  })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status ?? signal}: ${stderr}`)
  return stdout
}

/**
 * Run a program of Node and have it say, as its last act, what memory the operating system saw it use at most; see
 * `memory-probe.ts`. Not for timing: the probe is loaded with the program.
 *
 * @param scratch a folder to leave the answer in
 * @returns bytes
 */
export function peakRssOf([program, ...args]: Command, scratch: string): number {
  const path = join(scratch, 'peak')
  const probe = pathToFileURL(join(projectDir, 'dist/bench/memory-probe.js')).href
  runCommand([program, '--import', probe, ...args], { MILLRACE_BENCH_PEAK: path })
  const bytes = Number(readFileSync(path, 'utf8'))
  rmSync(path)
  return bytes
}
