import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

export const usage = `Measure millrace against baselines that run in turn with it, on the same bytes.

Usage: npm run bench -- [options]

Options:
      --corpus <path>   a file or folder of transcripts to use instead of generated ones
      --only <names>    some cases only, by the beginnings of their names, joined by commas
      --guard           compare the ratios with bench/guard.json; exit 1 when one fell short
      --json            print one JSON document instead of a table
      --record          write the raw samples to bench/records
      --large           instead of all that: convert one transcript of 1 GB and check its peak memory
  -h, --help            print this

Every answer is checked; a wrong one is an error. See bench/README.md for how to read the table.
`

export interface BenchRequest {
  /** Absolute; null for generated corpora. */
  readonly corpus: string | null
  /** Beginnings of names of cases; empty for all. */
  readonly only: readonly string[]
  readonly guard: boolean
  readonly json: boolean
  readonly record: boolean
  readonly large: boolean
}

/** What to measure; null when help is wanted. @throws TypeError on what it does not understand */
export function parse(argv: readonly string[]): BenchRequest | null {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      corpus: { type: 'string' },
      only: { type: 'string', default: '' },
      guard: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      large: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return null
  const { guard, json, record, large } = values
  const corpus = values.corpus === undefined ? null : resolve(values.corpus)
  if (corpus !== null && guard)
    throw new TypeError('--guard holds for the generated corpora; leave --corpus out')
  const only = values.only.split(',').filter((name) => name !== '')
  return { corpus, only, guard, json, record, large }
}
