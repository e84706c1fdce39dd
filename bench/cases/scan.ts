import { NONE } from '../../src/kernel/record.ts'
import { nativeIsValid } from '../../src/kernel/second-opinion.ts'
import type { BenchCase, Comparison, Contender } from '../case.ts'
import { Chunks } from '../chunks.ts'
import type { BenchCorpus } from '../corpora.ts'
import { eachLine, parseAll, readLines } from '../lines.ts'

/** The kernel alone: bytes checked where they stand, and a tape written of every record. */
export const scan: BenchCase = {
  name: 'scan',
  title: 'scan kernel, 1 MiB chunks',
  budgetMs: 2000,
  leastRounds: 5,
  clock: 'processor',
  open: (corpus) => openScan(corpus),
}

export function openScan(corpus: BenchCorpus): Comparison {
  const lines = readLines(corpus)
  const chunks = new Chunks(lines)
  const expected = parseAll(lines)
  const seen = judge(chunks)
  // Two records on one line are two for us and none for others: only said for what somebody named.
  if (seen.unparsed !== expected.unparsed && corpus.facts !== null)
    throw new Error(`the scanner calls ${seen.unparsed} lines unparsed, JSON.parse ${expected.unparsed}`)
  const parse: Contender = { name: 'JSON.parse', expected, run: () => parseAll(lines) }
  const isValid = nativeIsValid()
  const native: Contender[] =
    isValid === null
      ? []
      : [{ name: 'simdjson isValid', expected: countLines(lines), run: () => validate(lines, isValid) }]
  return {
    bytes: lines.length,
    ours: { name: 'scan', expected: seen.records, run: () => countRecords(chunks) },
    baselines: [parse, ...native],
  }
}

/** The number of records. */
function countRecords(chunks: Chunks): number {
  let records = 0
  chunks.scan((scanner) => (records += scanner.recordCount))
  return records
}

/** As `countRecords`, with a look at every verdict. */
function judge(chunks: Chunks): { readonly records: number; readonly unparsed: number } {
  let unparsed = 0
  chunks.scan((scanner) => {
    for (let i = 0; i < scanner.recordCount; i++) if (scanner.select(i, 1).root === NONE) unparsed++
  })
  return { records: countRecords(chunks), unparsed }
}

/** Lines handed out; the binding's yes or no is not counted, since it refuses some valid numbers and escapes. */
function validate(lines: Buffer, isValid: (text: string) => boolean): number {
  let asked = 0
  eachLine(lines, (text) => {
    if (typeof isValid(text) === 'boolean') asked++
  })
  return asked
}

function countLines(lines: Buffer): number {
  let count = 0
  eachLine(lines, () => count++)
  return count
}
