import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { convert } from '../src/pipeline/convert.ts'
import { dialects, makeCorpus, type CorpusOptions, type Dialect } from './corpus/make.ts'
import { parseSize } from './make-corpus.ts'

const usage = `Convert one generated transcript in every way and compare the bytes.

Usage: node --import tsx scripts/prove-same-bytes.ts [options]

Options:
      --dialect <names>  ${dialects.join(', ')}; joined by commas (default: claude-session)
      --size <bytes>     size of the transcript: 50MB, 1GB (default: 50MB)
      --seed <n>         default: 1
      --faults           put damaged lines between the good ones
  -h, --help             print this

The ways are chunks of 1 KiB, 64 KiB, 1 MiB and the whole file, each with 0, 1, 2 and 3 workers. Workers are loaded from
dist, so build first (npm start builds). Exit 1 when two ways differ.
`

/** The ways to convert: each chunk size with each number of workers. */
export interface Ways {
  /** In bytes; 0 stands for the whole file. */
  readonly chunkSizes: readonly number[]
  readonly jobs: readonly number[]
}

export const EVERY_WAY: Ways = { chunkSizes: [1024, 64 * 1024, 1024 * 1024, 0], jobs: [0, 1, 2, 3] }

/** One way of converting, and what came of it. */
export interface Way {
  readonly chunkBytes: number
  readonly jobs: number
  /** SHA-256 of the transcript, as read. */
  readonly digest: string | null
  /** SHA-256 of the events. */
  readonly outputDigest: string | null
  readonly events: number
  readonly seconds: number
}

/**
 * Generate a transcript and convert it in several ways.
 *
 * @param told is called with each way as soon as it is done
 * @returns the ways, and the digest that the transcript was written with
 */
export async function convertManyWays(
  options: Omit<CorpusOptions, 'files' | 'out'>,
  { chunkSizes, jobs }: Ways,
  told: (way: Way) => void = () => {},
): Promise<{ readonly sha256: string; readonly ways: readonly Way[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-same-'))
  try {
    const { files } = await makeCorpus({ ...options, files: 1, out: join(folder, 'in') })
    const [file] = files
    if (file === undefined) throw new Error('nothing was generated')
    const ways: Way[] = []
    for (const chunk of chunkSizes) {
      for (const threads of jobs) {
        const way = await convertOnce(
          file.path,
          join(folder, 'events.jsonl'),
          chunk || file.bytes + 1,
          threads,
        )
        ways.push(way)
        told(way)
      }
    }
    return { sha256: file.sha256, ways }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** What differs between the ways; empty when nothing does. */
export function differences(sha256: string, ways: readonly Way[]): string[] {
  const [first] = ways
  return ways.flatMap((way) => {
    const name = `chunks of ${way.chunkBytes} bytes with ${way.jobs} workers`
    if (way.digest !== sha256) return [`${name}: the transcript was read as ${way.digest}`]
    if (way.outputDigest === null || way.outputDigest !== first?.outputDigest)
      return [`${name}: other events`]
    return way.events === first.events ? [] : [`${name}: ${way.events} events`]
  })
}

async function convertOnce(file: string, output: string, chunkBytes: number, jobs: number): Promise<Way> {
  const started = performance.now()
  const { results } = await convert({
    paths: [file],
    to: () => ({ kind: 'file', path: output }),
    chunkBytes,
    jobs,
  })
  const [result] = results
  if (result === undefined || result.error !== null)
    throw new Error(result?.error?.message ?? 'nothing was read')
  const { digest, outputDigest, events } = result
  return { chunkBytes, jobs, digest, outputDigest, events, seconds: (performance.now() - started) / 1000 }
}

async function main(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      dialect: { type: 'string', default: 'claude-session' },
      size: { type: 'string', default: '50MB' },
      seed: { type: 'string', default: '1' },
      faults: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) {
    console.log(usage)
    return 0
  }
  const wanted = values.dialect.split(',').map(dialectOf)
  const { faults } = values
  let differ = 0
  for (const dialect of wanted) {
    const options = { dialect, sizeBytes: parseSize(values.size), seed: Number(values.seed), faults }
    console.log(
      `${dialect}, ${options.sizeBytes} bytes, seed ${options.seed}${faults ? ', with faults' : ''}`,
    )
    const { sha256, ways } = await convertManyWays(options, EVERY_WAY, (way) => console.log(lineOf(way)))
    const found = differences(sha256, ways)
    for (const line of found) console.log(`DIFFERENT: ${line}`)
    if (found.length === 0) console.log(`the same bytes in all ${ways.length} ways; transcript ${sha256}`)
    differ += found.length
  }
  return differ === 0 ? 0 : 1
}

function lineOf({ chunkBytes, jobs, outputDigest, seconds }: Way): string {
  return `  ${String(chunkBytes).padStart(11)} bytes  ${jobs} workers  ${outputDigest}  ${seconds.toFixed(1)} s`
}

function dialectOf(name: string): Dialect {
  const dialect = dialects.find((known) => known === name.trim())
  if (dialect === undefined) throw new TypeError(`--dialect wants ${dialects.join(', ')}; got ${name}`)
  return dialect
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    process.exitCode = await main(process.argv.slice(2))
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = error instanceof TypeError ? 2 : 1
  }
}
