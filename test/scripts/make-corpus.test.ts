import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  dialects,
  makeCorpus,
  parse,
  parseSize,
  type Corpus,
  type CorpusOptions,
  type Dialect,
} from '../../scripts/make-corpus.ts'
import { ownFolder } from '../fault/folder.ts'
import { sha256 } from '../digest.ts'
import { countRecords } from './count-records.ts'

const folder = ownFolder('corpus')

let folders = 0
function make(options: Partial<CorpusOptions>): Promise<Corpus> {
  return makeCorpus({
    dialect: 'claude-session',
    sizeBytes: 2_000_000,
    files: 1,
    seed: 1,
    out: join(folder, String(folders++)),
    ...options,
  })
}

function linesOf(corpus: Corpus): Buffer[] {
  return corpus.files.flatMap(({ path }) => {
    const bytes = readFileSync(path)
    const lines: Buffer[] = []
    for (let start = 0; start < bytes.length;) {
      const end = bytes.indexOf(0x0a, start)
      lines.push(bytes.subarray(start, end < 0 ? bytes.length : end))
      start = end < 0 ? bytes.length : end + 1
    }
    return lines
  })
}

async function digestsOf(dialect: Dialect, seed: number): Promise<string[]> {
  const { files } = await make({ dialect, seed, files: 7, sizeBytes: 300_000, faults: true })
  return files.map((file) => file.sha256)
}

describe.each(dialects)('%s', (dialect) => {
  test('the same seed gives the same bytes, another seed gives others', async () => {
    const first = await digestsOf(dialect, 5)
    expect(await digestsOf(dialect, 5)).toEqual(first)
    expect(new Set([...first, ...(await digestsOf(dialect, 6))]).size).toBe(14)
  })

  test.each([
    { files: 1, faults: false },
    { files: 6, faults: false },
    { files: 6, faults: true },
  ])('facts agree with a plain count: $files files, faults $faults', async ({ files, faults }) => {
    const corpus = await make({ dialect, files, faults, seed: 11 })
    expect(countRecords(dialect, linesOf(corpus))).toEqual(corpus.facts)
    expect(corpus.facts.damagedLines > 0).toBe(faults)
  })

  test('sizes, line counts and digests are those of the files', async () => {
    const corpus = await make({ dialect, files: 3, sizeBytes: 900_000, faults: true })
    for (const file of corpus.files) {
      const { path, bytes, lines } = file
      const content = readFileSync(path)
      expect(bytes).toBe(content.length)
      expect(lines).toBe(linesOf({ files: [file], facts: corpus.facts }).length)
      expect(file.sha256).toBe(sha256(content))
      expect(bytes).toBeGreaterThanOrEqual(300_000)
      expect(bytes).toBeLessThan(500_000)
    }
    expect(corpus.files.reduce((sum, file) => sum + file.lines, 0)).toBe(
      corpus.facts.records + corpus.facts.blankLines,
    )
  })

  test('a thousand small files are small and have names of their own', async () => {
    const { files } = await make({ dialect, files: 1_000, sizeBytes: 2_000_000 })
    const largest = Math.max(...files.map(({ bytes }) => bytes))
    expect(new Set(files.map(({ path }) => path)).size).toBe(1_000)
    expect(largest).toBeLessThan(60_000)
    expect(relative(folder, files[0]!.path)).not.toContain('..')
  })

  test('about a third of the texts hold characters beyond ASCII', async () => {
    const lines = linesOf(await make({ dialect, sizeBytes: 4_000_000 })).filter((line) => line.length > 1_000)
    const share = lines.filter((line) => line.some((byte) => byte > 127)).length / lines.length
    expect(share).toBeGreaterThan(0.2)
    expect(share).toBeLessThan(0.6)
  })
})

test.each([
  { dialect: 'claude-session', median: [800, 1_300], longShare: [0.005, 0.02] },
  { dialect: 'claude-stream', median: [650, 1_200], longShare: [0.004, 0.02] },
  { dialect: 'b10x', median: [50, 150], longShare: [0.0001, 0.001] },
  { dialect: 'metaharness', median: [280, 550], longShare: [0.002, 0.01] },
  { dialect: 'codex-rollout', median: [250, 550], longShare: [0.0005, 0.01] },
] as const)(
  'lines of $dialect are as long as in real transcripts',
  async ({ dialect, median, longShare }) => {
    const lengths = linesOf(await make({ dialect, sizeBytes: 20_000_000 }))
      .map((line) => line.length)
      .toSorted((a, b) => a - b)
    const middle = lengths[lengths.length >> 1]!
    const long = lengths.filter((length) => length > 30_000).length / lengths.length
    expect(middle).toBeGreaterThan(median[0])
    expect(middle).toBeLessThan(median[1])
    expect(long).toBeGreaterThan(longShare[0])
    expect(long).toBeLessThan(longShare[1])
    expect(lengths.at(-1)).toBeGreaterThan(200_000)
  },
)

test.each([
  ['2000', 2_000],
  ['64KB', 64_000],
  ['1.5mb', 1_500_000],
  ['1GB', 1_000_000_000],
  ['2KiB', 2_048],
  ['1GiB', 1_073_741_824],
])('a size of %s is %d bytes', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes)
})

test.each(['', 'much', '-1', '0', '1TB', '5 GBs'])('a size of %j is refused', (text) => {
  expect(() => parseSize(text)).toThrow(TypeError)
})

test('the command line names a folder for each dialect', () => {
  const wanted = parse([
    '--dialect',
    'b10x,metaharness',
    '--size',
    '50MB',
    '--files',
    '4',
    '--seed',
    '7',
    '--faults',
  ])
  expect(wanted?.map(({ out }) => out)).toEqual([
    'corpora/generated/b10x-50MB-4-7-faults',
    'corpora/generated/metaharness-50MB-4-7-faults',
  ])
  expect(parse(['--help'])).toBe(null)
  expect(() => parse(['--dialect', 'cobol'])).toThrow(/claude-session/)
  expect(() => parse(['--files', '0'])).toThrow(/--files/)
})
