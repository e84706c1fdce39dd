import type { BenchCase, Comparison } from '../case.ts'
import type { BenchCorpus } from '../corpora.ts'
import { openReading } from './convert.ts'

/** The other sink: what it costs to make events of the Test Cabinet of the same transcripts. */
export const cabinet: BenchCase = {
  name: 'convert-cabinet',
  title: 'full conversion to events of the Test Cabinet, one thread',
  budgetMs: 4000,
  leastRounds: 6,
  clock: 'processor',
  open: (corpus) => openCabinet(corpus),
}

export async function openCabinet(corpus: BenchCorpus): Promise<Comparison> {
  const { contender: ours } = await openReading(corpus, {
    cabinet: { usage: false, shell: 'classify', observedAt: null },
  })
  const { contender: baseline } = await openReading(corpus)
  return { bytes: corpus.bytes, ours, baselines: [{ ...baseline, name: 'metaharness.event/1' }] }
}
