import type { CorpusFacts } from '../../scripts/make-corpus.ts'
import type { TranscriptResult } from '../../src/pipeline/job.ts'
import type { BenchCase, Comparison } from '../case.ts'
import type { BenchCorpus } from '../corpora.ts'
import { eachLineOf } from '../lines.ts'
import type { Line } from '../plain-records.ts'
import { Reading } from '../reading.ts'

/** Counts of records, events and tools and nothing else: no output is made. */
export const census: BenchCase = {
  name: 'census',
  title: 'census only, one thread',
  budgetMs: 1500,
  leastRounds: 5,
  clock: 'processor',
  open: (corpus) => openCensus(corpus),
}

interface Seen {
  records: number
  results: number
  readonly calls: Record<string, number>
}

export async function openCensus(corpus: BenchCorpus): Promise<Comparison> {
  const reading = new Reading(corpus, { census: true }, null)
  const run = async (): Promise<Seen> => seenIn(await reading.all())
  const expected = corpus.facts === null ? await run() : expectedOf(corpus.facts)
  return {
    bytes: corpus.bytes,
    ours: { name: 'census', expected, run },
    baselines: [{ name: 'JSON.parse and count', expected: parsed(corpus), run: () => parsed(corpus) }],
  }
}

function expectedOf({ records, toolResults, toolCalls }: CorpusFacts): Seen {
  return { records, results: toolResults, calls: toolCalls }
}

function seenIn(results: readonly TranscriptResult[]): Seen {
  const seen: Seen = { records: 0, results: 0, calls: {} }
  for (const { census: counts, records } of results) {
    seen.records += records.read
    for (const [name, tool] of counts?.tools ?? []) {
      if (tool.requested > 0) seen.calls[name] = (seen.calls[name] ?? 0) + tool.requested
      seen.results += tool.results
    }
  }
  return seen
}

function parsed(corpus: BenchCorpus): Seen {
  const seen: Seen = { records: 0, results: 0, calls: {} }
  for (const { path } of corpus.files) eachLineOf(path, (text) => countLine(text, seen))
  return seen
}

function countLine(text: string, seen: Seen): void {
  const { type, message }: Line = JSON.parse(text)
  seen.records++
  if (type !== 'assistant' && type !== 'user') return
  if (message === undefined || typeof message.content === 'string') return
  for (const block of message.content) {
    if (block.type === 'tool_use') seen.calls[block.name ?? ''] = (seen.calls[block.name ?? ''] ?? 0) + 1
    else if (block.type === 'tool_result') seen.results++
  }
}
