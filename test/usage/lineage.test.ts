import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addLedger, emptyLineage, type Lineage, mergeLineage } from '../../src/usage/lineage.ts'
import { resolveLineage } from '../../src/usage/resolution.ts'
import type { TranscriptLedger } from '../../src/usage/transcript-ledger.ts'
import { anyBilled } from './entries.ts'
import { canonical, ledgerOf } from './resolving.ts'

describe('the order of transcripts', () => {
  const corpus = fc
    .array(fc.array(anyBilled, { maxLength: 6 }), { maxLength: 5 })
    .map((files) => files.map(ledgerOf))

  test('does not matter, nor in which groups they are merged', () => {
    const property = fc.property(corpus, fc.infiniteStream(fc.nat()), (ledgers, numbers) => {
      const expected = canonical(resolveLineage(lineageOf(ledgers)))
      const order = ledgers
        .map((_, i) => [numbers.next().value ?? 0, i] as const)
        .toSorted(([a], [b]) => a - b)
      const groups = [emptyLineage(), emptyLineage(), emptyLineage()]
      for (const [n, i] of order) addLedger(groups[n % 3]!, ledgers[i]!, i)
      const merged = groups.reduceRight((into, from) => mergeLineage(into, from), emptyLineage())
      expect(canonical(resolveLineage(merged))).toEqual(expected)
    })
    fc.assert(property)
  })

  test('merging is associative', () => {
    const three = fc.tuple(fc.array(anyBilled), fc.array(anyBilled), fc.array(anyBilled))
    const property = fc.property(three, (files) => {
      const lineages = () =>
        files.map((file, i) => {
          const lineage = emptyLineage()
          addLedger(lineage, ledgerOf(file), i)
          return lineage
        })
      const [a, b, c] = lineages()
      const [x, y, z] = lineages()
      const left = mergeLineage(mergeLineage(a!, b!), c!)
      const right = mergeLineage(x!, mergeLineage(y!, z!))
      expect(canonical(resolveLineage(left))).toEqual(canonical(resolveLineage(right)))
    })
    fc.assert(property)
  })
})

function lineageOf(ledgers: readonly TranscriptLedger[]): Lineage {
  const lineage = emptyLineage()
  for (const [i, ledger] of ledgers.entries()) addLedger(lineage, ledger, i)
  return lineage
}
