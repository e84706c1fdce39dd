import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeCorpus, type CorpusFacts, type Dialect } from '../scripts/make-corpus.ts'
import { findInputs } from '../src/pipeline/inputs.ts'

/**
 * Generated corpora: dialect, bytes, files. Those of one thread are so small that many samples fit in the time, and some of
 * them between two interruptions; those of whole processes so large that starting is a small part.
 */
const recipes = {
  session: ['claude-session', 8_000_000, 1],
  stream: ['claude-stream', 6_000_000, 1],
  b10x: ['b10x', 6_000_000, 1],
  metaharness: ['metaharness', 6_000_000, 1],
  folder: ['claude-session', 200_000_000, 40],
  transcript: ['claude-session', 200_000_000, 1],
  small: ['claude-session', 10_000_000, 5000],
  packed: ['claude-session', 500_000_000, 1],
} as const satisfies Record<string, readonly [Dialect, number, number]>

export type CorpusName = keyof typeof recipes

/** The transcripts that a case works on. */
export interface BenchCorpus {
  readonly name: string
  /** What to name on a command line. */
  readonly path: string
  readonly files: readonly { readonly path: string; readonly bytes: number }[]
  readonly bytes: number
  /** What is known to be true of it; null for a corpus that somebody named. */
  readonly facts: CorpusFacts | null
}

/** Write a generated corpus below `folder`, unless it is there, and say what it is. */
export async function stage(name: CorpusName, folder: string): Promise<BenchCorpus> {
  const known = join(folder, `${name}.json`)
  if (statSync(known, { throwIfNoEntry: false }) !== undefined) return readStaged(known)
  const [dialect, sizeBytes, files] = recipes[name]
  const path = join(folder, name)
  const corpus = await generate(name, { dialect, sizeBytes, files, path })
  writeFileSync(known, JSON.stringify(corpus))
  return corpus
}

/** Write a generated corpus of any size. */
export async function generate(
  name: string,
  recipe: {
    readonly dialect: Dialect
    readonly sizeBytes: number
    readonly files: number
    readonly path: string
    readonly seed?: number
  },
): Promise<BenchCorpus> {
  const { dialect, sizeBytes, files: count, path, seed = 1 } = recipe
  const { files, facts } = await makeCorpus({ dialect, sizeBytes, files: count, seed, out: path })
  return corpusOf(name, path, files, facts)
}

/** The corpus that somebody named. @throws Error when there is nothing to read */
export async function given(path: string): Promise<BenchCorpus> {
  const { jobs, failures } = await findInputs([path])
  for (const failure of failures) throw failure
  const files = [...jobs].flatMap(({ file, bytes }) => (file === null ? [] : [{ path: file, bytes }]))
  const corpus = corpusOf(path, path, files, null)
  if (corpus.bytes === 0) throw new Error(`${path} holds no transcripts`)
  return corpus
}

function readStaged(path: string): BenchCorpus {
  const corpus: BenchCorpus = JSON.parse(readFileSync(path, 'utf8'))
  return corpus
}

function corpusOf(
  name: string,
  path: string,
  files: readonly { readonly path: string; readonly bytes: number }[],
  facts: CorpusFacts | null,
): BenchCorpus {
  const listed = files.map((file) => ({ path: file.path, bytes: file.bytes }))
  return { name, path, files: listed, bytes: listed.reduce((sum, file) => sum + file.bytes, 0), facts }
}
