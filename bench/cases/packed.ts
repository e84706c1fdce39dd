import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Compression, COMPRESSIONS } from '../../src/source/compress.ts'
import type { BenchCase, Comparison, Contender } from '../case.ts'
import { type Command, peakRssOf, runCommand } from '../command.ts'
import type { BenchCorpus } from '../corpora.ts'
import { compressFile, hasTool, unpacking } from '../packed.ts'
import { projectDir } from '../project.ts'
import { counting, usageCommand } from './processes.ts'

/**
 * Usage of one compressed transcript, against decompressing it to nowhere: by the format's tool, and by our own decoder.
 * Formats whose tool is not installed are left out.
 */
export const packedCases: readonly BenchCase[] = COMPRESSIONS.filter(hasTool).map((format) => ({
  name: `packed-${format}`,
  title: `usage of one .jsonl.${format} of 500 MB, all cores`,
  budgetMs: 2500,
  leastRounds: 3,
  clock: 'wall',
  open: (corpus, scratch) => openPacked(corpus, scratch, format),
}))

function openPacked(corpus: BenchCorpus, scratch: string, format: Compression): Comparison {
  const [file] = corpus.files
  if (file === undefined) throw new Error(`${corpus.path} holds no transcript`)
  const copy = join(scratch, 'run.jsonl')
  copyFileSync(file.path, copy)
  const packed = { ...corpus, path: compressFile(copy, format) }
  const baselines = [byTool(packed.path, format), byDecoder(packed.path, corpus.bytes)]
  const ours = counting(packed)
  return { bytes: corpus.bytes, ours, baselines, peakRss: () => peakRssOf(usageCommand(packed), scratch) }
}

function byTool(path: string, format: Compression): Contender {
  const unpack = unpacking(path, format)
  return { name: `${unpack.name} -dc`, expected: '', run: () => runCommand(unpack.command) }
}

/** A program that does nothing but decode, in one thread, as our decode lane does. */
function byDecoder(path: string, bytes: number): Contender {
  const program = pathToFileURL(join(projectDir, 'dist/bench/decode.js'))
  const asked: Command = [process.execPath, program.pathname, path]
  return { name: 'the same decoder alone', expected: String(bytes), run: () => runCommand(asked) }
}
