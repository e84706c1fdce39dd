import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchCase, Comparison, Contender } from '../case.ts'
import type { BenchCorpus } from '../corpora.ts'
import { parseAll } from '../lines.ts'
import { CountingOutput, Reading } from '../reading.ts'
import { type Shaped, shapes } from '../shapes.ts'

/** Bytes of one sample, unless the shape is about one long line. */
const SHAPE_BYTES = 1_000_000

/** Full conversion of odd shapes, so that none falls off a cliff. */
export const shapeCases: readonly BenchCase[] = Object.entries(shapes).map(([name, { title, make }]) => ({
  name: `shape-${name}`,
  title,
  budgetMs: 700,
  leastRounds: 4,
  clock: 'processor',
  open: (_corpus, scratch) => openShape(make(SHAPE_BYTES), scratch),
}))

export function openShape(shaped: Shaped, scratch: string): Comparison {
  const { bytes, records, unparsed } = shaped
  const path = join(scratch, 'shape.jsonl')
  writeFileSync(path, bytes)
  const corpus: BenchCorpus = {
    name: 'shape',
    path,
    files: [{ path, bytes: bytes.length }],
    bytes: bytes.length,
    facts: null,
  }
  const expected = { records, unparsed }
  const reading = new Reading(corpus, { from: 'claude-session' }, new CountingOutput())
  const ours: Contender = {
    name: 'convert',
    expected,
    run: async () => {
      const [result] = await reading.all()
      return { records: result?.records.read, unparsed: result?.records.unparsed }
    },
  }
  const parse: Contender = { name: 'JSON.parse', expected, run: () => parseAll(bytes) }
  return { bytes: bytes.length, ours, baselines: [parse] }
}
