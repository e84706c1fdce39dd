import { entriesIn } from '../../src/usage/entry-row.ts'
import type { CorpusFacts } from '../../scripts/make-corpus.ts'
import type { TranscriptResult } from '../../src/pipeline/job.ts'
import type { BenchCase, Comparison } from '../case.ts'
import type { BenchCorpus } from '../corpora.ts'
import { eachLineOf } from '../lines.ts'
import type { Line, Message } from '../plain-records.ts'
import { Reading } from '../reading.ts'

/** Tokens by model and nothing else: no output is made. */
export const usage: BenchCase = {
  name: 'usage',
  title: 'usage only, one thread',
  budgetMs: 1500,
  leastRounds: 5,
  clock: 'processor',
  open: (corpus) => openUsage(corpus),
}

/** What one model used: requests, then tokens by class. */
type Spend = [
  requests: number,
  input: number,
  cacheRead: number,
  cacheWrite5m: number,
  cacheWrite1h: number,
  output: number,
]
type Spending = Record<string, Spend>

export async function openUsage(corpus: BenchCorpus): Promise<Comparison> {
  const reading = new Reading(corpus, { usage: true }, null)
  const run = async (): Promise<Spending> => spendingOf(await reading.all())
  const expected = corpus.facts === null ? await run() : expectedSpending(corpus.facts)
  return {
    bytes: corpus.bytes,
    ours: { name: 'usage', expected, run },
    baselines: [
      { name: 'JSON.parse and add up', expected: parsedSpending(corpus), run: () => parsedSpending(corpus) },
    ],
  }
}

function expectedSpending(facts: CorpusFacts): Spending {
  return sorted(
    Object.entries(facts.models).map(([model, total]) => [
      model,
      [
        total.messages,
        total.input,
        total.cache_read,
        total.cache_write_5m,
        total.cache_write_1h,
        total.output,
      ],
    ]),
  )
}

function spendingOf(results: readonly TranscriptResult[]): Spending {
  const totals = new Map<string, Spend>()
  for (const { ledger } of results) {
    for (const { model, tokens } of ledger === null ? [] : entriesIn(ledger.entries)) {
      const { input, cacheRead, cacheWrite5m, cacheWrite1h, output } = tokens
      add(totals, model ?? '', [input, cacheRead, cacheWrite5m, cacheWrite1h, output])
    }
  }
  return sorted([...totals])
}

/** The same by plain means: of a message's lines the last one counts. */
function parsedSpending(corpus: BenchCorpus): Spending {
  const totals = new Map<string, Spend>()
  for (const { path } of corpus.files) {
    const messages = new Map<string, Message>()
    eachLineOf(path, (text) => {
      const line: Line = JSON.parse(text)
      const { message } = line
      if (line.type !== 'assistant' || message?.usage === undefined || line.isApiErrorMessage) return
      messages.set(`${message.id} ${line.requestId}`, message)
    })
    for (const { model, usage: used } of messages.values()) {
      if (used === undefined) continue
      const written = used.cache_creation
      add(totals, model ?? '', [
        used.input_tokens,
        used.cache_read_input_tokens,
        written?.ephemeral_5m_input_tokens ?? 0,
        written?.ephemeral_1h_input_tokens ?? 0,
        used.output_tokens,
      ])
    }
  }
  return sorted([...totals])
}

function add(totals: Map<string, Spend>, model: string, tokens: readonly (number | null)[]): void {
  const total = totals.get(model) ?? [0, 0, 0, 0, 0, 0]
  total[0]++
  for (const [i, count] of tokens.entries()) total[i + 1]! += count ?? 0
  totals.set(model, total)
}

function sorted(entries: readonly [string, Spend][]): Spending {
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
