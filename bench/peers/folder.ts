import { join } from 'node:path'
import { nativeIsValid } from '../../src/kernel/second-opinion.ts'
import type { Command } from '../command.ts'
import type { BenchCorpus } from '../corpora.ts'
import { projectDir } from '../project.ts'
import { clear, Conversion, copying } from './conversion.ts'
import type { GroupResult, Settings } from './group.ts'
import { alternate, best, type Program } from './program.ts'

const OURS = 'millrace convert'

/**
 * Full conversion of one folder against copying it, and against others who read it. Records have to be as many as the
 * generator wrote, digests what `sha256sum` says, events as many as the plain pipeline makes.
 */
export async function measureFolder(
  corpus: BenchCorpus,
  scratch: string,
  { rounds }: Settings,
): Promise<GroupResult> {
  const { path, bytes, facts } = corpus
  if (facts === null) throw new Error(`nothing is known of ${path}`)
  const to = join(scratch, 'out')
  const full = new Conversion(path, to, facts.records)
  const bare = new Conversion(path, to, facts.records, false)
  const copy = copying(path, to, bytes)
  const contenders = [full.program(OURS), bare.program(`${OURS} --no-digest`), copy]
  const raced = await alternate([...contenders, ...readers(corpus, full)], rounds, scratch)
  const slow = await alternate(plainPrograms(corpus, to, full), 1, scratch)
  clear(to)
  const [ours = 0, oursBare = 0, copied = 0] = raced.map(best)
  return {
    measured: [
      { name: 'folder', value: ours / copied, note: '' },
      { name: 'folder-no-digest', value: oursBare / copied, note: '' },
    ],
    fields: [
      { title: 'the folder read, copied, converted', bytes, ours: OURS, timings: [...raced, ...slow] },
    ],
  }
}

/** Tools that read every byte. What `cat` reads, nobody can check: it is thrown away. */
function readers(corpus: BenchCorpus, full: Conversion): Program[] {
  const files = corpus.files.map(({ path }) => path)
  const lines = (corpus.facts?.records ?? 0) + (corpus.facts?.blankLines ?? 0)
  const silent: Command = ['sh', '-c', 'cat -- "$@" > /dev/null', 'sh', ...files]
  return [
    { name: 'cat > /dev/null', command: silent, isOurs: false },
    {
      name: 'wc -l',
      command: ['wc', '-l', ...files],
      isOurs: false,
      faults: (said) => {
        const counted = linesCounted(said)
        return counted === lines ? [] : [`${counted} lines, expected ${lines}`]
      },
    },
    {
      name: 'sha256sum',
      command: ['sha256sum', ...files],
      isOurs: false,
      faults: (said) => digestFaults(said, digestsOf(full, corpus.path)),
    },
  ]
}

/** The number of lines that `wc -l` gives for all files: the last line sums up, if there are several. */
export function linesCounted(said: string): number {
  return Number(/^\s*(\d+)/.exec(said.trimEnd().split('\n').at(-1) ?? '')?.[1])
}

/** Digests of transcripts by the manifest, by their whole paths. */
function digestsOf({ manifest }: Conversion, folder: string): Map<string, string | null> {
  return new Map(manifest.entries.map(({ path, digest }) => [join(folder, path), digest]))
}

/** Files for which `sha256sum` says something else than we do, or of which only one of us speaks. */
export function digestFaults(said: string, digests: ReadonlyMap<string, string | null>): string[] {
  const lines = said.trimEnd().split('\n')
  const faults = lines.flatMap((line) => {
    const [digest = '', path = ''] = line.split(/ [ *]/)
    return digests.get(path) === digest ? [] : [`${path} has the digest ${digest}, not ${digests.get(path)}`]
  })
  return lines.length === digests.size ? faults : [...faults, `${lines.length} digests of ${digests.size}`]
}

/** What Node does by itself, in one thread. */
function plainPrograms(corpus: BenchCorpus, to: string, full: Conversion): Program[] {
  const program = join(projectDir, 'dist/bench/peers/plain.js')
  const files = corpus.files.map(({ path }) => path)
  const plain = (name: string, what: string, field: 'records' | 'events', expected: number): Program => ({
    name,
    command: [process.execPath, program, what, to, ...files],
    isOurs: false,
    prepare: () => clear(to),
    faults: (said) => {
      const counts: Readonly<Record<string, number>> = JSON.parse(said)
      return counts[field] === expected ? [] : [`${counts[field]} ${field}, expected ${expected}`]
    },
  })
  const { records, events } = full.manifest
  return [
    plain('JSON.parse of each line', 'parse', 'records', records),
    ...(nativeIsValid() === null
      ? []
      : [plain('simdjson isValid of each line', 'simdjson', 'records', records)]),
    plain('JSON.parse → map → JSON.stringify', 'convert', 'events', events),
  ]
}
