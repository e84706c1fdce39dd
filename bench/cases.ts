import type { BenchCase } from './case.ts'
import { cabinet } from './cases/cabinet.ts'
import { census } from './cases/census.ts'
import { convert, openConvertAny } from './cases/convert.ts'
import { mixed } from './cases/mixed.ts'
import { packedCases } from './cases/packed.ts'
import { processCases } from './cases/processes.ts'
import { scan } from './cases/scan.ts'
import { shapeCases } from './cases/shape.ts'
import { splicing } from './cases/splice.ts'
import { startCases } from './cases/start.ts'
import { tape } from './cases/tape.ts'
import { usage } from './cases/usage.ts'
import type { CorpusName } from './corpora.ts'

/** A case and the corpus it works on; null when it makes its own. */
export interface Entry {
  readonly bench: BenchCase
  readonly corpus: CorpusName | null
}

const dialect = (corpus: CorpusName, name: string): Entry => ({
  bench: {
    name: `convert-${name}`,
    title: `full conversion of ${name}, one thread, no digest`,
    budgetMs: 1500,
    leastRounds: 5,
    clock: 'processor',
    open: (files) => openConvertAny(files),
  },
  corpus,
})

/** Which corpus a process works on, when it is not the folder. */
const ofProcess: Readonly<Record<string, CorpusName>> = { transcript: 'transcript', 'small-files': 'small' }

const processes = processCases.map((bench) => ({ bench, corpus: ofProcess[bench.name] ?? 'folder' }))

/** Everything that is measured, in the order of the table. */
export const entries: readonly Entry[] = [
  ...[scan, tape, splicing, convert].map((bench) => ({ bench, corpus: 'session' as const })),
  dialect('stream', 'claude-stream'),
  dialect('b10x', 'b10x'),
  dialect('metaharness', 'metaharness'),
  { bench: mixed, corpus: null },
  ...[cabinet, usage, census].map((bench) => ({ bench, corpus: 'session' as const })),
  ...shapeCases.map((bench) => ({ bench, corpus: null })),
  ...processes,
  ...packedCases.map((bench) => ({ bench, corpus: 'packed' as const })),
  ...startCases.map((bench) => ({ bench, corpus: null })),
]

/**
 * What can be measured on transcripts that somebody named: they may be of any dialect, and nothing is known of them
 * but what two ways of reading them agree on.
 */
export const entriesForAny: readonly Entry[] = [
  { bench: scan, corpus: null },
  {
    bench: { ...convert, open: (files) => openConvertAny(files) },
    corpus: null,
  },
  ...processCases
    .filter(({ name }) => name === 'folder' || name === 'folder-usage')
    .map((bench) => ({
      bench: { ...bench, title: bench.title.replace('a folder of 40 files', 'all of it') },
      corpus: null,
    })),
]
