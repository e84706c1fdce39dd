import { join } from 'node:path'
import { packPrograms } from '../scripts/pack.mjs'
import { projectDir } from './project.ts'

/** What is run: a program that measures, one that measures a single case, what is loaded into others, and baselines. */
const PROGRAMS = [
  'bench/run.ts',
  'bench/one.ts',
  'bench/memory-probe.ts',
  'bench/decode.ts',
  'bench/peers/plain.ts',
  'bench/peers/duckdb.ts',
]

/**
 * Turn the benchmark into plain JavaScript in `dist`, together with the code it measures.
 *
 * What is measured must be the code that ships, and what it is measured against must not be slowed down either. A loader
 * that compiles on the fly does both: it wraps functions to keep their names, which costs several times the work
 * of small ones. So what made the command makes the benchmark too. Types are checked with the tests, not here.
 *
 * @returns the program to run
 * @throws Error when it did not work; the compiler has said why
 */
export function compileBench(): string {
  if (!packPrograms(PROGRAMS, 'src/bench')) throw new Error('the benchmark could not be compiled')
  return join(projectDir, 'dist/bench/run.js')
}
