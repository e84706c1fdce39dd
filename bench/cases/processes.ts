import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchCase, Comparison, Contender } from '../case.ts'
import { type Command, peakRssOf, runCommand } from '../command.ts'
import type { BenchCorpus } from '../corpora.ts'
import { command, projectDir } from '../project.ts'

const PARSING = 'JSON.parse of each line'

/** Whole processes, from start to exit: what somebody at a terminal waits for. */
export const processCases: readonly BenchCase[] = [
  {
    name: 'folder',
    title: 'convert a folder of 40 files, digests, all cores',
    budgetMs: 2500,
    leastRounds: 5,
    clock: 'wall',
    open: (corpus, scratch) => openFolder(corpus, scratch),
  },
  {
    name: 'folder-no-digest',
    title: 'the same with --no-digest',
    budgetMs: 2500,
    leastRounds: 5,
    clock: 'wall',
    open: (corpus, scratch) => openFolderWithoutDigest(corpus, scratch),
  },
  {
    name: 'folder-usage',
    title: 'usage of that folder, all cores',
    budgetMs: 2500,
    leastRounds: 5,
    clock: 'wall',
    open: (corpus, scratch) => openFolderUsage(corpus, scratch),
  },
  {
    name: 'transcript',
    title: 'convert one transcript of 200 MB, digests, all cores',
    budgetMs: 2500,
    leastRounds: 5,
    clock: 'wall',
    open: (corpus, scratch) => openTranscript(corpus, scratch),
  },
  {
    name: 'small-files',
    title: 'convert 5,000 small files, digests, all cores',
    budgetMs: 2500,
    leastRounds: 5,
    clock: 'wall',
    open: (corpus, scratch) => openSmallFiles(corpus, scratch),
  },
]

export function openFolder(corpus: BenchCorpus, scratch: string): Comparison {
  const expected = reference(corpus, scratch)
  const ours = conversion(corpus, scratch, expected)
  const inProcess = { ...conversion(corpus, scratch, expected, '--jobs', '0'), name: '--jobs 0' }
  const baselines = [copying(corpus, scratch), parsing(corpus, scratch), inProcess]
  return { bytes: corpus.bytes, ours, baselines, peakRss: () => conversionRss(corpus, scratch) }
}

export function openFolderWithoutDigest(corpus: BenchCorpus, scratch: string): Comparison {
  const expected = reference(corpus, scratch, '--no-digest')
  const ours = conversion(corpus, scratch, expected, '--no-digest')
  const peakRss = (): number => conversionRss(corpus, scratch, '--no-digest')
  return {
    bytes: corpus.bytes,
    ours,
    baselines: [copying(corpus, scratch), parsing(corpus, scratch)],
    peakRss,
  }
}

export function openTranscript(corpus: BenchCorpus, scratch: string): Comparison {
  const expected = reference(corpus, scratch)
  const ours = conversion(corpus, scratch, expected)
  const baselines = [{ ...conversion(corpus, scratch, expected, '--jobs', '0'), name: '--jobs 0' }]
  return { bytes: corpus.bytes, ours, baselines, peakRss: () => conversionRss(corpus, scratch) }
}

export function openSmallFiles(corpus: BenchCorpus, scratch: string): Comparison {
  const items = { count: corpus.files.length, unit: 'files' }
  const ours = conversion(corpus, scratch, reference(corpus, scratch))
  const peakRss = (): number => conversionRss(corpus, scratch)
  return { bytes: corpus.bytes, ours, baselines: [copying(corpus, scratch)], items, peakRss }
}

export function openFolderUsage(corpus: BenchCorpus, scratch: string): Comparison {
  const ours = counting(corpus)
  const inProcess = { ...counting(corpus, '--jobs', '0'), name: '--jobs 0' }
  const baselines = [copying(corpus, scratch), parsing(corpus, scratch), inProcess]
  return {
    bytes: corpus.bytes,
    ours,
    baselines,
    peakRss: () => peakRssOf(usageCommand(corpus), scratch),
  }
}

/** What a converted folder comes to. */
interface Converted {
  readonly transcripts: number
  readonly failed: number
  readonly records: number
  readonly events: number
  readonly digest: string | null
  readonly outputBytes: number
}

/** All that is said in a manifest about one transcript, or at its end, of which we read these. */
interface ManifestLine {
  readonly records?: { readonly read: number }
  readonly events?: number
  readonly output?: string
  readonly corpus_digest?: string | null
  readonly transcripts?: number
  readonly failed?: number
}

function convertCommand(corpus: BenchCorpus, to: string, options: readonly string[]): Command {
  return [process.execPath, command, 'convert', corpus.path, '-o', `${to}/`, '--quiet', ...options]
}

/** What one thread makes of a corpus; how many records that has to be is known of generated ones. */
function reference(corpus: BenchCorpus, scratch: string, ...options: string[]): Converted {
  const to = join(scratch, 'out')
  runCommand(convertCommand(corpus, to, ['--jobs', '0', ...options]))
  const converted = readOutput(to)
  const records = corpus.facts?.records ?? converted.records
  if (converted.records !== records) throw new Error(`${converted.records} records were read of ${records}`)
  return converted
}

/** The conversion of a corpus by the command. */
function conversion(
  corpus: BenchCorpus,
  scratch: string,
  expected: Converted,
  ...options: string[]
): Contender {
  const to = join(scratch, 'out')
  return {
    name: 'convert',
    expected,
    prepare: () => rmSync(to, { recursive: true, force: true }),
    run: () => runCommand(convertCommand(corpus, to, options)),
    answer: () => readOutput(to),
  }
}

function conversionRss(corpus: BenchCorpus, scratch: string, ...options: string[]): number {
  const to = join(scratch, 'out')
  rmSync(to, { recursive: true, force: true })
  return peakRssOf(convertCommand(corpus, to, options), scratch)
}

function readOutput(to: string): Converted {
  const lines = readFileSync(join(to, 'manifest.jsonl'), 'utf8').trimEnd().split('\n')
  let [records, events, outputBytes, transcripts, failed] = [0, 0, 0, 0, 0]
  let digest: string | null = null
  for (const text of lines) {
    const line: ManifestLine = JSON.parse(text)
    records += line.records?.read ?? 0
    events += line.events ?? 0
    if (line.output !== undefined) outputBytes += statSync(join(to, line.output)).size
    transcripts += line.transcripts ?? 0
    failed += line.failed ?? 0
    digest = line.corpus_digest ?? null
  }
  return { transcripts, failed, records, events, digest, outputBytes }
}

/** `cp -r` of the corpus. */
function copying(corpus: BenchCorpus, scratch: string): Contender {
  const to = join(scratch, 'copy')
  return {
    name: 'cp -r',
    expected: corpus.bytes,
    prepare: () => rmSync(to, { recursive: true, force: true }),
    run: () => runCommand(['cp', '-r', corpus.path, to]),
    answer: () => bytesOf(corpus, to),
  }
}

/** A program of Node that parses every line: it starts and is compiled as ours is. */
function parsing(corpus: BenchCorpus, scratch: string): Contender {
  const program = join(projectDir, 'dist/bench/peers/plain.js')
  const files = corpus.files.map(({ path }) => path)
  const run = (): string => runCommand([process.execPath, program, 'parse', scratch, ...files])
  const records = corpus.facts?.records
  return { name: PARSING, expected: records === undefined ? parsed(run()) : { records }, run, answer: parsed }
}

function parsed(output: unknown): unknown {
  return JSON.parse(String(output))
}

/** Bytes of the copies of the transcripts of a corpus. */
function bytesOf(corpus: BenchCorpus, copy: string): number {
  const names = statSync(copy).isDirectory() ? readdirSync(copy, { recursive: true, encoding: 'utf8' }) : ['']
  const wanted = new Set(corpus.files.map(({ path }) => path.slice(corpus.path.length + 1)))
  return names.reduce((sum, name) => (wanted.has(name) ? sum + statSync(join(copy, name)).size : sum), 0)
}

interface UsageDocument {
  readonly totals: { readonly requests: number; readonly tokens: Readonly<Record<string, number | null>> }
}

export function usageCommand(corpus: BenchCorpus, ...options: string[]): Command {
  return [process.execPath, command, 'usage', corpus.path, '--json', ...options]
}

/** Usage of a corpus by the command. Its output tokens and requests are known of generated corpora. */
export function counting(corpus: BenchCorpus, ...options: string[]): Contender {
  const run = (): string => runCommand(usageCommand(corpus, ...options))
  return { name: 'usage', expected: expectedTotals(corpus) ?? usageTotals(run()), run, answer: usageTotals }
}

function usageTotals(said: unknown): object {
  const { totals }: UsageDocument = JSON.parse(String(said))
  return { requests: totals.requests, output: totals.tokens['output'] }
}

function expectedTotals(corpus: BenchCorpus): object | null {
  if (corpus.facts === null) return null
  const models = Object.values(corpus.facts.models)
  return {
    requests: models.reduce((sum, { messages }) => sum + messages, 0),
    output: models.reduce((sum, total) => sum + total.output, 0),
  }
}
