import { join } from 'node:path'
import type { Dialect } from '../../scripts/make-corpus.ts'
import type { BenchCase, Comparison } from '../case.ts'
import { generate, type BenchCorpus } from '../corpora.ts'
import { openReading } from './convert.ts'

const SIZE_BYTES = 8_000_000
const FILES = 16
/** The floor of the guard was measured with these. */
const dialects: readonly Dialect[] = ['claude-session', 'claude-stream', 'b10x', 'metaharness']

/** A corpus is never from one vendor: files of several dialects in turn, against as many bytes of one. */
export const mixed: BenchCase = {
  name: 'convert-mixed',
  title: 'full conversion of a mixed corpus, one thread, no digest',
  budgetMs: 4000,
  leastRounds: 6,
  clock: 'processor',
  open: (_corpus, scratch) => openMixed(scratch),
}

export async function openMixed(
  scratch: string,
  { sizeBytes, files }: { readonly sizeBytes: number; readonly files: number } = {
    sizeBytes: SIZE_BYTES,
    files: FILES,
  },
): Promise<Comparison> {
  const parts = await Promise.all(
    dialects.map((dialect) =>
      generate(dialect, {
        dialect,
        sizeBytes: sizeBytes / dialects.length,
        files: files / dialects.length,
        path: join(scratch, 'mixed', dialect),
      }),
    ),
  )
  const corpus = inTurn(parts)
  const even = await generate('even', {
    dialect: 'claude-session',
    sizeBytes: corpus.bytes,
    files,
    path: join(scratch, 'even'),
  })
  const { contender: ours } = await openReading(corpus)
  const { contender: baseline } = await openReading(even)
  return { bytes: corpus.bytes, ours, baselines: [{ ...baseline, name: 'the same bytes of claude-session' }] }
}

/** The first file of each part, then the second of each, and so on. */
function inTurn(parts: readonly BenchCorpus[]): BenchCorpus {
  const rounds = parts[0]?.files.length ?? 0
  const files = Array.from({ length: rounds }, (_, i) => parts.flatMap((part) => part.files[i] ?? [])).flat()
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  return { name: 'mixed', path: '', files, bytes, facts: null }
}
