import { describe, expect, test } from 'vitest'
import type { Ending } from '../../src/dialect/adapter.ts'
import { type ReadEnding, type StreamFacts, verdictOf } from '../../src/dialect/verdict.ts'

const whole: ReadEnding = { reason: 'completed', terminal: true, promised: true, refusals: [], refused: 0 }
const foreign: Ending = { reason: 'completed', terminal: true, promised: true }
const refusal = { line: 5, refusal: 'UnknownName', detail: 'zz' } as const

describe('the verdict on a stream', () => {
  test.each([
    { name: 'whole', verdict: 'ok', completeness: 'complete', claims: 'decidable' },
    { name: 'opaque', facts: { opaque: 1 }, verdict: 'ok', completeness: 'complete', claims: 'undecidable' },
    {
      name: 'no end',
      facts: { ending: { ...whole, terminal: false } },
      verdict: 'damaged',
      completeness: 'truncated',
      claims: 'undecidable',
    },
    {
      name: 'no end was promised',
      facts: { ending: { ...whole, terminal: false, promised: false } },
      verdict: 'ok',
      completeness: 'complete',
      claims: 'decidable',
    },
    {
      name: 'cut',
      facts: { cut: true },
      verdict: 'damaged',
      completeness: 'truncated',
      claims: 'undecidable',
    },
    {
      name: 'inconsistent',
      facts: { ending: { ...whole, inconsistent: 'why' }, cut: true },
      verdict: 'damaged',
      completeness: 'inconsistent',
      claims: 'undecidable',
    },
    {
      name: 'refused',
      facts: { ending: { ...whole, refusals: [refusal], refused: 1 }, opaque: 1 },
      verdict: 'refused',
      completeness: 'complete',
      claims: 'undecidable',
    },
    {
      name: 'not JSON, in another dialect',
      facts: { dialect: 'b10x', ending: foreign, unparsed: 1, unparsedLines: [2] },
      verdict: 'damaged',
      completeness: 'complete',
      claims: 'undecidable',
    },
  ])('$name', ({ facts, verdict, completeness, claims }) => {
    expect(verdictOf({ ...base, ...facts })).toMatchObject({ verdict, completeness, negative_claims: claims })
  })

  test('lines that are not JSON are refused in their place', () => {
    const { refusals, verdict } = verdictOf({
      ...base,
      ending: { ...whole, refusals: [refusal], refused: 1 },
      unparsed: 2,
      unparsedLines: [2, 9],
    })
    expect(refusals.map(({ line, refusal: why }) => [line, why])).toEqual([
      [2, 'NotAnObject'],
      [5, 'UnknownName'],
      [9, 'NotAnObject'],
    ])
    expect(verdict).toBe('refused')
  })

  test('has the keys of the interface in their order', () => {
    expect(Object.keys(verdictOf(base))).toEqual(
      'format path dialect verdict completeness refusals opaque negative_claims notices'.split(' '),
    )
  })
})

const base: StreamFacts = {
  path: 'p',
  dialect: 'metaharness',
  ending: whole,
  cut: false,
  unparsedLines: [],
  unparsed: 0,
  opaque: 0,
  notices: [],
}
