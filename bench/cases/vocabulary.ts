import { Bench } from 'tinybench'
import { key } from '../../src/kernel/key.ts'
import { Scanner } from '../../src/kernel/scanner.ts'
import { Shape } from '../../src/kernel/shape.ts'
import type { BenchCorpus } from '../corpora.ts'
import { chunksOf, readLines } from '../lines.ts'

/** What one call of the record view costs. */
export interface CallCost {
  readonly name: string
  /** Median of the samples, each of which makes the call on every record of a chunk. */
  readonly nanoseconds: number
}

const RECORD = new Shape('type', 'sessionId', 'timestamp', 'isSidechain', 'message', 'uuid')
const K = { type: key('type'), message: key('message'), uuid: key('uuid'), absent: key('absent') }

/**
 * The record view call by call, on the records of one chunk. For whoever changes it: no other program has the same
 * calls, so there is nothing to compare them with and no floor.
 *
 * @throws Error when a call does not give what the records hold
 */
export async function callCosts(corpus: BenchCorpus): Promise<CallCost[]> {
  const lines = readLines(corpus)
  const scanner = new Scanner()
  scanner.scanBytes(lines.subarray(0, chunksOf(lines)[0]?.end))
  const { view, recordCount } = scanner
  const each = (call: () => number): number => {
    let sum = 0
    for (let i = 0; i < recordCount; i++) {
      scanner.select(i, 1)
      sum += call()
    }
    return sum
  }
  const calls: Record<string, () => number> = {
    'select a record': () => view.start,
    'get a field': () => view.get(view.root, K.type),
    'get a field that is not there': () => view.get(view.root, K.absent),
    'read six fields at once': () => RECORD.read(view, view.root).uuid,
    'a short string as a word': () => view.word(view.get(view.root, K.type))?.length ?? 0,
    'an id as text': () => view.text(view.get(view.root, K.uuid))?.length ?? 0,
    'length of a value': () => view.rawBytes(view.get(view.root, K.message)),
  }
  const bench = new Bench({ time: 120, warmupTime: 40 })
  const expected = new Map(Object.entries(calls).map(([name, call]) => [name, each(call)]))
  const answers = new Map<string, number>()
  for (const [name, call] of Object.entries(calls)) bench.add(name, () => void answers.set(name, each(call)))
  await bench.run()
  return bench.tasks.map(({ name, result }) => {
    if (result.state !== 'completed') throw new Error(`${name}: ${result.state}`)
    if (answers.get(name) !== expected.get(name)) throw new Error(`${name} gave another answer than before`)
    return { name, nanoseconds: (result.latency.p50 * 1e6) / recordCount }
  })
}
