import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { parseSize } from '../scripts/make-corpus.ts'
import { type Compression, COMPRESSIONS } from '../src/source/compress.ts'

/** Bytes of the one transcript of `--large`, and of the folder of `--peers`, unless another size is named. */
const USUAL_BYTES = '1GB'

/** Runs of each program of `--peers`, of which the best counts. */
const USUAL_ROUNDS = '5'

export const usage = `Measure millrace against baselines that run in turn with it, on the same bytes.

Usage: npm run bench -- [options]

Options:
      --corpus <path>   a file or folder of transcripts to use instead of generated ones
      --only <names>    some cases only, by the beginnings of their names, joined by commas
      --guard           compare the ratios with bench/guard.json; exit 1 when one fell short
      --json            print one JSON document instead of a table
      --record          write the raw samples to bench/records
      --large [<size>]  instead of all that: convert one transcript of 1 GB, or 10GB, and check its peak memory
      --as <format>     compress that transcript first: gz, lz4 or zst, by the format's own tool
      --peers           instead of all that: the goals for speed, measured against ccusage, DuckDB, jq, cp and
                        others, which are installed into bench/peers; writes a record. With --large <size> the
                        memory of one transcript of that size as well, with --only some of the measurements
      --size <size>     bytes of the folder of --peers, and of its single transcript (default: ${USUAL_BYTES})
      --rounds <n>      runs of each program of --peers (default: ${USUAL_ROUNDS})
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
  /** Bytes of one large transcript; null when it is not wanted. */
  readonly largeBytes: number | null
  /** How that transcript is compressed; null leaves it plain. */
  readonly largeAs: Compression | null
  readonly peers: PeersRequest | null
}

/** How to measure the peers. */
export interface PeersRequest {
  readonly sizeBytes: number
  readonly rounds: number
}

/** What to measure; null when help is wanted. @throws TypeError on what it does not understand */
export function parse(argv: readonly string[]): BenchRequest | null {
  const { values } = parseArgs({
    args: withLargeSize(argv),
    options: {
      corpus: { type: 'string' },
      only: { type: 'string', default: '' },
      guard: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      large: { type: 'string' },
      as: { type: 'string' },
      peers: { type: 'boolean', default: false },
      size: { type: 'string' },
      rounds: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return null
  const { guard, json, record } = values
  const corpus = values.corpus === undefined ? null : resolve(values.corpus)
  if (corpus !== null && guard)
    throw new TypeError('--guard holds for the generated corpora; leave --corpus out')
  const only = values.only.split(',').filter((name) => name !== '')
  const largeBytes = values.large === undefined ? null : parseSize(values.large, '--large')
  const peers = peersRequest(values)
  if (peers !== null && (guard || corpus !== null))
    throw new TypeError('--peers has goals and corpora of its own; leave --guard and --corpus out')
  const largeAs = COMPRESSIONS.find((format) => format === values.as) ?? null
  if (values.as !== undefined && (largeAs === null || largeBytes === null))
    throw new TypeError(`--as wants ${COMPRESSIONS.join(', ')} and belongs to --large`)
  return { corpus, only, guard, json, record, largeBytes, largeAs, peers }
}

/** `--large` may stand alone, which the parser of arguments does not know. */
function withLargeSize(argv: readonly string[]): string[] {
  return argv.flatMap((word, i) => {
    const isSized = argv[i + 1]?.startsWith('-') === false
    return word === '--large' && !isSized ? [`--large=${USUAL_BYTES}`] : [word]
  })
}

function peersRequest(values: {
  readonly peers: boolean
  readonly size?: string
  readonly rounds?: string
}): PeersRequest | null {
  const { peers, size, rounds } = values
  if (!peers) {
    if (size !== undefined || rounds !== undefined)
      throw new TypeError('--size and --rounds belong to --peers')
    return null
  }
  const count = Number(rounds ?? USUAL_ROUNDS)
  if (!Number.isInteger(count) || count < 1)
    throw new TypeError(`--rounds wants a number from 1, got ${rounds}`)
  return { sizeBytes: parseSize(size ?? USUAL_BYTES), rounds: count }
}

/** Whether something is wanted by its name. */
export function isWanted(name: string, only: readonly string[]): boolean {
  return only.length === 0 || only.some((beginning) => name.startsWith(beginning))
}
