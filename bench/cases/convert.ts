import { isDeepStrictEqual } from 'node:util'
import { basename } from 'node:path'
import type { BenchCase, Comparison, Contender } from '../case.ts'
import type { BenchCorpus } from '../corpora.ts'
import { eachLine, eachLineOf, parseAll, readLines } from '../lines.ts'
import type { JobOptions } from '../../src/pipeline/job.ts'
import { PlainPipeline } from '../plain-pipeline.ts'
import { CountingOutput, Reading } from '../reading.ts'

/** Everything but threads and digests: file in, events out. */
export const convert: BenchCase = {
  name: 'convert',
  title: 'full conversion, one thread, no digest',
  budgetMs: 3000,
  leastRounds: 6,
  clock: 'processor',
  open: (corpus) => openConvert(corpus),
}

/** @throws Error when the plain pipeline gives other events */
export async function openConvert(corpus: BenchCorpus): Promise<Comparison> {
  const ours = await openReading(corpus)
  const [ourEvents, plainEvents] = [eventCounts(await ours.keep()), eventCounts(plainOutput(corpus))]
  if (!isDeepStrictEqual(ourEvents, plainEvents)) {
    const [left, right] = [ourEvents, plainEvents].map((counts) => JSON.stringify([...counts]))
    throw new Error(`the plain pipeline gives other events: ours ${left}, plain ${right}`)
  }
  const plain: Contender = {
    name: 'JSON.parse, map, JSON.stringify',
    expected: plainCount(corpus),
    run: () => plainCount(corpus),
  }
  return { bytes: corpus.bytes, ours: ours.contender, baselines: [plain] }
}

/** Any dialect, against the parsing that every plain pipeline begins with. */
export async function openConvertAny(corpus: BenchCorpus): Promise<Comparison> {
  const lines = readLines(corpus)
  const part = lines.length < corpus.bytes ? cutTo(corpus, lines.length) : corpus
  const { contender } = await openReading(part)
  const parse: Contender = { name: 'JSON.parse', expected: parseAll(lines), run: () => parseAll(lines) }
  return { bytes: part.bytes, ours: contender, baselines: [parse] }
}

/** The first files of a corpus, some `bytes` of them: as much as is parsed. */
function cutTo(corpus: BenchCorpus, bytes: number): BenchCorpus {
  let total = 0
  const files = corpus.files.filter((file, i) => {
    total += file.bytes
    return i === 0 || total <= bytes
  })
  return { ...corpus, files, bytes: files.reduce((sum, file) => sum + file.bytes, 0) }
}

/** Conversion of a corpus in this thread; `keep` gives the streams of one more run. */
export async function openReading(
  corpus: BenchCorpus,
  wants: Partial<JobOptions> = {},
): Promise<{ readonly contender: Contender; readonly keep: () => Promise<Buffer> }> {
  const output = new CountingOutput()
  const reading = new Reading(corpus, wants, output)
  const run = async (): Promise<object> => {
    output.bytes = 0
    const results = await reading.all()
    return { events: results.reduce((sum, { events }) => sum + events, 0), bytes: output.bytes }
  }
  const keep = async (): Promise<Buffer> => {
    output.kept = []
    await run()
    const all = Buffer.concat(output.kept)
    output.kept = null
    return all
  }
  return { contender: { name: 'convert', expected: await run(), run }, keep }
}

/** Events and bytes that the plain pipeline makes of a corpus. */
function plainCount(corpus: BenchCorpus): object {
  let events = 0
  let bytes = 0
  for (const { path } of corpus.files) {
    const pipeline = new PlainPipeline(basename(path))
    eachLineOf(
      path,
      (text) => pipeline.line(text),
      () => (bytes += pipeline.take().length),
    )
    pipeline.end()
    bytes += pipeline.take().length
    events += pipeline.events
  }
  return { events, bytes }
}

/** What the plain pipeline writes. */
export function plainOutput(corpus: BenchCorpus): Buffer {
  return Buffer.concat(
    corpus.files.map(({ path }) => {
      const pipeline = new PlainPipeline(basename(path))
      eachLineOf(path, (text) => pipeline.line(text))
      pipeline.end()
      return pipeline.take()
    }),
  )
}

/** Events by name, warnings by code as well, in the order of names. */
function eventCounts(stream: Buffer): Map<string, number> {
  const counts = new Map<string, number>()
  eachLine(stream, (text) => {
    const { event, code = '' }: { readonly event: string; readonly code?: string } = JSON.parse(text)
    const name = `${event} ${code}`.trim()
    counts.set(name, (counts.get(name) ?? 0) + 1)
  })
  return new Map([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
