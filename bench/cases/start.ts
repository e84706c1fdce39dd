import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchCase, Comparison, Contender } from '../case.ts'
import { type Command, peakRssOf, runCommand } from '../command.ts'
import { generate } from '../corpora.ts'
import { command, projectDir } from '../project.ts'

/** What the command costs before it has anything to do, against an empty program. */
export const startCases: readonly BenchCase[] = [
  {
    name: 'version',
    title: 'millrace --version',
    budgetMs: 1500,
    leastRounds: 8,
    clock: 'wall',
    open: (_corpus, scratch) => openVersion(scratch),
  },
  {
    name: 'ten-kilobytes',
    title: 'convert one transcript of 10 KB',
    budgetMs: 1500,
    leastRounds: 8,
    clock: 'wall',
    open: (_corpus, scratch) => openTenKilobytes(scratch),
  },
]

function openVersion(scratch: string): Comparison {
  const { version }: { readonly version: string } = JSON.parse(
    readFileSync(join(projectDir, 'package.json'), 'utf8'),
  )
  const asked: Command = [process.execPath, command, '--version']
  const ours: Contender = {
    name: '--version',
    expected: true,
    run: () => runCommand(asked),
    answer: (said) => String(said).trim() === version,
  }
  return { bytes: 0, ours, baselines: [emptyProgram()], peakRss: () => peakRssOf(asked, scratch) }
}

async function openTenKilobytes(scratch: string): Promise<Comparison> {
  mkdirSync(join(scratch, 'ten'), { recursive: true })
  const recipe = {
    dialect: 'claude-session',
    sizeBytes: 10_000,
    files: 1,
    path: join(scratch, 'ten'),
  } as const
  const { bytes, files } = await generate('ten-kilobytes', recipe)
  const asked: Command = [process.execPath, command, 'convert', files[0]?.path ?? '', '--quiet']
  const expected = runCommand([...asked, '--jobs', '0'])
  if (!expected.includes('"event":"stream.closed"')) throw new Error('a converted transcript is not complete')
  const ours: Contender = { name: 'convert', expected, run: () => runCommand(asked) }
  return { bytes, ours, baselines: [emptyProgram()], peakRss: () => peakRssOf(asked, scratch) }
}

function emptyProgram(): Contender {
  return { name: 'node -e 0', expected: '', run: () => runCommand([process.execPath, '-e', '0']) }
}
