import { NONE, type RecordView } from '../../src/kernel/record.ts'
import { Shape } from '../../src/kernel/shape.ts'
import type { BenchCase, Comparison } from '../case.ts'
import { Chunks } from '../chunks.ts'
import type { BenchCorpus } from '../corpora.ts'
import { eachLine, readLines } from '../lines.ts'
import type { Line } from '../plain-records.ts'

const RECORD = new Shape('type', 'message')
const MESSAGE = new Shape('id', 'usage')
const USAGE = new Shape(
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
)

/** Scan, and then read a few fields of every record. */
export const tape: BenchCase = {
  name: 'tape',
  title: 'scan, then type, message id and usage of every record',
  budgetMs: 1500,
  leastRounds: 5,
  clock: 'processor',
  open: (corpus) => openTape(corpus),
}

/** What was read, added up so that nothing can be left out. */
interface Sum {
  assistant: number
  idCharacters: number
  tokens: number
}

export function openTape(corpus: BenchCorpus): Comparison {
  const lines = readLines(corpus)
  const expected = parsed(lines)
  const chunks = new Chunks(lines)
  return {
    bytes: lines.length,
    ours: { name: 'scan and navigate', expected, run: () => navigated(chunks) },
    baselines: [{ name: 'JSON.parse and the same fields', expected, run: () => parsed(lines) }],
  }
}

function navigated(chunks: Chunks): Sum {
  const sum = { assistant: 0, idCharacters: 0, tokens: 0 }
  chunks.scan((scanner) => {
    for (let i = 0; i < scanner.recordCount; i++) add(scanner.select(i, 1), sum)
  })
  return sum
}

function add(record: RecordView, sum: Sum): void {
  const { type, message } = RECORD.read(record, record.root)
  if (record.word(type) === 'assistant') sum.assistant++
  if (message === NONE) return
  const { id, usage } = MESSAGE.read(record, message)
  sum.idCharacters += record.text(id)?.length ?? 0
  if (usage === NONE) return
  const counts = USAGE.read(record, usage)
  sum.tokens +=
    (record.integer(counts.input_tokens) ?? 0) +
    (record.integer(counts.output_tokens) ?? 0) +
    (record.integer(counts.cache_read_input_tokens) ?? 0) +
    (record.integer(counts.cache_creation_input_tokens) ?? 0)
}

function parsed(lines: Buffer): Sum {
  const sum = { assistant: 0, idCharacters: 0, tokens: 0 }
  eachLine(lines, (text) => {
    const { type, message }: Line = JSON.parse(text)
    if (type === 'assistant') sum.assistant++
    sum.idCharacters += message?.id?.length ?? 0
    const usage = message?.usage
    if (usage === undefined) return
    sum.tokens +=
      usage.input_tokens +
      usage.output_tokens +
      usage.cache_read_input_tokens +
      usage.cache_creation_input_tokens
  })
  return sum
}
