import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openB10x } from './b10x.ts'
import { openClaudeSession } from './claude-session.ts'
import { openClaudeStream } from './claude-stream.ts'
import { openCodexRollout } from './codex-rollout.ts'
import { emptyFacts, type CorpusFacts } from './facts.ts'
import { cutTail, maybeFault } from './faults.ts'
import { LineWriter, type WrittenFile } from './line-writer.ts'
import { openMetaharness } from './metaharness.ts'
import { Random } from './random.ts'
import type { Run, RunContext } from './run.ts'
import { openTexts } from './texts.ts'

export const dialects = ['claude-session', 'claude-stream', 'b10x', 'metaharness', 'codex-rollout'] as const
export type Dialect = (typeof dialects)[number]

export interface CorpusOptions {
  readonly dialect: Dialect
  /** Bytes of all files together. A file ends with the first whole step past its share, so there is a little more. */
  readonly sizeBytes: number
  readonly files: number
  readonly seed: number
  /** Folder to write to; files of the same name are replaced. */
  readonly out: string
  /** Put damaged lines between the good ones; every third file then ends in a cut line. */
  readonly faults?: boolean
}

export interface Corpus {
  readonly files: WrittenFile[]
  readonly facts: CorpusFacts
}

/**
 * Write a corpus and say what is true of it. The same options give the same bytes.
 *
 * Memory: some 20 MB for the text pools and the write buffer, whatever the size.
 *
 * @throws RangeError when `files` or `sizeBytes` is not a positive integer
 */
export async function makeCorpus(options: CorpusOptions): Promise<Corpus> {
  const { dialect, sizeBytes, files: fileCount, seed, out: folder } = options
  for (const [name, value] of Object.entries({ files: fileCount, sizeBytes })) {
    if (!Number.isInteger(value) || value < 1)
      throw new RangeError(`${name} must be a positive integer, got ${value}`)
  }
  const texts = openTexts()
  const out = new LineWriter()
  const facts = emptyFacts()
  const files: WrittenFile[] = []
  const target = Math.ceil(sizeBytes / fileCount)
  for (let index = 0; index < fileCount; index++) {
    const random = new Random(seed, dialects.indexOf(dialect), index)
    const maxText = Math.max(60, Math.floor(target / 8))
    const ctx: RunContext = { random, texts, out, facts, index, sizeBytes: target, maxText }
    files.push(await writeFile(ctx, openRun(ctx, dialect, seed), folder, target, options.faults === true))
  }
  return { files, facts }
}

async function writeFile(
  ctx: RunContext,
  run: Run,
  folder: string,
  target: number,
  faults: boolean,
): Promise<WrittenFile> {
  const path = join(folder, run.path)
  const { out } = ctx
  await mkdir(dirname(path), { recursive: true })
  const file = await open(path, 'w')
  try {
    run.step()
    while (out.bytes < target) {
      run.step()
      if (faults) maybeFault(ctx, run)
      if (out.isFull) await out.flush(file)
    }
    run.end()
    if (faults && ctx.index % 3 === 0) cutTail(ctx, run)
    await out.flush(file)
  } finally {
    await file.close()
  }
  return out.close(path)
}

function openRun(ctx: RunContext, dialect: Dialect, seed: number): Run {
  switch (dialect) {
    case 'claude-session':
      return openClaudeSession(ctx, (index) => new Random(seed, 99, index).uuid())
    case 'claude-stream':
      return openClaudeStream(ctx)
    case 'b10x':
      return openB10x(ctx)
    case 'metaharness':
      return openMetaharness(ctx)
    case 'codex-rollout':
      return openCodexRollout(ctx)
  }
}
