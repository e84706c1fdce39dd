import { readdir, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { dialects, makeCorpus, type CorpusOptions, type Dialect } from './corpus/make.ts'

export { dialects, makeCorpus, type Corpus, type CorpusOptions, type Dialect } from './corpus/make.ts'
export type { CorpusFacts, FaultKind, TokenTotals } from './corpus/facts.ts'
export type { WrittenFile } from './corpus/line-writer.ts'

const usage = `Write made-up transcripts of coding-agent runs, and what is true of them.

Usage: node --import tsx scripts/make-corpus.ts [options]

Options:
      --dialect <names>  ${dialects.join(', ')};
                         repeat it or join by commas (default: claude-session)
      --size <bytes>     size of all files of a dialect together: 2000, 64KB, 50MB,
                         1GB, or KiB, MiB, GiB (default: 10MB)
      --files <n>        number of files (default: 1)
      --seed <n>         another seed, another corpus; the same seed, the same bytes (default: 1)
      --out <folder>     default: corpora/generated/<dialect>-<size>-<files>-<seed>[-faults];
                         with several dialects, a folder for each inside <folder>
      --faults           put damaged lines between the good ones
  -h, --help             print this

Beside each folder stands <folder>.facts.json with the options, the files and the facts.
`

const units: Record<string, number> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
}

/** Bytes of a size such as `50MB`. @param flag who wants it @throws TypeError when it is none */
export function parseSize(text: string, flag = '--size'): number {
  const match = /^(\d+(?:\.\d+)?)\s*([kmg]?i?b|)$/i.exec(text.trim())
  const unit = units[match?.[2]?.toLowerCase() ?? '?']
  const bytes = Math.round(Number(match?.[1]) * (unit ?? Number.NaN))
  if (!Number.isSafeInteger(bytes) || bytes < 1)
    throw new TypeError(`${flag} wants bytes such as 50MB, got ${text}`)
  return bytes
}

/** What to write, from the command line; null when help is wanted. @throws TypeError on what it does not understand */
export function parse(argv: readonly string[]): CorpusOptions[] | null {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      dialect: { type: 'string', multiple: true, default: ['claude-session'] },
      size: { type: 'string', default: '10MB' },
      files: { type: 'string', default: '1' },
      seed: { type: 'string', default: '1' },
      out: { type: 'string' },
      faults: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return null
  const { size, faults } = values
  const out = values.out?.replace(/(.)\/+$/, '$1')
  const files = wholeNumber('--files', values.files, 1)
  const seed = wholeNumber('--seed', values.seed, 0)
  const names = [...new Set(values.dialect.flatMap((list) => list.split(',')))].map(dialectOf)
  return names.map((dialect) => {
    const own = `${dialect}-${size}-${files}-${seed}${faults ? '-faults' : ''}`
    const folder = out === undefined ? `corpora/generated/${own}` : names.length > 1 ? `${out}/${own}` : out
    return { dialect, sizeBytes: parseSize(size), files, seed, out: folder, faults }
  })
}

function dialectOf(name: string): Dialect {
  const dialect = dialects.find((known) => known === name.trim())
  if (dialect === undefined) throw new TypeError(`--dialect wants ${dialects.join(', ')}; got ${name}`)
  return dialect
}

function wholeNumber(flag: string, text: string, least: number): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < least)
    throw new TypeError(`${flag} wants a whole number from ${least}, got ${text}`)
  return value
}

/** Write one corpus and its facts. A folder that holds anything else is left alone. */
async function write(options: CorpusOptions): Promise<void> {
  const factsPath = `${options.out}.facts.json`
  const startedMs = performance.now()
  const corpus = await makeCorpus(options)
  const seconds = (performance.now() - startedMs) / 1_000
  await writeFile(factsPath, `${JSON.stringify({ options, ...corpus }, null, 2)}\n`)
  const shown = corpus.files.slice(0, 20)
  for (const { path, bytes, lines, sha256 } of shown)
    console.log(`${path}  ${bytes} bytes  ${lines} lines  ${sha256}`)
  if (corpus.files.length > shown.length)
    console.log(`and ${corpus.files.length - shown.length} more, see ${factsPath}`)
  const total = corpus.files.reduce((sum, file) => sum + file.bytes, 0)
  console.log(
    `${options.out}: ${corpus.files.length} files, ${total} bytes, ${corpus.facts.records} records, ${Math.round(total / 1e6 / seconds)} MB/s`,
  )
}

/** Whether a folder may be written to: it is missing, empty, or was written by this script. */
async function isOurs(folder: string): Promise<boolean> {
  const inside = await readdir(folder).catch(() => [])
  return (
    inside.length === 0 || (await readdir(`${folder}/..`)).includes(`${folder.split('/').at(-1)}.facts.json`)
  )
}

async function main(argv: readonly string[]): Promise<void> {
  const wanted = parse(argv)
  if (wanted === null) return console.log(usage)
  for (const options of wanted) {
    if (!(await isOurs(options.out)))
      throw new TypeError(`${options.out} holds files that are not from here; name another --out`)
    await write(options)
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  main(process.argv.slice(2)).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = error instanceof TypeError ? 2 : 1
  })
}
